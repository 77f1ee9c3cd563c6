"""What an import has done, as its caller is told."""

from collections.abc import Callable
from uuid import UUID

from pydantic import BaseModel, ConfigDict

OnProgress = Callable[[int, int | None], None]
"""Called with the events that are durable by now and with all there will be, None while the file is read."""


class ImportReport(BaseModel):
    """The outcome of one import.

    `events` were read; `new` of them were stored now and `duplicates` were there before, under the same
    idempotency key. `activities` are the internal ids of the activities that the events belong to, in order
    of first appearance, and `seconds` is the time from the first byte read to the last event stored.
    `masked` names the kinds of secrets that were masked in the events, sorted.
    `event_ids` has the ids of the events in the order of the file, as long as it is a short one of JSON lines;
    for any other it is empty.
    """

    model_config = ConfigDict(frozen=True)

    events: int
    new: int
    duplicates: int
    activities: tuple[UUID, ...]
    event_ids: tuple[UUID, ...] = ()
    masked: tuple[str, ...] = ()
    seconds: float
