"""When an intention is due, as options say it; plain words are shown in full and stand only after a yes.

Nothing is guessed, and nothing is set that nobody has seen.
"""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

import typer

from capture.intentions import Preview
from models.errors import InvalidInput, KeepwellError
from models.intention_words import told
from surfaces.cli.render import verbatim

WordsOption = Annotated[
    str | None,
    typer.Option("--when", metavar="WORDS", help='In plain English, such as "every first Monday at 9".'),
]
AtOption = Annotated[
    str | None, typer.Option("--at", metavar="INSTANT", help="At an instant with an offset.")
]
AfterOption = Annotated[
    str | None, typer.Option("--in", metavar="DURATION", help="After a delay in ISO 8601, such as PT40M.")
]
EveryOption = Annotated[
    str | None,
    typer.Option("--every", metavar="RRULE", help="Again and again, such as FREQ=DAILY;BYHOUR=9;BYMINUTE=0."),
]
StartsOption = Annotated[
    str | None,
    typer.Option("--starts", metavar="INSTANT", help="From when --every counts; else from this minute."),
]
ExceptOption = Annotated[
    list[str],
    typer.Option("--except", metavar="INSTANT", help="Left out of --every; may be repeated."),
]
ZoneOption = Annotated[
    str | None,
    typer.Option("--zone", metavar="ZONE", help="In whose time, such as Europe/Berlin. Else UTC."),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Take the words as they are read, without asking.")]

_OPTIONS = {
    "words": "--when",
    "at": "--at",
    "until": "--until",
    "after": "--in",
    "every": "--every",
    "every.starts": "--starts",
    "every.exceptions": "--except",
    "every.timezone": "--zone",
    "timezone": "--zone",
    "on": "--on",
    "change": "--becomes",
    "change.fact_id": "--fact",
    "change.attribute": "--attribute",
    "change.entity": "--entity",
    "change.value": "--value",
    "owner": "--for",
    "scope": "--scope",
    "not_before": "--not-before",
    "deadline": "--deadline",
    "grace": "--grace",
    "premises": "--premise",
    "deliver_to": "--deliver-to",
    "data": "--data",
    "lease_seconds": "--lease-seconds",
    "wait_seconds": "--wait",
    "before": "--cursor",
}


@contextmanager
def in_options() -> Generator[None]:
    """Have an error name the option that somebody has typed, and not the field that it went into."""
    try:
        yield
    except KeepwellError as error:
        error.field = None if error.field is None else _option(error.field)
        raise


def _option(field: str) -> str:
    """The option for a field, by as much of its path as is known: "on.conditions.0.value" is of --on."""
    path = field.split(".")
    whole = (".".join(path[:depth]) for depth in range(len(path), 0, -1))
    return next((_OPTIONS[each] for each in whole if each in _OPTIONS), field)


class Times(NamedTuple):
    """The options that say when, as they were typed."""

    words: str | None
    at: str | None
    after: str | None
    every: str | None
    starts: str | None
    exceptions: list[str]
    zone: str | None

    @property
    def given(self) -> int:
        """How many ways to say when were used."""
        return sum(each is not None for each in (self.words, self.at, self.after, self.every))

    def said(self, now: datetime) -> dict[str, Any]:
        """The same for a model. It is said `now`, so that what is confirmed later is still what was shown."""
        rule = {"rule": self.every, "starts": self.starts, "exceptions": self.exceptions}
        if self.every is None and (self.starts is not None or self.exceptions):
            raise InvalidInput("says more of --every; give that as well, or leave it out", field="--starts")
        return {
            "words": self.words,
            "at": self.at,
            "after": self.after,
            "every": None if self.every is None else rule,
            "timezone": self.zone,
            "occurred_at": now,
        }


async def require_yes(seen: Preview, zone: str | None, *, bounded: bool) -> None:
    """Show what words come to, and return only once somebody at the terminal has said yes to it.

    Raises `InvalidInput` where nobody is there to ask. Exits with 1 on anything but a yes.
    """
    now = datetime.now(UTC)
    lines = [seen.told, *(f"next: {told(at, zone or 'UTC', now)}" for at in seen.coming if bounded)]
    shown = [verbatim(line).plain for line in lines]
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(
            f"nothing is set yet, as nobody is at a terminal to say yes to: {'; '.join(shown)}."
            " Add --yes if that is meant, else say it by --at, --in or --every",
            field="--when",
        )
    sys.stderr.write("\n".join([*shown, "Is that meant? [y/N] "]))
    sys.stderr.flush()
    if (await _line()).strip().lower() not in ("y", "yes"):
        sys.stderr.write("Nothing is set. Say it in other words, or by --at, --in or --every.\n")
        raise typer.Exit(1)


async def _line() -> str:
    """A line of the terminal. It is waited for by the loop, so that Ctrl-C ends the waiting at once."""
    there, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(sys.stdin, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()
