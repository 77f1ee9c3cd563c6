"""Erasures: requests, what they reach, tombstones, the fence, legal holds, and the log of receipts."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

# What the service may do with each table, beyond reading.
CHANGES = {
    "erasures": "INSERT, UPDATE (state, goes_on, lapses_at, done_at)",
    "erasure_confirmations": "INSERT, UPDATE (digest, recorded_at)",
    "erasure_nodes": "INSERT",
    "tombstones": "",
    "erased_keys": "",
    "legal_holds": "INSERT, UPDATE (released_at, released_by)",
    "erasure_log": "",
    "departures": "INSERT",
}

# The eraser may do what the service may, and this: nobody else takes anything back that was written.
ERASES = {
    "erasures": "UPDATE",
    "erasure_nodes": "UPDATE, DELETE",
    "tombstones": "INSERT, UPDATE (erasure_id, recorded_at)",
    "erased_keys": "INSERT",
    "erasure_log": "INSERT",
    "events": (
        "UPDATE (subject, roles, scope, timezone, text, entities, evidence_ref, data, idempotency_key, digest,"
        " erased_at)"
    ),
    "activities": "UPDATE (external_id)",
    "aliases": "DELETE",
    "candidates": (
        "UPDATE (key_id, attribute, mention, value, ends_when, expires_at, stated_from, quote, about_id, promotes_id,"
        " reviews_id)"
    ),
    "confirmations": "DELETE",
    "cues": "DELETE",
    "decisions": "UPDATE (fact_id, target_id)",
    "disclosures": "DELETE",
    "entities": "DELETE",
    "episodes": "DELETE",
    "evidence": "DELETE",
    "experiences": "DELETE",
    "extractions": "UPDATE (state, proposed, input_digest)",
    "fact_keys": "DELETE",
    "facts": "UPDATE, DELETE",
    "gates": "DELETE",
    "intentions": "DELETE",
    "lineage": "DELETE",
    "mismatches": "DELETE",
    "occurrences": "DELETE",
    "procedure_runs": "DELETE",
    "procedure_versions": "DELETE",
    "procedures": "DELETE",
    "proposal_decisions": "DELETE",
    "proposals": "DELETE",
    "settlements": "DELETE",
    "stimuli": "DELETE",
    "transitions": "UPDATE (actor)",
    "watches": "DELETE",
}

VACUUMED = (
    "events",
    "facts",
    "candidates",
    "episodes",
    "passages",
    "postings",
    "vectors",
    "traces",
    "aliases",
)
"""The tables whose dead rows the eraser clears away."""

ROLE = """
DO $$
BEGIN
    -- Roles belong to the whole server, so another database may be creating the same one.
    PERFORM pg_advisory_xact_lock(hashtext('keepwell roles'));
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'keepwell_eraser') THEN
        CREATE ROLE keepwell_eraser NOLOGIN NOBYPASSRLS;
    END IF;
    GRANT keepwell_service TO keepwell_eraser WITH INHERIT TRUE;
END $$;
"""


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    run_script(ROLE)
    for table, change in CHANGES.items():
        rights = ", ".join(right for right in ("SELECT", change) if right)
        op.execute(f"GRANT {rights} ON {table} TO keepwell_service")
        wall(table)
    for table, rights in ERASES.items():
        op.execute(f"GRANT {rights} ON {table} TO keepwell_eraser")
    for table in VACUUMED:
        op.execute(f"GRANT MAINTAIN ON {table} TO keepwell_eraser")


def downgrade() -> None:
    for table, rights in ERASES.items():
        op.execute(f"REVOKE {rights} ON {table} FROM keepwell_eraser")
    op.execute("DROP TRIGGER lineage_is_fenced ON lineage")
    op.execute("DROP TRIGGER candidates_are_fenced ON candidates")
    op.execute("DROP FUNCTION fence_lineage, fence_candidates")
    for table, column in (("events", "erased_at"), ("episodes", "recomputed_at"), ("facts", "recomputed_at")):
        op.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    op.execute(
        "DROP TABLE departures, erasure_log, legal_holds, erased_keys, tombstones, erasure_nodes,"
        " erasure_confirmations, erasures"
    )
