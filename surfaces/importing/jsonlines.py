"""Import events as JSON lines: one event a line, exactly as `publish` takes it.

The whole input is read and checked before the first event is stored. What was checked is kept in an unnamed
temporary file and published from there, so that a pipe, which is read once, and a file that changes
meanwhile are as good as any. Events go in the order of the lines, in batches; a batch goes in whole or not
at all.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast
from uuid import UUID

from capture.accept import Receipt
from models.candidates import structured_candidates
from models.errors import InvalidInput, KeepwellError, TooLarge
from models.events import MAX_BATCH, MAX_EVENT_BYTES, parse_event
from models.principals import Principal
from runtime.service import Service
from surfaces.importing.actors import parse_actor, principal_of
from surfaces.importing.report import ImportReport, OnProgress
from surfaces.strict_json import parse_json, without_mark

MAX_LINE_BYTES = 8 * MAX_EVENT_BYTES
"""Of one line as it stands in the file, where escapes such as \\u00e9 take several times their character."""

STANDARD_INPUT = Path("-")
KEPT_IN_MEMORY_BYTES = 16 * 1024 * 1024
_LINES_BETWEEN_BREATHS = 500


class Line(NamedTuple):
    """One event of the input: its 1-based line, who says it, and what."""

    number: int
    principal: Principal
    event: dict[str, object]


class _Told(NamedTuple):
    """What is known of the events stored so far."""

    events: int = 0
    without_key: int = 0
    last_line: int = 0

    def and_all(self, batch: list[Line]) -> "_Told":
        return _Told(self.events + len(batch), self.without_key + _without_key(batch), batch[-1].number)


async def import_events(
    service: Service,
    principal: Principal,
    source: Path | BinaryIO,
    *,
    actors_allowed: bool,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Publish the events of a file, of a stream, or of standard input (`-`), as `principal`.

    With `actors_allowed` a line may state another speaker of the same tenant in `actor`; that is for the
    operator's own process, as nothing authenticates it. Without it such a line is refused.

    Raises a `KeepwellError` with the line as its position. What can be told from the input alone is found
    before anything is stored. What only the store can tell (no grant for a scope, an idempotency key that
    stands for something else) ends the import at its batch; the message says how many events are stored
    and whether the same input may be sent again.
    """
    started = time.monotonic()
    progress = on_progress or _silent
    progress(0, None)
    activities: dict[UUID, None] = {}
    new = 0
    event_ids: list[UUID] = []
    masked: set[str] = set()
    told = _Told()
    with _opened(source) as lines, _spool() as spool:
        total = await _check(lines, spool, principal, actors_allowed=actors_allowed)
        progress(0, total)
        spool.seek(0)
        for batch in _batches(_lines(spool, principal, actors_allowed=actors_allowed)):
            for receipt in await _publish(service, batch, told):
                activities[receipt.activity_id] = None
                new += not receipt.duplicate
                masked.update(receipt.masked)
                if total <= MAX_BATCH:
                    event_ids.append(receipt.event_id)
            told = told.and_all(batch)
            progress(told.events, total)
    return ImportReport(
        events=total,
        new=new,
        duplicates=total - new,
        activities=tuple(activities),
        event_ids=tuple(event_ids),
        masked=tuple(sorted(masked)),
        seconds=time.monotonic() - started,
    )


async def _check(lines: IO[bytes], spool: IO[bytes], principal: Principal, *, actors_allowed: bool) -> int:
    """Read the input to its end into `spool`; how many events it has."""
    now = datetime.now(UTC)
    count = 0
    for number, content in _numbered(lines):
        if content:
            line = parse_line(number, content, principal, actors_allowed=actors_allowed)
            _require_event(line, now)
            count += 1
        spool.write(content + b"\n")
        if number % _LINES_BETWEEN_BREATHS == 0:
            await asyncio.sleep(0)
    if count == 0:
        raise InvalidInput("no events; send at least one, each as a JSON object on a line of its own")
    return count


