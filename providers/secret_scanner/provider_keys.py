"""Keys in the formats of those who issue them: Kingfisher's rules, and looser ones by how a key begins.

Kingfisher is asked for what stands in the text and for nothing else: it sends nothing to anybody.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

from kingfisher_sdk import Rules, Scanner

from models.sightings import SecretKind, Sighting
from providers.secret_scanner.lexicon import read_data
from providers.secret_scanner.plain_form import ascii_form

_LONG = 24
_LEAST_DIFFERENT = 6
_CHANCE = re.compile(r"[A-Za-z0-9]{10,}")


class ProviderKeys:
    """Finds provider keys. The rules are compiled once for a machine, in seconds, and then read from a cache."""

    @cached_property
    def _data(self) -> dict[str, Any]:
        return read_data("providers")

    @cached_property
    def _prefixed(self) -> re.Pattern[str]:
        ways = "|".join(f"{re.escape(each['begins'])}{each['body']}" for each in self._data["prefixes"])
        return re.compile(rf"(?<![0-9A-Za-z])(?:{ways})")

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        return tuple(each["begins"] for each in self._data["prefixes"])

    @cached_property
    def _scanner(self) -> Scanner:
        return Scanner(Rules())

    @cached_property
    def _kinds(self) -> dict[str, SecretKind | None]:
        """The kind of what each rule finds; None for rules that find no secret."""
        return {rule["id"]: self._kind_of(rule["id"]) for rule in self._scanner.rules.metadata()}

    def _kind_of(self, rule: str) -> SecretKind | None:
        if re.search(self._data["no_secrets"], rule) and not re.search(self._data["secrets"], rule):
            return None
        named = (each["kind"] for each in self._data["kinds"] if re.search(each["names"], rule))
        return SecretKind(next(named, SecretKind.API_KEY))

    def find(self, plain: str) -> Iterator[Sighting]:
        """Provider keys in a text, given in plain form."""
        for finding in self._scanner.scan(ascii_form(plain)):
            kind = self._kinds.get(finding.rule_id, SecretKind.API_KEY)
            start, end = finding.location["start_offset"], finding.location["end_offset"]
            if kind is not None and finding.visible and "\x00" not in plain[start:end]:
                yield Sighting(kind, start, end)
        if any(beginning in plain for beginning in self._beginnings):
            for found in self._prefixed.finditer(plain):
                if _is_by_chance(found.group()):
                    yield Sighting(SecretKind.API_KEY, *found.span())


def _is_by_chance(text: str) -> bool:
    """Whether a part of a text has been drawn by chance: "sk-learn-contrib-2024" has no such part."""
    return any(
        len(set(run)) >= _LEAST_DIFFERENT and (_mixes_digits(run) or _mixes_cases(run))
        for run in _CHANCE.findall(text)
    )


def _mixes_digits(run: str) -> bool:
    return any(map(str.isdigit, run)) and any(map(str.isalpha, run))


def _mixes_cases(run: str) -> bool:
    """Whether capitals stand as often in the middle as in no name, which has one a word."""
    changes = sum(one.islower() != other.islower() for one, other in pairwise(run))
    return len(run) >= _LONG and changes * 3 >= len(run)
