"""Attribution counted: aggregates over the traces and reports of a period. No trace is loaded.

Records that a reader may not see, and those that are there no more, count nowhere. Only the first two stages of the
funnel look at memory itself; all others rest on traces and reports alone.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy.types import DateTime

from models.attribution import RESCUED, Loss, TriggerUse
from models.controls import Catalogue
from models.readers import Readable
from models.reports import Arm, Outcome
from models.scope import Scope
from models.traces import Fate
from models.triggers import Trigger
from store import persons
from store.readable import WORDS, hidden_words, is_readable, quotes_nothing_of, values_of
from store.shown import OFF, shown
from store.sql import JSON, sql
from store.unit_of_work import UnitOfWork


class Period(NamedTuple):
    """Recalls of a scope and of those within it, from `since` on and before `until`."""

    scope: Scope
    since: datetime
    until: datetime


class Recalls(NamedTuple):
    """How many recalls there were, and how many of these anybody reported on."""

    made: int
    reported: int


class Ended(NamedTuple):
    """How many records of a kind came no further than where `loss` took them; None for those that have helped."""

    kind: Literal["fact", "passage"]
    loss: Loss | None
    records: int


class Pairs(NamedTuple):
    """How many pairs of runs ended so, with memory and without; None where nobody has said."""

    with_memory: Outcome | None
    without_memory: Outcome | None
    pairs: int


_TYPES: dict[str, Any] = {
    "scope": JSON,
    "since": DateTime(timezone=True),
    "until": DateTime(timezone=True),
}
_ASKED = """
    asked AS MATERIALIZED (
        SELECT t.id, t.subject, t.subject_kind, t.triggers, t.entries,
            EXISTS (SELECT FROM reports r WHERE r.tenant_id = :tenant AND r.trace_id = t.id)
            OR EXISTS (SELECT FROM exposures x WHERE x.tenant_id = :tenant AND x.trace_id = t.id) AS reported
        FROM traces t
        WHERE t.tenant_id = :tenant AND t.recorded_at >= :since AND t.recorded_at < :until
            AND t.asked -> 'scope' @> :scope
    )
"""
# Of a recall the latest outcome counts, and of the recalls of one run the latest that has one. A pair is of one asker:
# the name is their own.
_RUNS = f"""
    said AS (
        SELECT a.id, a.subject, a.subject_kind, max(r.pair) AS pair, max(r.arm) AS arm,
            (array_agg(r.outcome ORDER BY r.id DESC) FILTER (WHERE r.outcome IS NOT NULL))[1] AS outcome,
            max(r.recorded_at) FILTER (WHERE r.outcome IS NOT NULL) AS ended_at
        FROM asked a JOIN reports r ON r.tenant_id = :tenant AND r.trace_id = a.id
        GROUP BY a.id, a.subject, a.subject_kind
    ), runs AS (
        SELECT subject, subject_kind, pair, arm,
            (array_agg(outcome ORDER BY ended_at DESC, id DESC) FILTER (WHERE outcome IS NOT NULL))[1] AS outcome
        FROM said WHERE pair IS NOT NULL GROUP BY subject, subject_kind, pair, arm
    ), pairs AS (
        SELECT subject, subject_kind, pair,
            max(outcome) FILTER (WHERE arm = '{Arm.WITH_MEMORY}') AS with_memory,
            max(outcome) FILTER (WHERE arm = '{Arm.WITHOUT_MEMORY}') AS without_memory
        FROM runs GROUP BY subject, subject_kind, pair
    )
