"""What happened, as a caller tells it: validation, scrubbing and limits.

An event is written when it happens and never rewritten. This file decides what a well-formed one is; it
neither stores nor interprets it.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from models.authority import Authority
from models.complaints import complained
from models.errors import InvalidInput, KeepwellError, TooLarge
from models.principals import Speaker

MAX_EVENT_BYTES = 256 * 1024
MAX_BATCH = 1_000
MAX_BATCH_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 100
CLOCK_SKEW = timedelta(minutes=5)
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
_ISO_YEAR = re.compile(r"\d{4}-")
_INFINITIES = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
_OUTSIDE = "outside the years 1 to 9999 in UTC"
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")


Mask = Callable[[dict[str, Any]], Mapping[str, Any]]


class EventType(StrEnum):
    """The kinds of event. What fits none of them is a `note`."""

    ACTIVITY_STARTED = "activity_started"
    ACTIVITY_COMPLETED = "activity_completed"
    ACTIVITY_FAILED = "activity_failed"
    INSTRUCTION = "instruction"
    MESSAGE = "message"
    FEEDBACK = "feedback"
    CORRECTION = "correction"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    OBSERVATION = "observation"
    VERIFICATION_PASSED = "verification_passed"
    VERIFICATION_FAILED = "verification_failed"
    MILESTONE = "milestone"
    NOTE = "note"


CHECKPOINTS = frozenset(
    {
        EventType.ACTIVITY_COMPLETED,
        EventType.ACTIVITY_FAILED,
        EventType.FEEDBACK,
        EventType.CORRECTION,
        EventType.VERIFICATION_FAILED,
        EventType.MILESTONE,
    }
)
"""Events after which consolidation is worth a look."""


class EntityMention(BaseModel):
    """A thing that an event is about: a canonical id (`type:id`), the name it goes by, or both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str | None = Field(default=None, max_length=300, pattern=r"^[a-z][a-z0-9_-]*:\S+$")
    name: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")


