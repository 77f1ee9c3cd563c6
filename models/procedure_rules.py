"""Classes of procedures, a part of the policy: who drafts and who approves, how long a proposal waits, and how often
something must have happened before it is proposed.
"""

from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.contracts import TENANT, Lasting, Names
from models.principals import PLAIN
from models.scope import Scope

Endpoints = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=100, pattern=PLAIN)], ...], Field(max_length=10)
]
"""Names of endpoints."""


class _Rules(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecurrenceRules(_Rules):
    """When experience recurs: in so many distinct incidents, over such a span, within such a time.

    `counter` is the share of incidents that may speak against it.
    """

    activities: int = Field(default=3, ge=2, le=100, strict=True)
    span: Lasting = timedelta(days=1)
    within: Lasting = timedelta(days=365)
    counter: float = Field(default=0.34, ge=0.0, lt=1.0)


class ProcedureClass(_Rules):
    """One class. `levels` are the dimensions of which a procedure's scope names one, or `tenant` for the empty scope.

    Roles, and declared systems, in `draft` may propose, and those in `approve` decide; nobody decides on what they have
    drafted. A proposal that waits is called to mind after `remind` and again each such time, is overdue after
    `escalate`, and lapses after `lapse`. Endpoints by their names in `notify` are told of every change, and those in
    `escalate_to` that it is overdue.
    """

    levels: Names = Field(min_length=1)
    readers: Literal["any"] | Names = "any"
    draft: Names = Field(min_length=1)
    approve: Names = Field(min_length=1)
    reviewers: int = Field(default=1, ge=1, le=5, strict=True)
    remind: Lasting = timedelta(days=1)
    escalate: Lasting = timedelta(days=3)
    lapse: Lasting = timedelta(days=14)
    notify: Endpoints = ()
    escalate_to: Endpoints = ()
    recurrence: RecurrenceRules = RecurrenceRules()

    @model_validator(mode="after")
    def _comes_before_it_lapses(self) -> Self:
        for name, after in (("remind", self.remind), ("escalate", self.escalate)):
            if after >= self.lapse:
                raise ValueError(f"{name} comes no earlier than lapse, so it would never come; shorten it")
        return self

    def fits(self, scope: Scope) -> bool:
        """Whether a procedure of this class may have this scope."""
        return TENANT in self.levels if not scope else not self.levels.isdisjoint(scope)

    def is_read_by(self, grants: frozenset[str]) -> bool:
        """Whether whoever holds these roles, or is this system, may see procedures of this class."""
        return self.readers == "any" or not self.readers.isdisjoint(grants)
