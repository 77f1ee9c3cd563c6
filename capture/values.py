"""Values in the form in which they are compared, where that takes a look at who is who."""

from models.events import StoredEvent
from models.scope import Scope
from models.values import ValueSpec, ValueType, canonical
from store import entities
from store.unit_of_work import UnitOfWork


async def canonical_in(work: UnitOfWork, event: StoredEvent, text: str, spec: ValueSpec) -> str:
    """The canonical form of `text` as said in `event`: in its speaker's zone, at its instant, in its scope.

    A thing is the same by whichever name or id it goes there; one that nobody knows by then goes by its spelling.
    """
    if spec.type is ValueType.ENTITY:
        directory = await entities.look_up(work, Scope(event.scope), [text])
        meant = directory.resolve(text).entity_id
        if meant is not None:
            return f"entity:{meant}"
    return canonical(text, spec, zone=event.timezone, at=event.occurred_at).key
