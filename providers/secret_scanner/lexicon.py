"""The words that introduce a secret, read from `data/lexicon.yaml`, and one pattern that finds all of them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from models.sightings import SecretKind

_DATA = Path(__file__).with_name("data")
_JOINTS = str.maketrans("", "", " _-")
_JOINT = "[ _-]?"


def read_data(name: str) -> Any:
    """What `data/<name>.yaml` holds."""
    return yaml.safe_load((_DATA / f"{name}.yaml").read_text("utf-8"))


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of `words`, the longest first."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))


class Reading(StrEnum):
    """How what follows a noun is read; see `values.py` and `codes.py`."""

    PASSWORD = "password"  # noqa: S105 - the name of a reading
    DOUBTFUL_PASSWORD = "doubtful_password"  # noqa: S105 - the name of a reading
    WORDS = "words"
    PAIR = "pair"
    KEY = "key"
    SEED = "seed"
    CODE = "code"
    PIN = "pin"
    CODES = "codes"


class Noun(NamedTuple):
    """What a noun introduces."""

    kind: SecretKind
    reading: Reading


class Lexicon(NamedTuple):
    """Words in lower case. `nouns` finds them in a text in lower case; `known` has them without joints.

    `ascii_nouns` finds those that are ASCII, three times as fast: there are no others in a text of ASCII.
    """

    nouns: re.Pattern[str]
    ascii_nouns: re.Pattern[str]
    known: Mapping[str, Noun]
    prepositions: str
    spaced_copulas: str
    further_copulas: str
    attached_copulas: str
    told_before: str
    setting_verbs: str
    setting_joins: str
    setting_purposes: frozenset[str]
    continued: re.Pattern[str]
    units: re.Pattern[str]
    prose: re.Pattern[str]
    prose_follows: re.Pattern[str]
    placeholders: re.Pattern[str]
    code: re.Pattern[str]
    not_values: frozenset[str]
    function_words: frozenset[str]
    about_before: frozenset[str]
    about_after: frozenset[str]
    holders: frozenset[str]

    def noun(self, found: str) -> Noun:
        """The noun that `nouns` has found."""
        return self.known[found.translate(_JOINTS)]

    def is_noun(self, text: str) -> bool:
        """Whether a text in lower case is itself a noun, as it stands where a help text has a value."""
        return text.translate(_JOINTS) in self.known


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once."""
    data: dict[str, Any] = read_data("lexicon")
    known: dict[str, Noun] = {}
    spelled: list[str] = []
    for group in data["nouns"]:
        noun = Noun(SecretKind(group["kind"]), Reading(group["value"]))
        for spelling in (each for word in group["words"] for each in _spellings(word)):
            spelled.append(spelling)
            known.setdefault(spelling.translate(_JOINTS), noun)
    placeholders: dict[str, list[str]] = read_data("placeholders")
    code = placeholders.pop("code")
    return Lexicon(
        nouns=re.compile(_longest_of(spelled)),
        ascii_nouns=re.compile(_longest_of(filter(str.isascii, spelled))),
        known=known,
        prepositions=any_of(data["prepositions"]),
        spaced_copulas=any_of(data["copulas"]["spaced"]),
        further_copulas=any_of(data["copulas"]["further"]),
        attached_copulas=any_of(data["copulas"]["attached"]),
        told_before=any_of(data["told_before"]),
        setting_verbs=any_of(data["setting"]["verbs"]),
        setting_joins=any_of(data["setting"]["joins"]),
        setting_purposes=frozenset(data["setting"]["purposes"]),
        continued=re.compile(rf"[ \t]+(?:{any_of(data['continued'])})(?![^\W_])"),
        units=re.compile(rf"[ \t]?(?:{any_of(data['units'])})(?![a-z])"),
        prose=re.compile(rf"\b(?:{any_of(data['prose'])})\b"),
        prose_follows=re.compile(rf"[ \t]+(?!(?:{any_of(data['after_value'])})\b)[^\W\d_]{{2,}}(?!\w*[:=])"),
        placeholders=re.compile("|".join(each for group in placeholders.values() for each in group)),
        code=re.compile("|".join(code)),
        not_values=frozenset(data["not_values"]),
        function_words=frozenset(data["function_words"]),
        about_before=frozenset(data["about"]["before"]),
        about_after=frozenset(data["about"]["after"]),
        holders=frozenset(data["holders"]),
    )


def _spellings(word: str) -> set[str]:
    """A word composed, decomposed, and as it is typed where the keyboard lacks its accents."""
    composed = unicodedata.normalize("NFC", word.lower())
    decomposed = unicodedata.normalize("NFD", composed)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return {composed, decomposed, bare} if bare.isascii() else {composed, decomposed}


Tree = dict[str, "Tree"]
_END = ""


def _longest_of(words: Iterable[str]) -> str:
    """A pattern for the longest of `words`, branching letter by letter: 400 words cost what a few do."""
    root: Tree = {}
    for word in words:
        tree = root
        for letter in word:
            tree = tree.setdefault(letter, {})
        tree[_END] = {}
    return _branches(root)


def _branches(tree: Tree) -> str:
    ways = [
        (_JOINT if letter == " " else re.escape(letter)) + _branches(inner)
        for letter, inner in sorted(tree.items(), reverse=True)
        if letter != _END
    ]
    if not ways:
        return ""
    pattern = ways[0] if len(ways) == 1 and _END not in tree else f"(?:{'|'.join(ways)})"
    return f"{pattern}?" if _END in tree else pattern
