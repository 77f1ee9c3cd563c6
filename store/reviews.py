"""What waits for a reviewer: open claims, and candidates of which nobody can tell what they are about."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row

from models.authority import Authority
from models.candidates import Terms
from models.readers import Readable
from models.reasons import ReasonCode
from models.reconciliation import Verdict
from models.reviews import Heard, Unnamed
from store.readable import READERS, WORDS, hidden_words, is_readable, quotes_nothing_of, values_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_AMBIGUOUS = ReasonCode.AMBIGUOUS_ENTITY.value


class Waits(NamedTuple):
    """One thing that waits, in the order of the queue. `unnamed` is None for a claim."""

    id: UUID
    recorded_at: datetime
    scope: dict[str, str]
    attribute: str
    reason: str
    unnamed: Unnamed | None


_UNNAMED = f"""
    c.key_id IS NULL AND c.reviews_id IS NULL AND c.mention IS NOT NULL AND c.value IS NOT NULL
    AND d.verdict = '{Verdict.HOLD_UNVERIFIED.value}' AND d.reason = '{_AMBIGUOUS}'
    AND NOT EXISTS (
        SELECT FROM candidates r JOIN decisions rd ON rd.tenant_id = r.tenant_id AND rd.candidate_id = r.id
        WHERE r.tenant_id = c.tenant_id AND r.reviews_id = c.id AND rd.verdict <> '{Verdict.DISCARD.value}'
    )
"""
_SELECT_UNNAMED = f"""
    SELECT c.id, c.recorded_at, e.scope, c.attribute, d.reason, false AS is_claim, c.mention, c.value,
        c.ends_when, c.expires_at, c.stated_from, c.quote
    FROM candidates c
    JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id
    JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id
    WHERE c.tenant_id = :tenant AND {_UNNAMED}
"""
_WAITING = f"""
    SELECT * FROM (
        SELECT f.id, f.recorded_at, k.scope, k.attribute,
            (SELECT t.reason FROM transitions t WHERE t.tenant_id = f.tenant_id AND t.record_id = f.id
                ORDER BY t.recorded_at, t.id LIMIT 1) AS reason,
            true AS is_claim, NULL AS mention, NULL AS value, NULL AS ends_when,
            NULL::timestamptz AS expires_at, NULL::timestamptz AS stated_from, NULL AS quote
        FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE f.tenant_id = :tenant AND f.admission <> 'admitted' AND f.ended_at IS NULL
            AND (f.lapses_at IS NULL OR f.lapses_at > :now) AND (f.expires_at IS NULL OR f.expires_at > :now)
        UNION ALL
        {_SELECT_UNNAMED}
    ) waiting
"""
_QUEUE = sql(
    f"""
    {_WAITING} WHERE scope @> CAST(:within AS jsonb) AND (recorded_at, id) > (:recorded_at, :id)
        AND {is_readable("attribute")}
    ORDER BY recorded_at, id LIMIT :most
    """,
    **READERS,
)
_ONE = sql(f"{_WAITING} WHERE id = :id AND {is_readable('attribute')}", **READERS)
_ONE_UNNAMED = sql(f"{_SELECT_UNNAMED} AND c.id = :id AND {is_readable('c.attribute')}", **READERS)
_HIDDEN = hidden_words(
    """
    SELECT x.event_id FROM evidence x WHERE x.tenant_id = :tenant AND x.record_id = ANY(:ids)
    UNION ALL SELECT y.event_id FROM candidates y WHERE y.tenant_id = :tenant AND y.id = ANY(:ids)
    """
)
_WORDS_ARE_READABLE = quotes_nothing_of(f"({_HIDDEN}) AS hidden", "ARRAY[e.id]")
_HEARD = sql(
    f"""
    SELECT v.record_id, v.event_id, v.subject, v.authority, v.authority_role, v.supports, v.occurred_at,
        CASE WHEN {_WORDS_ARE_READABLE} THEN e.text END AS text, e.scope
    FROM evidence v JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    WHERE v.tenant_id = :tenant AND v.record_id = ANY(:ids)
    UNION ALL
    SELECT c.id, e.id, e.subject, e.authority, NULL, 'claim', e.occurred_at,
        CASE WHEN {_WORDS_ARE_READABLE} THEN e.text END, e.scope
    FROM candidates c JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id
    WHERE c.tenant_id = :tenant AND c.id = ANY(:ids) AND c.key_id IS NULL
    ORDER BY occurred_at, event_id
    """,
    ids=IDS,
    **WORDS,
)


async def waiting(
    work: UnitOfWork,
    readable: Readable,
    within: str,
    after: tuple[datetime, UUID],
    now: datetime,
    most: int,
) -> list[Waits]:
    """Up to `most` things that wait in scopes with the dimensions of `within` (JSON), the oldest first.

    Like all that is told here, they are those of which the reviewer may see memories.
    """
    values = {"within": within, "recorded_at": after[0], "id": after[1], "now": now, "most": most}
    return [_waits(row) for row in await work.rows(_QUEUE, {**values, **values_of(readable)})]


async def waiting_one(work: UnitOfWork, readable: Readable, identity: UUID, now: datetime) -> Waits | None:
    """The thing of this id that waits; None where there is none, or none any more."""
    row = await work.row(_ONE, {"id": identity, "now": now, **values_of(readable)})
    return None if row is None else _waits(row)


async def unnamed(work: UnitOfWork, candidate_id: UUID, readable: Readable) -> Unnamed | None:
    """A candidate without a thing that still waits; None where there is no such."""
    row = await work.row(_ONE_UNNAMED, {"id": candidate_id, **values_of(readable)})
    return None if row is None else _unnamed(row)


async def heard(work: UnitOfWork, ids: Sequence[UUID], readable: Readable) -> Mapping[UUID, list[Heard]]:
    """The events behind these records and candidates, oldest first, with the words that were said there.

    Words that speak as well of what the reviewer may not see are left out.
    """
    found: dict[UUID, list[Heard]] = {}
    for row in await work.rows(_HEARD, {"ids": list(ids), **values_of(readable)}) if ids else ():
        found.setdefault(row.record_id, []).append(
            Heard(
                row.event_id,
                row.subject,
                Authority(row.authority),
                row.authority_role,
                row.supports,
                row.occurred_at,
                row.text,
                row.scope,
            )
        )
    return found


def _waits(row: Row[Any]) -> Waits:
    without_thing = None if row.is_claim else _unnamed(row)
    return Waits(row.id, row.recorded_at, row.scope, row.attribute, row.reason, without_thing)


def _unnamed(row: Row[Any]) -> Unnamed:
    terms = Terms(
        value=row.value, ends_when=row.ends_when, expires_at=row.expires_at, valid_from=row.stated_from
    )
    return Unnamed(row.id, row.scope, row.attribute, row.mention, terms, row.quote)
