"""Steps: what workflows do. Each is one idempotent transaction, or reads, asks a provider and then writes one.

A step takes and returns the messages of `models.messages`: ids and counts, never content.
"""
