"""Passwords on command lines whose options do not say what they take: `mysql -pX`, `sshpass -p X`."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from models.sightings import SecretKind, Sighting
from providers.secret_scanner.lexicon import any_of, read_data
from providers.secret_scanner.reading import read_value
from providers.secret_scanner.values import Stands, is_password

# One word may stand before the options, as the name of a database; each option may have an argument.
_WORD = r"(?:\"[^\"\n\x00]{0,200}\"|'[^'\n\x00]{0,200}'|[^\s\x00\"'|;&-][^\s\x00|;&]{0,200})"
_BEFORE = rf"(?:[ \t]+{_WORD})?(?:[ \t]+-[^\s\x00|;&]{{1,200}}(?:[ \t]+{_WORD})?){{0,12}}?[ \t]+"


class _Command(NamedTuple):
    names: tuple[str, ...]
    called: re.Pattern[str]


@cache
def _commands() -> tuple[_Command, ...]:
    data: list[dict[str, Any]] = read_data("commands")
    return tuple(
        _Command(
            tuple(each["commands"]),
            re.compile(
                rf"(?<![\w.\-])(?:{any_of(each['commands'])})(?:\.exe)?{_BEFORE}{each['option']}"
                + (r"(?=[^\s\-])" if each.get("attached") else r"[ \t]{0,4}(?=[^\s\-])")
            ),
        )
        for each in data
    )


def passwords(plain: str, lower: str) -> Iterator[Sighting]:
    """Passwords that a command is given as an option."""
    for names, called in _commands():
        if any(name in lower for name in names):
            for found in called.finditer(plain):
                value = read_value(plain, found.end())
                # An argument is no word of a sentence, as if it were in quotes.
                if value is not None and is_password(value._replace(quoted=True), Stands.ASSIGNED):
                    yield Sighting(SecretKind.PASSWORD, value.start, value.end)
