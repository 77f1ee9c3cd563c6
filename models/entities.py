"""What a memory is about, and when two names mean the same thing.

A canonical id (`cloud-instance:i-09a8f`) is exact. A name is compared in normal form and only within the
scopes that apply; a name that could mean two things means neither, and the candidate is held.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote
from uuid import UUID

from models.ids import derived_id
from models.scope import Scope
from models.text import fold, normalise

_CANONICAL = re.compile(r"^[a-z][a-z0-9_-]*:\S+$")
_BLANK = re.compile(r"[\s%]")
_LONGEST_NAME = 200
CUES = frozenset({"topic", "tool", "task", "type"})
"""Types of entities that are cues: a standing instruction about one holds where it comes up, and nowhere else."""

NAMED = "named"
"""The type of an entity that is known by its name alone."""


class Resolution(NamedTuple):
    """What became of a mention: one entity, or the reason why not."""

    entity_id: UUID | None
    reason: str | None = None


def is_canonical(mention: str) -> bool:
    """Whether `mention` is a canonical id (`type:id`) and not a name."""
    return _CANONICAL.match(mention) is not None


def canonical_key(canonical: str) -> str:
    """The form in which canonical ids are kept and compared: as written, and for cues folded, as words are."""
    return fold(canonical) if is_cue(canonical) else canonical


def canonical_ids(text: str) -> list[str]:
    """Words of `text` that are canonical ids, as they are written, in order of first appearance."""
    words = (word.strip(".,;!?\"'()[]{}") for word in text.split())
    return list(dict.fromkeys(word for word in words if is_canonical(word)))


def name_key(name: str) -> str:
    """The form in which names are compared: normal form; never empty for a name with a visible character."""
    return normalise(name) or name.strip()


def named_canonical(name: str, scope: Scope) -> str:
    """The canonical id of a thing known by name alone: the name in its scope.

    What is told as an id has to be one when it comes back, so that it has no blanks and is not too long: blanks
    are escaped, and for a long name stands its digest, behind a sign that no escaped name begins with.
    """
    key = name_key(name)
    written = _BLANK.sub(lambda blank: quote(blank.group(), safe=""), key)
    if len(written) > _LONGEST_NAME:
        written = f"%~{derived_id('name', key).hex}"
    return f"{NAMED}:{scope.key}/{written}"


def name_told(mention: str) -> str:
    """What to call a mention to a person: the name of a thing that is known by its name alone, else as it is."""
    kind, _, rest = mention.partition(":")
    _, slash, name = rest.partition("/")
    if kind != NAMED or not slash or name.startswith("%~"):
        return mention
    return unquote(name)


def is_known_in(scope: Scope, canonical: str) -> bool:
    """Whether a canonical id says in `scope` what it is about: any does but that of a thing with a name alone, which
    has to come from this scope or a wider one.
    """
    names = tuple(f"{NAMED}:{key}/" for key in scope.sub_scope_keys())
    return entity_type(canonical) != NAMED or canonical.startswith(names)


def entity_type(canonical: str) -> str:
    """The part before the colon."""
    return canonical.split(":", 1)[0]


def is_cue(canonical: str | None) -> bool:
    """Whether a canonical id is of a cue, as in `topic:libraries`, `tool:terraform`, `task:deploy`, `type:server`."""
    return canonical is not None and entity_type(canonical) in CUES


def cues_of(canonicals: Sequence[str], phrases: Sequence[str]) -> list[str]:
    """The cues that a request gives by itself, beside those that it lists among its entities.

    | in the request | its cue |
    | --- | --- |
    | the id of a thing, `server:web-1`, known or not | `type:server` |
    | the name of a thing that is known as a `server` | `type:server`, which the look-up of names adds |
    | words that could be a name, "release notes" | `topic:release-notes` |
    """
    types = [f"type:{entity_type(canonical)}" for canonical in canonicals]
    topics = [f"topic:{phrase.replace(' ', '-')}" for phrase in phrases]
    return list(dict.fromkeys([*types, *topics]))


class NameUse(NamedTuple):
    """One use of a name: for which entity, on whose word, and how wide the scope was (0 for the whole tenant)."""

    entity_id: UUID
    trusted: bool
    narrowness: int


def owners(uses: Sequence[NameUse]) -> list[UUID]:
    """What a name may mean: of its uses the trusted ones, if any, and of these those of the narrowest scope.

    So an agent or a page cannot make ambiguous what a person has named, and a name that a task gives to a
    thing does not clash with its use elsewhere.
    """
    if not uses:
        return []
    heard = [use for use in uses if use.trusted] or list(uses)
    narrowest = max(use.narrowness for use in heard)
    return list(dict.fromkeys(use.entity_id for use in heard if use.narrowness == narrowest))


def resolve(mention: str, canonical: Mapping[str, UUID], aliases: Mapping[str, Sequence[UUID]]) -> Resolution:
    """One entity for `mention`, given the entities and aliases that the scopes at hand know.

    | mention | known | answer |
    | --- | --- | --- |
    | a canonical id | yes | that entity |
    | a canonical id | no | none: `unknown_entity` |
    | a name | by one entity | that entity |
    | a name | by several | none: `ambiguous_entity` |
    | a name | by none | none: `unknown_entity` |
    """
    if is_canonical(mention):
        found = canonical.get(canonical_key(mention))
        return Resolution(found, None if found else "unknown_entity")
    owners = list(dict.fromkeys(aliases.get(name_key(mention), ())))
    if len(owners) == 1:
        return Resolution(owners[0])
    return Resolution(None, "ambiguous_entity" if owners else "unknown_entity")
