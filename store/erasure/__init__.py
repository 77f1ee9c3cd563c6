"""Erasure as it is stored: requests, what they reach, the fence around it, and how each sort of record goes."""
