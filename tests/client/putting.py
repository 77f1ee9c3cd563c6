"""Events for the tests of the buffer, and a way to put them."""

from datetime import UTC, datetime
from typing import Any

from keepwell import Keepwell, NewEvent, Ticket


def event(text: str, **more: Any) -> NewEvent:
    return NewEvent(
        activity_id="act-1",
        type="note",
        scope={"workspace": "staging"},
        occurred_at=datetime.now(UTC),
        text=text,
        **more,
    )


def put(memory: Keepwell, *texts: str) -> list[Ticket]:
    return [memory.buffer.put(event(text)) for text in texts]
