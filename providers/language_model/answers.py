"""The form of a model's answer, and how it becomes proposals: numbers become ids, and doubts are added."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from models.candidates import CandidateKind, Proposal, Terms
from models.events import StoredEvent, first_error
from providers.language_model.asking import Unfit
from providers.language_model.doubts import is_doubtful, sentences_with

MOST_CANDIDATES = 100


class Candidate(BaseModel):
    """One candidate as a model writes it. `event` is the number of an event and never an id."""

    model_config = ConfigDict(extra="forbid")

    event: int = Field(ge=1)
    kind: Literal["statement", "withdrawal"]
    attribute: str = Field(min_length=1, max_length=100)
    mention: str | None = Field(max_length=300)
    value: str | None = Field(max_length=2_000)
    ends_when: str | None = Field(max_length=2_000)
    hedged: bool
    quote: str = Field(min_length=1, max_length=4_000)

    @model_validator(mode="after")
    def _says_something(self) -> "Candidate":
        if self.kind == "statement":
            if self.value is None:
                raise ValueError("a statement needs a value; write what holds, or leave the candidate out")
            try:
                self.terms()
            except ValidationError as invalid:
                error = first_error(invalid)
                raise ValueError(f"{error.field or 'terms'}: {error.message}") from None
        return self

    def terms(self) -> Terms | None:
        """What it says and until when; None for a withdrawal."""
        if self.kind == "withdrawal" or self.value is None:
            return None
        return Terms(value=self.value, ends_when=self.ends_when or None)


class Candidates(BaseModel):
    """The whole answer."""

    model_config = ConfigDict(extra="forbid")

    candidates: list[Candidate] = Field(max_length=MOST_CANDIDATES)


class Narrative(BaseModel):
    """A narrative as a model writes it."""

    model_config = ConfigDict(extra="forbid")

    narrative: str = Field(min_length=1)


def proposals_of(answer: Candidates, events: Sequence[StoredEvent]) -> list[Proposal]:
    """The proposals of an answer about `events`, which were numbered from 1.

    A quote becomes the whole sentences that it is taken from, to the letter. One that is not in its event stays
    as it is, and is discarded where all proposals are judged. Raises `Unfit` for a number that no event has.
    """
    beyond = sorted({each.event for each in answer.candidates if each.event > len(events)})
    if beyond:
        raise Unfit(f"there are {len(events)} events; none has the number {', '.join(map(str, beyond))}")
    return [_proposal(each, events[each.event - 1]) for each in answer.candidates]


def _proposal(candidate: Candidate, event: StoredEvent) -> Proposal:
    text = event.text or ""
    said = sentences_with(candidate.quote, text)
    terms = candidate.terms()
    mention = (candidate.mention or "").strip() or None
    return Proposal(
        event_id=event.id,
        kind=CandidateKind(candidate.kind),
        attribute=candidate.attribute,
        mention=mention,
        terms=terms,
        hedged=candidate.hedged or not said or is_doubtful(said, terms, mention, candidate.attribute),
        quote=text[said[0].start : said[-1].end] if said else candidate.quote,
    )
