"""Runs with versions of procedures, as they were reported. Insert only."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, insert, select

from models.principals import Principal
from models.procedure_runs import Run, StepReport
from models.reports import Outcome
from store.sql import among
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


async def of_versions(work: UnitOfWork, version_ids: Sequence[UUID]) -> dict[UUID, list[Run]]:
    """The latest runs with each of these versions: of what was said of an activity, the last word."""
    found: dict[UUID, list[Run]] = {identity: [] for identity in version_ids}
    for identity in found:
        latest = (
            select(runs)
            .where(runs.c.tenant_id == work.tenant_id, runs.c.version_id == identity)
            .order_by(runs.c.activity_id, runs.c.recorded_at.desc(), runs.c.event_id.desc())
            .distinct(runs.c.activity_id)
            .subquery()
        )
        query = select(latest).order_by(latest.c.recorded_at.desc()).limit(MOST_RUNS)
        found[identity] = [_run(row) for row in await work.rows(query)]
    return found


async def of_activities(work: UnitOfWork, activity_ids: Sequence[UUID]) -> list[Run]:
    """All that was reported of runs in these activities, the first word first."""
    query = (
        select(runs)
        .where(runs.c.tenant_id == work.tenant_id, runs.c.activity_id == among(activity_ids))
        .order_by(runs.c.recorded_at, runs.c.event_id)
    )
    return [_run(row) for row in await work.rows(query)]


def _run(row: Row[Any]) -> Run:
    steps = _STEPS.validate_python(row.steps)
    return Run(row.event_id, row.version_id, row.activity_id, steps, Outcome(row.outcome), row.pair)
