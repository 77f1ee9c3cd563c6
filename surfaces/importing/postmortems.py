"""Import post-mortems: each file an activity, what it tells material that nobody vouches for, and then its end.

Every file is read and every event checked before the first is published. No lesson is ever guessed from prose: there
is one only where a team has written it into a file of its own, and it is the word of whoever imports.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import UUID

from models.errors import InvalidInput, KeepwellError, TooLarge
from models.events import EARLIEST, EventType, aware, parse_event, scrub, written_out
from models.principals import Principal, PrincipalKind, Speaker
from models.text import normalise
from runtime.service import Service
from runtime.yaml_document import Unreadable, parsed
from surfaces.importing.actors import principal_of
from surfaces.importing.report import ImportReport, OnProgress

IMPORTER = Speaker(subject="postmortems-import", kind=PrincipalKind.AGENT, roles=("agent",))
"""Who hands over what the files tell, and ends each activity."""
MAX_FILE_BYTES = 16 * 1024 * 1024
PART = 32 * 1024
"""Characters of a file in one event. JSON takes six bytes for a character at most, which an event has room for."""
BETWEEN_PARTS = timedelta(milliseconds=1)
"""A file states one instant for all that it tells; its parts follow one another at this distance."""
_MOST_TOGETHER = 50
"""Events of one call: of the largest ones, so many are less than a call may have."""
_LONGEST = 200
_NAMED = ("product", "company")
"""What the things in play are called, the narrower first: a lesson is for things of the first one's type."""
_TEXTS = ("title", "summary", "url", "archive_url", *_NAMED)
_LISTS = ("categories", "keywords")
_DATES = ("start_time", "source_published_at", "source_fetched_at")
"""When it happened, or else when it was told, or else when somebody read it: the first that an event can have."""
_SUCH = "2026-03-02T09:00:00Z"
_CODES = ("failure", "resolution", "incident", "task_class")


class PostMortem(NamedTuple):
    """What a file tells. `told` is all of its prose; `lesson` is None where the file gives none."""

    file: str
    name: str
    told: str
    started_at: datetime
    ended_at: datetime
    entities: list[dict[str, str]]
    data: dict[str, Any]
    url: str | None
    lesson: str | None
    codes: dict[str, str]


class Planned(NamedTuple):
    """An event that is ready to be published, who says it, and the file that it is from."""

    principal: Principal
    event: dict[str, Any]
    file: str


