"""Traces: one row for each recall, written in the transaction that answered it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Row, select
from sqlalchemy.types import DateTime, Integer, Text, Uuid

from models.recall import Advice
from models.traces import Asked, Decision, Entry, Trace, TraceHead, TraceQuery
from models.triggers import Trigger
from store.sql import IDS, JSON, TEXTS, among, sql
from store.tables import passages, traces
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
            "decisions": _DECISIONS.dump_python(tuple(trace.decisions), mode="json"),
            "entries": _ENTRIES.dump_python(tuple(trace.entries), mode="json"),
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


async def held(work: UnitOfWork, trace_ids: Sequence[UUID]) -> list[Trace]:
    """Those of these traces that are there, each held until the transaction ends."""
    mine = traces.c.tenant_id == work.tenant_id, traces.c.id == among(trace_ids)
    query = select(traces).where(*mine).order_by(traces.c.id).with_for_update(key_share=True)
    return [_trace(row) for row in await work.rows(query)]


class Asker(NamedTuple):
    """Whose recalls."""

    subject: str
    kind: str


class Position(NamedTuple):
    """The last trace of a page."""

    recorded_at: datetime
    id: UUID


class Listed(NamedTuple):
    """A recall, and the records that its trace names."""

    head: TraceHead
    named: Sequence[UUID]

    @property
    def position(self) -> Position:
        """After which the others follow."""
        return Position(self.head.recorded_at, self.head.id)


_PAGE = sql(
    """
    SELECT id, recorded_at, asked, triggers, advice, tokens,
        ARRAY(SELECT (entry ->> 'id')::uuid FROM jsonb_array_elements(entries) AS entry) AS named
    FROM traces
    WHERE tenant_id = :tenant
        AND (:subject IS NULL OR (subject = :subject AND subject_kind = :kind))
        AND (:before IS NULL OR (recorded_at, id) < (:before, :before_id))
        AND (:trigger IS NULL OR :trigger = ANY(triggers))
        AND (:advice IS NULL OR advice = :advice)
        AND (:record IS NULL OR EXISTS (
            SELECT FROM jsonb_array_elements(entries) AS entry WHERE entry ->> 'id' = :record
        ))
    ORDER BY recorded_at DESC, id DESC LIMIT :most
    """,
    subject=Text,
    kind=Text,
    before=DateTime(timezone=True),
    before_id=Uuid,
    trigger=Text,
    advice=Text,
    record=Text,
    most=Integer,
)


async def page(
    work: UnitOfWork, of: Asker | None, query: TraceQuery, after: Position | None, most: int
) -> list[Listed]:
    """Traces that pass the filter, newest first; of everybody where `of` is None."""
    values = {
        "subject": of and of.subject,
        "kind": of and of.kind,
        "before": after and after.recorded_at,
        "before_id": after and after.id,
        "trigger": query.trigger and query.trigger.value,
        "advice": query.advice and query.advice.value,
        "record": query.record_id and str(query.record_id),
        "most": most,
    }
    return [Listed(TraceHead(**_head(row)), row.named) for row in await work.rows(_PAGE, values)]


async def passages_of(work: UnitOfWork, episode_id: UUID) -> frozenset[UUID]:
    """The passages that an episode is cut into."""
    query = select(passages.c.id).where(
        passages.c.tenant_id == work.tenant_id, passages.c.episode_id == episode_id
    )
    return frozenset(row.id for row in await work.rows(query))


_IS_FOUND_BY = sql(
    "SELECT 1 FROM postings WHERE tenant_id = :tenant AND record_id = ANY(:ids) AND term = ANY(:terms) LIMIT 1",
    ids=IDS,
    terms=TEXTS,
)


async def shares_words(work: UnitOfWork, record_ids: Sequence[UUID], terms: Sequence[str]) -> bool:
    """Whether one of these records has one of these words."""
    return await work.row(_IS_FOUND_BY, {"ids": list(record_ids), "terms": list(terms)}) is not None


_FORGET_BEFORE = sql(
    """
    DELETE FROM traces WHERE tenant_id = :tenant AND id IN (
        SELECT id FROM traces WHERE tenant_id = :tenant AND recorded_at < :instant ORDER BY recorded_at LIMIT :most
    )
    """,
    instant=DateTime(timezone=True),
    most=Integer,
)


async def forget_before(work: UnitOfWork, instant: datetime, most: int) -> int:
    """Delete up to `most` of the tenant's traces of recalls before `instant`, with their reports; how many."""
    return await work.run(_FORGET_BEFORE, {"instant": instant, "most": most})


_FORGET = sql(
    """
    DELETE FROM traces t WHERE t.tenant_id = :tenant AND EXISTS (
        SELECT FROM jsonb_array_elements(t.entries) AS entry WHERE (entry ->> 'id')::uuid = ANY(:ids)
    )
    """,
    ids=IDS,
)


async def forget_records(work: UnitOfWork, record_ids: Sequence[UUID]) -> int:
    """Delete every trace that mentions one of these records, with its reports; how many there were.

    The whole trace goes: its question may well repeat what the record said.
    """
    return await work.run(_FORGET, {"ids": list(record_ids)})


_RESTING_ON = sql(
    """
    SELECT v.record_id AS id FROM evidence v
    WHERE v.tenant_id = :tenant AND v.event_id = ANY(:ids) AND v.record_kind = 'fact'
    UNION
    SELECT p.id FROM events e
    JOIN episodes s ON s.tenant_id = e.tenant_id AND s.activity_id = e.activity_id
    JOIN passages p ON p.tenant_id = s.tenant_id AND p.episode_id = s.id AND e.id = ANY(p.event_ids)
    WHERE e.tenant_id = :tenant AND e.id = ANY(:ids)
    """,
    ids=IDS,
)


async def resting_on(work: UnitOfWork, event_ids: Sequence[UUID]) -> list[UUID]:
    """The records that entries can name and that rest on these events: facts by evidence, passages by their words."""
    return [row.id for row in await work.rows(_RESTING_ON, {"ids": list(event_ids)})]


def _head(row: Row[Any]) -> dict[str, Any]:
    return {
        "id": row.id,
        "recorded_at": row.recorded_at,
        "asked": Asked.model_validate(row.asked),
        "triggers": tuple(map(Trigger, row.triggers)),
        "advice": Advice(row.advice),
        "tokens": row.tokens,
    }


def _trace(row: Row[Any]) -> Trace:
    return Trace(
        **_head(row),
        decisions=_DECISIONS.validate_python(row.decisions),
        entries=_ENTRIES.validate_python(row.entries),
    )
