"""When memory and what was just observed have disagreed so often that a person is asked which of the two is right.

An observation becomes no memory and ends nothing, however often it comes. What is counted are occasions, by ids and
instants: never what was observed.
"""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from models.facts import Status
from models.ids import derived_id
from models.recall import RecalledFact, RecallRequest

MOST_COUNTED = 1_000
"""So many occasions say all that there is to say of a fact; more are not kept."""

MOST_TOLD = 20
"""How many traces a review names, the newest first."""


class Mismatch(NamedTuple):
    """That a fact was contradicted on an occasion, by what was observed at an instant."""

    fact_id: UUID
    occasion: UUID
    observed_at: datetime


class Before(NamedTuple):
    """What is kept of a fact since it was last stated.

    `others` is the number of other occasions on which it was contradicted; `again` says that this one is among those
    that are kept, and `asked` that a reviewer has been asked.
    """

    others: int
    again: bool
    asked: bool


class Mismatches(NamedTuple):
    """How often a fact was contradicted since it was last stated, from when to when, and in which recalls."""

    times: int
    since: datetime
    latest: datetime
    traces: tuple[UUID, ...]


def mismatches_of(
    request: RecallRequest, recalled: Iterable[RecalledFact], yielded: Collection[UUID]
) -> list[Mismatch]:
    """The facts of an answer that its observations contradict, in the order of their ids.

    | a recalled fact | is contradicted |
    | --- | --- |
    | something else was observed in its place | yes, whether or not it binds |
    | the same, or nothing, was observed | no |
    | it is a challenger, which governs nothing | no |
    | it gave way to one that applies more closely | no: what was observed is no exception to it |

    One activity is one occasion, however often it recalls; without an activity each instant of observing is one.
    """
    found: list[Mismatch] = []
    for fact in recalled:
        observed = fact.overridden_by
        if observed is None or fact.status is not Status.ACTIVE or fact.id in yielded:
            continue
        found.append(
            Mismatch(fact.id, _occasion(request.activity_id, observed.observed_at), observed.observed_at)
        )
    return sorted(found)


def _occasion(activity: str | None, observed_at: datetime) -> UUID:
    if activity is not None:
        return derived_id("occasion", "activity", activity)
    return derived_id("occasion", "instant", observed_at.astimezone(UTC).isoformat())


def counts(before: Before) -> bool:
    """Whether an occasion adds to what is kept."""
    return not before.again and before.others < MOST_COUNTED


def asks(before: Before, enough: int) -> bool:
    """Whether a reviewer is asked by this occasion: the one that makes it `enough`, while nobody has been asked.

    | occasions, this one included | somebody was asked since it was last stated | asks |
    | --- | --- | --- |
    | fewer than `enough` | either | no |
    | `enough` or more | yes | no: it waits already |
    | `enough` or more | no | yes |
    """
    return not before.asked and before.others + 1 >= enough
