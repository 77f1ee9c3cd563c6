"""Accept events: check each for its publisher, and append them once however often they are sent."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from models.cues import Said, keys_of
from models.errors import Conflict, Unavailable
from models.events import CHECKPOINTS, NewEvent
from models.policy import Policy
from models.principals import Speaker
from models.scope import Scope
from store import events
from store.engine import Database
from store.events import EventRow
from store.unit_of_work import Deadlocked, KeyTaken, SourceErased, UnitOfWork

_TRIES = 5
OF_AN_INTENTION, OF_A_PROCEDURE, BORNE_OUT = "intention", "procedure", "borne_out"
"""Under which names an event's data holds a word to Keepwell, for whoever reads it; others may use the names too."""
WAS_ERASED = "stands for what was said before and is erased; to say it again, use a key of its own"
T = TypeVar("T")


class Receipt(NamedTuple):
    """A durable event: its id, its activity's internal id, its number there; whether it was there before.

    `masked` names the kinds of secrets that were masked in it, sorted. One that was there before and was `erased` since
    does not come in again: nothing of what was sent is stored.
    """

    event_id: UUID
    activity_id: UUID
    seq: int
    duplicate: bool
    masked: tuple[str, ...] = ()
    erased: bool = False


class Accepted(NamedTuple):
    """An event that is masked, checked and authorised. `digest` tells whether two under one key are the same.

    `directive` says that it is a word to Keepwell itself, on an intention or a procedure. What is published never is,
    whatever it holds.
    """

    event: NewEvent
    scope: Scope
    digest: bytes
    masked: tuple[str, ...] = ()
    directive: bool = False


async def in_one_transaction(
    database: Database, tenant_id: UUID, step: Callable[[UnitOfWork], Awaitable[T]]
) -> T:
    """Do `step` in a transaction, and again where another call has just used one of its idempotency keys.

    Seen afresh, the other's event is there, and ours is a duplicate or a conflict. Two that have waited for each other
    are done again as well, and so is what was made of something that has just been erased. Raises `Unavailable`.
    """
    for _ in range(_TRIES):
        try:
            async with database.transaction(tenant_id) as work:
                return await step(work)
        except (KeyTaken, Deadlocked, SourceErased):
            continue
    raise Unavailable("others are writing the same at this moment; send it again")


async def append(
    work: UnitOfWork, speaker: Speaker, policy: Policy, accepted: Sequence[Accepted]
) -> list[Receipt]:
    """Append events in order; one receipt each. What a key stands for already is not appended again.

    Raises `Conflict`, naming the position, where a key stands for an event with other content.
    """
    keys = [item.event.idempotency_key for item in accepted if item.event.idempotency_key is not None]
    known = await events.known(work, speaker, keys)
    fresh: list[int] = []
    first_use: dict[str, int] = {}
    for index, item in enumerate(accepted):
        key = item.event.idempotency_key
        if key is None:
            fresh.append(index)
        elif key in known:
            require_same(known[key].digest, item.digest, index)
        elif key in first_use:
            require_same(accepted[first_use[key]].digest, item.digest, index)
        else:
            first_use[key] = index
            fresh.append(index)
    rows = [_row(speaker, policy, accepted[index]) for index in fresh]
    appended = await events.append(work, rows) if rows else []
    placed = dict(zip(fresh, appended, strict=True))
    receipts: list[Receipt] = []
    for index, item in enumerate(accepted):
        key = item.event.idempotency_key
        if index in placed:
            receipts.append(Receipt(*placed[index], duplicate=False, masked=item.masked))
        elif key is not None and key in known:
            there = known[key]
            erased = there.digest is None
            receipts.append(
                Receipt(
                    there.id, there.activity_id, there.seq, duplicate=True, masked=item.masked, erased=erased
                )
            )
        elif key is not None:
            receipts.append(Receipt(*placed[first_use[key]], duplicate=True, masked=item.masked))
    return receipts


def require_same(stored: bytes | None, sent: bytes, index: int = 0) -> None:
    """Raise `Conflict`, naming the position, unless a key stands for what is sent under it again.

    Of what was erased nobody knows any more what it was: the key is taken, and what is sent goes nowhere.
    """
    if stored is not None and stored != sent:
        raise Conflict(
            "stands for an event with other content; give the new event a key of its own",
            field="idempotency_key",
            position=index + 1,
        )


def _row(speaker: Speaker, policy: Policy, item: Accepted) -> EventRow:
    event = item.event
    content: dict[str, Any] = {
        "type": event.type.value,
        "subject": speaker.subject,
        "subject_kind": speaker.kind.value,
        "roles": list(speaker.roles),
        "authority": int(policy.authority_of(speaker, event.type)),
        "scope": dict(item.scope),
        "occurred_at": event.occurred_at.isoformat(),
        "timezone": event.timezone,
        "text": event.text,
        "entities": [mention.model_dump(exclude_none=True) for mention in event.entities],
        "evidence_ref": event.evidence_ref,
        "data": event.data,
        "idempotency_key": event.idempotency_key,
        "digest": item.digest.hex(),
        "directive": item.directive,
    }
    # A word to Keepwell itself is a cue for nothing.
    cues = () if item.directive else _cues(speaker, policy, event)
    return EventRow(item.scope, event.activity_id, event.type in CHECKPOINTS, content, cues)


def _cues(speaker: Speaker, policy: Policy, event: NewEvent) -> Sequence[UUID]:
    """What an event says that some intention may wait for."""
    said = Said(event.type.value, speaker.subject, event.entities, event.data)
    return sorted(keys_of(said, policy.cue_fields))
