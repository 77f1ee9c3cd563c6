"""Who is calling. A principal comes from authentication or the operator's own process, never from a body."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.ids import tenant_id
from models.verbs import Verb

PLAIN = r"^[^\x00-\x1f\x7f-\x9f]+$"
"""No control characters: a name is shown, compared and stored as it is."""


class PrincipalKind(StrEnum):
    """What sort of actor it is; a model's tool call is always an agent's."""

    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"


SubjectName = Annotated[str, Field(min_length=1, max_length=200, pattern=PLAIN)]
"""What a principal is called within its tenant; compared to the letter."""


class Speaker(BaseModel):
    """What is remembered of a principal beside each event: enough to decide permission again later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: SubjectName
    kind: PrincipalKind
    roles: tuple[Annotated[str, Field(min_length=1, max_length=100, pattern=PLAIN)], ...] = ()


class Principal(Speaker):
    """An authenticated caller within one tenant.

    A credential can narrow what its holder may do by roles: to requests whose scope has the dimensions of
    `within`, and to the verbs in `only`, None for all of them.
    """

    tenant: str = Field(min_length=1, max_length=100, pattern=r"^[a-z0-9][a-z0-9._-]*$")
    within: dict[str, str] = Field(default_factory=dict[str, str])
    only: frozenset[Verb] | None = None

    @property
    def tenant_id(self) -> UUID:
        return tenant_id(self.tenant)

    def as_model(self) -> "Principal":
        """The same caller where a model chose the words: an agent, whoever owns the connection."""
        return self.model_copy(update={"kind": PrincipalKind.AGENT})
