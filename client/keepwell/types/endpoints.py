"""Endpoints: where what is due is delivered other than into an inbox."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from keepwell.types.wire import Answer, Open, Request
from keepwell.types.words import CircuitState, EndpointKind

_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]+$"


class NewEndpoint(Request):
    """An endpoint to be registered: `https://…` for a webhook, `WORKFLOW_ID#SIGNAL` for a workflow."""

    name: str = Field(min_length=1, max_length=100, pattern=_PLAIN)
    kind: EndpointKind = "webhook"
    address: str = Field(min_length=1, max_length=2_000)


class EndpointNamed(Request):
    """The endpoint of this name."""

    name: str = Field(min_length=1, max_length=100, pattern=_PLAIN)


class EndpointTold(Answer):
    """An endpoint, without its secrets; `signed_by` counts them. `circuit` says whether it is sent to at the moment."""

    id: UUID
    name: str
    kind: Annotated[Literal["webhook", "workflow"] | str, Open]
    address: str
    signed_by: int
    made_by: str
    circuit: CircuitState
    failures: int
    disabled_at: datetime | None
    reason: str | None
    made_at: datetime


class EndpointMade(Answer):
    """An endpoint with a new secret, which is shown this once; None for a workflow."""

    endpoint: EndpointTold
    secret: str | None = Field(repr=False)


class EndpointList(Answer):
    """All endpoints of the tenant, by name."""

    endpoints: list[EndpointTold]
