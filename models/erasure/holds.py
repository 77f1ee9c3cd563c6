"""A legal hold as somebody asks for it."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from models.erasure.targets import Target
from models.events import scrub
from models.intentions import Instant


class NewHold(BaseModel):
    """Forbids that what `target` names be erased. It stands with its owner and its reason in the list of holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: Target
    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S"), BeforeValidator(scrub)]
    until: Instant | None = None
