"""Who is calling. A principal comes from authentication or the operator's own process, never from a body."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.ids import tenant_id

PLAIN = r"^[^\x00-\x1f\x7f-\x9f]+$"
"""No control characters: a name is shown, compared and stored as it is."""


class PrincipalKind(StrEnum):
    """What sort of actor it is; a model's tool call is always an agent's."""

    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"


class Speaker(BaseModel):
    """What is remembered of a principal beside each event: enough to decide permission again later."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: str = Field(min_length=1, max_length=200, pattern=PLAIN)
    kind: PrincipalKind
    roles: tuple[Annotated[str, Field(min_length=1, max_length=100, pattern=PLAIN)], ...] = ()


class Principal(Speaker):
    """An authenticated caller within one tenant."""

    tenant: str = Field(min_length=1, max_length=100, pattern=r"^[a-z0-9][a-z0-9._-]*$")

    @property
    def tenant_id(self) -> UUID:
        return tenant_id(self.tenant)
