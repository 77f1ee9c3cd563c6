"""What a language model was asked to propose, and how that ended.

An extraction is a record of the question and not of the answer: its proposals are held until they are applied
and are candidates, an episode's narrative, or the words of a draft, from then on. Whatever a model says, rules can
end the pass.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.errors import (
    ModelAnswersBadly,
    ModelBudgetSpent,
    ModelFailed,
    ModelRateLimited,
    ModelRefuses,
    ModelTimedOut,
    ModelUnauthorised,
    ModelUnreachable,
)
from models.events import StoredEvent

MOST_ATTEMPTS = 3
"""So often a model is asked one question, before rules end it."""

PAUSE_SECONDS = 1.0
"""The wait before the second attempt; each later one is twice as long."""

WORTH_WAITING_SECONDS = 60.0
"""A provider that asks for a longer wait is not waited for: a pass would rather end and be redone."""

WINDOW_CHARACTERS = 24_000
"""So much text of events goes into one question, some 6,000 tokens."""


class Purpose(StrEnum):
    """What a model may be asked for."""

    EXTRACT = "extract"
    NARRATE = "narrate"
    DRAFT = "draft"


class State(StrEnum):
    """How an extraction stands.

    | state | means |
    | --- | --- |
    | asked | a call is under way, or failed and is tried again |
    | proposed | the answer is stored, and nothing has come of it yet |
    | applied | the proposals are candidates, with verdicts in `decisions`; the words are the episode's, the draft's |
    | fell_back | the model was no help, and rules ended the pass; it can be redone |
    | superseded | another one took its place |
    """

    ASKED = "asked"
    PROPOSED = "proposed"
    APPLIED = "applied"
    FELL_BACK = "fell_back"
    SUPERSEDED = "superseded"


class Fault(StrEnum):
    """Why a model was no help: the code of its last error; `INTERRUPTED` where the service ended in every call."""

    TIMED_OUT = ModelTimedOut.code
    RATE_LIMITED = ModelRateLimited.code
    UNREACHABLE = ModelUnreachable.code
    UNAUTHORISED = ModelUnauthorised.code
    REFUSES = ModelRefuses.code
    ANSWERS_BADLY = ModelAnswersBadly.code
    BUDGET_SPENT = ModelBudgetSpent.code
    INTERRUPTED = "model_interrupted"


class Usage(NamedTuple):
    """What a call took, or may take."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


class Budget(NamedTuple):
    """What one tenant may spend on models in one day, by the calendar of UTC."""

    tokens: int
    requests: int


class Extraction(NamedTuple):
    """One record, without what was proposed. `model` and `prompt` are None where rules proposed, in a redo."""

    id: UUID
    activity_id: UUID
    redo_id: UUID | None
    purpose: Purpose
    first_seq: int
    last_seq: int
    extractor: str
    model: str | None
    prompt: str | None
    input_digest: bytes | None
    state: State
    reason: Fault | None
    attempts: int
    usage: Usage
    recorded_at: datetime


class Fallback(NamedTuple):
    """Why rules completed a part of a pass, and after how many attempts of a model."""

    fault: Fault
    attempts: int


def pause_after(failed: ModelFailed, attempt: int) -> float | None:
    """Seconds until the model is asked again after its `attempt` (from 1) has failed; None where rules end it.

    | the failure | attempts are left | the provider asks for | pause |
    | --- | --- | --- | --- |
    | would come again | | | None |
    | may pass | no | | None |
    | may pass | yes | nothing | `PAUSE_SECONDS`, doubled with each attempt |
    | may pass | yes | up to `WORTH_WAITING_SECONDS` | as long as it asks for |
    | may pass | yes | more | None |
    """
    if not failed.retryable or attempt >= MOST_ATTEMPTS:
        return None
    asked = failed.retry_after
    if asked is not None and asked > WORTH_WAITING_SECONDS:
        return None
    return PAUSE_SECONDS * 2 ** (attempt - 1) if asked is None else max(0.0, asked)


def windows(events: Sequence[StoredEvent], most: int = WINDOW_CHARACTERS) -> Iterator[Sequence[StoredEvent]]:
    """Events, in order of their numbers, in runs whose text fits into one question.

    An event that is longer than a whole window has one to itself.
    """
    ordered = sorted(events, key=lambda event: event.seq)
    start, size = 0, 0
    for index, event in enumerate(ordered):
        length = len(event.text or "")
        if index > start and size + length > most:
            yield ordered[start:index]
            start, size = index, 0
        size += length
    if ordered:
        yield ordered[start:]