class NewEvent(BaseModel):
    """One event as its publisher tells it.

    `occurred_at` carries an offset; `timezone` is the speaker's IANA zone, in which words such as
    "tomorrow" are read. `evidence_ref` points at what proves it, in its own store. `idempotency_key` is the
    publisher's own name for the event: sent again with the same content it changes nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    activity_id: str = Field(min_length=1, max_length=200)
    type: EventType
    scope: dict[str, str]
    occurred_at: datetime
    text: str | None = None
    timezone: str | None = None
    entities: tuple[EntityMention, ...] = Field(default=(), max_length=200)
    evidence_ref: str | None = Field(default=None, max_length=2_000)
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)
    data: dict[str, Any] = Field(default_factory=dict[str, Any])

    @field_validator("occurred_at", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return written_out(value)

    @field_validator("occurred_at")
    @classmethod
    def _has_an_offset(cls, value: datetime) -> datetime:
        return aware(value)

    @field_validator("timezone")
    @classmethod
    def _is_a_zone(cls, value: str | None) -> str | None:
        return None if value is None else zone_name(value)


def zone_name(value: str) -> str:
    """`value` if it names an IANA zone; raises ValueError otherwise."""
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise ValueError("not an IANA zone; use one such as Europe/Berlin") from unknown
    return value


def written_out(value: object) -> object:
    """`value` if it is an instant or reads like one; raises ValueError for a number, in digits or in text.

    "20270101" is a date to whoever wrote it, and would be read as seconds of the year 1970.
    """
    if isinstance(value, datetime) or (isinstance(value, str) and _ISO_YEAR.match(value.strip())):
        return value
    raise ValueError("give an ISO 8601 instant with an offset, such as 2026-03-02T09:00:00+01:00")


def counted(value: object) -> object:
    """`value`, unless it is a text or a truth value: neither is a number, though it can be read as one."""
    if isinstance(value, str | bool):
        raise ValueError("is no number; send it without quotes")  # noqa: TRY004 - pydantic takes it for a complaint
    return value


def aware(value: datetime) -> datetime:
    """`value` in UTC; raises ValueError for a naive instant or one that cannot be held.

    The first and the last instant that Python knows stand for minus and plus infinity in the driver of Postgres
    and come back naive, so that they are outside as well.
    """
    if value.tzinfo is None:
        raise ValueError("a naive instant, without a zone; add an offset such as Z or +01:00")
    try:
        instant = value.astimezone(UTC)
    except OverflowError as beyond:
        raise ValueError(_OUTSIDE) from beyond
    if instant in _INFINITIES:
        raise ValueError(_OUTSIDE)
    return instant


def scrub(value: Any, levels: int = MAX_DEPTH) -> Any:
    """`value` without what Postgres text cannot hold: NUL goes, a lone surrogate becomes U+FFFD.

    Applies to strings at any depth, keys included. A surrogate pair that was split by the sender's JSON is
    joined to the character that it stands for. Raises `InvalidInput` for what is nested deeper than `levels`.
    """
    if levels < 0:
        raise InvalidInput(f"is nested deeper than {MAX_DEPTH} levels; flatten it")
    if isinstance(value, str):
        if "\x00" in value:
            value = value.replace("\x00", "")
        try:
            value.encode()
        except UnicodeEncodeError:
            value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value
    if isinstance(value, dict):
        scrubbed = {scrub(key): scrub(inner, levels - 1) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]
        if len(scrubbed) < len(value):  # pyright: ignore[reportUnknownArgumentType]
            raise InvalidInput("two names differ only in characters that cannot be stored; rename one")
        return scrubbed  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [scrub(inner, levels - 1) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def size_of(raw: object) -> int:
    """Bytes of `raw` as JSON; raises `InvalidInput` for what JSON cannot carry."""
    try:
        return len(json.dumps(raw, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError) as unfit:
        raise InvalidInput("holds a value that JSON cannot carry, such as NaN or endless nesting") from unfit


def parse_event(raw: object, now: datetime, mask: Mask | None = None) -> NewEvent:
    """Read one event from a caller; raises `InvalidInput` or `TooLarge`, naming the field and the remedy.

    `mask` takes what must not be kept out of the fields, before anything is read from them or said of them.
    """
    if not isinstance(raw, dict):
        raise InvalidInput("an event is a JSON object")
    if "scope" not in raw:
        raise InvalidInput('say where this applies, such as {"workspace": "staging"}', field="scope")
    size = size_of(raw)  # pyright: ignore[reportUnknownArgumentType]
    if size > MAX_EVENT_BYTES:
        raise TooLarge(
            f"{size:,} bytes of {MAX_EVENT_BYTES:,}; keep the content in its own store and send evidence_ref"
        )
    # A scope is compared to the letter, so it is refused and not mended where it holds such characters.
    fields: dict[str, Any] = {**scrub(raw), "scope": raw["scope"]}
    try:
        event = NewEvent.model_validate(fields if mask is None else mask(fields))
    except ValidationError as invalid:
        raise first_error(invalid) from None
    if event.occurred_at > now + CLOCK_SKEW:
        raise InvalidInput("lies in the future; an event is what has happened", field="occurred_at")
    if event.occurred_at < EARLIEST:
        raise InvalidInput("lies before 1900; check the year", field="occurred_at")
    return event


def first_error(invalid: ValidationError) -> KeepwellError:
    """Our error for pydantic's first complaint, in our words and without the rejected value."""
    complaint = invalid.errors(include_url=False, include_input=False, include_context=False)[0]
    field = ".".join(_plain(part) for part in complaint["loc"]) or None
    return InvalidInput(complained(complaint["type"], complaint["msg"]), field=field)


def _plain(part: int | str) -> str:
    """A part of a field's place. What is no plain name may be content that came in the place of one."""
    return str(part) if isinstance(part, int) or _PLAIN_NAME.fullmatch(part) else "…"


class StoredEvent(BaseModel):
    """An event as the log holds it, with what capture stamped on it.

    `seq` is gapless within the activity and starts at 1. Of one that was `erased` no word is left.
    `directive` marks a word to Keepwell itself through its own
    calls, such as an acknowledgement or a decision on a proposal: what is published is never marked.
    """

    model_config = ConfigDict(frozen=True)

    id: UUID
    activity_id: UUID
    seq: int
    type: EventType
    speaker: Speaker
    authority: Authority
    scope: dict[str, str]
    occurred_at: datetime
    recorded_at: datetime
    timezone: str | None
    text: str | None
    entities: tuple[EntityMention, ...]
    evidence_ref: str | None
    data: dict[str, Any]
    directive: bool = False
    erased: bool = False


def living(events: Iterable[StoredEvent]) -> list[StoredEvent]:
    """Those of these events that were not erased: of the others there is nothing to read."""
    return [event for event in events if not event.erased]
