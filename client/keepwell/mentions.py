"""Which things a value speaks of: the entities in arguments and results of tools.

Pure and bounded, and never an error, whatever the value. What is found here is looked up and told to the log, so
a name that is missed costs more than a word too many; yet a secret must never be taken for a name.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from keepwell.types.events import EntityMention
from keepwell.values import MAX_DEPTH, is_secret, mended, opened

MAX_MENTIONS = 1_000
MAX_NODES = 20_000
MAX_CHARACTERS = 100_000
"""How many values, and how many characters of them, are looked at in one search."""
MAX_TEXT = 20_000
MAX_NAME = 100
"""The longest word that is taken for a name."""
MAX_ID = 300

Finder = Callable[[Any], Iterable[Any]]
"""Finds the entities of a value: anything that `mentions_of` reads, in order of appearance."""

_CANONICAL = re.compile(r"[a-z][a-z0-9_-]*:(?!//)\S+")
_TOKEN = re.compile(r"[^\W_](?:[\w.\-/:#+@]*[^\W_])?")
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_UNSPACED_WORD = re.compile(rf"[{_UNSPACED}]")
_GAPS = re.compile(rf"[\s,;|=()\[\]{{}}<>\"'`“”‘’、。，；：！？（）「」{_UNSPACED}]+")
_ENDS = ".:!?…*"
_MARKED = re.compile(r"[\d_:]")
"""What a word in running text has to hold to be a name; most texts are done with here."""
# Secrets as they are told, and images as text. Every repetition is bounded, or a long text of the right shape would
# be searched for seconds.
_NO_WORDS = re.compile(
    r"data:[\w/+.\-]{0,100};base64,\S*|(?:bearer|basic)\s{1,3}\S+"
    r"|(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|credential|authori[sz]ation)[\w-]{0,40}"
    r"[\"']?\s{0,3}(?:[=:]|\bis\b)\s{0,3}(?:(?:bearer|basic)\s{1,3})?\S+",
    re.IGNORECASE,
)
_HYPHENS = re.compile("[‐‑‒–—―−]")
_OPAQUE = re.compile(r"[A-Za-z0-9]{20,}")
_NO_NAME = re.compile(
    r"""
      [\d.,:/\-+_]+                                               # a number, a date, a time, an address
    | [+-]?\d[\d.,_]*(?:[a-zµ°]{1,5}|e[+-]?\d+)(?:/[a-z]{1,5})?   # a quantity, such as 72h and 10GiB; an ordinal
    | (?:\d+(?:ms|us|ns|[wdhms]))+                                # a duration, such as 1h30m
    | p(?:\d+[ymwd])*t?(?:[\d.]+[hms])*                           # the same in ISO 8601
    | \d{4}-?(?:\d{2}-?\d{2}|w\d{2}(?:-?\d)?)(?:t[\d:.]+(?:z|[+-][\d:]+)?)?z?   # an instant, a date, a week
    | [\d:.]+(?:am|pm|z)
    | \d{1,2}-[a-z]{3,9}-\d{2,4}
    | (?:utc|gmt)[+-][\d:]+
    | v?\d+(?:\.\d+)+[\w.+\-]*                                    # a version
    | 0x[0-9a-f]+
    | [0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}                 # a UUID
    | \S+@\S+\.\S+                                                # a mail address
    | p\d{1,3} | q[1-4] | h[1-6] | [ab]2[bc]
    | utf-?\d+ | ipv[46] | sha-?\d+ | md5 | base64 | http/?[\d.]+ | x86_64 | (?:amd|arm|x|int|float)\d+
    | k8s | s3 | ec2 | i18n | l10n | oauth2 | iso-?\d+ | mp[34] | h26[45]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_TYPE = frozenset({"data", "mailto", "sha1", "sha256", "sha512", "md5"})
"""What stands before a colon in words that are no canonical ids, besides categories."""
_CATEGORIES = frozenset(
    {
        "status", "state", "type", "kind", "class", "category", "level", "severity", "phase", "mode", "outcome",
        "result", "effect", "version", "unit", "format", "encoding", "content_type", "mime_type", "size", "language",
        "locale", "timezone", "currency", "created_at", "updated_at", "timestamp", "etag", "cursor", "digest", "hash",
    }
)  # fmt: skip


class _Step(NamedTuple):
    """A value to be looked at: under which name it stands, and how deep."""

    value: Any
    name: str
    depth: int


