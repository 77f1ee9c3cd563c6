"""Which thing a few words name: an identifier, a noun phrase, or what a pronoun points back to.

Nothing is looked up here. What is returned is the name as the event has it, or the canonical id that the
event itself gives to that name; whether it is known is decided elsewhere.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from models.entities import is_canonical
from models.events import EntityMention, StoredEvent
from models.text import normalise
from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.sentences import Word

_NAME = re.compile(r"[^\W\d_][\w.\-/:@#]*[^\W_]$|[^\W_]$")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_ENGLISH = re.compile(rf"(?:{v.ENGLISH_AFFIXES})$")
_TICKET = re.compile(r"[A-Z]{2,}-\d+$")
_VERSION = re.compile(r"[vV]?\d+(?:\.\d+)+")
_NUMBERED = re.compile(r"[a-z]{2,}\d+$")
_PHRASE_WORD = re.compile(r"[^\W_](?:[\w.\-/&']*[^\W_])?$")
_POSSESSIVE = re.compile(r"['’]s$")
MOST_WORDS = 4
_PRONOUNS = frozenset({"it", "this", "that"})


class Antecedents(NamedTuple):
    """What a pronoun may point back to: the names in the last sentence that has any, by comparison form."""

    names: tuple[str, ...] = ()

    @property
    def only(self) -> str | None:
        """The one name, or None where there is none or a choice."""
        return self.names[0] if len(self.names) == 1 else None


class Named(NamedTuple):
    """A mention, and whether a pronoun or a generic noun stood in its place."""

    mention: str
    pointed: bool


class Entities:
    """The entities that one event lists, by the name and the id they go by."""

    def __init__(self, event: StoredEvent) -> None:
        self._by_name: dict[str, str] = {}
        ambiguous: set[str] = set()
        for entity in event.entities:
            chosen = _mention_of(entity)
            for name in (entity.id, entity.name):
                if chosen is None or name is None:
                    continue
                key = normalise(name)
                if self._by_name.setdefault(key, chosen) != chosen:
                    ambiguous.add(key)
        for key in ambiguous:
            del self._by_name[key]
        listed = dict.fromkeys(filter(None, map(_mention_of, event.entities)))
        self.mentions: tuple[str, ...] = tuple(listed)

    @property
    def only(self) -> str | None:
        """The one entity that the event lists, or None."""
        return self.mentions[0] if len(self.mentions) == 1 else None

    def named(self, name: str) -> str | None:
        """The mention for a name that the event lists for exactly one entity."""
        return self._by_name.get(normalise(name)) if self._by_name else None

    def canonical(self, name: str) -> str:
        """`name`, or the id that the event gives to it."""
        return self.named(name) or name


def _mention_of(entity: EntityMention) -> str | None:
    return entity.id or entity.name


def name_of(words: Sequence[Word], entities: Entities, recent: Antecedents, subject: bool) -> Named | None:
    """What `words` name, or None.

    | words | mention |
    | --- | --- |
    | a name or id that the event lists, with or without an article | its id, else its name |
    | it, this, that; the instance, our server | the only entity of the event, else the one of `recent` |
    | gpu-bench-01; the instance gpu-bench-01; the billing-api service | the identifier |
    | the staging database, our QA regression suite | the words without the article |
    | staging, production | itself |
    | a server, all servers, them, the weather | none |

    With `subject`, a noun phrase needs its article, and "this" and "that" point at nothing.
    """
    if not words or any("," in word.mark or word.quoted for word in words[:-1]):
        return None
    keys = [word.key for word in words]
    determined = keys[0] in v.DETERMINERS and len(words) > 1
    core = words[1:] if determined else words
    listed = entities.named(_spelled(core)) or entities.named(_spelled(words))
    if listed is not None:
        return Named(listed, False)
    if len(words) == 1 and keys[0] in _PRONOUNS:
        if subject and keys[0] != "it":
            return None
        return _pointed_at(None, entities, recent)
    if determined and len(core) == 1 and core[0].key in v.GENERIC:
        return _pointed_at(core[0].key, entities, recent)
    plain = _plain_name(core, determined, subject)
    return None if plain is None else Named(entities.canonical(plain), False)


def _spelled(words: Sequence[Word]) -> str:
    return " ".join(word.name for word in words)


def _pointed_at(noun: str | None, entities: Entities, recent: Antecedents) -> Named | None:
    found = entities.only or recent.only
    if found is None or (noun is not None and _is_another_sort(noun, found)):
        return None
    return Named(found, True)


def _is_another_sort(noun: str, mention: str) -> bool:
    """Whether a canonical id says that the thing is no `noun`: `database:orders` is not an instance."""
    if not is_canonical(mention):
        return False
    sorts = {v.GENERIC[part] for part in _PARTS.findall(mention.split(":", 1)[0]) if part in v.GENERIC}
    return bool(sorts) and v.GENERIC[noun] not in sorts


def _plain_name(core: Sequence[Word], determined: bool, subject: bool) -> str | None:
    names = [word.name for word in core]
    if len(core) > MOST_WORDS or not all(names):
        return None
    identifying = [name for name in names if is_identifier(name)]
    others = [word.key for word in core if not is_identifier(word.name)]
    if len(identifying) == 1 and (not others or (len(others) == 1 and others[0] in v.GENERIC)):
        return identifying[0]
    if len(core) == 1 and core[0].key in v.BARE:
        return names[0]
    may_stand = determined or (len(core) > 1 and not subject)
    return " ".join(names) if may_stand and _names_a_thing([word.key for word in core]) else None


def _names_a_thing(keys: Sequence[str]) -> bool:
    """Whether the words are a noun phrase of the sort that an agent works on: "staging database"."""
    if any(key in v.FUNCTION_WORDS or not _PHRASE_WORD.match(key) for key in keys):
        return False
    return keys[-1] in v.THINGS or keys[-1].removesuffix("s") in v.THINGS


def is_identifier(name: str) -> bool:
    """Whether a word names a thing by its form: it joins letters with figures or marks unlike English."""
    if not 2 <= len(name) <= 200 or not _NAME.match(name) or "://" in name or "@" in name:
        return False
    parts = _PARTS.findall(name)
    if len(parts) < 2 or "'" in name:
        return False
    return not ("-" in name and not any(map(str.isdigit, parts)) and _is_english(name))


def _is_english(name: str) -> bool:
    """Whether a hyphenated word without figures is an ordinary one.

    | word | ordinary |
    | --- | --- |
    | self-service, re-build: begins with a prefix of the language | yes |
    | billing-api, web/orders: its last part is technical | no |
    | follow-up, data-driven: has an affix of the language | yes |
    | and/or | yes |
    | frodo-main | no |
    """
    parts = re.split(r"[-/]", name.casefold())
    if parts[0] in v.PREFIXES:
        return True
    if parts[-1] in v.TECHNICAL_PARTS:
        return False
    return "/" in name or _ENGLISH.match(name.casefold()) is not None


def antecedents(words: Sequence[Word], entities: Entities) -> list[str]:
    """Names in `words` that a later "it" may point back to: those that a word carries by its form."""
    found: dict[str, None] = {}
    for word in words:
        name = _POSSESSIVE.sub("", word.name)
        if len(name) > 200 or (name.isalpha() and not entities.mentions):
            continue
        listed = entities.named(name)
        if listed is not None:
            found.setdefault(listed)
        elif is_identifier(name) and not _TICKET.match(name) and not _VERSION.match(name):
            found.setdefault(name)
    return _distinct(found)


def _distinct(names: dict[str, None]) -> list[str]:
    by_key: dict[str, str] = {}
    for name in names:
        by_key.setdefault(normalise(name), name)
    return list(by_key.values())
