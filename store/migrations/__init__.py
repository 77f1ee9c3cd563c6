"""Alembic's folder: revisions, and how they are run."""
