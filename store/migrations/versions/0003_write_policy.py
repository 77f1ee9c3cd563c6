"""The write policy: what its scripts make, what the service may do with it, and the walls between tenants."""

from pathlib import Path

from alembic import op

from store.migrations.script import run_script, wall

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# What the service may do with each new table, beyond reading and inserting.
CHANGES = {
    "extractions": (
        "UPDATE (extractor, model, prompt, input_digest, state, reason, attempts, requests, input_tokens,"
        " output_tokens, proposed)"
    ),
    "model_spending": "UPDATE (requests, tokens)",
    "policies": "",
    "switches": "",
}


def upgrade() -> None:
    for script in sorted(Path(__file__).with_suffix("").glob("*.sql")):
        run_script(script.read_text(encoding="utf-8"))
    for table, change in CHANGES.items():
        op.execute(f"GRANT SELECT, INSERT ON {table} TO keepwell_service")
        if change:
            op.execute(f"GRANT {change} ON {table} TO keepwell_service")
        wall(table)


def downgrade() -> None:
    raise RuntimeError("facts in dispute have no place in an earlier revision; restore a backup instead")
