"""Postgres: the truth. The only room that speaks SQL; nothing of SQLAlchemy's leaves it but a unit of work."""
