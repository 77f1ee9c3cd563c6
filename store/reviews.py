"""What waits for a reviewer: open claims, what nobody can name, and facts that observations keep contradicting."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.types import DateTime, Integer, Uuid

from models.authority import Authority
from models.candidates import Terms
from models.controls import Catalogue, Word
from models.principals import PrincipalKind
from models.readers import Readable
from models.reasons import ReasonCode
from models.reconciliation import Verdict
from models.reviews import OBSERVED_OTHERWISE, Heard, Unnamed
from store import persons
from store.mismatches import TIMES
from store.readable import READERS, WORDS, hidden_words, is_readable, quotes_nothing_of, values_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

Position = tuple[datetime, UUID]
"""Where the queue goes on: when the last one looked at was recorded, and its id."""

_AMBIGUOUS = ReasonCode.AMBIGUOUS_ENTITY.value
_CLAIM, _UNNAMED, _DOUBTED = "claim", "unnamed", "doubted"


class Waits(NamedTuple):
    """One thing that waits, in the order of the queue. `unnamed` and `word`, whose word it is, are None for a fact."""

    id: UUID
    recorded_at: datetime
    scope: dict[str, str]
    attribute: str
    reason: str
    unnamed: Unnamed | None
    word: Word | None


class Looked(NamedTuple):
    """What was found, and from where to look on; None where nothing is left."""

    found: list[Waits]
    following: Position | None


def _waiting(claims: str, unnamed: str, doubted: str) -> str:
    """A query for what waits, at most `:most`, the oldest first.

    `claims`, `unnamed` and `doubted` narrow the three sorts. Each is limited before anything is looked up, so that it
    costs no more than it looks at; of what the reviewer may not see the scope is NULL. The condition on `lapses_at` is
    written as the index has it: a COALESCE is not leakproof to Postgres, and so of no use behind a wall.
    """
    return f"""
        WITH claims AS (
            SELECT f.id, f.recorded_at, f.key_id FROM facts f
            WHERE f.tenant_id = :tenant AND f.admission <> 'admitted' AND f.ended_at IS NULL
                AND CASE WHEN f.lapses_at IS NULL THEN 'infinity' ELSE f.lapses_at END > :now
                AND (f.expires_at IS NULL OR f.expires_at > :now) AND {claims}
            ORDER BY f.recorded_at, f.id LIMIT :most
        ), unnamed AS (
            SELECT c.id, c.recorded_at, c.event_id, c.attribute, c.mention, c.value, c.ends_when, c.expires_at,
                c.stated_from, c.quote
            FROM candidates c
            WHERE c.tenant_id = :tenant AND c.key_id IS NULL AND c.reviews_id IS NULL AND c.mention IS NOT NULL
                AND c.value IS NOT NULL AND {unnamed}
            ORDER BY c.recorded_at, c.id LIMIT :most
        ), doubted AS (
            SELECT m.fact_id AS id, m.recorded_at, f.key_id
            FROM mismatches m JOIN facts f ON f.tenant_id = m.tenant_id AND f.id = m.fact_id
            WHERE m.tenant_id = :tenant AND m.asks AND m.observed_at > f.restated_at AND {doubted}
                AND (f.ended_at IS NULL OR f.ended_at > :now) AND (f.lapses_at IS NULL OR f.lapses_at > :now)
                AND (f.expires_at IS NULL OR f.expires_at > :now)
            ORDER BY m.recorded_at, m.fact_id LIMIT :most
        ), looked_at AS MATERIALIZED (
            SELECT * FROM (
                SELECT id, recorded_at, '{_CLAIM}' AS sort, key_id, NULL::uuid AS event_id, NULL AS attribute,
                    NULL AS mention, NULL AS value, NULL AS ends_when, NULL::timestamptz AS expires_at,
                    NULL::timestamptz AS stated_from, NULL AS quote
                FROM claims
                UNION ALL
                SELECT id, recorded_at, '{_DOUBTED}', key_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
                FROM doubted
                UNION ALL
                SELECT id, recorded_at, '{_UNNAMED}', NULL, event_id, attribute, mention, value, ends_when, expires_at,
                    stated_from, quote
                FROM unnamed
            ) every_sort ORDER BY recorded_at, id LIMIT :most
        )
        SELECT l.id, l.recorded_at, l.sort, told.scope, told.attribute, told.reason, l.mention, l.value,
            l.ends_when, l.expires_at, l.stated_from, l.quote, told.subject, told.subject_kind, told.authority
        FROM looked_at l LEFT JOIN LATERAL (
            SELECT k.scope, k.attribute,
                (SELECT t.reason FROM transitions t WHERE t.tenant_id = :tenant AND t.record_id = l.id
                    ORDER BY t.recorded_at, t.id LIMIT 1) AS reason,
                NULL AS subject, NULL AS subject_kind, NULL::smallint AS authority
            FROM fact_keys k
            WHERE l.sort = '{_CLAIM}' AND k.tenant_id = :tenant AND k.id = l.key_id
                AND k.scope @> CAST(:within AS jsonb) AND {is_readable("k.attribute")}
            UNION ALL
            SELECT k.scope, k.attribute, '{OBSERVED_OTHERWISE}', NULL, NULL, NULL
            FROM fact_keys k JOIN facts f ON f.tenant_id = :tenant AND f.id = l.id
            WHERE l.sort = '{_DOUBTED}' AND k.tenant_id = :tenant AND k.id = l.key_id
                AND k.scope @> CAST(:within AS jsonb) AND {is_readable("k.attribute")} AND {TIMES} >= :enough
            UNION ALL
            SELECT e.scope, l.attribute, d.reason, e.subject, e.subject_kind, e.authority
            FROM decisions d JOIN events e ON e.tenant_id = d.tenant_id
            WHERE l.sort = '{_UNNAMED}' AND d.tenant_id = :tenant AND d.candidate_id = l.id AND e.id = l.event_id
                AND d.verdict = '{Verdict.HOLD_UNVERIFIED.value}' AND d.reason = '{_AMBIGUOUS}'
                AND NOT EXISTS (SELECT FROM settlements s WHERE s.tenant_id = :tenant AND s.candidate_id = l.id)
                AND e.scope @> CAST(:within AS jsonb) AND {is_readable("l.attribute")}
        ) told ON true
        ORDER BY l.recorded_at, l.id
    """


_TYPES: dict[str, Any] = {
    "now": DateTime(timezone=True),
    "most": Integer,
    "enough": Integer,
    "id": Uuid,
    **READERS,
}
QUEUE = sql(
    _waiting(
        "(f.recorded_at, f.id) > (:recorded_at, :id)",
        "(c.recorded_at, c.id) > (:recorded_at, :id)",
        "(m.recorded_at, m.fact_id) > (:recorded_at, :id)",
    ),
    recorded_at=DateTime(timezone=True),
    **_TYPES,
)
"""The next of what waits after a position."""
_ONE = sql(_waiting("f.id = :id", "c.id = :id", "m.fact_id = :id"), **_TYPES)
_HIDDEN = hidden_words(
    """
    SELECT x.event_id FROM evidence x WHERE x.tenant_id = :tenant AND x.record_id = ANY(:ids)
    UNION ALL SELECT y.event_id FROM candidates y WHERE y.tenant_id = :tenant AND y.id = ANY(:ids)
    """
)
_WORDS_ARE_READABLE = quotes_nothing_of(f"({_HIDDEN}) AS hidden", "ARRAY[e.id]")
_SPEAKS_OF_WHAT_IS_OFF = persons.speak_of_what_is_off("ARRAY[e.id]", persons.ANYTHING_OFF)
_HEARD = sql(
    f"""
    SELECT v.record_id, v.event_id, v.subject, v.authority, v.authority_role, v.supports, v.occurred_at,
        CASE WHEN {_WORDS_ARE_READABLE} AND NOT {_SPEAKS_OF_WHAT_IS_OFF} THEN e.text END AS text, e.scope
    FROM evidence v JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
    WHERE v.tenant_id = :tenant AND v.record_id = ANY(:ids)
    UNION ALL
    SELECT c.id, e.id, e.subject, e.authority, NULL, 'claim', e.occurred_at,
        CASE WHEN {_WORDS_ARE_READABLE} AND NOT {_SPEAKS_OF_WHAT_IS_OFF} THEN e.text END, e.scope
    FROM candidates c JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id
    WHERE c.tenant_id = :tenant AND c.id = ANY(:ids) AND c.key_id IS NULL
    ORDER BY occurred_at, event_id
    """,
    ids=IDS,
    **WORDS,
    **persons.TYPES,
)


async def waiting(
    work: UnitOfWork,
    readable: Readable,
    within: str,
    after: Position,
    now: datetime,
    most: int,
    enough: int,
) -> Looked:
    """Look at up to `most` things that wait, the oldest first, for those in scopes with the dimensions of `within`.

    `within` is JSON. Like all that is told here, they are those of which the reviewer may see memories. A fact waits
    once observations have contradicted it on `enough` occasions.
    """
    values = {
        "within": within,
        "recorded_at": after[0],
        "id": after[1],
        "now": now,
        "most": most,
        "enough": enough,
    }
    rows = await work.rows(QUEUE, {**values, **values_of(readable)})
    following = (rows[-1].recorded_at, rows[-1].id) if len(rows) == most else None
    return Looked([_waits(row) for row in rows if row.scope is not None], following)


async def waiting_one(
    work: UnitOfWork, readable: Readable, identity: UUID, now: datetime, enough: int
) -> Waits | None:
    """The thing of this id that waits; None where there is none, or none any more."""
    values = {"within": "{}", "id": identity, "now": now, "most": 1, "enough": enough}
    row = await work.row(_ONE, {**values, **values_of(readable)})
    return None if row is None or row.scope is None else _waits(row)


async def unnamed(work: UnitOfWork, candidate_id: UUID, readable: Readable, enough: int) -> Unnamed | None:
    """A candidate without a thing that still waits; None where there is no such."""
    found = await waiting_one(work, readable, candidate_id, datetime.now(UTC), enough)
    return None if found is None else found.unnamed


async def heard(
    work: UnitOfWork, ids: Sequence[UUID], readable: Readable, known: Catalogue
) -> Mapping[UUID, list[Heard]]:
    """The events behind these records and candidates, oldest first, with the words that were said there.

    Words that speak as well of what the reviewer may not see, or of what somebody has switched off, are left out.
    `known` says of which class each attribute is.
    """
    found: dict[UUID, list[Heard]] = {}
    for row in (
        await work.rows(_HEARD, {"ids": list(ids), **values_of(readable), **persons.values_of(known)})
        if ids
        else ()
    ):
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
    if row.sort != _UNNAMED:
        return Waits(row.id, row.recorded_at, row.scope, row.attribute, row.reason, None, None)
    word = Word(row.subject, PrincipalKind(row.subject_kind), Authority(row.authority), counts=True)
    return Waits(row.id, row.recorded_at, row.scope, row.attribute, row.reason, _unnamed(row), word)


def _unnamed(row: Row[Any]) -> Unnamed:
    terms = Terms(
        value=row.value, ends_when=row.ends_when, expires_at=row.expires_at, valid_from=row.stated_from
    )
    return Unnamed(row.id, row.scope, row.attribute, row.mention, terms, row.quote)
