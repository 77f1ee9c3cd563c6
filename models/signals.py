"""Where a signal may go: which workflows can be registered as endpoints, and by which tenant. Pure.

Every tenant's signals are sent by one client, to a namespace that other tenants and applications may use as well. So
nothing is signalled but what the operator has allowed, tenant by tenant.
"""

import re
from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from models.errors import InvalidInput
from models.ids import tenant_id
from models.principals import PLAIN

OWN_PROCESSES = (
    "consolidation",
    "fact",
    "gate",
    "intentions",
    "delivery",
    "promotion",
    "reflection",
    "reembedding",
)
"""What the ids of Keepwell's own workflows begin with: nobody outside has anything to say to those."""

_TEMPORALS_OWN = "temporal-sys-"
_MOST_ID, _MOST_SIGNAL = 1_000, 200
_SIGNAL = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]*")
_ENTRY = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}:[^\x00-\x20\x7f-\x9f]+")
_FIELD = "address"


class SignalTarget(NamedTuple):
    """A workflow in the namespace of Keepwell's own, and the signal that it gets."""

    workflow_id: str
    signal: str


def signal_target(address: str, tenant: UUID, allowed: Collection[str]) -> SignalTarget:
    """The parts of a workflow's address; raises `InvalidInput` with the remedy.

    `allowed` are the operator's `TENANT:PREFIX`, see `allowed_target`.

    | the address | is |
    | --- | --- |
    | has no `#`, or nothing on one side of it | refused |
    | has an id of more than 1,000 characters, or one that is not plain | refused |
    | names a signal with other signs than letters, digits and `_.:/-`, or one of Temporal's own | refused |
    | has the id of one of Keepwell's own workflows, or of Temporal's | refused, allowed or not |
    | has an id that begins with a prefix which is allowed to this tenant; the last `#` parts it | taken |
    | is anything else | refused |
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
    if workflow_id.partition("/")[0] in OWN_PROCESSES or workflow_id.startswith(_TEMPORALS_OWN):
        raise InvalidInput(
            "name a workflow of your own; ids such as this one are those of Keepwell's or Temporal's workflows",
            field=_FIELD,
        )
    if not _is_allowed(workflow_id, tenant, allowed):
        raise InvalidInput(
            "no signal goes to a workflow of this id; have the operator set KEEPWELL_SIGNAL_TARGETS to TENANT:PREFIX,"
            " your tenant's name and what the ids of its workflows begin with",
            field=_FIELD,
        )
    return SignalTarget(workflow_id, signal)


def _is_allowed(workflow_id: str, tenant: UUID, allowed: Collection[str]) -> bool:
    entries = (entry.partition(":") for entry in allowed)
    return any(tenant_id(name) == tenant and workflow_id.startswith(prefix) for name, _, prefix in entries)


def allowed_target(entry: str) -> str:
    """One of the operator's `TENANT:PREFIX`; raises `ValueError`. No prefix is empty: that would be the namespace."""
    if not _ENTRY.fullmatch(entry):
        raise ValueError(
            "write TENANT:PREFIX, such as acme:agent-, for workflows whose ids begin with agent-"
        )
    return entry