def find_mentions(value: object, limit: int = MAX_MENTIONS) -> tuple[EntityMention, ...]:
    """The entities that `value` speaks of, in order of appearance, each once; at most `limit`.

    | in the value | mention |
    | --- | --- |
    | a mapping or record whose `id` is canonical (`type:id`), with or without a `name` | that id, with the name |
    | a canonical id, as a value, as a key or as a word of a text | that id |
    | a word that mixes letters with digits (`i-09a8f`), or has an underscore (`ERR_RATE_LIMIT`) | a name |
    | a value that is one word with a joining mark (`payment-api`, `db.internal`) | a name; in running text, none |
    | a key that mixes letters and digits and has a joining mark (`{"gpu-bench-01": …}`) | a name |
    | text that is itself JSON | what that holds |
    | numbers, dates, times, durations, quantities, versions, addresses of mail, hexadecimal numbers, URLs | none |
    | a UUID by itself: they number requests and rows, and each would be a new thing; write `order:<uuid>` | none |
    | a run of 20 or more letters and digits: a digest or a key | none |
    | what stands under a name that speaks of a secret, or of a category (`status`, `type`, …) | none |
    | the content of an iterator or of an object with no fields: reading it would have effects | none |

    Names of ordinary words, in any script, cannot be told from text: give them as entities.
    """
    found: dict[str, EntityMention] = {}
    nodes, characters = MAX_NODES, MAX_CHARACTERS
    ahead = [_Step(value, "", 0)]
    while ahead and nodes > 0 and characters > 0 and len(found) < limit:
        step = ahead.pop()
        nodes -= 1
        level = opened(step.value)
        if level.parts is not None:
            parts, pair = _without_pair(level.parts)
            _add(found, pair)
            _add(found, [mention for name, _ in parts[:MAX_NODES] for mention in _of_key(name)])
            inner = [_Step(part, name, step.depth + 1) for name, part in parts if not _is_skipped(name, part)]
        else:
            inner = [_Step(item, step.name, step.depth + 1) for item in level.items or ()]
        if inner and step.depth < MAX_DEPTH:
            ahead.extend(reversed(inner[:nodes]))
        if isinstance(level.scalar, str) and level.scalar and not level.opaque:
            text = mended(level.scalar[: min(MAX_TEXT, characters)])
            characters -= len(text)
            parsed = _json_of(text)
            if parsed is not None and step.depth < MAX_DEPTH:
                ahead.append(_Step(parsed, step.name, step.depth + 1))
            else:
                _add(found, _of_text(text))
    return tuple(distinct(found.values()))[:limit]


def mentions_of(thing: object) -> tuple[EntityMention, ...]:
    """How somebody names a thing outright: a canonical id or a name in any script, or something with `id` or `name`.

    An id that is not canonical (`i-09a8f`) is one more name, and so may give two mentions. Raises TypeError for
    what names nothing, and for a name of more than 300 characters: a thing that was given must not be passed over.
    """
    if isinstance(thing, EntityMention):
        return (thing,)
    if isinstance(thing, (str, UUID, Enum)) or (isinstance(thing, int) and not isinstance(thing, bool)):
        level = opened(thing)
        if level.opaque or level.scalar is None:
            raise _nameless(thing)
        return (_named(str(level.scalar)),)
    level = opened(thing)
    if level.items is not None:
        raise _nameless(thing)
    if level.parts is None:
        return _of_attributes(thing)
    parts = dict(level.parts)
    return _of_pair(parts.get("id"), parts.get("name"), thing)


def _of_attributes(thing: object) -> tuple[EntityMention, ...]:
    """The mentions of an object that shows no fields, but was given as an entity."""
    try:
        return _of_pair(getattr(thing, "id", None), getattr(thing, "name", None), thing)
    except Exception as unreadable:
        raise _nameless(thing) from unreadable


def _of_pair(identity: object, name: object, thing: object) -> tuple[EntityMention, ...]:
    known = [level.scalar for level in (opened(identity), opened(name)) if not level.opaque]
    words = [str(part) for part in known if part not in (None, "")]
    if not words:
        raise _nameless(thing)
    mentions = [_named(word) for word in words]
    if len(mentions) == 2 and mentions[0].id is not None and mentions[1].id is None:
        return (EntityMention(id=mentions[0].id, name=mentions[1].name),)
    return tuple(distinct(mentions))


