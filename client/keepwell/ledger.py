"""What an activity keeps of itself: what it has told, what it has seen, and which memories it went by."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from keepwell.course import Course
from keepwell.journal import Hooks, Journal, size_of
from keepwell.mentions import mentions_in, things_of
from keepwell.names import look_ups
from keepwell.recollection import Recollection
from keepwell.retrieval import Trigger
from keepwell.ticket import Ticket
from keepwell.types import EntityMention, EventType
from keepwell.values import cut

MAX_IDS = 1_000
MAX_TRACES = 100
MAX_DECISION = 4_000
MAX_ABOUT_BYTES = 20_000
"""How many ids of memories and of traces, and how much of a decision and of its names, one event tells."""


class Ledger:
    """The state of one activity, which its parts share. `latest` is the recollection of the latest decision."""

    def __init__(self, journal: Journal, course: Course, hooks: Hooks) -> None:
        self.journal = journal
        self.course = course
        self.hooks = hooks
        self.latest: Recollection | None = None
        self._used: dict[str, None] = {}
        self._used_now: dict[str, None] = {}
        self._traces: dict[str, None] = {}
        self._entered = False
        self._left = False

    def enter(self) -> None:
        """Begin; raises RuntimeError the second time, and `InvalidInput` where no event could ever be sent."""
        if self._entered:
            raise RuntimeError("an activity is entered once; make another")
        self.journal.check()
        self._entered = True

    def leave(self) -> None:
        """End: what has begun by now may still tell its end."""
        self._left = True

    def require_open(self) -> None:
        """Raise RuntimeError before the activity was entered and after it was left."""
        if not self._entered:
            raise RuntimeError("enter the activity first: async with memory.activity(…) as run")
        if self._left:
            raise RuntimeError("the activity was left; make another: async with memory.activity(…) as run")

    def tell_words(
        self, kind: EventType, text: str, entities: object, *, searched: bool = False, **said: Any
    ) -> Ticket:
        """Publish words, with the entities that were given to them; `searched`, the names in them are in play too."""
        self.require_open()
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may have no types
            raise TypeError(f"the words of an event are a text, and not {type(text).__name__}")
        given = things_of(entities)
        self.course.saw([*given, *(self.hooks.things_in(text) if searched else ())])
        return self.journal.tell(kind, text, entities=mentions_in(given), **said)

    def tell_decision(self, recollection: Recollection, about: Sequence[EntityMention], at: datetime) -> None:
        """Publish a decision as a look into memory, which changes nothing and is itself no memory.

        It has neither text nor entities, which would be searched: what was decided is in its data.
        """
        self.journal.tell(
            "tool_call",
            at=at,
            data={
                "tool": "keepwell.recall",
                "effect": "read",
                "decision": cut(recollection.decision, MAX_DECISION).text,
                "about": _fitting(look_ups(about)),
                "recalled": recollection.recalled,
                "carried_over": recollection.carried_over,
                "error": recollection.error,
                "missing": len(recollection.missing),
                "memory": self.attribution(recollection),
            },
        )

    def use(self, ids: object) -> None:
        """These records were used; raises ValueError for what is no id of a record."""
        self.require_open()
        one = isinstance(ids, str) or not isinstance(ids, Iterable)
        given = [cast("object", ids)] if one else cast("Iterable[object]", ids)
        said = dict.fromkeys(map(_id_of, given))
        self._used_now.update(said)
        self._used.update(said)

    def decide(self) -> None:
        """A decision is taken: what is used from now on is used for this one."""
        self.course.decisions += 1
        self._used_now = {}

    def attribution(self, recollection: Recollection | None) -> dict[str, list[str]]:
        """Which memories somebody had before them, which were used, what called for them, and which recalls
        brought them: by these the service counts how often each was of use.
        """
        reasons: Sequence[Trigger] = () if recollection is None else recollection.reasons
        brought = [] if recollection is None else [str(each) for each in recollection.trace_ids]
        self._traces.update(dict.fromkeys(brought))
        return {
            "traces": brought[-MAX_TRACES:],
            "visible": [] if recollection is None else list(recollection.visible[:MAX_IDS]),
            "used": list(self._used_now)[:MAX_IDS],
            "trigger": [trigger.value for trigger in reasons],
        }

    def attribution_of_all(self) -> dict[str, list[str]]:
        """The same for the activity as a whole: which were used."""
        return {
            "traces": list(self._traces)[-MAX_TRACES:],
            "visible": [],
            "used": list(self._used)[:MAX_IDS],
            "trigger": [],
        }


def _id_of(identity: object) -> str:
    try:
        return str(UUID(str(identity)))
    except ValueError:
        raise ValueError("used takes ids of records, as in known.visible or fact.id") from None


def _fitting(names: Sequence[str]) -> list[str]:
    """The first names that one event can carry besides the rest."""
    kept: list[str] = []
    room = MAX_ABOUT_BYTES
    for name in names[:MAX_IDS]:
        room -= size_of(name) + 2
        if room < 0:
            break
        kept.append(name)
    return kept
