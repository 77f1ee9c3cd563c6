"""How an event says less than it did, and how a fact is what is left of its evidence. Pure."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from models.authority import Authority, Standing, standing_of
from models.candidates import Terms
from models.facts import Fact
from models.text import normalise

_MOMENT = timedelta(microseconds=1)
CUT = "[erased]"
"""What stands where words were cut."""


class Part(NamedTuple):
    """What was read out of an event for a record that goes: the words, and the structured candidate if it was one."""

    quote: str
    attribute: str
    value: str | None


def cut_text(text: str | None, parts: Sequence[Part]) -> str | None:
    """The text without the words of these parts, however they are spaced and spelt in case."""
    for part in parts:
        words = [re.escape(word) for word in part.quote.split()]
        if text is not None and words:
            text = re.sub(r"\s+".join(words), CUT, text, flags=re.IGNORECASE)
    return text


def cut_data(data: Mapping[str, Any], parts: Sequence[Part]) -> dict[str, Any]:
    """The data without the structured candidates that say the same as one of these parts."""
    gone = {(part.attribute, normalise(part.value or "")) for part in parts}
    listed = data.get("candidates")
    if not isinstance(listed, list):
        return dict(data)
    kept: list[Any] = [
        item
        for item in listed  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(item, dict)
        or (item.get("attribute"), normalise(str(item.get("value") or ""))) not in gone  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    ]
    return {**data, "candidates": kept}


class Stated(NamedTuple):
    """A statement that a fact still rests on: by whom with what authority in which role, when, and in which words.

    `terms` and `quote` are None where it was read out for another record that says the same.
    """

    event_id: UUID
    authority: Authority
    authority_role: str | None
    subject: str
    occurred_at: datetime
    permitted: bool
    terms: Terms | None
    quote: str | None


class Left(NamedTuple):
    """What is left of a fact: see `left_of`."""

    terms: Terms
    canonical: str
    statement: str
    valid_from: datetime
    stated_at: datetime
    restated_at: datetime
    lapses_at: datetime | None
    authority: Authority
    authority_role: str | None
    standing: Standing


def left_of(fact: Fact, stated: Sequence[Stated]) -> Left:
    """A fact as the statements that are left bear it out, of which there is one at least.

    It says what the earliest of them says, which is the same terms; it holds from then, if not from later; and its
    authority and standing are those of what is left, never higher than they were.
    """
    ordered = sorted(stated, key=lambda each: each.occurred_at)
    counts = [each for each in ordered if each.permitted] or ordered
    first = next((each for each in ordered if each.terms is not None), ordered[0])
    strongest = max(counts, key=lambda each: each.authority)
    standing = standing_of([(each.authority, each.subject) for each in ordered if each.permitted])
    latest = max(each.occurred_at for each in counts)
    restated_at = min(fact.restated_at, latest)
    stated_at = max(fact.stated_at, ordered[0].occurred_at)
    valid_from = max(fact.valid_from, stated_at) if stated_at > fact.stated_at else fact.valid_from
    begins = _within(valid_from, fact)
    said = first.terms or fact.terms
    return Left(
        terms=fact.terms.model_copy(update={"value": said.value, "ends_when": said.ends_when}),
        canonical=fact.canonical,
        statement="" if not fact.statement or first.quote is None else first.quote,
        valid_from=begins,
        stated_at=stated_at,
        restated_at=max(restated_at, stated_at),
        lapses_at=_lapse(fact, fact.restated_at - restated_at, begins),
        authority=min(fact.authority, strongest.authority),
        authority_role=None if fact.authority_role is None else strongest.authority_role,
        standing=fact.standing if standing.suffices(fact.standing) else standing,
    )


def _within(valid_from: datetime, fact: Fact) -> datetime:
    """No later than the fact ended: what has held for some time has held for none of it at least."""
    expires_at = fact.terms.expires_at
    ends = [fact.ended_at, None if expires_at is None else expires_at - _MOMENT]
    return min([valid_from, *(end for end in ends if end is not None)])


def _lapse(fact: Fact, earlier_by: timedelta, begins: datetime) -> datetime | None:
    """The end of its class's retention, which counts from the latest statement."""
    if fact.lapses_at is None:
        return None
    return max(fact.lapses_at - earlier_by, begins + _MOMENT)
