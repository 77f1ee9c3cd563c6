"""The declared terms, as they are read from one file for each language.

A file has a section for each kind that its language can speak of, and these:

| section | has |
| --- | --- |
| `language` | `script = unspaced` where words are not set apart; `prefixes` that are written together with a word |
| `classes` | classes of words that terms name as `{class}` |
| `context` | `person`: words for persons; `thing`: words for data and products; `about`: what joins the two |
| `innocent` | `phrases` in which no term counts |

A kind's section has its terms by what they need in order to count: `alone`, `topic`, `near_person`, `whole` (`Weight`).
"""

from configparser import ConfigParser
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from models.contracts import Prohibited
from models.prohibited.letters import one_form
from models.prohibited.notation import Classes, alternatives, listed


class Weight(StrEnum):
    """What a term needs in order to count.

    `alone`: nothing. `topic`: that no word for a thing is joined to it, as "dataset" in "the diabetes dataset".
    `near_person`: a word for a person close by, as "my" in "my blood type". `whole`: that nothing else is said, as
    in a value that is "union member" and no more.
    """

    ALONE = "alone"
    TOPIC = "topic"
    NEAR_PERSON = "near_person"
    WHOLE = "whole"


class Declared(NamedTuple):
    """One term as it is written in its file; an innocent phrase has no kind."""

    term: str
    kind: Prohibited | None
    weight: Weight


class Language(NamedTuple):
    """What one file declares."""

    name: str
    unspaced: bool
    prefixes: tuple[str, ...]
    classes: Classes
    persons: tuple[str, ...]
    things: tuple[str, ...]
    about: tuple[str, ...]
    terms: tuple[Declared, ...]


def parsed(name: str, text: str) -> Language:
    """A language from the text of its file; raises ValueError, or KeyError for a class, where it cannot be read."""
    file = ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None, strict=True)
    file.read_string(one_form(text), name)
    classes: dict[str, list[str]] = {}

    def of(section: str, key: str) -> list[str]:
        return listed(file.get(section, key, fallback=""))

    def words(section: str, key: str) -> tuple[str, ...]:
        return tuple(word for place in of(section, key) for word in alternatives(place, classes))

    if file.has_section("classes"):
        for each in file["classes"]:
            classes[each] = list(words("classes", each))
    terms = [Declared(term, None, Weight.ALONE) for term in of("innocent", "phrases")]
    for kind in Prohibited:
        if file.has_section(kind):
            terms += (Declared(term, kind, Weight(key)) for key in file[kind] for term in of(kind, key))
    return Language(
        name=name,
        unspaced=file.get("language", "script", fallback="spaced") == "unspaced",
        prefixes=words("language", "prefixes"),
        classes=classes,
        persons=words("context", "person"),
        things=words("context", "thing"),
        about=words("context", "about"),
        terms=tuple(terms),
    )


def _files() -> list[Traversable]:
    folder = files("models.prohibited") / "terms"
    return sorted(
        (file for file in folder.iterdir() if file.name.endswith(".ini")), key=lambda file: file.name
    )


LANGUAGES = tuple(parsed(file.name.removesuffix(".ini"), file.read_text("utf-8")) for file in _files())
"""All languages that are declared, read once with this module."""
