"""What episodes teach, as reflection has read it: rows that follow from the episodes and go with them."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.types import Integer

from models.experiences import READING, Experience
from store.sql import IDS, sql
from store.tables import experiences
from store.unit_of_work import UnitOfWork


class Unread(NamedTuple):
    """An episode that was built anew, or never read by these rules."""

    episode_id: UUID
    activity_id: UUID
    scope_key: UUID
    revision: int


_UNREAD = sql(
    """
    SELECT e.id, e.activity_id, e.scope_key, e.revision FROM episodes e
    LEFT JOIN experiences x ON x.tenant_id = e.tenant_id AND x.episode_id = e.id
    WHERE e.tenant_id = :tenant AND e.retracted_at IS NULL
        AND (x.episode_id IS NULL OR x.revision < e.revision OR x.reading <> :reading)
    ORDER BY e.id LIMIT :most
    """,
    reading=Integer,
    most=Integer,
)


async def unread(work: UnitOfWork, most: int) -> list[Unread]:
    """Up to `most` episodes that reflection has still to read."""
    rows = await work.rows(_UNREAD, {"reading": READING, "most": most})
    return [Unread(row.id, row.activity_id, row.scope_key, row.revision) for row in rows]


async def write(work: UnitOfWork, read: Sequence[tuple[Unread, Experience | None]]) -> None:
    """Keep what was read of episodes; None for one that teaches nothing."""
    for episode, experience in read:
        content = {
            "scope_key": episode.scope_key,
            "revision": episode.revision,
            "reading": READING,
            "task_class": None if experience is None else experience.task_class,
            "content": None if experience is None else experience.model_dump(mode="json"),
        }
        await work.run(
            upsert(experiences)
            .values(tenant_id=work.tenant_id, episode_id=episode.episode_id, **content)
            .on_conflict_do_update(index_elements=["tenant_id", "episode_id"], set_=content)
        )


_SINCE = sql(
    """
    SELECT x.content FROM experiences x
    JOIN episodes e ON e.tenant_id = x.tenant_id AND e.id = x.episode_id
    WHERE x.tenant_id = :tenant AND x.task_class IS NOT NULL AND e.retracted_at IS NULL AND e.started_at >= :since
    ORDER BY e.started_at DESC, e.id LIMIT :most
    """,
    most=Integer,
)


async def since(work: UnitOfWork, instant: datetime, most: int) -> list[Experience]:
    """Up to `most` experiences of episodes that began from an instant on, the latest first."""
    rows = await work.rows(_SINCE, {"since": instant, "most": most})
    return [Experience.model_validate(row.content) for row in rows]


class Latest(NamedTuple):
    """The activity of an episode, and up to which event it was read."""

    activity_id: UUID
    revision: int


_LATEST = sql(
    """
    SELECT e.activity_id, e.revision FROM episodes e
    WHERE e.tenant_id = :tenant AND e.id = ANY(:ids) ORDER BY e.started_at DESC, e.id DESC LIMIT 1
    """,
    ids=IDS,
)


async def latest_of(work: UnitOfWork, episode_ids: Sequence[UUID]) -> Latest | None:
    """The one of these episodes that began last; None where none is there."""
    row = await work.row(_LATEST, {"ids": list(episode_ids)})
    return None if row is None else Latest(row.activity_id, row.revision)


async def told(work: UnitOfWork, episode_ids: Sequence[UUID]) -> dict[UUID, Experience]:
    """What these episodes teach; one that was not read, or teaches nothing, is left out."""
    query = select(experiences.c.episode_id, experiences.c.content).where(
        experiences.c.tenant_id == work.tenant_id,
        experiences.c.episode_id.in_(list(episode_ids)),
        experiences.c.task_class.is_not(None),
    )
    return {row.episode_id: Experience.model_validate(row.content) for row in await work.rows(query)}
