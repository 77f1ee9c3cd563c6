"""Episodes and their passages: one an activity, rebuilt in place when late events come."""

from collections import Counter
from collections.abc import Container, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from models.authority import Authority
from models.episodes import Outline, Passage
from models.ids import derived_id
from models.readers import Readable
from models.scope import Scope
from store import search
from store.readable import WORDS, episode_is_readable, values_of
from store.search import Document, RecordKind
from store.sql import IDS, sql
from store.tables import episode_entities, episodes, passages
from store.unit_of_work import UnitOfWork


class EpisodeRow(NamedTuple):
    """An episode to be written. `revision` is the number of the last event that it was built from."""

    activity_id: UUID
    scope: Scope
    revision: int
    outline: Outline
    narrative: str
    narrator: str
    authority: Authority
    passages: Sequence[Passage]
    entity_ids: Sequence[UUID]


class Episode(NamedTuple):
    """An episode as it is read. `sources` are the events that it was built from, oldest first.

    One that was retracted has no passages, and is evidence for nothing.
    """

    id: UUID
    activity_id: UUID
    activity: str
    scope: Scope
    revision: int
    execution_status: str
    goal_outcome: str
    narrative: str
    started_at: datetime
    ended_at: datetime
    recorded_at: datetime
    retracted_at: datetime | None
    sources: tuple[UUID, ...]


def episode_id(tenant_id: UUID, activity_id: UUID) -> UUID:
    """The id of the one episode that an activity can have."""
    return derived_id("episode", tenant_id, activity_id)


async def write(work: UnitOfWork, row: EpisodeRow, *, anew: bool = False) -> bool:
    """Write or rebuild the episode; False where this revision, or a newer one, is there already.

    With `anew` it is written whatever is there, as something that it was made of is gone.
    """
    identity = episode_id(work.tenant_id, row.activity_id)
    content = {
        "revision": row.revision,
        "execution_status": row.outline.execution_status.value,
        "goal_outcome": row.outline.goal_outcome.value,
        "narrative": row.narrative,
        "narrator": row.narrator,
        "authority": int(row.authority),
        "started_at": row.outline.started_at,
        "ended_at": row.outline.ended_at,
    }
    statement = upsert(episodes).values(
        tenant_id=work.tenant_id,
        id=identity,
        activity_id=row.activity_id,
        scope_key=row.scope.key,
        **content,
    )
    statement = statement.on_conflict_do_update(
        constraint="episodes_one_an_activity",
        set_={**content, "revised_at": text("now()")},
        where=None if anew else episodes.c.revision < row.revision,
    )
    if await work.run(statement) == 0:
        return False
    await _replace_entities(work, identity, row.entity_ids)
    stands = select(episodes.c.retracted_at).where(
        episodes.c.tenant_id == work.tenant_id, episodes.c.id == identity
    )
    there = await work.row(stands)
    if there is not None and there.retracted_at is None:
        await _replace_passages(work, identity, row)
    return True


async def retract(work: UnitOfWork, identity: UUID, now: datetime) -> bool:
    """Have an episode come back to nobody, however it is rebuilt; False where that is so already."""
    mine = (episodes.c.tenant_id == work.tenant_id) & (episodes.c.id == identity)
    retracted = update(episodes).where(mine, episodes.c.retracted_at.is_(None)).values(retracted_at=now)
    if await work.run(retracted) == 0:
        return False
    await _keep_passages(work, identity, {})
    return True


async def _replace_entities(work: UnitOfWork, identity: UUID, entity_ids: Sequence[UUID]) -> None:
    mine = (episode_entities.c.tenant_id == work.tenant_id) & (episode_entities.c.episode_id == identity)
    await work.run(delete(episode_entities).where(mine))
    rows = [
        {"tenant_id": work.tenant_id, "episode_id": identity, "entity_id": entity} for entity in entity_ids
    ]
    await work.run(insert(episode_entities), rows)