def parse_line(number: int, content: bytes, principal: Principal, *, actors_allowed: bool) -> Line:
    """The event on one line and who says it; raises a `KeepwellError` with the line as its position."""
    try:
        document = parse_json(content)
        if not isinstance(document, dict):
            raise InvalidInput("not an object; each line is one event as a JSON object")
        event = cast("dict[str, object]", document)
        if "actor" in event:
            principal = _stated(event.pop("actor"), principal, actors_allowed=actors_allowed)
    except KeepwellError as error:
        raise error.at(number, "line") from None
    return Line(number, principal, event)


def _stated(actor: object, principal: Principal, *, actors_allowed: bool) -> Principal:
    if not actors_allowed:
        raise InvalidInput(
            "publish speaks as its caller alone; leave it out, or let an operator import the file with: "
            "keepwell import events",
            field="actor",
        )
    return principal_of(principal.tenant, parse_actor(actor))


def _require_event(line: Line, now: datetime) -> None:
    try:
        structured_candidates(parse_event(line.event, now).data)
    except KeepwellError as error:
        raise error.at(line.number, "line") from None


def _numbered(lines: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, without its end and outer white space; a blank one is empty."""
    number = 0
    while content := _read(lines, number + 1):
        number += 1
        if len(content.rstrip(b"\r\n")) > MAX_LINE_BYTES:
            raise TooLarge(
                f"more than {MAX_LINE_BYTES:,} bytes on one line; put each event on a line of its own, and "
                "keep large content in its own store",
                position=number,
                unit="line",
            )
        yield number, (without_mark(content) if number == 1 else content).strip(b" \t\r\n")


def _read(lines: IO[bytes], number: int) -> bytes:
    try:
        return lines.readline(MAX_LINE_BYTES + len(b"\r\n"))
    except OSError as broken:
        raise InvalidInput(
            "the input breaks off here; send it again", position=number, unit="line"
        ) from broken


def _lines(spool: IO[bytes], principal: Principal, *, actors_allowed: bool) -> Iterator[Line]:
    for number, content in _numbered(spool):
        if content:
            yield parse_line(number, content, principal, actors_allowed=actors_allowed)


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Runs of consecutive lines by one principal, none longer than a publish call takes."""
    batch: list[Line] = []
    for line in lines:
        if batch and (line.principal != batch[0].principal or len(batch) == MAX_BATCH):
            yield batch
            batch = []
        batch.append(line)
    if batch:
        yield batch


async def _publish(service: Service, batch: list[Line], told: _Told) -> list[Receipt]:
    try:
        return await service.publish(batch[0].principal, [line.event for line in batch])
    except KeepwellError as error:
        position = None if error.position is None else batch[error.position - 1].number
        message = f"{error.message}; {_so_far(told, batch, in_doubt=error.retryable)}"
        raise type(error)(message, field=error.field, position=position, unit="line") from error


def _so_far(told: _Told, batch: list[Line], *, in_doubt: bool) -> str:
    """What is stored, and what becomes of it if all is sent again. In doubt, so is the batch that failed."""
    stored = "nothing is stored"
    if told.events:
        stored = f"the {told.events:,} events up to line {told.last_line} are stored"
    if in_doubt:
        stored += f", and whether lines {batch[0].number} to {batch[-1].number} are cannot be told"
    elif not told.events:
        return stored
    twice = told.without_key + (_without_key(batch) if in_doubt else 0)
    if twice:
        return f"{stored}; sending it all again would double {twice:,}, which have no idempotency_key"
    return f"{stored}; sending it all again doubles nothing"


def _without_key(batch: list[Line]) -> int:
    return sum(line.event.get("idempotency_key") is None for line in batch)


@contextmanager
def _opened(source: Path | BinaryIO) -> Generator[IO[bytes]]:
    if not isinstance(source, Path):
        yield source
        return
    if source == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        file = source.open("rb")
    except OSError as unreadable:
        raise InvalidInput(f"{source}: cannot be read; give a file of JSON lines") from unreadable
    with file:
        yield file


def _spool() -> tempfile.SpooledTemporaryFile[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=KEPT_IN_MEMORY_BYTES)


def _silent(done: int, total: int | None) -> None:
    """Tell nobody."""
