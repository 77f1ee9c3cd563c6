"""How events go: their words go and that they happened stays, or a part of their words goes."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.types import Text, Uuid

from store.erasure.rows import Rows, changed
from store.sql import IDS, JSON, sql
from store.unit_of_work import UnitOfWork

_REDACT = sql(
    """
    UPDATE events SET text = NULL, entities = '[]', data = '{}', evidence_ref = NULL, idempotency_key = NULL,
        digest = '', timezone = NULL, erased_at = now(),
        subject = CASE WHEN :nameless THEN 'erased' ELSE subject END,
        roles = CASE WHEN :nameless THEN '{}' ELSE roles END,
        scope = CASE WHEN :nameless THEN '{}' ELSE scope END
    WHERE tenant_id = :tenant AND id = ANY(:ids) AND erased_at IS NULL
    """,
    ids=IDS,
)
_BLANK_CANDIDATES = sql(
    """
    UPDATE candidates SET key_id = NULL, attribute = 'erased', mention = NULL, value = NULL, ends_when = NULL,
        expires_at = NULL, stated_from = NULL, quote = '', about_id = NULL, promotes_id = NULL, reviews_id = NULL
    WHERE tenant_id = :tenant AND event_id = ANY(:ids) AND attribute <> 'erased'
    """,
    ids=IDS,
)
_STEPS = {
    "evidence": sql("DELETE FROM evidence WHERE tenant_id = :tenant AND event_id = ANY(:ids)", ids=IDS),
    "lineage": sql("DELETE FROM lineage WHERE tenant_id = :tenant AND parent_id = ANY(:ids)", ids=IDS),
    "procedure_runs": sql(
        "DELETE FROM procedure_runs WHERE tenant_id = :tenant AND event_id = ANY(:ids)", ids=IDS
    ),
    "confirmations": sql(
        "DELETE FROM confirmations WHERE tenant_id = :tenant AND event_id = ANY(:ids)", ids=IDS
    ),
    "stimuli": sql("DELETE FROM stimuli WHERE tenant_id = :tenant AND subject_id = ANY(:ids)", ids=IDS),
}
# What a model has proposed of an activity and nobody has applied yet goes; the pass asks once more.
_FORGET_PROPOSED = sql(
    """
    UPDATE extractions SET state = CASE WHEN state = 'proposed' THEN 'superseded' ELSE state END, proposed = NULL,
        input_digest = NULL
    WHERE tenant_id = :tenant AND activity_id IN (
        SELECT activity_id FROM events WHERE tenant_id = :tenant AND id = ANY(:ids)
    )
    """,
    ids=IDS,
)
_NAMELESS_CHANGES = sql(
    "UPDATE transitions SET actor = 'erased' WHERE tenant_id = :tenant AND event_id = ANY(:ids)", ids=IDS
)
_ACTIVITIES = sql(
    "SELECT DISTINCT activity_id FROM events WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS
)
_NAMELESS_ACTIVITIES = sql(
    """
    UPDATE activities a SET external_id = 'erased:' || a.id
    WHERE a.tenant_id = :tenant AND a.id = ANY(:ids) AND a.external_id <> 'erased:' || a.id AND NOT EXISTS (
        SELECT FROM events e WHERE e.tenant_id = a.tenant_id AND e.activity_id = a.id AND e.erased_at IS NULL
    )
    """,
    ids=IDS,
)


async def redact(work: UnitOfWork, ids: Sequence[UUID], *, nameless: bool) -> Rows:
    """Take all words out of events, and what was read out of them with it. `nameless` takes whose they were as well.

    An activity of which nothing is left loses its name.
    """
    told = {"ids": list(ids)}
    rows: Rows = {}
    activities = [row.activity_id for row in await work.rows(_ACTIVITIES, told)]
    await work.run(_FORGET_PROPOSED, told)
    changed(rows, "candidates", await work.run(_BLANK_CANDIDATES, told))
    for table, statement in _STEPS.items():
        changed(rows, table, await work.run(statement, told))
    if nameless:
        changed(rows, "transitions", await work.run(_NAMELESS_CHANGES, told))
    changed(rows, "events", await work.run(_REDACT, {**told, "nameless": nameless}))
    changed(rows, "activities", await work.run(_NAMELESS_ACTIVITIES, {"ids": activities}))
    return rows


class Quoted(NamedTuple):
    """An event that others have spoken in as well, and what of it goes."""

    id: UUID
    text: str | None
    data: dict[str, Any]
    candidates: list[dict[str, Any]]


_QUOTED = sql(
    """
    SELECT e.id, e.text, e.data, (
        SELECT jsonb_agg(jsonb_build_object('quote', c.quote, 'attribute', c.attribute, 'value', c.value))
        FROM candidates c JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id
        JOIN erasure_nodes n ON n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.id = d.fact_id AND n.root
        WHERE c.tenant_id = e.tenant_id AND c.event_id = e.id
    ) AS candidates
    FROM events e WHERE e.tenant_id = :tenant AND e.id = ANY(:ids)
    """,
    erasure=Uuid,
    ids=IDS,
)
_CUT = sql(
    """
    UPDATE events SET text = :text, data = :data, digest = '', erased_at = NULL
    WHERE tenant_id = :tenant AND id = :id
    """,
    id=Uuid,
    text=Text,
    data=JSON,
)


async def quoted(work: UnitOfWork, erasure_id: UUID, ids: Sequence[UUID]) -> list[Quoted]:
    """These events with what was read out of them for records that go. Before those go."""
    rows = await work.rows(_QUOTED, {"erasure": erasure_id, "ids": list(ids)})
    return [Quoted(row.id, row.text, row.data, row.candidates or []) for row in rows]


async def cut(work: UnitOfWork, identity: UUID, text: str | None, data: dict[str, Any]) -> None:
    """Have an event say less than it did."""
    await work.run(_CUT, {"id": identity, "text": text, "data": data})


_AMONG = sql(
    """
    SELECT v.event_id AS id FROM evidence v
    JOIN erasure_nodes n ON n.tenant_id = v.tenant_id AND n.erasure_id = :erasure AND n.id = v.event_id
    WHERE v.tenant_id = :tenant AND v.record_id = :record AND NOT n.survives
    """,
    erasure=Uuid,
    record=Uuid,
)


async def among_erased(work: UnitOfWork, erasure_id: UUID, record_id: UUID) -> frozenset[UUID]:
    """The events behind a record of which an erasure takes the words."""
    return frozenset(row.id for row in await work.rows(_AMONG, {"erasure": erasure_id, "record": record_id}))
