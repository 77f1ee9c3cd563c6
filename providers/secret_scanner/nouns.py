"""Where a text has a noun that introduces secrets, and is it that noun: "max_tokens" is a count, "compass" a thing."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from providers.secret_scanner.lexicon import Lexicon, Noun, Reading, lexicon

LONGEST_NAME = 80
NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-$"
FIRST_JOINING = "\u0590"
"""From here on scripts join words without blanks, or put particles to them."""
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_GOES_ON = re.compile(r"[A-Za-z0-9_]|-[A-Za-z]")
_TAIL = re.compile(r"[A-Za-z0-9_\-]{1,40}")
_JOINTS = str.maketrans("", "", " _-")
_COMPOUNDS = 6
"""A noun of so many letters may end a compound: "Datenbankpasswort", "userpassword". A shorter one ends other words."""


class Hit(NamedTuple):
    """A noun in a text: where it stands, to the end of the name that it is part of, and how it is written."""

    noun: Noun
    start: int
    end: int
    written: str


class Nouns:
    """Finds the nouns of the lexicon."""

    @cached_property
    def _words(self) -> Lexicon:
        return lexicon()

    def first(self, plain: str, lower: str, at: int) -> tuple[Hit | None, int] | None:
        """The next noun from `at` on and where to look on; no hit where it is part of something else."""
        nouns = self._words.ascii_nouns if lower.isascii() else self._words.nouns
        found = nouns.search(lower, at)
        if found is None:
            return None
        # What is no noun here may have covered the beginning of one.
        return self._hit(plain, lower, found), found.start() + 1

    @lru_cache(maxsize=10_000)  # noqa: B019 - there is one of these in a process
    def named(self, name: str) -> Noun | None:
        """The noun that a name as a whole is: `DB_PASSWORD` and `apiKey` are, `password_policy` is not."""
        lower = name.lower()
        if len(name) > LONGEST_NAME or len(lower) != len(name):
            return None
        ending = [hit for hit in self._all(name, lower) if hit.end == len(name)]
        return ending[-1].noun if ending else None

    def handed_down(self, name: str, within: Sequence[str]) -> Noun | None:
        """The noun that a name has from those above it: `value` says nothing itself of `{"password": {"value": …}}`."""
        for above in within:
            if name.lower().translate(_JOINTS) not in self._words.holders:
                return None
            noun = self.named(above)
            if noun is not None:
                return noun
            name = above
        return None

    def _all(self, plain: str, lower: str) -> Iterator[Hit]:
        found = self._words.nouns.search(lower)
        while found is not None:
            hit = self._hit(plain, lower, found)
            if hit is not None:
                yield hit
            # What is no noun here may have covered one: "db pass" covers the beginning of "db password".
            found = self._words.nouns.search(lower, found.start() + 1 if hit is None else found.end())

    def _hit(self, plain: str, lower: str, found: re.Match[str]) -> Hit | None:
        noun = self._words.noun(found.group())
        start, end = found.span()
        if lower[start] < FIRST_JOINING and not self._begins(plain, start, noun, found.group()):
            return None
        if lower[end - 1] < FIRST_JOINING:
            after = self._name_end(plain, lower, end)
            if after is None:
                return None
            end = after
        if self._words.continued.match(lower, end):
            return None
        return Hit(noun, start, end, plain[slice(*found.span())])

    def _begins(self, plain: str, start: int, noun: Noun, found: str) -> bool:
        """Whether what leads up to the noun lets it be one: no other word, and no name of something about it."""
        head = plain[max(start - LONGEST_NAME, 0) : start]
        last = head[-1:]
        if last and last < FIRST_JOINING and last.isalnum():
            camel = plain[start].isupper() and last.islower()
            compound = noun.reading is Reading.PASSWORD and len(found) >= _COMPOUNDS and not last.isdigit()
            if not camel and not compound:
                return False
        parts = _PARTS.findall(head[len(head.rstrip(NAME_CHARACTERS)) :])
        if not parts and noun.reading in (Reading.KEY, Reading.CODE, Reading.DOUBTFUL_PASSWORD):
            parts = _PARTS.findall(head.rstrip()[-20:])
        return not parts or parts[-1].lower() not in self._words.about_before

    def _name_end(self, plain: str, lower: str, end: int) -> int | None:
        """Where the name that the noun belongs to ends; None where it goes on as another word or thing."""
        if lower.startswith("s", end) and not _GOES_ON.match(plain, end + 1):
            return end + 1
        following = plain[end : end + 1]
        if following and following < FIRST_JOINING and following.isalpha() and following.islower():
            return None
        if not _GOES_ON.match(plain, end):
            return end
        tail = _TAIL.match(plain, end)
        parts = [] if tail is None else [part.lower() for part in _PARTS.findall(tail.group())]
        known = all(part.isdigit() or len(part) == 1 or part in self._words.about_after for part in parts)
        return tail.end() if tail is not None and known else None
