"""What a recall has gathered and weighed on its way to the answer."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.budget import Item, Unit
from models.conflicts import Disagreement
from models.due import DueIntention
from models.policy import Declared
from models.procedure_choice import RecalledProcedure
from models.readers import Readable
from models.recall import RecallAnswer, Unmet, Without
from models.sessions import SessionEvent
from models.traces import Decision, Entry
from models.triggers import Trigger
from store.recalled import Found, Search

Place = tuple[int | None, Item]


class Brought(NamedTuple):
    """What a request looked for, and what that brought up, in no order yet.

    `needs` are the attributes that the decision depends on, `waiting` the events of the running session, oldest first.
    `due` is what is due of the asker's own intentions, and `playbook` the procedure that fits. `reranked` of the
    records have been looked at again.
    """

    search: Search
    readable: Readable
    triggers: tuple[Trigger, ...]
    needs: Sequence[Declared]
    found: Found
    waiting: Sequence[SessionEvent]
    without: tuple[Without, ...]
    due: Sequence[DueIntention] = ()
    playbook: RecalledProcedure | None = None
    reranked: int = 0


class Gathered(NamedTuple):
    """All that there is to choose from: what was brought up, ranked, and in `together` as it is taken.

    `below` is what was found and lies below the relevance floor, `gone` has what yields to another, and `unmet` the
    needs that nothing governs.
    """

    brought: Brought
    disagreements: Sequence[Disagreement]
    ranked: Sequence[Item]
    below: Sequence[Item]
    together: Sequence[Unit]
    gone: frozenset[UUID]
    unmet: Sequence[Unmet]

    @property
    def search(self) -> Search:
        """What was looked for."""
        return self.brought.search

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """What called for it."""
        return self.brought.triggers

    @property
    def found(self) -> Found:
        """What that brought up."""
        return self.brought.found

    @property
    def waiting(self) -> Sequence[SessionEvent]:
        """What was said in the running session."""
        return self.brought.waiting

    @property
    def due(self) -> Sequence[DueIntention]:
        """What is due of the asker's own intentions, the oldest first."""
        return self.brought.due

    @property
    def playbook(self) -> RecalledProcedure | None:
        """The procedure that fits."""
        return self.brought.playbook

    @property
    def without(self) -> tuple[Without, ...]:
        """What was done without."""
        return self.brought.without


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
