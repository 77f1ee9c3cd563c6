"""Endpoints as administrators see them."""

from datetime import datetime
from uuid import UUID

from models.circuit import CircuitState
from models.endpoints import EndpointKind
from surfaces.http.answers.base import Answer


class EndpointTold(Answer):
    """An endpoint, without its secrets; `signed_by` counts them.

    `circuit` says whether it is sent to at the moment, and `failures` how many attempts in a row have failed. `reason`
    is what came of the last failure, or why it was switched off.
    """

    id: UUID
    name: str
    kind: EndpointKind
    address: str
    signed_by: int
    made_by: str
    circuit: CircuitState
    failures: int
    disabled_at: datetime | None
    reason: str | None
    made_at: datetime


class EndpointMade(Answer):
    """An endpoint with a new secret, which is shown this once; None for a workflow, which no secret signs for."""

    endpoint: EndpointTold
    secret: str | None


class EndpointList(Answer):
    """All endpoints of the tenant, by name."""

    endpoints: list[EndpointTold]
