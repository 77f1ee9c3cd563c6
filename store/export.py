"""All rows that are about one person or that they brought about: their ids first, then a page of them at a time.

Each page takes a fixed number of statements, however many records it has. Run in one snapshot.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.types import Text

from models.export import (
    ExportedCandidate,
    ExportedChange,
    ExportedConfirmation,
    ExportedEpisode,
    ExportedEvent,
    ExportedEvidence,
    ExportedPassage,
)
from models.readers import Readable
from store import exported
from store.persons import LIKELY
from store.readable import READERS, hidden_words, values_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_SPOKEN = "e.tenant_id = :tenant AND e.subject = :person AND e.subject_kind = 'human'"
_NAMES = "e.tenant_id = :tenant AND e.person = :person"

_FACTS = sql(
    f"""
    SELECT f.id FROM ({LIKELY}) AS likely JOIN facts f ON f.tenant_id = :tenant AND f.id = likely.id
    ORDER BY f.recorded_at, f.id
    """,
    person=Text,
)
_EVENTS = sql(
    f"""
    SELECT e.id FROM events e WHERE {_SPOKEN}
    UNION SELECT e.id FROM events e WHERE {_NAMES}
    ORDER BY id
    """,
    person=Text,
)
_EVIDENCE_OF = sql(
    "SELECT DISTINCT event_id AS id FROM evidence WHERE tenant_id = :tenant AND record_id = ANY(:ids)",
    ids=IDS,
)
_EPISODES = sql(
    f"""
    WITH theirs AS (SELECT e.id FROM events e WHERE {_SPOKEN} UNION SELECT e.id FROM events e WHERE {_NAMES})
    SELECT p.id FROM episodes p WHERE p.tenant_id = :tenant AND p.id IN (
        SELECT v.record_id FROM theirs t JOIN evidence v ON v.tenant_id = :tenant AND v.event_id = t.id
        WHERE v.record_kind = 'episode'
    )
    ORDER BY p.recorded_at, p.id
    """,
    person=Text,
)
_CONFIRMATIONS = sql(
    """
    SELECT id FROM confirmations WHERE tenant_id = :tenant AND subject = :person AND subject_kind = 'human'
    ORDER BY recorded_at, id
    """,
    person=Text,
)
# The log of transitions has the name of the actor alone; the event behind it, or the confirmation, tells a person
# from an agent or a system of the same name.
_CHANGES = sql(
    f"""
    SELECT t.id FROM transitions t
    WHERE t.tenant_id = :tenant AND t.actor = :person AND (
        EXISTS (SELECT FROM events e WHERE {_SPOKEN} AND e.id = t.event_id)
        OR EXISTS (
            SELECT FROM confirmations c
            WHERE c.tenant_id = :tenant AND c.fact_id = t.record_id AND c.event_id = t.event_id
                AND c.subject = :person AND c.subject_kind = 'human'
        )
    )
    ORDER BY t.id
    """,
    person=Text,
)


async def fact_ids(work: UnitOfWork, person: str) -> list[UUID]:
    """The facts that may be about a person, and all others that rest on words of theirs; oldest first."""
    return await _ids(work, _FACTS, person=person)


async def event_ids(work: UnitOfWork, person: str) -> list[UUID]:
    """The events that a person spoke, and those whose scope names them."""
    return await _ids(work, _EVENTS, person=person)


async def evidence_ids(work: UnitOfWork, fact_ids: Sequence[UUID]) -> list[UUID]:
    """The events that these facts rest on."""
    return await _ids(work, _EVIDENCE_OF, ids=list(fact_ids))


async def episode_ids(work: UnitOfWork, person: str) -> list[UUID]:
    """The episodes that were made from events that a person spoke, or that name them in their scope."""
    return await _ids(work, _EPISODES, person=person)


async def confirmation_ids(work: UnitOfWork, person: str) -> list[UUID]:
    """The confirmations that a person gave."""
    return await _ids(work, _CONFIRMATIONS, person=person)


async def change_ids(work: UnitOfWork, person: str) -> list[UUID]:
    """The transitions that a person brought about."""
    return await _ids(work, _CHANGES, person=person)


async def _ids(work: UnitOfWork, statement: Any, **values: Any) -> list[UUID]:
    return [row.id for row in await work.rows(statement, values)]


class Life(NamedTuple):
    """What happened to facts, by the fact's id."""

    evidence: dict[UUID, list[ExportedEvidence]]
    changes: dict[UUID, list[ExportedChange]]
    confirmations: dict[UUID, list[ExportedConfirmation]]
    made_from: dict[UUID, list[UUID]]
    made_into: dict[UUID, list[UUID]]


_EVIDENCE = sql(
    """
    SELECT * FROM evidence WHERE tenant_id = :tenant AND record_id = ANY(:ids)
    ORDER BY occurred_at, event_id, supports
    """,
    ids=IDS,
)
_CHANGES_OF = sql(
    "SELECT * FROM transitions WHERE tenant_id = :tenant AND record_id = ANY(:ids) ORDER BY recorded_at, id",
    ids=IDS,
)
_CONFIRMATIONS_OF = sql(
    "SELECT * FROM confirmations WHERE tenant_id = :tenant AND fact_id = ANY(:ids) ORDER BY recorded_at, id",
    ids=IDS,
)
_LINEAGE = sql(
    """
    SELECT child_id, parent_id FROM lineage WHERE tenant_id = :tenant AND child_id = ANY(:ids)
    UNION
    SELECT child_id, parent_id FROM lineage WHERE tenant_id = :tenant AND parent_id = ANY(:ids)
    ORDER BY child_id, parent_id
    """,
    ids=IDS,
)


