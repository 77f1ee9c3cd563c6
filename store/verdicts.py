"""How far events have come: consolidated or not, checkpoint seen or not, candidates that wait."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.events import CHECKPOINTS
from models.readers import Readable
from models.scope import Scope
from store.candidates import STATED
from store.readable import WORDS, episode_is_readable, values_of
from store.sql import IDS, TEXTS, sql
from store.unit_of_work import UnitOfWork

_EPISODE_IS_READABLE = episode_is_readable(
    "p.id",
    """
    SELECT q.id FROM events r JOIN episodes q ON q.tenant_id = r.tenant_id AND q.activity_id = r.activity_id
    WHERE r.tenant_id = :tenant AND r.id = ANY(:ids)
    """,
)
_PROGRESS = sql(
    f"""
    SELECT e.id, e.activity_id, e.scope, p.id AS episode_id, a.consolidated_seq >= e.seq AS consolidated,
        EXISTS (
            SELECT FROM events c
            WHERE c.tenant_id = e.tenant_id AND c.activity_id = e.activity_id AND c.type = ANY(:checkpoints)
        ) AS checkpoint_seen,
        (
            SELECT count(*) FROM candidates c
            LEFT JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id
            WHERE c.tenant_id = e.tenant_id AND c.event_id = e.id AND d.candidate_id IS NULL
                AND c.attribute <> ALL(:unreadable)
        ) AS undecided,
        EXISTS (
            SELECT FROM candidates c
            WHERE c.tenant_id = e.tenant_id AND c.event_id = e.id AND c.extractor = :stated
        ) AS stated
    FROM events e
    JOIN activities a ON a.tenant_id = e.tenant_id AND a.id = e.activity_id
    LEFT JOIN episodes p ON p.tenant_id = e.tenant_id AND p.activity_id = e.activity_id AND p.revision >= e.seq
        AND {_EPISODE_IS_READABLE}
    WHERE e.tenant_id = :tenant AND e.id = ANY(:ids)
    """,
    ids=IDS,
    checkpoints=TEXTS,
    **WORDS,
)


class Progress(NamedTuple):
    """How far one event has come. `episode_id` is set once an episode was built from it; `stated` is a statement."""

    event_id: UUID
    activity_id: UUID
    scope: Scope
    episode_id: UUID | None
    consolidated: bool
    checkpoint_seen: bool
    undecided: int
    stated: bool


async def progress_of(work: UnitOfWork, event_ids: Sequence[UUID], readable: Readable) -> list[Progress]:
    """The progress of events as far as the reader may see; one that does not exist in the tenant is left out."""
    values = {
        "ids": list(event_ids),
        "checkpoints": [kind.value for kind in sorted(CHECKPOINTS)],
        "stated": STATED,
        **values_of(readable),
    }
    return [
        Progress(
            row.id,
            row.activity_id,
            Scope(row.scope),
            row.episode_id,
            row.consolidated,
            row.checkpoint_seen,
            row.undecided,
            row.stated,
        )
        for row in await work.rows(_PROGRESS, values)
    ]
