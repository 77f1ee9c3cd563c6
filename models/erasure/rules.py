"""What the policy says of erasures: how many people must confirm which, and what people may do about themselves."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from models.contracts import Lasting

TargetKind = Literal["record", "event", "activity", "entity", "person", "scope", "class", "tenant"]


Confirmers = Annotated[int, Field(ge=0, le=5, strict=True)]
"""How many people."""


class ErasureRules(BaseModel):
    """How many people, beside who asks, have to confirm a plan, by what it names; none where nothing is said.

    With `own` a person may have erased all that they have said and that is about them. A plan that nobody confirms
    within `plan_kept` lapses.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    confirmers: dict[TargetKind, Confirmers] = Field(
        default_factory=lambda: dict[TargetKind, Confirmers]({"scope": 1, "tenant": 1})
    )
    own: bool = True
    plan_kept: Lasting = timedelta(days=7)
