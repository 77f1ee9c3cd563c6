"""Secrets that stand elsewhere than after their noun: "hunter2 is the password", "set the password to hunter2"."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from providers.secret_scanner.lexicon import lexicon
from providers.secret_scanner.reading import Value, read_value
from providers.secret_scanner.values import Stands

_FARTHEST = 160
_WORD = r"[^\s\d.,;:!?=\x00]{1,20}"
# The noun ends what is said of the value: "bench-01 is the password server" is about a server.
_CLAUSE_ENDS = re.compile(
    r"[\"'`*_)]{0,3}[ \t]*(?:[.,;!)\n\r\x00]|$"
    r"|(?:for|of|to|on|in|at|and|but|now|from|until|till|here|today|again|für|pour)\b)"
)
_FROM = re.compile(r"[ \t]+from[ \t]+(?=[^\s\x00])")


class Told(NamedTuple):
    """A value that a sentence sets, how it stands there, and whether nothing but a secret can."""

    value: Value
    stands: Stands
    surely: bool


@cache
def _before() -> re.Pattern[str]:
    return re.compile(
        rf"(?:^|(?<=[\s(\"'`“]))(?P<value>[^\s\x00\"'`“”()]{{4,80}})[\"'`”]?[ \t]+(?:{lexicon().told_before})[ \t]+"
        rf"(?:{_WORD}[ \t]+){{0,4}}$",
        re.IGNORECASE,
    )


@cache
def _verbs() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?P<verb>{lexicon().setting_verbs})(?:[ \t]+{_WORD}){{0,5}}[ \t]*$")


@cache
def _to() -> re.Pattern[str]:
    return re.compile(
        rf"(?:[ \t]+(?:{lexicon().prepositions})(?:[ \t]+(?!(?:to|from)[ \t])[^\s\x00:=,;!?()]{{1,30}}){{1,5}}?)?"
        rf"[ \t]+(?:back[ \t]+)?(?P<by>{lexicon().setting_joins})"
        r"(?:(?P<colon>[ \t]{0,4}:(?!:)[ \t]*(?:\r?\n[ \t]{0,8})?)|[ \t]+(?:be[ \t]+)?)"
    )


def told_before(plain: str, start: int, end: int) -> Value | None:
    """The value of which the name from `start` to `end` is told: "hunter2 is the password"."""
    if _CLAUSE_ENDS.match(plain, end) is None:
        return None
    first = max(start - _FARTHEST, 0)
    found = _before().search(plain[first:start])
    if found is None:
        return None
    at, until = first + found.start("value"), first + found.end("value")
    return Value(plain[at:until], at, until, False, plain[until : until + 24].lower())


def set_to(plain: str, lower: str, start: int, end: int) -> Iterator[Told]:
    """The values that the name from `start` to `end` is changed from and set to."""
    verb = _verbs().search(lower[max(start - _FARTHEST, 0) : start])
    if verb is None:
        return
    changed = _FROM.match(lower, end)
    old = None if changed is None else read_value(plain, changed.end())
    if old is not None:
        end = old.end + (plain[old.end : old.end + 1] in ('"', "'", "`"))
    to = _to().match(lower, end)
    if to is None:
        return
    if old is not None:
        yield Told(old, Stands.JOINED, True)
    new = read_value(plain, to.end())
    if new is not None:
        yield Told(new, _stands(to, new), old is not None or verb["verb"].startswith("set"))


def _stands(to: re.Match[str], value: Value) -> Stands:
    """How a value stands that something is set to. In English it may be for a purpose too: "to continue"."""
    if value.text.lower() in lexicon().setting_purposes:
        return Stands.JOINED
    if to["colon"] is not None:
        return Stands.ASSIGNED
    return Stands.TOLD if to["by"] == "to" else Stands.JOINED
