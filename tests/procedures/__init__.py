"""Procedures, against a real Postgres and a real Temporal server."""
