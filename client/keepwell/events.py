"""Calls that publish events and ask what became of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from keepwell.calls import Calls, event_from, id_in_path, request_from, with_key
from keepwell.errors import InvalidInput
from keepwell.types import (
    Acknowledgement,
    Acknowledgements,
    EntityMention,
    EventBatch,
    EventType,
    EventVerdictTold,
    NewEvent,
)


class EventCalls(Calls):
    """Publish, and ask for the verdict."""

    @overload
    async def publish(self, event: NewEvent | Mapping[str, Any], /) -> Acknowledgement: ...

    @overload
    async def publish(
        self,
        /,
        *,
        type: EventType,
        activity_id: str,
        scope: Mapping[str, str],
        text: str | None = None,
        occurred_at: datetime | None = None,
        timezone: str | None = None,
        entities: Sequence[EntityMention | str] | None = None,
        evidence_ref: str | None = None,
        idempotency_key: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> Acknowledgement: ...

    async def publish(
        self, event: NewEvent | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> Acknowledgement:
        """Publish one event, given ready or as fields, and return once it is durable.

        `occurred_at` is now unless it is given. An entity may be a mere text: a canonical id (`type:id`), or else
        a name. Without an idempotency key the event gets one, so that it is stored once however often it has to
        be sent.
        """
        said = with_key(event_from(event, fields))
        return await self._transport.call(
            "POST", "/v1/events", Acknowledgement.model_validate_json, body=said.as_json()
        )

    async def publish_batch(self, events: Sequence[NewEvent | Mapping[str, Any]]) -> list[Acknowledgement]:
        """Publish up to 1,000 events in order: all of them or, where one is refused, none.

        The error names the one that was refused by its `position`, from 1.
        """
        said = [_at_position(number, event) for number, event in enumerate(events, 1)]
        batch = request_from(EventBatch, None, {"events": said}, like="publish_batch([…])")
        answer = await self._transport.call(
            "POST", "/v1/events/batch", Acknowledgements.model_validate_json, body=batch.as_json()
        )
        return answer.events

    async def verdict_of(self, event_id: UUID | str) -> EventVerdictTold:
        """What became of an event so far."""
        path = f"/v1/events/{id_in_path(event_id)}/verdict"
        return await self._transport.call("GET", path, EventVerdictTold.model_validate_json)


def _at_position(number: int, event: object) -> NewEvent:
    """An event of a batch under a key; the error for one that cannot be sent says which it is."""
    try:
        return with_key(event_from(event))
    except InvalidInput as refused:
        raise InvalidInput(refused.problem.model_copy(update={"position": number})) from None
