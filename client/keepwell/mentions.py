"""Which things a value speaks of: the entities in arguments and results of tools, and those that somebody gives.

Pure and bounded, and never an error for what is searched, whatever the value. What is found here is looked up and
told to the log, so a name that is missed costs more than a word too many; yet a secret must never be taken for a name.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import islice
from types import MemberDescriptorType, ModuleType
from typing import Any, NamedTuple, cast
from uuid import UUID

from keepwell.names import MAX_ID, distinct
from keepwell.naming import is_canonical, is_skipped, name_in_key, named_by, names_in, naming_of, snake
from keepwell.types.events import EntityMention
from keepwell.values import MAX_DEPTH, mended, opened

MAX_MENTIONS = 1_000
MAX_NODES = 30_000
MAX_CHARACTERS = 100_000
"""How many values, and how many characters of them, are looked at in one search."""
MAX_TEXT = 20_000
_MAX_TAGS = 50
_DESCRIBED = frozenset({"tags", "tag_set", "labels", "metadata"})
"""What holds names of the record that it is a part of."""

Finder = Callable[[Any], Iterable[Any]]
"""Finds the entities of a value: anything that `thing_of` reads, in order of appearance."""


class Thing(NamedTuple):
    """A thing as it was spoken of: by an id, which need not be canonical, by a name, or by both.

    Where it is not `sure` that both mean one thing, it is taken so in a decision, and nobody is told so. An id that is
    `counted` is a number, a UUID or the like: it is known to mean the thing, and is neither told nor looked up.
    """

    id: str | None
    name: str | None
    sure: bool = True
    counted: bool = False

    @property
    def mentions(self) -> tuple[EntityMention, ...]:
        """How it is told and looked up: an id that is not canonical is one more name."""
        identity = None if self.counted else self.id
        if self.sure and identity and self.name and is_canonical(identity) and not is_canonical(self.name):
            return (EntityMention(id=identity, name=self.name),)
        words = dict.fromkeys(word for word in (identity, self.name) if word)
        return tuple(
            EntityMention(id=word) if is_canonical(word) else EntityMention(name=word) for word in words
        )


class _Step(NamedTuple):
    """A value to be looked at: under which name it stands, and how deep."""

    value: Any
    name: str
    depth: int


def find_mentions(value: object, limit: int = MAX_MENTIONS) -> tuple[EntityMention, ...]:
    """The entities that `value` speaks of, in order of appearance, each once; at most `limit`.

    | in the value | mention |
    | --- | --- |
    | what stands under `id`, `name`, `host`, a key such as `instance_id` or `service`: see `naming.naming_of` | a name, whatever words it is of, or a canonical id (`type:id`) |
    | `id` and `name` of one record, or `instance_id` and `instance_name` | one thing, where the id is canonical with both |
    | the same of an object that is no record, as far as its attributes hold plain values | the same |
    | a canonical id, as a value, as a key or as a word of a text | that id |
    | a word that mixes letters with digits (`i-09a8f`), or has an underscore (`ERR_RATE_LIMIT`) | a name |
    | a value that is one word with a joining mark (`payment-api`, `db.internal`) | a name; in running text, none |
    | a key that mixes letters and digits and has a joining mark (`{"gpu-bench-01": …}`) | a name |
    | text that is itself JSON | what that holds |
    | numbers, dates, times, durations, quantities, hexadecimal numbers, URLs, UUIDs | none, under whatever key |
    | versions, addresses of mail, words such as `utf-8` | none, unless they stand where a name is due |
    | a run of 20 or more letters and digits: a digest or a key | none |
    | what stands under a name that speaks of a secret, or of a category (`status`, `type`, …) | none |
    | the content of an iterator, a property, an object within such an object: reading it would have effects | none |

    A UUID numbers a request or a row, and each would be a new thing; write `order:<uuid>`. A name of ordinary words
    that stands in a text, or alone in a list, cannot be told from text: give it as an entity. A word too many is
    harmless: what nobody has said anything of brings up nothing.
    """  # noqa: E501 - a row of a table is one line
    mentions = (mention for thing in find_things(value, limit) for mention in thing.mentions)
    return tuple(distinct(mentions))[:limit]


def find_things(value: object, limit: int = MAX_MENTIONS) -> tuple[Thing, ...]:
    """What `find_mentions` finds, with what goes together."""
    search = _Search(limit)
    nodes, characters = MAX_NODES, MAX_CHARACTERS
    ahead = [_Step(value, "", 0)]
    while ahead and nodes > 0 and characters > 0 and not search.is_over:
        step = ahead.pop()
        nodes -= 1
        level = opened(step.value)
        parts = level.parts if level.parts is not None or not level.opaque else _attributes(step.value)
        if parts is not None:
            nodes -= len(parts)
            inner = [_Step(part, name, step.depth + 1) for name, part in search.record(parts)]
        else:
            inner = [_Step(item, step.name, step.depth + 1) for item in level.items or ()]
        if inner and step.depth < MAX_DEPTH:
            ahead.extend(reversed(inner[: max(nodes, 0)]))
        if isinstance(level.scalar, str) and level.scalar and not level.opaque:
            text = mended(level.scalar[: min(MAX_TEXT, characters)])
            characters -= len(text)
            parsed = _json_of(text)
            if parsed is not None and step.depth < MAX_DEPTH:
                ahead.append(_Step(parsed, step.name, step.depth + 1))
            else:
                search.text(text, due=naming_of(step.name) is not None)
    return tuple(search.things)[:limit]


class _Search:
    """What one search has found."""

    def __init__(self, limit: int) -> None:
        self.things: dict[Thing, None] = {}
        self._limit = limit

    @property
    def is_over(self) -> bool:
        """Whether there is no room for more."""
        return len(self.things) >= self._limit

    def record(self, parts: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """Take what names a thing in a mapping or record; the parts that are still to be looked at."""
        rest = [(key, value) for key, value in parts if not is_skipped(key, value)]
        named = _Named()
        spent = {key for key, value in rest if named.take(key, value)}
        for key, value in _described(rest):
            named.take(key, value)
        self.things.update(dict.fromkeys(named.things()))
        for key, value in parts:
            if name_in_key(key):
                self.things.setdefault(_spelt(key))
                self.things.update(dict.fromkeys(_keyed(key, value)))
        return [(key, value) for key, value in rest if key not in spent]

    def text(self, text: str, *, due: bool) -> None:
        """Take the names in a text, which is one as a whole where a name is `due`."""
        named = named_by(text) if due else None
        if named is not None:
            self.things.setdefault(_spelt(named))
        if named is None or len(named.split()) > 1:
            for word in names_in(text):
                if self.is_over:
                    return
                self.things.setdefault(_spelt(word))


class _Named:
    """The ids and names in the parts of one record."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._numbers: dict[str, str] = {}
        self._more: list[Thing] = []

    def take(self, key: str, value: object) -> bool:
        """Take a part, where its key says that it names something; whether its value is no more than a name."""
        naming = naming_of(key)
        if naming is None:
            return False
        text = _text_of(value)
        word = None if text is None or _json_of(text) is not None else named_by(text)
        if word is None:
            if naming.part == "id" and (number := _number_of(value)):
                self._numbers.setdefault(naming.stem, number)
            return False
        words = self._ids if naming.part == "id" else self._names
        if naming.stem in words:
            self._more.append(_spelt(word))
        else:
            words[naming.stem] = word
        return len(word.split()) == 1

    def things(self) -> Iterator[Thing]:
        """The things so named, the record's own first.

        An id and a name of one stem are one thing for sure. The record's own id without a name is taken for the same
        as all names that stand without an id, its own name as all such ids, and so is a lone id with a lone name.
        """
        every = {**self._numbers, **self._ids}
        for stem in dict.fromkeys(["", *every, *self._names]):
            if stem in every and stem in self._names:
                yield Thing(every[stem], self._names[stem], counted=stem not in self._ids)
        ids = {stem: word for stem, word in every.items() if stem not in self._names}
        names = {stem: word for stem, word in self._names.items() if stem not in every}
        if "" in ids or "" in names or len(ids) == len(names) == 1:
            mine = [""] if "" in ids else ids
            its = [""] if "" in names and "" not in ids else names
            for stem in mine:
                for other in its:
                    yield Thing(ids[stem], names[other], sure=False, counted=stem not in self._ids)
        yield from (_spelt(word) for stem, word in ids.items() if stem in self._ids)
        yield from map(_spelt, names.values())
        yield from self._more


