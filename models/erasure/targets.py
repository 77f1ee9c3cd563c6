"""What an erasure, or a legal hold, names. A name is resolved to ids when it is received, and kept nowhere."""

from datetime import timedelta
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from models.contracts import Lasting
from models.events import scrub

Name = Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(scrub)]
"""What a caller calls something: an activity, an entity, a person, a class."""


class _Target(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecordTarget(_Target):
    """One record by its id: a fact or claim, an episode, an intention, a procedure or a proposal.

    The words in which it was said go with it. An episode goes with all events of its activity.
    """

    kind: Literal["record"]
    id: UUID


class EventTarget(_Target):
    """One event by its id."""

    kind: Literal["event"]
    id: UUID


class ActivityTarget(_Target):
    """All events of one activity by the caller's own name for it. A session is an activity."""

    kind: Literal["activity"]
    activity_id: Name
    scope: dict[str, str]


class EntityTarget(_Target):
    """All that is about, or names, one entity in the scopes that have the dimensions of `scope`."""

    kind: Literal["entity"]
    entity: Name
    scope: dict[str, str]


class PersonTarget(_Target):
    """All that a person has said and done, that names them in its scope, or that is about them: a data subject."""

    kind: Literal["person"]
    subject: Name


class ScopeTarget(_Target):
    """All in the scopes that have the dimensions of `scope`."""

    kind: Literal["scope"]
    scope: dict[str, str] = Field(min_length=1)


class ClassTarget(_Target):
    """All facts and claims of one class that were recorded longer ago than `older_than`, with their words."""

    kind: Literal["class"]
    class_name: Name
    older_than: Lasting = timedelta(0)


class TenantTarget(_Target):
    """All memory of the whole tenant, however it is called."""

    kind: Literal["tenant"]


Target = Annotated[
    RecordTarget
    | EventTarget
    | ActivityTarget
    | EntityTarget
    | PersonTarget
    | ScopeTarget
    | ClassTarget
    | TenantTarget,
    Field(discriminator="kind"),
]
"""One of these, told apart by `kind`."""
