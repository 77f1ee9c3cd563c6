"""A procedure: a playbook that people have approved, what each of its versions says, and where a version stands.

A procedure goes by its name within a scope. What it says never changes in place: another content is another version,
and at most one version of a procedure is current.
"""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple, Self
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from models.events import scrub, size_of
from models.ids import content_digest
from models.principals import PrincipalKind, SubjectName

MOST_STEPS = 500
MOST_BYTES = 128 * 1024
"""Of a whole content as JSON. A longer playbook belongs into several, or into a document that a step refers to."""

_LINE_ENDS = re.compile(r"\r\n?")


def plain_text(value: object) -> object:
    """Text without controls, and with one kind of line end, so that it is the same once it was in a file."""
    if not isinstance(value, str):
        return value
    lines = _LINE_ENDS.sub("\n", scrub(value))
    return "".join(sign for sign in lines if sign in "\t\n" or unicodedata.category(sign) not in _CONTROLS)


_CONTROLS = frozenset({"Cc", "Cs"})

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,99}$")]
"""The name of a procedure: it is part of a file's name and of a command's arguments."""
StepId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,99}$")]
TaskClass = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S"), BeforeValidator(plain_text)]
Said = Annotated[str, Field(max_length=4_000, pattern=r"\S"), BeforeValidator(plain_text)]
"""Words of a playbook, of any script and with any markup: they are shown and compared, and never rendered."""
AppliesTo = Annotated[str, Field(max_length=300, pattern=r"^[a-z][a-z0-9_-]*(:\S+)?$")]
"""A type of entities (`cloud-instance`), or one of them by its canonical id (`cloud-instance:i-09a8f`)."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TriggerIntent(_Part):
    """What calls for a procedure: an intent in words, and the class of task by the name that agents give it."""

    intent: Annotated[str, Field(max_length=500, pattern=r"\S"), BeforeValidator(plain_text)]
    task_class: TaskClass | None = None


class ProcedureStep(_Part):
    """One step: what to do, and how to see that it is done. `because` says which experience it comes from."""

    id: StepId
    do: Said
    verify: Said
    because: Said | None = None


class ProcedureContent(_Part):
    """What a version says. Every step and its id counts: agents report on steps by their ids."""

    trigger: TriggerIntent
    preconditions: Annotated[tuple[Said, ...], Field(max_length=50)] = ()
    applies_to: Annotated[tuple[AppliesTo, ...], Field(max_length=50)] = ()
    steps: Annotated[tuple[ProcedureStep, ...], Field(min_length=1, max_length=MOST_STEPS)]

    @model_validator(mode="after")
    def _can_be_followed(self) -> Self:
        if repeated := _repeated([step.id for step in self.steps]):
            raise ValueError(f"two steps have the id {repeated}; give each one of its own")
        if _repeated(self.preconditions):
            raise ValueError("a precondition is there twice; leave one out")
        if _repeated(self.applies_to):
            raise ValueError("what it applies to is there twice; leave one out")
        if size_of(self.model_dump(mode="json")) > MOST_BYTES:
            raise ValueError(f"is more than {MOST_BYTES:,} bytes; split it, or refer to a document in a step")
        return self

    @property
    def digest(self) -> bytes:
        """Tells whether two contents are the same to the letter."""
        return content_digest(self.model_dump(mode="json"))


def _repeated(values: Sequence[str]) -> str | None:
    return next((value for at, value in enumerate(values) if value in values[:at]), None)


class VersionStatus(StrEnum):
    """Where a version stands.

    | status | means |
    | --- | --- |
    | `trial` | in force for named agents or a share of runs, beside the current one |
    | `current` | in force for everybody else, or for all |
    | `deprecated` | another version has taken its place, or its trial is over |
    | `suspended` | what it rests on is gone, or a person has taken it out of force |

    What is not approved is no version but a proposal: a draft, or rejected.
    """

    TRIAL = "trial"
    CURRENT = "current"
    DEPRECATED = "deprecated"
    SUSPENDED = "suspended"


IN_FORCE = frozenset({VersionStatus.TRIAL, VersionStatus.CURRENT})


class Origin(StrEnum):
    """Where a proposal, and the version that it became, comes from.

    `written` by somebody, `reflected` from recurring experience, the `evidence_lost` under a version, or a `rollback`.
    """

    WRITTEN = "written"
    REFLECTED = "reflected"
    EVIDENCE_LOST = "evidence_lost"
    ROLLBACK = "rollback"


class Who(_Part):
    """Somebody who drafted or decided."""

    subject: SubjectName
    kind: PrincipalKind


class Approval(_Part):
    """Who approved a version, in which role, and when."""

    by: Who
    role: str
    at: datetime


class Trial(_Part):
    """For whom a version is in force while it is tried: agents by their subjects, and a share of runs from 0 to 1.

    A run counts by the name of its activity, so that it keeps its version from its first recall to its last.
    """

    agents: Annotated[tuple[SubjectName, ...], Field(max_length=100)] = ()
    share: float = Field(default=0.0, ge=0.0, le=1.0)

    @model_validator(mode="after")
    def _tries_with_somebody(self) -> Self:
        if not self.agents and not self.share:
            raise ValueError("name agents, or a share of runs above 0: with nobody nothing is tried")
        return self


class Procedure(NamedTuple):
    """A procedure by its name. `versions` counts what has been approved; `class_name` is one of the policy's."""

    id: UUID
    scope: dict[str, str]
    name: str
    class_name: str
    versions: int


class Version(NamedTuple):
    """A version as the store holds it; `number` counts from 1 within its procedure.

    `episodes` are those that it rests on by now, and `reason` says why it stands where it stands.
    """

    id: UUID
    procedure_id: UUID
    number: int
    content: ProcedureContent
    status: VersionStatus
    origin: Origin
    proposal_id: UUID | None
    drafters: tuple[Who, ...]
    approved: tuple[Approval, ...]
    episodes: tuple[UUID, ...]
    trial: Trial | None
    reason: str
    recorded_at: datetime
