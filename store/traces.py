"""Traces: one row for each recall, written in the transaction that answered it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, delete, select
from sqlalchemy.types import Integer, Text, Uuid

from models.recall import Advice
from models.traces import Asked, Decision, Entry, Trace
from models.triggers import Trigger
from store.sql import JSON, TEXTS, sql
from store.tables import traces
from store.unit_of_work import UnitOfWork

_DECISIONS = TypeAdapter(tuple[Decision, ...])
_ENTRIES = TypeAdapter(tuple[Entry, ...])

# A trace is worth no wait for the disk: nothing that is promised rests on it, and one that a crash of the whole server
# takes along is of an answer that was not given.
_ADD = sql(
    """
    WITH at_leisure AS MATERIALIZED (
        SELECT set_config('synchronous_commit', 'off', true) AS set
    )
    INSERT INTO traces (
        tenant_id, subject, subject_kind, scope_key, asked, triggers, decisions, entries, advice, tokens
    )
    SELECT :tenant, :subject, :kind, :scope_key, :asked, :triggers, :decisions, :entries, :advice, :tokens
    FROM at_leisure WHERE set IS NOT NULL
    RETURNING id
    """,
    subject=Text,
    kind=Text,
    scope_key=Uuid,
    asked=JSON,
    triggers=TEXTS,
    decisions=JSON,
    entries=JSON,
    advice=Text,
    tokens=Integer,
)


class NewTrace(NamedTuple):
    """What is told of a recall as it is answered."""

    scope_key: UUID
    asked: Asked
    triggers: Sequence[Trigger]
    decisions: Sequence[Decision]
    entries: Sequence[Entry]
    advice: Advice
    tokens: int


async def add(work: UnitOfWork, trace: NewTrace) -> UUID:
    """Keep a trace; its id."""
    row = await work.row(
        _ADD,
        {
            "subject": trace.asked.subject,
            "kind": trace.asked.kind,
            "scope_key": trace.scope_key,
            "asked": trace.asked.model_dump(mode="json"),
            "triggers": [trigger.value for trigger in trace.triggers],
            "decisions": [decision.model_dump(mode="json") for decision in trace.decisions],
            "entries": [entry.model_dump(mode="json") for entry in trace.entries],
            "advice": trace.advice.value,
            "tokens": trace.tokens,
        },
    )
    assert row is not None
    return row.id


async def get(work: UnitOfWork, trace_id: UUID) -> Trace | None:
    """One trace; None where there is none, or none any more."""
    row = await work.row(select(traces).where(traces.c.tenant_id == work.tenant_id, traces.c.id == trace_id))
    return None if row is None else _trace(row)


async def forget_before(work: UnitOfWork, instant: datetime) -> int:
    """Delete the tenant's traces of recalls before `instant`; how many there were."""
    return await work.run(
        delete(traces).where(traces.c.tenant_id == work.tenant_id, traces.c.recorded_at < instant)
    )


def _trace(row: Row[Any]) -> Trace:
    return Trace(
        id=row.id,
        recorded_at=row.recorded_at,
        asked=Asked.model_validate(row.asked),
        triggers=tuple(map(Trigger, row.triggers)),
        decisions=_DECISIONS.validate_python(row.decisions),
        entries=_ENTRIES.validate_python(row.entries),
        advice=Advice(row.advice),
        tokens=row.tokens,
    )
