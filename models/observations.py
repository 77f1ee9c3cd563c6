"""What the runtime has just verified for itself, which outranks memory: it marks what it bears on, and becomes nothing.

An observation of a state never ends a restriction: what is overridden is still there, and still required where it was.
"""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from models.events import aware, scrub, written_out

MOST_OBSERVATIONS = 100


class LiveObservation(BaseModel):
    """That `attribute` of `entity` was `value` at `observed_at`. `entity` is an id or a name, None for the scope."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entity: str | None = Field(default=None, min_length=1, max_length=300, pattern=r"\S")
    attribute: str = Field(min_length=1, max_length=100)
    value: str = Field(min_length=1, max_length=2_000, pattern=r"\S")
    observed_at: datetime

    @field_validator("entity", "attribute", "value", mode="before")
    @classmethod
    def _can_be_looked_up(cls, value: object) -> object:
        return scrub(value)

    @field_validator("observed_at", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return written_out(value)

    @field_validator("observed_at")
    @classmethod
    def _has_an_offset(cls, value: datetime) -> datetime:
        return aware(value)


LiveObservations = Annotated[tuple[LiveObservation, ...], Field(max_length=MOST_OBSERVATIONS)]


class Observed(BaseModel):
    """What was observed in place of what a fact says, and when."""

    model_config = ConfigDict(frozen=True)

    value: str
    observed_at: datetime
