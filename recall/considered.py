"""What a recall has gathered and weighed on its way to the answer."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.budget import Item, Unit
from models.conflicts import Disagreement
from models.readers import Readable
from models.recall import RecallAnswer, Unmet, Without
from models.sessions import SessionEvent
from models.traces import Decision, Entry
from models.triggers import Trigger
from store.recalled import Found, Search

Place = tuple[int | None, Item]


class Gathered(NamedTuple):
    """All that there is to choose from: what was found, ranked, and in `together` as it is taken.

    `below` is what was found and lies below the relevance floor.

    `gone` has what yields to another, `unmet` the needs that nothing governs, and `waiting` the events of the running
    session, oldest first.
    """

    search: Search
    readable: Readable
    triggers: tuple[Trigger, ...]
    found: Found
    disagreements: Sequence[Disagreement]
    ranked: Sequence[Item]
    below: Sequence[Item]
    together: Sequence[Unit]
    gone: frozenset[UUID]
    unmet: Sequence[Unmet]
    waiting: Sequence[SessionEvent]
    without: tuple[Without, ...]


class Considered(NamedTuple):
    """All that was weighed for one request, and what came of it.

    `places` has each record with its rank from 1; a conflict partner that no search brought up has none, nor has what
    is `below` the relevance floor.
    """

    answer: RecallAnswer
    places: Sequence[Place]
    below: frozenset[UUID]
    disagreements: Sequence[Disagreement]
    entries: Sequence[Entry]
    decisions: Sequence[Decision]
    search: Search
