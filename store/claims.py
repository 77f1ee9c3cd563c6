"""Open claims for a recall that asks for them: held or disputed, and eligible for nothing else.

They are in no keyword index: its statistics are those of what governs, and a claim must not change how that ranks.
So a bounded number of the newest is looked at, and words are compared by whoever asks.
"""

from typing import Any

from sqlalchemy import Row
from sqlalchemy.types import DateTime

from models.facts import Admission, Status
from models.recall import Reason, RecalledFact
from store import persons
from store.entities import NAME_IN_SCOPE
from store.readable import WORDS, is_readable, values_of
from store.recall import IN_PLAY
from store.recalled import EPISODES, MENTIONS, NOT_ENDED, SOURCES, Search, record_of
from store.shown import OFF
from store.sql import IDS, TEXTS, sql
from store.unit_of_work import UnitOfWork

MOST_LOOKED_AT = 200
"""How many open claims, the newest first, one recall looks at."""

# A claim is open at `as_of` as models.facts.status_at has it, and nobody is told of one before it was made.
_NEWEST = sql(
    f"""
    WITH {OFF}, {IN_PLAY}, newest AS (
        SELECT f.id FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
        WHERE f.tenant_id = :tenant AND f.scope_key = ANY(:scope_keys) AND f.admission <> 'admitted'
            AND {is_readable("k.attribute")}
            AND f.stated_at <= :as_of AND f.valid_from <= :as_of
            AND (:known_at IS NULL OR f.recorded_at <= :known_at)
            AND {NOT_ENDED}
            AND (f.expires_at IS NULL OR f.expires_at > :as_of)
            AND (f.lapses_at IS NULL OR f.lapses_at > :as_of)
            AND NOT {persons.switched_off("f", "anything FROM off")}
        ORDER BY f.recorded_at DESC, f.id LIMIT :most
    )
    SELECT f.id, k.entity_id, n.canonical, {NAME_IN_SCOPE} AS name, k.attribute, f.admission, f.value AS text,
        f.ends_when, f.expires_at, f.valid_from AS at, f.authority, f.authority_role, f.standing, f.statement,
        {MENTIONS} AS mentions,
        {SOURCES} AS sources, {EPISODES} AS episodes
    FROM newest JOIN facts f ON f.tenant_id = :tenant AND f.id = newest.id
    JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    LEFT JOIN entities n ON n.tenant_id = k.tenant_id AND n.id = k.entity_id
    """,
    scope_keys=IDS,
    known_at=DateTime(timezone=True),
    canonicals=TEXTS,
    name_keys=TEXTS,
    **WORDS,
    **persons.TYPES,
)


async def newest(work: UnitOfWork, search: Search) -> list[RecalledFact]:
    """The newest open claims in the scopes of a search, each with its reasons other than shared words."""
    sent = ("scope_keys", "as_of", "known_at", "canonicals", "name_keys")
    values = {name: getattr(search, name) for name in sent}
    shown = {**values_of(search.readable), **persons.values_of(search.known)}
    rows = await work.rows(_NEWEST, {**values, **shown, "most": MOST_LOOKED_AT})
    return [_claim(row, search) for row in rows]


def _claim(row: Row[Any], search: Search) -> RecalledFact:
    reasons: list[Reason] = []
    if row.mentions:
        reasons.append(Reason.ENTITY_IN_PLAY)
    if row.attribute in search.standing or (row.entity_id is None and row.attribute in search.restrictions):
        reasons.append(Reason.ABOUT_SCOPE)
    disputed = Admission(row.admission) is Admission.DISPUTED
    return record_of(row, search, reasons, Status.DISPUTED if disputed else Status.QUARANTINED)
