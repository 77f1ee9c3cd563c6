"""What of all that was found goes into the context of one model call, and how it is written there.

Pure: the same input gives the same text to the byte, so that what a model has read before stays in its cache. What must
be heeded is never left out silently, an open conflict is there whole or not at all, and no text can leave the fence.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple
from uuid import UUID

from models.budget import CountTokens, Fitted
from models.context import Section, SectionName
from models.context_parts import Part
from models.fence import CLOSING, OPENING, PREAMBLE
from models.rendering import DUE, HEED, PROCEDURE, SESSION

MISSING = (
    "Not all that must be heeded fits in here: do not act on this, ask about fewer things or with more room."
)
NOTHING = "Nothing in memory applies here. That permits nothing by itself."


class Share(NamedTuple):
    """The parts of the room that a section may count on, and that it may take at most."""

    floor: float
    ceiling: float


SHARES: Mapping[SectionName, Share] = {
    SectionName.TASK: Share(0.10, 0.20),
    SectionName.OBSERVATIONS: Share(0.10, 0.25),
    SectionName.INTENTIONS: Share(0.05, 0.15),
    SectionName.PROCEDURES: Share(0.15, 0.70),
    SectionName.SESSION: Share(0.15, 0.35),
    SectionName.FACTS: Share(0.30, 0.70),
    SectionName.EPISODES: Share(0.10, 0.50),
}
"""In the order in which sections are filled. What must be heeded comes before all of them, and has no ceiling."""

HEADINGS: Mapping[SectionName, str] = {
    SectionName.TASK: "The task:",
    SectionName.PROCEDURES: PROCEDURE,
    SectionName.FACTS: "Facts that govern here, unless one says otherwise of itself:",
    SectionName.EPISODES: "Passages of past experience:",
    SectionName.SESSION: SESSION,
    SectionName.INTENTIONS: DUE,
    SectionName.OBSERVATIONS: "Observed just now by the runtime; it outranks what is recalled:",
}
_OF_MEMORY = (SectionName.FACTS, SectionName.EPISODES)


def ceilings(room: int, count_tokens: CountTokens) -> dict[SectionName, int]:
    """Tokens that each section may have below its heading."""
    return {
        name: int(share.ceiling * room) - count_tokens(f"{HEADINGS[name]}\n")
        for name, share in SHARES.items()
    }


class Wanted(NamedTuple):
    """What there is to write: the parts of each section in order, the order to take events in, and our remarks."""

    parts: Mapping[SectionName, Sequence[Part]]
    events_by_weight: Sequence[UUID] = ()
    remarks: Sequence[str] = ()


class Written(NamedTuple):
    """A context as it is written, and what of memory is in it and is not."""

    text: str
    sections: tuple[Section, ...]
    fitted: Fitted


def write(wanted: Wanted, room: int, limit: int, count_tokens: CountTokens) -> Written:
    """Take parts while they fit into `room`, with everything that is written around them.

    1. What must be heeded, in order, whatever its share. Where not all of it fits the text says so, and nothing else of
       memory takes its place.
    2. Each section in the order of `SHARES`, up to its floor, so that a long one leaves room for the others.
    3. Each section again up to its ceiling, in the room that the others have not used.

    Facts and passages are at most `limit` each, and what must be heeded comes beyond it; events are taken by weight.
    """
    parts = {name: wanted.parts.get(name, ()) for name in SectionName}
    binding = [part for part in parts[SectionName.FACTS] if part.required]
    remarks = [*([HEED] if binding else []), *wanted.remarks]
    if not any(parts[name] for name in _OF_MEMORY):
        remarks.append(NOTHING)
    filling = _Filling(room, limit, count_tokens)
    filling.used = filling.cost_of(OPENING, PREAMBLE, *remarks, CLOSING)
    if not filling.would_fit(SectionName.FACTS, binding):
        remarks.append(MISSING)
        filling.used += filling.cost_of(MISSING)
    empty = room - filling.used
    missing = [part for part in binding if not filling.take(SectionName.FACTS, part, room)]
    heading = HEADINGS[SectionName.FACTS]

    turns = {name: list(parts[name]) for name in SHARES if not (missing and name in _OF_MEMORY)}
    weight = {event_id: at for at, event_id in enumerate(wanted.events_by_weight)}
    turns[SectionName.SESSION].sort(key=lambda part: weight[part.ids[0]])
    for bound in ("floor", "ceiling"):
        for name, waiting in turns.items():
            most = int(getattr(SHARES[name], bound) * room)
            for part in waiting:
                filling.take(name, part, most)

    taken = {name: [part for part in there if filling.has(name, part)] for name, there in parts.items()}
    lacking = [part for name in _OF_MEMORY for part in parts[name] if filling.lacked_room(name, part)]
    fitted = Fitted(
        taken=tuple(item for there in taken.values() for part in there for item in part.items),
        missing=tuple(item.id for part in missing for item in part.items if item.required),
        over_budget=tuple(each for part in lacking for each in part.ids),
        tokens=filling.used,
        too_large=any(filling.cost_of(heading, *part.lines) > empty for part in missing),
    )
    sections = tuple(
        Section(name=name, ids=tuple(each for part in there for each in part.ids), tokens=filling.spent[name])
        for name, there in taken.items()
        if there
    )
    return Written("\n".join(_lines(taken, remarks)), sections, fitted)


class _Filling:
    """The room as it is taken up. Each line counts with its line break, so that the sum is that of the whole text."""

    def __init__(self, room: int, limit: int, count_tokens: CountTokens) -> None:
        self._room = room
        self._limit = limit
        self._count = cache(count_tokens)
        self._taken: dict[SectionName, list[Part]] = {name: [] for name in SectionName}
        self.spent = dict.fromkeys(SectionName, 0)
        self.used = 0

    def cost_of(self, *lines: str) -> int:
        return sum(self._count(f"{line}\n") for line in lines)

    def cost(self, name: SectionName, part: Part) -> int:
        """Tokens of a part, and of the heading above it where it is the first of its section."""
        heading = () if self._taken[name] else (HEADINGS[name],)
        return self.cost_of(*heading, *part.lines)

    def would_fit(self, name: SectionName, parts: Sequence[Part]) -> bool:
        """Whether all of these fit into an empty section."""
        heading = self.cost_of(HEADINGS[name]) if parts else 0
        return self.used + heading + sum(self.cost_of(*part.lines) for part in parts) <= self._room

    def has(self, name: SectionName, part: Part) -> bool:
        """Whether a part was taken."""
        return part in self._taken[name]

    def take(self, name: SectionName, part: Part, most: int) -> bool:
        """Take a part, unless it is taken or there is no place or room; the section has `most` tokens."""
        if self.has(name, part) or (self._is_full(name, part) and not part.required):
            return False
        cost = self.cost(name, part)
        if self.used + cost > self._room or self.spent[name] + cost > most:
            return False
        self._taken[name].append(part)
        self.spent[name] += cost
        self.used += cost
        return True

    def lacked_room(self, name: SectionName, part: Part) -> bool:
        """Whether a part was left out though it had a place."""
        return not self.has(name, part) and (part.required or not self._is_full(name, part))

    def _is_full(self, name: SectionName, part: Part) -> bool:
        there = sum(len(each.items) for each in self._taken[name])
        return bool(part.items) and there >= self._limit


def _lines(taken: Mapping[SectionName, Sequence[Part]], remarks: Sequence[str]) -> list[str]:
    """The task, which is the runtime's own word, and in the fence all that is data."""

    def told(name: SectionName) -> list[str]:
        there = taken[name]
        return [HEADINGS[name], *(line for part in there for line in part.lines)] if there else []

    inside = [line for name in SectionName if name is not SectionName.TASK for line in told(name)]
    return [*told(SectionName.TASK), OPENING, PREAMBLE, *remarks, *inside, CLOSING]
