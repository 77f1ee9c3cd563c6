"""The embedded stack: Postgres 18 with pgvector and the Temporal development server, from PyPI wheels."""
