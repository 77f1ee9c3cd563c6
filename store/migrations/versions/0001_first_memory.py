"""Events, episodes and facts, with the walls between tenants and the laws of a fact's life."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# What the service may do with each table, beyond reading and inserting. Whatever is not named is refused by
# Postgres: nobody rewrites an event, a decision, a transition or a piece of evidence.
CHANGES = {
    "tenants": "",
    "activities": "UPDATE (last_seq, consolidated_seq)",
    "events": "",
    "applied": "",
    "entities": "UPDATE (canonical, type, same_as)",
    "aliases": "UPDATE (trusted)",
    "episodes": "UPDATE",
    "passages": "DELETE",
    "episode_entities": "DELETE",
    "fact_keys": "UPDATE (recorded_at)",
    "facts": "UPDATE (ended_at, ending, restated_at, authority, authority_role, standing)",
    "candidates": "",
    "decisions": "",
    "evidence": "",
    "lineage": "",
    "transitions": "",
    "gates": "UPDATE (state, reason, closed_at)",
    "confirmations": "UPDATE (state, reason, decided_at)",
    "postings": "DELETE",
    "search_cells": "UPDATE (records, terms)",
}

ROLES = """
DO $$
DECLARE
    wanted text;
BEGIN
    -- Roles belong to the whole server, so another database may be creating the same one.
    PERFORM pg_advisory_xact_lock(hashtext('keepwell roles'));
    FOREACH wanted IN ARRAY ARRAY['keepwell_service', 'keepwell_relay'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', wanted);
        END IF;
    END LOOP;
END $$;
"""


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    run_script(ROLES)
    for table, change in CHANGES.items():
        op.execute(f"GRANT SELECT, INSERT ON {table} TO keepwell_service")
        if change:
            op.execute(f"GRANT {change} ON {table} TO keepwell_service")
        wall(table, "id" if table == "tenants" else "tenant_id")
    op.execute("GRANT SELECT ON alembic_version TO keepwell_service")
    op.execute("GRANT INSERT, SELECT ON outbox TO keepwell_service")
    op.execute("GRANT SELECT, UPDATE, DELETE ON outbox TO keepwell_relay")
    wall("outbox")
    op.execute("CREATE POLICY relay ON outbox TO keepwell_relay USING (true)")


def downgrade() -> None:
    raise RuntimeError("the first revision has nothing before it; drop the database instead")
