"""Erasure: what is named to be forgotten, what that reaches, what becomes of each record, and the proof of it."""
