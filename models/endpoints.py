"""Endpoints: where something due is delivered other than into an inbox, and what may be registered as one. Pure.

A webhook is called over HTTP; a workflow gets a signal with ids alone, in the Temporal namespace that Keepwell uses.
"""

import base64
import re
from collections.abc import Collection, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.circuit import Circuit
from models.errors import InvalidInput
from models.principals import PLAIN
from models.webhooks import target_of

SECRET_BYTES = 32
SECRETS_AT_ONCE = 2
"""While a receiver changes from one secret to the next, both sign."""

OWN_PROCESSES = (
    "consolidation",
    "fact",
    "gate",
    "intentions",
    "delivery",
    "reembedding",
)
"""What the ids of Keepwell's own workflows begin with: nobody outside has anything to say to those."""

_MOST_ID, _MOST_SIGNAL = 1_000, 200
_SIGNAL = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]*")
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


class SignalTarget(NamedTuple):
    """A workflow in the namespace of Keepwell's own, and the signal that it gets."""

    workflow_id: str
    signal: str


def require_reachable(new: NewEndpoint, allowed: Collection[str]) -> None:
    """Raise `InvalidInput`, with the remedy, for an address to which nothing would ever be delivered.

    `allowed` are the hosts that the operator has allowed by name.
    """
    if new.kind is EndpointKind.WORKFLOW:
        signal_target(new.address)
        return
    try:
        target_of(new.address, allowed)
    except InvalidInput as refused:
        raise InvalidInput(refused.message, field=_FIELD) from None


def signal_target(address: str) -> SignalTarget:
    """The parts of a workflow's address.

    | the address | is |
    | --- | --- |
    | has no `#`, or nothing on one side of it | refused |
    | has an id of more than 1,000 characters, or one that is not plain | refused |
    | names a signal with other signs than letters, digits and `_.:/-`, or one of Temporal's own | refused |
    | has the id of one of Keepwell's own workflows | refused |
    | is anything else; the last `#` parts it | taken |
    """
    workflow_id, _, signal = address.rpartition("#")
    if not workflow_id or not signal:
        raise InvalidInput("write it as WORKFLOW_ID#SIGNAL, such as agent-7#intention_due", field=_FIELD)
    if len(workflow_id) > _MOST_ID or not re.fullmatch(PLAIN, workflow_id):
        raise InvalidInput(
            f"write the workflow's id in at most {_MOST_ID} characters, without control characters",
            field=_FIELD,
        )
    if len(signal) > _MOST_SIGNAL or not _SIGNAL.fullmatch(signal):
        raise InvalidInput(
            f"name a signal of the workflow's own: a letter, then letters, digits and _.:/-, {_MOST_SIGNAL} at most",
            field=_FIELD,
        )
    if workflow_id.partition("/")[0] in OWN_PROCESSES:
        raise InvalidInput(
            "name a workflow of your own; ids such as this one are those of Keepwell's workflows",
            field=_FIELD,
        )
    return SignalTarget(workflow_id, signal)


def secret_of(key: bytes) -> str:
    """A secret as Standard Webhooks writes it."""
    assert len(key) == SECRET_BYTES
    return f"whsec_{base64.b64encode(key).decode()}"


def rotated(signing: Sequence[str], new: str) -> list[str]:
    """The secrets that sign once there is a new one, the newest first: the one before it still does, none older."""
    return [new, *signing][:SECRETS_AT_ONCE]