"""
_KNOWN = f"('{Outcome.SUCCESS}', '{Outcome.FAILURE}')"

_RECALLS = sql(
    f"WITH {_ASKED} SELECT count(*) AS made, count(*) FILTER (WHERE reported) AS reported FROM asked",
    **_TYPES,
)
_TRIGGERS = sql(
    f"""
    WITH {OFF}, {_ASKED}, exposed AS MATERIALIZED (
        SELECT x.trace_id, x.record_id, x.used
        FROM asked a JOIN exposures x ON x.tenant_id = :tenant AND x.trace_id = a.id
    ), told AS MATERIALIZED (
        {shown("SELECT record_id FROM exposed")}
    ), counted AS (
        SELECT x.trace_id, count(*) AS exposed, count(*) FILTER (WHERE x.used) AS used
        FROM exposed x WHERE x.record_id IN (SELECT id FROM told) GROUP BY x.trace_id
    )
    SELECT trigger, count(*) AS fired, count(*) FILTER (WHERE a.reported) AS reported,
        count(*) FILTER (WHERE c.used > 0) AS used,
        COALESCE(sum(c.exposed), 0)::bigint AS exposed, COALESCE(sum(c.used), 0)::bigint AS records_used
    FROM asked a CROSS JOIN unnest(a.triggers) AS trigger LEFT JOIN counted c ON c.trace_id = a.id
    GROUP BY trigger
    """,
    **_TYPES,
    **WORDS,
    **persons.TYPES,
)
_PAIRS = sql(
    f"WITH {_ASKED}, {_RUNS} SELECT with_memory, without_memory, count(*) AS pairs FROM pairs GROUP BY 1, 2",
    **_TYPES,
)
# How far a record came in the recall in which it came furthest, as a number that orders the losses.
_FURTHEST = {
    0: Loss.BELOW_FLOOR,
    1: Loss.YIELDED,
    2: Loss.BEYOND_LIMIT,
    3: Loss.OVER_BUDGET,
    4: Loss.NOT_REPORTED,
    5: Loss.NOT_SHOWN,
    6: Loss.NOT_USED,
    7: Loss.NOT_PAIRED,
    8: Loss.NO_RESCUE,
}
_ALL_WORDS = hidden_words("SELECT unnest(q.event_ids) FROM passages q WHERE q.tenant_id = :tenant")
_ENDED = sql(
    f"""
    WITH {OFF}, {_ASKED}, {_RUNS}, found AS (
        SELECT e.id AS record_id, max(CASE
            WHEN x.used AND p.with_memory = '{RESCUED[0]}' AND p.without_memory = '{RESCUED[1]}' THEN 9
            WHEN x.used AND p.with_memory IN {_KNOWN} AND p.without_memory IN {_KNOWN} THEN 8
            WHEN x.used THEN 7
            WHEN x.record_id IS NOT NULL THEN 6
            WHEN e.fate = '{Fate.SELECTED}' AND a.reported THEN 5
            WHEN e.fate = '{Fate.SELECTED}' THEN 4
            WHEN e.fate = '{Fate.OVER_BUDGET}' THEN 3
            WHEN e.fate IN ('{Fate.BEYOND_LIMIT}', '{Fate.REPEATS}') THEN 2
            WHEN e.fate = '{Fate.YIELDED}' THEN 1
            ELSE 0
        END) AS furthest
        FROM asked a CROSS JOIN jsonb_to_recordset(a.entries) AS e(id uuid, fate text)
        LEFT JOIN exposures x ON x.tenant_id = :tenant AND x.trace_id = a.id AND x.record_id = e.id
        LEFT JOIN said s ON s.id = a.id AND s.arm = '{Arm.WITH_MEMORY}'
        LEFT JOIN pairs p ON p.subject = s.subject AND p.subject_kind = s.subject_kind AND p.pair = s.pair
        GROUP BY e.id
    ), records AS (
        SELECT f.id, 'fact' AS kind, f.recorded_at < :until AND (k.scope @> :scope OR k.scope <@ :scope) AS written,
            f.admission = 'admitted' AND f.valid_from < :until AND (f.ended_at IS NULL OR f.ended_at > :since)
            AND (f.expires_at IS NULL OR f.expires_at > :since)
            AND (f.lapses_at IS NULL OR f.lapses_at > :since) AS eligible
        FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE f.tenant_id = :tenant AND {is_readable("k.attribute")}
            AND NOT {persons.switched_off("f", "anything FROM off")}
        UNION ALL
        SELECT p.id, 'passage', p.occurred_at < :until AND (e.scope @> :scope OR e.scope <@ :scope), true
        FROM passages p JOIN events e ON e.tenant_id = p.tenant_id AND e.id = p.event_ids[1]
        WHERE p.tenant_id = :tenant AND {quotes_nothing_of(f"({_ALL_WORDS}) AS hidden", "p.event_ids")}
            AND NOT {persons.speak_of_what_is_off("p.event_ids", "anything FROM off")}
    )
    SELECT r.kind, r.eligible, f.furthest, count(*) AS records
    FROM records r LEFT JOIN found f ON f.record_id = r.id
    WHERE r.written OR f.record_id IS NOT NULL GROUP BY r.kind, r.eligible, f.furthest
    """,
    **_TYPES,
    **WORDS,
    **persons.TYPES,
)


def _values(period: Period) -> dict[str, Any]:
    return {"scope": dict(period.scope), "since": period.since, "until": period.until}


async def recalls(work: UnitOfWork, period: Period) -> Recalls:
    """How many recalls there were."""
    row = await work.row(_RECALLS, _values(period))
    assert row is not None
    return Recalls(row.made, row.reported)


def _shown(readable: Readable, known: Catalogue) -> dict[str, Any]:
    return {**values_of(readable), **persons.values_of(known)}


async def ended(work: UnitOfWork, period: Period, readable: Readable, known: Catalogue) -> list[Ended]:
    """Where the records that a reader may see were lost."""
    rows = await work.rows(_ENDED, {**_values(period), **_shown(readable, known)})
    return [Ended(row.kind, _loss(row.eligible, row.furthest), row.records) for row in rows]


def _loss(eligible: bool, furthest: int | None) -> Loss | None:
    if furthest is None:
        return Loss.NOT_FOUND if eligible else Loss.NOT_IN_FORCE
    return _FURTHEST.get(furthest)


async def triggers(
    work: UnitOfWork, period: Period, readable: Readable, known: Catalogue
) -> list[TriggerUse]:
    """How often each trigger fired, in the order of `Trigger`; one that never did is there with noughts.

    Of what was exposed and used, what a reader may see counts.
    """
    found = await work.rows(_TRIGGERS, {**_values(period), **_shown(readable, known)})
    rows = {row.trigger: row for row in found}
    return [_trigger(trigger, rows.get(trigger.value)) for trigger in Trigger]


def _trigger(trigger: Trigger, row: Any) -> TriggerUse:
    counted: Sequence[str] = ("fired", "reported", "used", "exposed", "records_used")
    return TriggerUse(trigger=trigger, **{name: 0 if row is None else getattr(row, name) for name in counted})


async def pairs(work: UnitOfWork, period: Period) -> list[Pairs]:
    """How pairs of runs ended."""
    rows = await work.rows(_PAIRS, _values(period))
    return [Pairs(_outcome(row.with_memory), _outcome(row.without_memory), row.pairs) for row in rows]


def _outcome(said: str | None) -> Outcome | None:
    return None if said is None else Outcome(said)