async def lives(work: UnitOfWork, ids: Sequence[UUID]) -> Life:
    """What happened to these facts."""
    life = Life({}, {}, {}, {}, {})
    for row in await work.rows(_EVIDENCE, {"ids": list(ids)}):
        life.evidence.setdefault(row.record_id, []).append(exported.evidence(row))
    for row in await work.rows(_CHANGES_OF, {"ids": list(ids)}):
        life.changes.setdefault(row.record_id, []).append(exported.change(row))
    for row in await work.rows(_CONFIRMATIONS_OF, {"ids": list(ids)}):
        life.confirmations.setdefault(row.fact_id, []).append(exported.confirmation(row))
    wanted = set(ids)
    for row in await work.rows(_LINEAGE, {"ids": list(ids)}):
        if row.child_id in wanted:
            life.made_from.setdefault(row.child_id, []).append(row.parent_id)
        if row.parent_id in wanted:
            life.made_into.setdefault(row.parent_id, []).append(row.child_id)
    return life


_CHANGES_BY_ID = sql(
    "SELECT * FROM transitions WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY id", ids=IDS
)
_CONFIRMATIONS_BY_ID = sql(
    "SELECT * FROM confirmations WHERE tenant_id = :tenant AND id = ANY(:ids) ORDER BY recorded_at, id",
    ids=IDS,
)


async def changes(work: UnitOfWork, ids: Sequence[UUID]) -> list[ExportedChange]:
    """These transitions."""
    return [exported.change(row) for row in await work.rows(_CHANGES_BY_ID, {"ids": list(ids)})]


async def confirmations(work: UnitOfWork, ids: Sequence[UUID]) -> list[ExportedConfirmation]:
    """These confirmations."""
    return [exported.confirmation(row) for row in await work.rows(_CONFIRMATIONS_BY_ID, {"ids": list(ids)})]


_EVENTS_BY_ID = sql(
    """
    SELECT e.*, a.external_id FROM events e JOIN activities a ON a.tenant_id = e.tenant_id AND a.id = e.activity_id
    WHERE e.tenant_id = :tenant AND e.id = ANY(:ids) ORDER BY e.id
    """,
    ids=IDS,
)
_CANDIDATES = sql(
    """
    SELECT c.*, d.verdict, d.reason, d.fact_id, d.target_id, d.recorded_at AS decided_at
    FROM candidates c LEFT JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id
    WHERE c.tenant_id = :tenant AND c.event_id = ANY(:ids) ORDER BY c.recorded_at, c.id
    """,
    ids=IDS,
)


async def events(
    work: UnitOfWork, person: str, ids: Sequence[UUID], evidence: Collection[UUID]
) -> list[ExportedEvent]:
    """These events with all that they proposed; `evidence` are those that facts about the person rest on."""
    proposed: dict[UUID, list[ExportedCandidate]] = {}
    for row in await work.rows(_CANDIDATES, {"ids": list(ids)}):
        proposed.setdefault(row.event_id, []).append(exported.candidate(row))
    return [
        exported.event(row, person, proposed.get(row.id, []), is_evidence=row.id in evidence)
        for row in await work.rows(_EVENTS_BY_ID, {"ids": list(ids)})
    ]


_QUOTING = sql(hidden_words("SELECT unnest(:ids)"), ids=IDS, **READERS)


async def quoting_hidden(work: UnitOfWork, ids: Collection[UUID], readable: Readable) -> frozenset[UUID]:
    """Those of these events that speak of a memory which the reader may not see."""
    return frozenset(await _ids(work, _QUOTING, ids=list(ids), **values_of(readable)))


_EPISODES_BY_ID = sql(
    """
    SELECT p.*, a.external_id,
        (SELECT e.scope FROM events e WHERE e.tenant_id = :tenant AND e.activity_id = p.activity_id LIMIT 1) AS scope,
        ARRAY(
            SELECT v.event_id FROM evidence v WHERE v.tenant_id = :tenant AND v.record_id = p.id
            ORDER BY v.occurred_at, v.event_id
        ) AS sources
    FROM episodes p JOIN activities a ON a.tenant_id = p.tenant_id AND a.id = p.activity_id
    WHERE p.tenant_id = :tenant AND p.id = ANY(:ids) ORDER BY p.recorded_at, p.id
    """,
    ids=IDS,
)
_PASSAGES = sql(
    f"""
    SELECT p.* FROM passages p
    WHERE p.tenant_id = :tenant AND p.episode_id = ANY(:ids) AND EXISTS (
        SELECT FROM events e WHERE e.id = ANY(p.event_ids) AND (({_SPOKEN}) OR ({_NAMES}))
    )
    ORDER BY p.occurred_at, p.id
    """,
    ids=IDS,
    person=Text,
)


async def episodes(work: UnitOfWork, person: str, ids: Sequence[UUID]) -> list[ExportedEpisode]:
    """These episodes, each with the passages that were made from events of the person or of a scope that names them."""
    cut: dict[UUID, list[ExportedPassage]] = {}
    for row in await work.rows(_PASSAGES, {"ids": list(ids), "person": person}):
        cut.setdefault(row.episode_id, []).append(exported.passage(row))
    rows = await work.rows(_EPISODES_BY_ID, {"ids": list(ids)})
    return [exported.episode(row, cut.get(row.id, [])) for row in rows]
