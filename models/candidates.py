"""Candidate facts: what somebody, or something, proposes to remember.

A proposal may come from a rule, a model or a caller's structured data, and none of them is trusted with more
than words: identity, scope, authority and status are decided by code from the events that it cites.
"""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from models.errors import InvalidInput
from models.events import StoredEvent, aware, first_error, written_out
from models.text import normalise

_DATE_LIKE = re.compile(r"^\d{1,4}-\d{1,2}-\d{1,2}(?:[T ].*)?$")


class CandidateKind(StrEnum):
    """A statement sets terms, a withdrawal takes them back, an observation reports a state."""

    STATEMENT = "statement"
    WITHDRAWAL = "withdrawal"
    OBSERVATION = "observation"


class Terms(BaseModel):
    """What a fact says and how long: the part of it that is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str = Field(min_length=1, max_length=2_000)
    ends_when: str | None = Field(default=None, min_length=1, max_length=2_000)
    expires_at: datetime | None = None
    valid_from: datetime | None = None

    @field_validator("value", "ends_when")
    @classmethod
    def _says_something(cls, value: str | None) -> str | None:
        if value is not None and not normalise(value):
            raise ValueError("is blank; say it in words")
        return value

    @field_validator("ends_when")
    @classmethod
    def _is_a_condition(cls, value: str | None) -> str | None:
        if value is not None and _DATE_LIKE.match(value.strip()):
            raise ValueError("is a date and not a condition; put an instant with an offset into expires_at")
        return value

    @field_validator("expires_at", "valid_from", mode="before")
    @classmethod
    def _is_text_or_instant(cls, value: object) -> object:
        return None if value is None else written_out(value)

    @field_validator("expires_at", "valid_from")
    @classmethod
    def _has_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)

    def same_limits_as(self, other: "Terms") -> bool:
        """Whether both hold equally long, in any wording that differs in case, spacing or width alone.

        A `valid_from` that one of them leaves unsaid makes no difference: a restatement seldom repeats it.
        """
        unsaid = self.valid_from is None or other.valid_from is None
        return (
            normalise(self.ends_when or "") == normalise(other.ends_when or "")
            and self.expires_at == other.expires_at
            and (unsaid or self.valid_from == other.valid_from)
        )


class Proposal(BaseModel):
    """One candidate as an extractor proposes it.

    `mention` is the name or canonical id of the entity as the event has it, or None for the scope as a whole.
    `quote` is the passage of the event's text that says so, to the letter. `terms` is None for a withdrawal.
    """

    model_config = ConfigDict(frozen=True)

    event_id: UUID
    kind: CandidateKind
    attribute: str
    mention: str | None
    terms: Terms | None
    hedged: bool = False
    quote: str


class Proposed(NamedTuple):
    """A proposal, and who made it. `extraction_id` leads to the model, prompt and input behind it, if there is one."""

    proposal: Proposal
    extractor: str
    extraction_id: UUID | None = None


class StructuredCandidate(Terms):
    """A candidate that an event carries in `data.candidates`, for callers that need no extractor."""

    attribute: str = Field(min_length=1, max_length=100)
    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")


def structured_candidates(data: dict[str, Any]) -> list[StructuredCandidate]:
    """Candidates in an event's data; raises `InvalidInput` naming the one that cannot be read."""
    raw = data.get("candidates")
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise InvalidInput("is a list of candidates", field="data.candidates")
    read: list[StructuredCandidate] = []
    for index, item in enumerate(raw):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        try:
            read.append(StructuredCandidate.model_validate(item))
        except ValidationError as invalid:
            error = first_error(invalid)
            where = f"data.candidates.{index}" + (f".{error.field}" if error.field else "")
            raise InvalidInput(error.message, field=where) from None
    return read


class Said(NamedTuple):
    """What an event says, in comparison form.

    Its text, its structured candidates, every word of both, and the names of the things that it lists.
    """

    text: str
    structured: str
    words: frozenset[str]
    things: frozenset[str]


def said_by(event: StoredEvent) -> Said:
    """What an event says: its text, and the values and conditions of its structured candidates."""
    stated = structured_candidates(event.data)
    values = [words for item in stated for words in (item.value, item.ends_when)]
    names = [name for listed in event.entities for name in (listed.id, listed.name)]
    text = normalise(event.text or "")
    structured = normalise(" ".join(words for words in values if words))
    things = frozenset(normalise(name) for name in (*names, *(item.entity for item in stated)) if name)
    return Said(text, structured, frozenset([*text.split(), *structured.split()]), things)


def is_grounded(proposal: Proposal, said: Said, *, by_id: bool = False) -> bool:
    """Whether the event says what the proposal claims: the thing, the quote, every word of value and condition.

    The thing is one that the event lists, or names in its text as a whole word or several; what speaks of a
    record `by_id` need not name it. A withdrawal has to be said in the text; a statement may stand in a
    structured candidate as well. Words are compared in normal form. The words that a rule adds to name a state
    ("keep", "may") are the rule's own and are looked for like any other, so an extractor keeps to the words of
    the event.
    """
    if not by_id and proposal.mention is not None and not _names(said, normalise(proposal.mention)):
        return False
    quote = normalise(proposal.quote)
    terms = proposal.terms
    in_text = quote in said.text
    if not quote or not (in_text or (terms is not None and quote in said.structured)):
        return False
    claimed = () if terms is None else (terms.value, terms.ends_when or "")
    return all(word in said.words for text in claimed for word in normalise(text).split())


def _names(said: Said, thing: str) -> bool:
    """Whether an event names `thing`: a part of a longer name, `bench-0` of `bench-01`, is another thing."""
    if thing in said.things:
        return True
    joint = r"[.\-/:@#_]"
    whole = rf"(?<!\w)(?<!\w{joint}){re.escape(thing)}(?!\w)(?!{joint}\w)"
    return bool(thing) and re.search(whole, said.text) is not None


def statement_instant(event: StoredEvent, terms: Terms | None) -> datetime:
    """From when a statement holds: what it says itself, else the instant at which it was made."""
    if terms is not None and terms.valid_from is not None:
        return terms.valid_from
    return event.occurred_at.astimezone(UTC)
