"""Alembic's entry: runs the revisions on the connection that `store.migrate` hands over."""

from alembic import context
from sqlalchemy import Connection

from store.tables import metadata

connection: Connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=True)
with context.begin_transaction():
    context.run_migrations()