async def _replace_passages(work: UnitOfWork, identity: UUID, row: EpisodeRow) -> None:
    """Write the passages that are new and remove those that are no more; most of a rebuild stays as it is.

    A passage says what its events say, and these never change: its id follows from them.
    """
    wanted = {
        derived_id("passage", identity, piece, *passage.event_ids): passage
        for passage, piece in _numbered(row.passages)
    }
    there = await _keep_passages(work, identity, wanted)
    new = {key: passage for key, passage in wanted.items() if key not in there}
    rows = [
        {
            "tenant_id": work.tenant_id,
            "id": key,
            "episode_id": identity,
            "scope_key": row.scope.key,
            "text": passage.text,
            "event_ids": list(passage.event_ids),
            "occurred_at": passage.occurred_at,
        }
        for key, passage in new.items()
    ]
    await work.run(insert(passages), rows)
    documents = [Document(key, passage.text, passage.occurred_at) for key, passage in new.items()]
    await search.index(work, RecordKind.PASSAGE, row.scope.key, documents)


async def _keep_passages(work: UnitOfWork, identity: UUID, wanted: Container[UUID]) -> set[UUID]:
    """Remove the passages of an episode that are not wanted; those that there were."""
    mine = (passages.c.tenant_id == work.tenant_id) & (passages.c.episode_id == identity)
    there = {each.id for each in await work.rows(select(passages.c.id).where(mine))}
    gone = sorted(each for each in there if each not in wanted)
    await search.drop(work, gone)
    await work.run(delete(passages).where(mine, passages.c.id.in_(gone)))
    return there


def _numbered(cut: Sequence[Passage]) -> list[tuple[Passage, int]]:
    """Each passage with its number among those that were cut from the same events."""
    seen: Counter[tuple[UUID, ...]] = Counter()
    numbered: list[tuple[Passage, int]] = []
    for passage in cut:
        numbered.append((passage, seen[passage.event_ids]))
        seen[passage.event_ids] += 1
    return numbered


async def activity_of(work: UnitOfWork, identity: UUID) -> UUID | None:
    """The activity that an episode tells of; None where there is no such episode."""
    query = select(episodes.c.activity_id).where(
        episodes.c.tenant_id == work.tenant_id, episodes.c.id == identity
    )
    row = await work.row(query)
    return None if row is None else row.activity_id


_READ = sql(
    f"""
    SELECT e.id, e.activity_id, a.external_id AS activity,
        (SELECT v.scope FROM events v WHERE v.tenant_id = e.tenant_id AND v.activity_id = e.activity_id LIMIT 1)
            AS scope,
        ARRAY(SELECT v.event_id FROM evidence v WHERE v.tenant_id = e.tenant_id AND v.record_id = e.id
            ORDER BY v.occurred_at, v.event_id) AS sources,
        e.revision, e.execution_status, e.goal_outcome, e.narrative, e.started_at, e.ended_at, e.recorded_at,
        e.retracted_at
    FROM episodes e JOIN activities a ON a.tenant_id = e.tenant_id AND a.id = e.activity_id
    WHERE e.tenant_id = :tenant AND e.id = ANY(:ids) AND {episode_is_readable("e.id", "SELECT unnest(:ids)")}
    """,
    ids=IDS,
    **WORDS,
)


async def seen(work: UnitOfWork, identity: UUID, readable: Readable) -> Episode | None:
    """One episode by id; None where there is none that the reader may see."""
    found = await seen_among(work, [identity], readable)
    return found[0] if found else None


async def seen_among(work: UnitOfWork, ids: Sequence[UUID], readable: Readable) -> list[Episode]:
    """Those of these episodes that the reader may see, in no order."""
    if not ids:
        return []
    return [
        Episode(
            id=row.id,
            activity_id=row.activity_id,
            activity=row.activity,
            scope=Scope(row.scope),
            revision=row.revision,
            execution_status=row.execution_status,
            goal_outcome=row.goal_outcome,
            narrative=row.narrative,
            started_at=row.started_at,
            ended_at=row.ended_at,
            recorded_at=row.recorded_at,
            retracted_at=row.retracted_at,
            sources=tuple(row.sources),
        )
        for row in await work.rows(_READ, {"ids": list(ids), **values_of(readable)})
    ]
