"""Promises over time. A workflow decides when to act and in what order; Postgres says what is true.

Deterministic: no clock, randomness or input and output but Temporal's own.
"""
