"""Vectors beside the words, each in the space of the model that made it, and passages in the order they were said."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    op.execute("GRANT SELECT, INSERT, DELETE, UPDATE (embedding) ON vectors TO keepwell_service")
    wall("vectors")
    # Spaces are the same for all tenants, and tell nothing of any of them.
    op.execute("GRANT SELECT, INSERT, UPDATE (state) ON vector_spaces TO keepwell_service")
    op.execute("ALTER TABLE vector_spaces ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE vector_spaces FORCE ROW LEVEL SECURITY")
    op.execute("CREATE POLICY everybody ON vector_spaces TO keepwell_service USING (true)")
    # Whoever embeds everything anew goes through all tenants, and needs no more of them than their ids.
    op.execute("GRANT SELECT (id) ON tenants TO keepwell_relay")
    op.execute("CREATE POLICY relay ON tenants FOR SELECT TO keepwell_relay USING (true)")


def downgrade() -> None:
    op.execute("DROP POLICY relay ON tenants")
    op.execute("REVOKE SELECT (id) ON tenants FROM keepwell_relay")
    op.execute("DROP TABLE vectors, vector_spaces")
    op.execute("DELETE FROM outbox WHERE kind = 'embed'")
    op.execute("DROP INDEX passages_in_order")
    op.execute("CREATE INDEX passages_of_episode ON passages (tenant_id, episode_id)")
