"""Telling the log what an agent does: events of bearable size, put into the buffer and never in the agent's way."""

import json
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from datetime import timezone as zones
from typing import Any, Protocol
from uuid import uuid4

from pydantic import ValidationError

from keepwell.errors import invalid_input, refused_unsent
from keepwell.mentions import Finder, Thing, find_mentions, find_things, mentions_in, things_of
from keepwell.names import distinct
from keepwell.ticket import Ticket
from keepwell.types import EntityMention, EventType, NewEvent
from keepwell.values import MASK, Cut, cut

MAX_TEXT = 20_000
MAX_TEXT_BYTES = 90_000
MAX_ENTITIES = 200
MAX_ENTITY_BYTES = 50_000
"""Bounds that keep an event below the service's 256 KB of JSON, whatever script it is in."""
MAX_TICKETS = 1_000

Redact = Callable[[str, Any], Any]
"""Takes a tool's name and its arguments (a mapping) or its result, and gives what may be told of it.

It must not change what it is given. When it raises, nothing of the value is told.
"""
_log = logging.getLogger("keepwell")


class Buffer(Protocol):
    """Takes events, at once and without fail; `keepwell.EventBuffer` is one."""

    def put(self, event: NewEvent) -> Ticket: ...


@dataclass(frozen=True)
class Hooks:
    """What a caller may put in: how entities are found, and what may be told. Neither can stop the agent."""

    find: Finder = find_mentions
    redact: Redact | None = None

    def tellable(self, tool: str, value: Any) -> Any:
        """What may be told of a value of `tool`."""
        if self.redact is None:
            return value
        try:
            return self.redact(tool, value)
        except Exception as failed:  # noqa: BLE001 - a hook that fails must neither stop the agent nor let a secret out
            _log.warning("redact failed (%s); the value is withheld", type(failed).__name__)
            return MASK

    def things_in(self, value: Any) -> tuple[Thing, ...]:
        """The things that a value speaks of, which may be told."""
        if self.find is find_mentions:
            return find_things(value)
        try:
            return things_of(list(self.find(value)))
        except Exception as failed:  # noqa: BLE001 - a finder of the caller's own may fail; ours does not
            _log.warning("the finder of entities failed (%s); the bundled one is used", type(failed).__name__)
            return find_things(value)

    def mentions_in(self, value: Any) -> tuple[EntityMention, ...]:
        """The entities of a value that may be told."""
        return mentions_in(self.things_in(value))


class Journal:
    """The events of one activity. `timezone` is the zone of its words, where they carry none of their own.

    It keeps the tickets of the latest `MAX_TICKETS` events, of older ones those that still wait, and the latest
    `MAX_TICKETS` of those that were refused or dropped. Of older ones that are durable it keeps the number.
    """

    def __init__(
        self, buffer: Buffer, activity_id: str, scope: Mapping[str, str], timezone: str | None = None
    ) -> None:
        self._buffer = buffer
        self._activity_id = activity_id
        self._scope = scope
        self.timezone = timezone
        self._tickets: deque[Ticket] = deque()
        self._waiting: deque[Ticket] = deque()
        self._lost: deque[Ticket] = deque(maxlen=MAX_TICKETS)
        self._durable = 0

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """The tickets of the latest events, in order."""
        return tuple(self._tickets)

    @property
    def undelivered(self) -> tuple[Ticket, ...]:
        """The tickets of events that are not durable."""
        kept = (*self._lost, *self._waiting, *self._tickets)
        return tuple(ticket for ticket in kept if ticket.state != "durable")

    @property
    def delivered(self) -> int:
        """How many events are durable."""
        return self._durable + sum(ticket.state == "durable" for ticket in (*self._waiting, *self._tickets))

    def check(self) -> None:
        """Raise `InvalidInput` where no event of this activity could ever be sent."""
        try:
            self._event("note")
        except ValidationError as invalid:
            raise refused_unsent(invalid) from None

    def tell(self, kind: EventType, text: str | None = None, **said: Any) -> Ticket:
        """Publish one event; `said` is as in `bounded_event`. What cannot be told is refused on its ticket."""
        try:
            ticket = self._buffer.put(self._event(kind, text, **said))
        except Exception as failed:  # noqa: BLE001 - whatever fails here, the agent goes on
            _log.warning("an event could not be told (%s)", type(failed).__name__)
            ticket = Ticket(uuid4().hex)
            ticket.settle("refused", error=invalid_input("cannot be told as an event"))
        self._keep(ticket)
        return ticket

    def _keep(self, ticket: Ticket) -> None:
        self._tickets.append(ticket)
        if len(self._tickets) > MAX_TICKETS:
            oldest = self._tickets.popleft()
            (self._waiting.append if oldest.state == "waiting" else self._count)(oldest)
        # Events become durable in order, so that what is settled by now is at the front.
        while self._waiting and self._waiting[0].state != "waiting":
            self._count(self._waiting.popleft())

    def _count(self, settled: Ticket) -> None:
        if settled.state == "durable":
            self._durable += 1
        else:
            self._lost.append(settled)

    def _event(self, kind: EventType, text: str | None = None, **said: Any) -> NewEvent:
        said = {"timezone": self.timezone, **said}
        return bounded_event(self._activity_id, self._scope, kind, text, **said)


def bounded_event(
    activity_id: str,
    scope: Mapping[str, str],
    kind: EventType,
    text: str | None = None,
    *,
    at: datetime | None = None,
    entities: Sequence[EntityMention] = (),
    data: Mapping[str, Any] | None = None,
    evidence_ref: str | None = None,
    timezone: str | None = None,
    idempotency_key: str | None = None,
) -> NewEvent:
    """An event that the service can take: what is too long is cut, and `data` says so.

    `data` is JSON of bearable size already, and `at` is now unless it is given.
    """
    told = None if text is None else _bearable(text)
    kept = _fitting(entities)
    left_out = len(distinct(entities)) - len(kept)
    said: dict[str, Any] = {**(data or {}), **(told.said() if told is not None else {})}
    if left_out:
        said["entities_left_out"] = left_out
    return NewEvent(
        activity_id=activity_id,
        type=kind,
        scope=dict(scope),
        occurred_at=at or now(),
        text=None if told is None else told.text,
        timezone=timezone,
        entities=kept,
        evidence_ref=evidence_ref,
        idempotency_key=idempotency_key or uuid4().hex,
        data=said,
    )


def _bearable(text: str) -> Cut:
    told = cut(text, MAX_TEXT)
    # A character takes up to six bytes as JSON.
    return told if size_of(told.text) <= MAX_TEXT_BYTES else cut(text, MAX_TEXT_BYTES // 6)


def _fitting(entities: Sequence[EntityMention]) -> tuple[EntityMention, ...]:
    """The first entities, each once, that one event can carry."""
    kept: list[EntityMention] = []
    room = MAX_ENTITY_BYTES
    for mention in distinct(entities)[:MAX_ENTITIES]:
        room -= size_of(mention.model_dump())
        if room < 0:
            break
        kept.append(mention)
    return tuple(kept)


def size_of(value: Any) -> int:
    """How many bytes `value` takes as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def now() -> datetime:
    """This instant, in UTC."""
    return datetime.now(zones.utc)
