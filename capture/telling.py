"""An episode written from events: what it is about, and what it rests on."""

from collections.abc import Sequence
from uuid import UUID

from capture.admission import is_trusted
from models.episodes import in_order
from models.events import StoredEvent
from models.scope import Scope
from models.text import identifiers
from store import entities, episodes, evidence
from store.unit_of_work import UnitOfWork


async def entities_of(work: UnitOfWork, scope: Scope, events: Sequence[StoredEvent]) -> list[UUID]:
    """What the events are about: what they declare, and the known names that their words hold."""
    declared = await entities.learn(
        work,
        scope,
        [entities.Learned(mention, is_trusted(event)) for event in events for mention in event.entities],
    )
    named = [word for event in events for word in identifiers(event.text or "")]
    directory = await entities.look_up(work, scope, named)
    known = [owners[0] for owners in directory.by_name.values() if len(owners) == 1]
    return sorted({*declared, *known, *directory.canonical.values()})


async def write_episode(
    work: UnitOfWork, row: episodes.EpisodeRow, events: Sequence[StoredEvent], *, anew: bool = False
) -> bool:
    """Write an episode with its evidence; False where one of all these events is there, unless it is made `anew`."""
    written = await episodes.write(work, row, anew=anew)
    if written:
        identity = episodes.episode_id(work.tenant_id, row.activity_id)
        cited = [_evidence(event) for event in in_order(events)]
        await evidence.cite(work, evidence.Kind.EPISODE, identity, cited)
    return written


def _evidence(event: StoredEvent) -> evidence.Evidence:
    return evidence.Evidence(
        event.id, event.type.value, event.authority, None, event.speaker.subject, event.occurred_at
    )
