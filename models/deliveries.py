"""What an endpoint is told of something due, and when something is sent to it next. Pure.

A webhook gets what is to be done; a workflow gets ids and instants alone, as its history keeps what it gets.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from models.circuit import Circuit
from models.ids import derived_id
from models.intentions import Intention, Occurrence
from models.messages import DueSignal
from models.notices import is_notice, type_of

DUE = "intention.due"
"""The type of the message."""


def message_id(occurrence: Occurrence) -> UUID:
    """The id of the message that says that something is due: the same in every attempt.

    It is that of the occurrence; what comes again, once it was put off, is another message.
    """
    if occurrence.leases == 0:
        return occurrence.id
    return derived_id("message", occurrence.id, occurrence.leases)


def body_of(occurrence: Occurrence, intention: Intention) -> bytes:
    """What a webhook says, to the byte the same in every attempt. `lateness` is in seconds.

    A notice is told under its own type, with what it tells beside its id and scope.
    """
    if is_notice(intention):
        noticed = {"occurrence": str(occurrence.id), "scope": intention.scope, **intention.data}
        return _written(type_of(intention.data), occurrence, noticed)
    due = {
        "occurrence": str(occurrence.id),
        "intention": str(intention.id),
        "action": intention.action,
        "data": intention.data,
        "scope": intention.scope,
        "due_at": occurrence.due_at.isoformat(),
        "lateness": max(0.0, (occurrence.fired_at - occurrence.due_at).total_seconds()),
    }
    return _written(DUE, occurrence, due)


def _written(kind: str, occurrence: Occurrence, data: Mapping[str, Any]) -> bytes:
    said = {"type": kind, "timestamp": occurrence.fired_at.isoformat(), "data": data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()


def signal_of(tenant_id: UUID, occurrence: Occurrence) -> DueSignal:
    """What a workflow is told."""
    return DueSignal(
        tenant_id=tenant_id,
        message_id=message_id(occurrence),
        occurrence_id=occurrence.id,
        intention_id=occurrence.intention_id,
        due_at=occurrence.due_at,
    )


def wakes_at(circuit: Circuit, disabled_at: datetime | None, next_at: datetime | None) -> datetime | None:
    """When an endpoint is to be looked at by itself again.

    | the endpoint | and the next message | then |
    | --- | --- | --- |
    | is switched off | | never: switching it on looks at it |
    | | is none | never |
    | is left alone | is due before that ends | when it ends |
    | otherwise | | when the message is due |
    """
    if disabled_at is not None or next_at is None:
        return None
    return next_at if circuit.open_until is None else max(next_at, circuit.open_until)