def _keyed(key: str, value: object) -> Iterator[Thing]:
    """What a record is perhaps called by the key under which it stands, as in `{"i-09a8f": {"name": …}}`."""
    named = _Named()
    for part, inner in opened(value).parts or ():
        if (naming := naming_of(part)) is not None and not naming.stem:
            named.take(part, inner)
    for thing in named.things():
        for word in (thing.id if not thing.counted else None, thing.name):
            if word:
                yield Thing(key, word, sure=False)


def _described(parts: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The names of a record that stand in its tags or its metadata: in a mapping, or in a list of keys and values."""
    for key, value in parts:
        if snake(key) not in _DESCRIBED:
            continue
        level = opened(value)
        tags = list(level.parts or ())
        for item in (level.items or [])[:_MAX_TAGS]:
            pair = {name.casefold(): part for name, part in opened(item).parts or ()}
            if "key" in pair and "value" in pair:
                tags.append((_text_of(pair["key"]) or "", pair["value"]))
        yield from ((name, part) for name, part in tags[:_MAX_TAGS] if naming_of(name) == ("", "name"))


def _attributes(value: object) -> list[tuple[str, Any]] | None:
    """The attributes by which an object that is no record names itself. Nothing is called, as it may do anything."""
    if isinstance(value, (type, ModuleType)) or callable(value) or hasattr(type(value), "get_secret_value"):
        return None
    try:
        own = dict(islice(vars(value).items(), MAX_NODES)) if hasattr(value, "__dict__") else {}
        for kind in type(value).__mro__:
            slots = (name for name, member in vars(kind).items() if isinstance(member, MemberDescriptorType))
            own.update({name: getattr(value, name, None) for name in slots if naming_of(name) is not None})
    except Exception:  # noqa: BLE001 - an object may do anything when it is looked at
        return None
    return [
        (key, part)
        for key, part in own.items()
        if naming_of(key) and isinstance(part, (str, int, UUID, Enum))
    ]


def things_of(given: object) -> tuple[Thing, ...]:
    """The things that somebody gave: one, or several in a list or the like. Raises TypeError as `thing_of` does."""
    return tuple(dict.fromkeys(thing_of(each) for each in _several(given)))


def mentions_in(things: Iterable[Thing]) -> tuple[EntityMention, ...]:
    """How these things are told and looked up, each once."""
    return tuple(distinct(mention for thing in things for mention in thing.mentions))


def mentions_of(thing: object) -> tuple[EntityMention, ...]:
    """How a thing that somebody gave is told and looked up; see `thing_of`."""
    return thing_of(thing).mentions


def thing_of(thing: object) -> Thing:
    """What somebody names outright: by a canonical id, by a name in any script, or by something with `id` or `name`.

    An id that is not canonical (`i-09a8f`) is one more name. Raises TypeError for what names nothing, a number among
    it, and for a name of more than 300 characters: a thing that was given must not be passed over.
    """
    if isinstance(thing, Thing):
        return thing
    if isinstance(thing, EntityMention) and (thing.id or thing.name):
        return Thing(thing.id, thing.name)
    if isinstance(thing, (str, UUID, Enum)):
        level = opened(thing)
        if level.opaque or level.scalar is None or isinstance(level.scalar, (bool, int, float)):
            raise _nameless(thing)
        return _spelt(_checked(level.scalar))
    level = opened(thing)
    if level.items is not None:
        raise _nameless(thing)
    if level.parts is None:
        return _of_attributes(thing)
    parts = dict(level.parts)
    return _of_pair(parts.get("id"), parts.get("name"), thing)


def _several(given: object) -> Iterable[object]:
    """What was given, one by one. A text or a record that can be gone through is one thing all the same."""
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping, Enum))
    if not several or opened(cast("object", given)).parts is not None:
        return (cast("object", given),)
    return cast("Iterable[object]", given)


def _of_attributes(thing: object) -> Thing:
    """The thing that an object means which shows no fields, but was given as an entity."""
    try:
        return _of_pair(getattr(thing, "id", None), getattr(thing, "name", None), thing)
    except Exception as unreadable:
        raise _nameless(thing) from unreadable


def _of_pair(identity: object, name: object, thing: object) -> Thing:
    # A number counts rows, and names nothing that anybody speaks of.
    known = [_text_of(identity) or None, _text_of(name) or None]
    if known == [None, None]:
        raise _nameless(thing)
    first, second = (None if word is None else _checked(word) for word in known)
    if first is not None and first == second:
        return _spelt(first)
    return Thing(first, second)


def _spelt(word: str) -> Thing:
    return Thing(word, None) if is_canonical(word) else Thing(None, word)


def _checked(word: str) -> str:
    word = mended(word[: MAX_ID + 1]).strip()
    if not word or len(word) > MAX_ID:
        raise TypeError(f"an entity has a name or id of 1 to {MAX_ID} characters")
    return word


def _nameless(thing: object) -> TypeError:
    return TypeError(
        f"{type(thing).__name__} names no entity; give a name, a canonical id (type:id), something with id or name,"
        " or a list of these"
    )


def _text_of(value: object) -> str | None:
    level = opened(value)
    return level.scalar if isinstance(level.scalar, str) and not level.opaque else None


def _number_of(value: object) -> str | None:
    """A number, a UUID or another id that is no name: what a row is told from others by."""
    scalar = opened(value).scalar
    if isinstance(scalar, (bool, float)) or scalar is None:
        return None
    word = mended(str(scalar)[: MAX_ID + 1]).strip()
    return word if 1 <= len(word) <= MAX_ID and len(word.split()) == 1 else None


def _json_of(text: str) -> object:
    if text[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
