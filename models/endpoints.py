"""Endpoints: where something due is delivered other than into an inbox, and what may be registered as one. Pure.

A webhook is called over HTTP; a workflow gets a signal with ids alone, in the Temporal namespace that Keepwell uses.
"""

import base64
from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.circuit import Circuit
from models.errors import InvalidInput
from models.principals import PLAIN
from models.signals import signal_target
from models.webhooks import target_of

SECRET_BYTES = 32
SECRETS_AT_ONCE = 2
"""While a receiver changes from one secret to the next, both sign."""

_FIELD = "address"


class EndpointKind(StrEnum):
    """How an endpoint is reached."""

    WEBHOOK = "webhook"
    WORKFLOW = "workflow"


class NewEndpoint(BaseModel):
    """An endpoint to be registered: `https://…` for a webhook, `WORKFLOW_ID#SIGNAL` for a workflow."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=100, pattern=PLAIN)
    kind: EndpointKind = EndpointKind.WEBHOOK
    address: str = Field(min_length=1, max_length=2_000)


class EndpointNamed(BaseModel):
    """The endpoint of this name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=100, pattern=PLAIN)


class Endpoint(NamedTuple):
    """An endpoint as it is told: never with its secrets.

    `signed_by` counts them. `reason` is what came of the last failure, or why it was switched off; None while all is
    well.
    """

    id: UUID
    name: str
    kind: EndpointKind
    address: str
    signed_by: int
    made_by: str
    circuit: Circuit
    disabled_at: datetime | None
    reason: str | None
    recorded_at: datetime


class Allowed(NamedTuple):
    """What the operator allows beyond what anybody may register: hosts by name, and workflows as `TENANT:PREFIX`."""

    hosts: Collection[str] = ()
    signals: Collection[str] = ()


def require_reachable(new: NewEndpoint, tenant: UUID, allowed: Allowed) -> None:
    """Raise `InvalidInput`, with the remedy, for an address to which nothing would ever be delivered."""
    if new.kind is EndpointKind.WORKFLOW:
        signal_target(new.address, tenant, allowed.signals)
        return
    try:
        target_of(new.address, allowed.hosts)
    except InvalidInput as refused:
        raise InvalidInput(refused.message, field=_FIELD) from None


def secret_of(key: bytes) -> str:
    """A secret as Standard Webhooks writes it."""
    assert len(key) == SECRET_BYTES
    return f"whsec_{base64.b64encode(key).decode()}"


def rotated(signing: Sequence[str], new: str) -> list[str]:
    """The secrets that sign once there is a new one, the newest first: the one before it still does, none older."""
    return [new, *signing][:SECRETS_AT_ONCE]