def _named(word: str) -> EntityMention:
    word = mended(word[: MAX_ID + 1]).strip()
    if not word or len(word) > MAX_ID:
        raise TypeError(f"an entity has a name or id of 1 to {MAX_ID} characters")
    return EntityMention(id=word) if _CANONICAL.fullmatch(word) else EntityMention(name=word)


def _nameless(thing: object) -> TypeError:
    return TypeError(
        f"{type(thing).__name__} names no entity; give a name, a canonical id (type:id), or something with id or name"
    )


def keys_of(mention: EntityMention) -> tuple[str, ...]:
    """What a mention is compared by: its id as it is, its name in comparison form."""
    return tuple(key for key in (mention.id, mention.name and folded(mention.name)) if key)


@lru_cache(maxsize=10_000)
def folded(name: str) -> str:
    """`name` in the form in which names are compared: NFKC, case folded, single spaces, one kind of hyphen."""
    normal = unicodedata.normalize("NFKC", name[:MAX_ID]).casefold()
    return " ".join(_HYPHENS.sub("-", normal).split())


def look_ups(mentions: Iterable[EntityMention]) -> list[str]:
    """What to look up of these: ids and names both, as a person may have spoken of a thing by its name alone."""
    words = (word for mention in mentions for word in (mention.id, mention.name) if word)
    return list(dict.fromkeys(words))


def distinct(mentions: Iterable[EntityMention]) -> list[EntityMention]:
    """Each thing once, in order: a mere name goes where another mention has it together with an id."""
    kept: dict[tuple[str, ...], EntityMention] = {}
    paired: set[str] = set()
    for mention in mentions:
        keys = keys_of(mention)
        if keys:
            kept.setdefault(keys, mention)
        if len(keys) == 2:
            paired.update(keys)
    return [mention for keys, mention in kept.items() if len(keys) == 2 or keys[0] not in paired]


def _add(found: dict[str, EntityMention], mentions: Iterable[EntityMention]) -> None:
    for mention in mentions:
        found.setdefault("\n".join(keys_of(mention)), mention)


def _without_pair(parts: list[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], list[EntityMention]]:
    """The parts of a mapping besides the pair that names a thing, and that thing."""
    values = dict(parts)
    identity, name = (_text_of(values.get(part)) for part in ("id", "name"))
    if len(identity) > MAX_ID or not _CANONICAL.fullmatch(identity):
        return parts, []
    mention = EntityMention(id=identity, name=name if 0 < len(name) <= MAX_ID else None)
    return [part for part in parts if part[0] not in {"id", "name"}], [mention]


def _text_of(value: object) -> str:
    scalar = opened(value).scalar
    return mended(scalar[: MAX_ID + 1]).strip() if isinstance(scalar, str) else ""


def _is_skipped(name: str, value: object) -> bool:
    return name.casefold() in _CATEGORIES or is_secret(name, value)


def _json_of(text: str) -> object:
    if text[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_key(key: str) -> list[EntityMention]:
    joined = any(mark in key for mark in "-:./")
    mention = _of_word(key, whole=False) if joined and not is_secret(key) else None
    return [mention] if mention is not None else []


def _of_text(text: str) -> Iterator[EntityMention]:
    whole = text.strip()
    if not re.search(r"\s", whole):
        mention = _of_word(whole, whole=True)
        # A sentence in Chinese has no spaces; it is a name with a joining mark, unless that is of a name within it.
        joined = re.search(r"[-_]", whole) and not re.search("[A-Za-z]", whole)
        if mention is not None and (joined or not _UNSPACED_WORD.search(whole)):
            yield mention
            return
    if not _MARKED.search(text):
        return
    for word in _GAPS.split(_NO_WORDS.sub(" ", text)):
        mention = _of_word(word.strip(_ENDS), whole=False)
        if mention is not None:
            yield mention


def _of_word(word: str, *, whole: bool) -> EntityMention | None:
    if not 2 <= len(word) <= MAX_NAME or "://" in word or _NO_NAME.fullmatch(word):
        return None
    if _CANONICAL.fullmatch(word):
        before = word.split(":", 1)[0]
        known = before not in _CATEGORIES and before not in _NO_TYPE and not is_secret(before)
        return EntityMention(id=word) if known else None
    if _OPAQUE.search(word):
        return None
    if not _TOKEN.fullmatch(word) or not any(character.isalpha() for character in word):
        return None
    mixed = any(character.isdigit() for character in word) or "_" in word
    joined = whole and any(mark in word for mark in "-./:#")
    return EntityMention(name=word) if mixed or joined else None
