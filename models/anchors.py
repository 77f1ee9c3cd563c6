"""Words of time that name something: "before the migration", "after the outage", "since v2.1 was released".

When that was, memory has to say: it is looked up among what was found, which is what the asker may see, and where
nothing found is about it nothing changes. Like other words of time they favour, and leave out nothing. English alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from models.facts import Status
from models.recall import RecalledFact, RecalledPassage
from models.text import fold, terms
from models.time_words import Window


class Relation(StrEnum):
    """On which side of it: `until` and `since` include it."""

    BEFORE = "before"
    UNTIL = "until"
    SINCE = "since"
    AFTER = "after"


class Anchored(NamedTuple):
    """What a question is about in time: the side of it, and by which words it is called, as they are compared."""

    relation: Relation
    words: str


class _Told(NamedTuple):
    """A record that tells of an anchor, from its first instant to its last; of several the greatest counts."""

    is_dated: bool
    is_fact: bool
    share: float
    last: datetime
    first: datetime
    id: UUID


_BEGINNING = 3
"""So many letters of a word its stem keeps."""

_LONGEST = 8
"""Words by which something is called; what comes after them says something else."""

# A clause about whoever speaks, or about what to do, names nothing that has happened.
_BREAKS_OFF = "that|which|who|whom|where|when|while|because|and|or|but|did|do|does|had|has|have"
_ENDS = rf"(?:[,;:?!()\"]|\.(?:\s|$)|\s(?:{_BREAKS_OFF})\s)"
_NAMES_NOTHING = r"(?:i|you|we|they|he|she|it|that|this|then|now|all|long|when|\w+ing)\b"
_ANCHOR = re.compile(
    rf"\b(?P<relation>{'|'.join(Relation)})\s+(?!{_NAMES_NOTHING})(?P<words>\S.*?)(?={_ENDS}|$|\s(?:{'|'.join(Relation)})\s)",
    re.DOTALL,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def anchored(text: str) -> list[Anchored]:
    """What `text` names as before or after which something is, in its order; empty where it names nothing.

    | words | are about |
    | --- | --- |
    | before the migration to Frankfurt, who … | before `the migration to frankfurt` |
    | since v2.1 was released? | since `v2.1 was released` |
    | before you stop it, before stopping it, after all | nothing |
    """
    found: list[Anchored] = []
    for match in _ANCHOR.finditer(fold(text)):
        words = " ".join(match["words"].split()[:_LONGEST])
        if terms(words):
            found.append(Anchored(Relation(match["relation"]), words))
    return found


def window_by(
    query: str, facts: Iterable[RecalledFact], passages: Sequence[RecalledPassage], zone: str = "UTC"
) -> Window | None:
    """The part of time that the first anchor in `query` names which something found tells of; None where none does.

    A record tells of it when it has all its telling words: a fact in its thing, its attribute and its value, a passage
    in its text. What is itself told in relation to it ("until the migration is over") does not tell when it was.

    | of several | counts | its instants |
    | --- | --- | --- |
    | a fact whose value is a date | first | that day, in the zone |
    | any other fact | then | from when it is valid |
    | passages | then | from the first to the last of one episode that tell of it |

    Of the same sort the one counts that says the least besides, then the latest.
    """
    there, told = list(facts), list(passages)
    for anchor in anchored(query):
        wanted = terms(anchor.words).keys()
        found = [*_facts_of(wanted, there, zone), *_episodes_of(wanted, told)]
        if found:
            best = max(found)
            return _window(anchor.relation, best.first, best.last)
    return None


def _window(relation: Relation, first: datetime, last: datetime) -> Window:
    match relation:
        case Relation.BEFORE:
            return Window(None, first)
        case Relation.UNTIL:
            return Window(None, last)
        case Relation.SINCE:
            return Window(first, None)
        case Relation.AFTER:
            return Window(last, None)


def _facts_of(wanted: Iterable[str], facts: Iterable[RecalledFact], zone: str) -> Iterator[_Told]:
    for fact in facts:
        if fact.status is not Status.ACTIVE:
            continue
        # The type of a thing names no thing: a release is not released by being one.
        name = "" if fact.entity == fact.canonical else fact.entity or ""
        thing = (fact.canonical or "").partition(":")[2]
        share = _share(wanted, f"{name} {thing} {fact.attribute} {fact.value}")
        if share is not None:
            day = _day(fact.value, zone)
            first, last = day or (fact.valid_from, fact.valid_from)
            yield _Told(day is not None, True, share, last, first, fact.id)


def _episodes_of(wanted: Iterable[str], passages: Iterable[RecalledPassage]) -> Iterator[_Told]:
    by_episode: dict[UUID, _Told] = {}
    for passage in passages:
        share = _share(wanted, passage.text)
        if share is None:
            continue
        at = passage.occurred_at
        there = by_episode.get(passage.episode_id, _Told(False, False, share, at, at, passage.episode_id))
        by_episode[passage.episode_id] = there._replace(
            share=max(share, there.share), first=min(at, there.first), last=max(at, there.last)
        )
    yield from by_episode.values()


def _share(wanted: Iterable[str], text: str) -> float | None:
    """Which part of a text's words those of an anchor are; None where it lacks one, or is told in relation to it.

    Words are looked at that could be of an anchor's stems alone: to stem all of many passages takes too long.
    """
    named = set(wanted)
    beginnings = [stem[:_BEGINNING] for stem in named]
    said = fold(text)
    if not all(each in said for each in beginnings):
        return None
    words = said.split()
    close = " ".join(word for word in words if any(each in word for each in beginnings))
    if not named <= terms(close).keys():
        return None
    if any(named <= terms(other.words).keys() for other in anchored(text)):
        return None
    return len(named) / len(words)


def _day(value: str, zone: str) -> tuple[datetime, datetime] | None:
    """From when to when the day lasts that a value names."""
    if not _DAY.fullmatch(value.strip()):
        return None
    try:
        day = date.fromisoformat(value.strip())
        begin, end = (
            datetime.combine(each, time(), ZoneInfo(zone)).astimezone(UTC)
            for each in (day, day + timedelta(days=1))
        )
    except (ValueError, OverflowError):
        return None
    return begin, end