async def import_postmortems(
    service: Service,
    principal: Principal,
    folder: Path,
    scope: dict[str, str],
    undated: datetime | None = None,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Import the `.md` files of `folder` into `scope`; `principal` says the lessons. Importing again adds nothing.

    `undated` is the instant of files that have no date at all; without it such a file is refused.

    Raises a `KeepwellError` that names file and field. Nothing is stored where a file is malformed.
    """
    started = time.monotonic()
    progress = on_progress or _silent
    progress(0, None)
    planned = await asyncio.to_thread(_plan, principal, folder, scope, undated)
    activities: dict[UUID, None] = {}
    done = new = 0
    for batch in _batches(planned):
        try:
            receipts = await service.publish(batch[0].principal, [each.event for each in batch])
        except KeepwellError as error:
            before = f"; the {done:,} events before it are stored, and are not doubled by importing again"
            at = batch[(error.position or 1) - 1].file
            raise _named(
                type(error)(f"{error.message}{before if done else ''}", field=error.field), at
            ) from error
        for receipt in receipts:
            activities[receipt.activity_id] = None
            new += not receipt.duplicate
        done += len(batch)
        progress(done, len(planned))
    return ImportReport(
        events=done,
        new=new,
        duplicates=done - new,
        activities=tuple(activities),
        seconds=time.monotonic() - started,
    )


def _plan(
    principal: Principal, folder: Path, scope: dict[str, str], undated: datetime | None
) -> list[Planned]:
    now = datetime.now(UTC)
    found = read_postmortems(folder, undated)
    return [each for told in found for each in planned_events(told, principal, scope, now)]


def read_postmortems(folder: Path, undated: datetime | None = None) -> list[PostMortem]:
    """What the `.md` files of a folder tell, by their names; raises `InvalidInput` or `TooLarge` for a bad one."""
    files = sorted(folder.glob("*.md"))
    if not files:
        raise InvalidInput(f"{folder}: no post-mortems; give a folder that has .md files")
    found: dict[str, PostMortem] = {}
    for path in files:
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                raise TooLarge(f"more than {MAX_FILE_BYTES:,} bytes; divide it", field=path.name)
            content = path.read_bytes()
        except OSError as unreadable:
            raise InvalidInput("cannot be read", field=path.name) from unreadable
        told = parse_postmortem(path.name, content, undated)
        if told.name in found:
            raise InvalidInput(f"stands in {found[told.name].file} as well", field=f"{path.name}, uuid")
        found[told.name] = told
    return list(found.values())


def parse_postmortem(file: str, content: bytes, undated: datetime | None = None) -> PostMortem:
    """What a file tells; raises `InvalidInput` that names the file and the field, and quotes neither's content."""
    try:
        return _post_mortem(file, content, undated)
    except KeepwellError as error:
        raise _named(error, file) from None


def _post_mortem(file: str, content: bytes, undated: datetime | None) -> PostMortem:
    front, body = _divided(content)
    told = {name: _text(front, name) for name in (*_TEXTS, "lesson", *_CODES)}
    data: dict[str, Any] = {name: _list(front, name) for name in _LISTS if front.get(name)}
    codes = {name: code for name in _CODES if (code := told[name])}
    for name, code in codes.items():
        if told["lesson"] is None:
            raise InvalidInput("says of what the lesson is, and there is none; add lesson", field=name)
        _require_short(code, name)
    dates = {name: at for name in (*_DATES, "end_time") if (at := _instant(front, name)) is not None}
    happened = [dates[name] for name in _DATES if name in dates and dates[name] >= EARLIEST]
    started_at = happened[0] if happened else undated
    if started_at is None:
        raise InvalidInput(
            "is missing, and so are the other dates; add one, or say --undated", field="start_time"
        )
    if "start_time" in dates and dates.get("end_time", started_at) < dates["start_time"]:
        raise InvalidInput("lies before start_time", field="end_time")
    ended_at = max(started_at, dates.get("end_time", started_at))
    data |= {name: at.isoformat() for name, at in dates.items()}
    prose = "\n\n".join(part for part in (told["title"], told["summary"], body.strip("\n")) if part)
    if not prose.strip():
        raise InvalidInput("tells nothing; write what happened below the front matter", field="summary")
    return PostMortem(
        file=file,
        name=_uuid(front),
        told=prose,
        started_at=started_at,
        ended_at=ended_at,
        entities=[_entity(kind, name) for kind in _NAMED if (name := told[kind])],
        data={
            **data,
            **{name: told[name] for name in _TEXTS if told[name] and name not in {"title", "summary"}},
        },
        url=told["url"],
        lesson=told["lesson"],
        codes=codes,
    )


def _divided(content: bytes) -> tuple[dict[str, Any], str]:
    """The front matter, whose values are texts as they stand there, and what follows it."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InvalidInput("is not UTF-8", field="file") from None
    opening, fence, rest = text.partition("---\n")
    head, closing, body = rest.partition("\n---\n")
    if opening or not fence or not closing:
        raise InvalidInput("begins with a line --- and is closed by another one", field="front matter")
    try:
        _, front = parsed(head, as_text=True)
    except Unreadable as unreadable:
        raise InvalidInput(
            f"line {unreadable.line + 1} is not readable as YAML", field="front matter"
        ) from None
    if not isinstance(front, dict):
        raise InvalidInput("is no list of names with values", field="front matter")
    return cast("dict[str, Any]", front), body


def _text(front: dict[str, Any], name: str) -> str | None:
    value = front.get(name, "")
    if not isinstance(value, str):
        raise InvalidInput("is no text", field=name)
    return scrub(value.strip()) or None


def _list(front: dict[str, Any], name: str) -> list[str]:
    values = front[name]
    if not isinstance(values, list) or not all(isinstance(each, str) for each in cast("list[Any]", values)):
        raise InvalidInput("is no list of texts", field=name)
    return cast("list[str]", values)


def _instant(front: dict[str, Any], name: str) -> datetime | None:
    text = _text(front, name)
    return None if text is None else instant_of(text, name)


def instant_of(text: str, field: str) -> datetime:
    """The instant that a text states; raises `InvalidInput` for a day alone, and for one without an offset."""
    try:
        return aware(datetime.fromisoformat(str(written_out(text))))
    except ValueError:
        raise InvalidInput(f"give an ISO 8601 instant with an offset, such as {_SUCH}", field=field) from None


def _uuid(front: dict[str, Any]) -> str:
    try:
        return str(UUID(_text(front, "uuid") or ""))
    except ValueError:
        raise InvalidInput("is missing or no UUID, which the activity is named by", field="uuid") from None


def _entity(kind: str, name: str) -> dict[str, str]:
    """A company or product by its canonical id; by its name alone where no word of that can stand in an id."""
    _require_short(name, kind)
    plain = "-".join(normalise(name).split())
    return {"id": f"{kind}:{plain}", "name": name} if plain else {"name": name}


def _require_short(text: str, field: str) -> None:
    if len(text) > _LONGEST:
        raise InvalidInput(f"has more than {_LONGEST} characters", field=field)


def planned_events(
    told: PostMortem, principal: Principal, scope: dict[str, str], now: datetime
) -> list[Planned]:
    """The events of a file in their order, checked as `publish` checks them: its parts, a lesson, and its end."""
    importer = principal_of(principal.tenant, IMPORTER)
    common: dict[str, Any] = {"activity_id": told.name, "scope": scope}
    if told.url is not None:
        common["evidence_ref"] = told.url
    planned: list[Planned] = []

    def plan(who: Principal, key: str, kind: EventType, at: datetime, **fields: Any) -> None:
        keys = {"idempotency_key": f"postmortem/{told.name}/{key}", "occurred_at": at.isoformat()}
        planned.append(Planned(who, {**common, **keys, "type": kind.value, **fields}, told.file))

    at = told.started_at
    for number, part in enumerate(parts(told.told), 1):
        about = {"data": told.data, "entities": told.entities} if number == 1 else {}
        plan(importer, str(number), EventType.TOOL_RESULT, at, text=part, **about)
        at += BETWEEN_PARTS
    at = max(at, told.ended_at)
    if told.lesson is not None:
        fields = {"text": told.lesson, "data": told.codes, "entities": told.entities}
        plan(principal, "lesson", EventType.CORRECTION, at, **fields)
    # An activity of results alone is routine, of which no episode is kept: what went wrong is worth one.
    plan(importer, "told", EventType.MILESTONE, at + BETWEEN_PARTS)
    plan(importer, "end", EventType.ACTIVITY_COMPLETED, at + 2 * BETWEEN_PARTS)
    for each in planned:
        try:
            parse_event(each.event, now)
        except KeepwellError as error:
            raise _named(error, told.file) from None
    return planned


def parts(text: str) -> Iterator[str]:
    """`text` in parts that an event has room for, divided between paragraphs where there are any; joined, the text."""
    while len(text) > PART:
        between = text.rfind("\n\n", 1, PART - 1)
        end = PART if between < 0 else between + 2
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def _batches(planned: Sequence[Planned]) -> Iterator[list[Planned]]:
    """Calls in the order of the events: of one speaker each, and of one file."""
    for _, group in groupby(planned, lambda each: (each.file, each.principal)):
        said = list(group)
        for start in range(0, len(said), _MOST_TOGETHER):
            yield said[start : start + _MOST_TOGETHER]


def _named(error: KeepwellError, file: str) -> KeepwellError:
    return type(error)(error.message, field=file if error.field is None else f"{file}, {error.field}")


def _silent(done: int, total: int | None) -> None:
    """Say nothing."""
