"""What waits for a reviewer, with the evidence on both sides."""

from datetime import datetime
from uuid import UUID

from models.gates import Gate
from models.reviews import Waiting
from surfaces.http.answers.base import Answer, Source
from surfaces.http.answers.memories import FactTold


class HeardTold(Answer):
    """One event behind a claim, or behind the fact that it challenges, with the words that were said there.

    `supports` says what it stands for: `statement`, what makes a fact; `claim`, a word that carries no right.
    """

    event_id: UUID
    subject: str
    authority: Source
    authority_role: str | None
    supports: str
    occurred_at: datetime
    text: str | None


class UnnamedTold(Answer):
    """A candidate of which nobody can tell what it is about: `mention` means several things in its scope."""

    scope: dict[str, str]
    attribute: str
    mention: str
    value: str
    ends_when: str | None
    expires_at: datetime | None
    valid_from: datetime | None
    quote: str


class MismatchesTold(Answer):
    """On how many occasions observations contradicted a fact since it was last stated, and in which recalls of late."""

    times: int
    since: datetime
    latest: datetime
    traces: list[UUID]


class ReviewTold(Answer):
    """One thing that waits. `claim` is there, or `unnamed` where it takes an `entity` to accept it.

    `gate` is the one that doubted it, None where it waits because of what is there; `meaning` says what the reason
    means. `challenged` is the fact that it speaks against. `not_by` are those who cannot accept it, as they said it. Of
    what is `doubted`, `claim` is the fact in force, and `mismatches` say how often observations contradicted it.
    """

    id: UUID
    waiting: Waiting
    reason: str
    gate: Gate | None
    meaning: str | None
    class_name: str | None
    recorded_at: datetime
    lapses_at: datetime | None
    claim: FactTold | None
    unnamed: UnnamedTold | None
    heard: list[HeardTold]
    challenged: FactTold | None
    challenged_heard: list[HeardTold]
    not_by: list[str]
    mismatches: MismatchesTold | None


class ReviewPage(Answer):
    """One page of what waits, the oldest first. `next` is the cursor of the following page, None on the last.

    A page may be shorter than its limit, or empty, and still have a `next`.
    """

    reviews: list[ReviewTold]
    next: str | None
