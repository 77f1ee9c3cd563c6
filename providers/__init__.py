"""Replaceable parts behind small protocols: narrators and extractors.

A provider proposes words. It never decides identity, scope, authority, status, retention or deletion.
"""
