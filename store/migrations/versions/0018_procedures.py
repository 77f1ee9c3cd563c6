"""Procedures: playbooks and their versions, proposals, decisions on them, runs, and what episodes have taught."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

# What the service may do with each table, beyond reading and inserting.
CHANGES = {
    "procedures": "UPDATE (versions)",
    "proposals": (
        "UPDATE (base, content, drafters, because, grounds, episodes, state, reason, revision, remind_at, escalate_at,"
        " lapses_at, version_id)"
    ),
    "procedure_versions": "UPDATE (status, reason, episodes, approved)",
    "proposal_decisions": "UPDATE (state, outcome, role, counts_for, decided_at)",
    "procedure_runs": None,
    "experiences": "UPDATE (scope_key, revision, reading, task_class, content)",
}


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    for table, change in CHANGES.items():
        op.execute(f"GRANT SELECT, INSERT ON {table} TO keepwell_service")
        if change is not None:
            op.execute(f"GRANT {change} ON {table} TO keepwell_service")
        wall(table)
    _ask_models_for("'extract', 'narrate', 'draft'")


def downgrade() -> None:
    op.execute("DELETE FROM extractions WHERE purpose = 'draft'")
    _ask_models_for("'extract', 'narrate'")
    op.execute(
        "DROP TABLE experiences, procedure_runs, proposal_decisions, procedure_versions, proposals, procedures"
    )
    op.execute("DROP FUNCTION forbid_version_revival, forbid_proposal_revival")
    op.execute("DELETE FROM transitions WHERE record_kind IN ('procedure', 'proposal')")
    op.execute("ALTER TABLE episodes DROP COLUMN retracted_at")
    op.execute("ALTER TABLE events RENAME COLUMN directive TO on_intention")


def _ask_models_for(purposes: str) -> None:
    op.execute(
        "ALTER TABLE extractions DROP CONSTRAINT extractions_purpose_check,"
        f" ADD CONSTRAINT extractions_purpose_check CHECK (purpose IN ({purposes}))"
    )
