"""Intentions: what is to be done later, their cues and watches, what came of them, and where it is delivered."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

# What the service may do with each table, beyond reading and inserting.
CHANGES = {
    "endpoints": "UPDATE (secrets, failures, open_until, disabled_at, reason)",
    "intentions": "UPDATE (owner, owner_kind, trigger, state, reason, next_at, fired, revision)",
    "occurrences": (
        "UPDATE (owner, owner_kind, fate, available_at, leases, lease, attempts, first_sent_at, settled_at, outcome,"
        " event_id)"
    ),
    "cues": "DELETE",
    "watches": "DELETE",
    "stimuli": "DELETE, UPDATE (at, after)",
    "timers": "UPDATE (wakes_at)",
}


def upgrade() -> None:
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    for table, change in CHANGES.items():
        op.execute(f"GRANT SELECT, INSERT ON {table} TO keepwell_service")
        op.execute(f"GRANT {change} ON {table} TO keepwell_service")
        wall(table)


def downgrade() -> None:
    op.execute("DROP TRIGGER transitions_stir ON transitions")
    op.execute("DROP FUNCTION stir_watches")
    op.execute("DROP TABLE timers, stimuli, watches, cues, occurrences, intentions, endpoints")
    op.execute("DROP FUNCTION require_declared_state, forbid_intention_revival")
    op.execute("DELETE FROM transitions WHERE record_kind = 'intention'")
    op.execute("ALTER TABLE events DROP COLUMN on_intention")
