"""What became of what a case says: one outcome for each decision, in words that a label can be held against."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from models.text import normalise


class Disposition(StrEnum):
    """What the write path decided: keep nothing, keep as a claim, let it into memory."""

    DISCARD = "discard"
    QUARANTINE = "quarantine"
    PERSIST = "persist"


DISPOSITIONS: Mapping[str, Disposition] = {
    **dict.fromkeys(("discard", "ignore_stale", "ignore_observation"), Disposition.DISCARD),
    **dict.fromkeys(("hold_unverified", "dispute"), Disposition.QUARANTINE),
    **dict.fromkeys(
        ("establish", "restate", "supersede", "schedule", "backfill", "retire", "retract"),
        Disposition.PERSIST,
    ),
}
"""The disposition that each verdict comes to."""

CHANGES = frozenset({"supersede", "schedule", "backfill", "dispute", "retract"})
"""Verdicts that change or challenge what governs."""

PROMOTIONS = frozenset({"establish", "supersede", "schedule", "backfill", "retire", "retract"})
"""Verdicts after which something else governs than before."""


class Content(NamedTuple):
    """What a record says. `entities` are the canonical id and the name of what it is about; empty for the scope."""

    entities: tuple[str, ...]
    scope: Mapping[str, str]
    value: str
    ends_when: str | None
    expires_at: datetime | None
    valid_from: datetime


class Outcome(NamedTuple):
    """One decision. `event` is the position of its event in the case; `memory_class` that of its attribute.

    `made` says whether a new record was made; `content` is that of the record which was made or concerned,
    None where the decision keeps no words.
    """

    event: int
    verdict: str
    reason: str
    attribute: str
    memory_class: str | None
    made: bool
    content: Content | None

    @property
    def disposition(self) -> Disposition:
        """What its verdict comes to."""
        return DISPOSITIONS[self.verdict]


class Played(NamedTuple):
    """A case that was played: what was decided, which events were refused, and what became of planted strings.

    `refused` has the code of the error by the position of the event. `leaks` names the places in which each
    planted secret was found, by its position among the planted strings; `kept` the positions of those strings
    that stand in the event log as they were sent.
    """

    case_id: str
    outcomes: tuple[Outcome, ...]
    refused: Mapping[int, str]
    leaks: Mapping[int, frozenset[str]]
    kept: frozenset[int]


def words_of(text: str | None) -> frozenset[str]:
    """The words of `text` in comparison form."""
    return frozenset(normalise(text or "").split())
