"""Runs with versions of procedures, as they were reported. Insert only."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, insert
from sqlalchemy.types import Integer, Uuid

from models.principals import Principal
from models.procedure_runs import Run, StepReport
from models.reports import Outcome
from store.sql import sql
from store.tables import procedure_runs as runs
from store.unit_of_work import UnitOfWork

_STEPS: TypeAdapter[tuple[StepReport, ...]] = TypeAdapter(tuple[StepReport, ...])
MOST_RUNS = 1_000
"""The latest so many of a version are looked at."""


async def add(work: UnitOfWork, run: Run, reporter: Principal) -> None:
    """Store what was reported of a run."""
    await work.run(
        insert(runs).values(
            tenant_id=work.tenant_id,
            event_id=run.event_id,
            version_id=run.version_id,
            activity_id=run.activity_id,
            subject=reporter.subject,
            subject_kind=reporter.kind.value,
            steps=_STEPS.dump_python(run.steps, mode="json"),
            outcome=run.outcome.value,
            pair=run.pair,
        )
    )


_LATEST = sql(
    """
    SELECT * FROM (
        SELECT DISTINCT ON (version_id, activity_id) * FROM procedure_runs
        WHERE tenant_id = :tenant AND version_id = :version
        ORDER BY version_id, activity_id, recorded_at DESC, event_id DESC
    ) AS latest
    ORDER BY recorded_at DESC, event_id DESC LIMIT :most
    """,
    version=Uuid,
    most=Integer,
)


async def of_versions(work: UnitOfWork, version_ids: Sequence[UUID]) -> dict[UUID, list[Run]]:
    """The latest runs with each of these versions: of what was said of an activity, the last word."""
    return {
        identity: [_run(row) for row in await work.rows(_LATEST, {"version": identity, "most": MOST_RUNS})]
        for identity in version_ids
    }


def _run(row: Row[Any]) -> Run:
    steps = _STEPS.validate_python(row.steps)
    return Run(row.event_id, row.version_id, row.activity_id, steps, Outcome(row.outcome), row.pair)
