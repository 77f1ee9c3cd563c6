"""Calls of intentions and of the inbox, with what goes over the wire."""

from typing import Any
from uuid import UUID

from keepwell.types import NewIntention

from tests.client.answers import AT, MEMORY_ID
from tests.client.trace_calls import Call

SCOPE = {"workspace": "staging"}
OF = f"/v1/intentions/{MEMORY_ID}"
DUE = f"/v1/inbox/{MEMORY_ID}"
LEASE = UUID(int=7)


def intention() -> dict[str, Any]:
    """An intention as it is told."""
    return {
        "id": str(MEMORY_ID),
        "status": "pending",
        "action": "check the canary",
        "data": {},
        "scope": SCOPE,
        "owner": {"subject": "a", "kind": "agent"},
        "set_by": {"subject": "a", "kind": "agent"},
        "trigger": {"kind": "instant", "at": AT},
        "told": "Monday",
        "coming": [AT],
        "not_before": None,
        "deadline": None,
        "grace_seconds": 86_400.0,
        "timezone": "UTC",
        "endpoint_id": None,
        "premises": [],
        "reason": None,
        "fired": 0,
        "event_id": str(MEMORY_ID),
        "set_at": AT,
    }


def changed() -> dict[str, Any]:
    return {"intention": intention(), "event_id": str(MEMORY_ID), "duplicate": False}


def due() -> dict[str, Any]:
    """Something due as it is told."""
    return {
        "occurrence_id": str(MEMORY_ID),
        "intention_id": str(MEMORY_ID),
        "action": "check the canary",
        "data": {},
        "scope": SCOPE,
        "set_by": {"subject": "a", "kind": "agent"},
        "due_at": AT,
        "fired_at": AT,
        "cause_id": None,
        "leases": 1,
        "lease": str(LEASE),
        "lease_ends_at": AT,
    }


def endpoint() -> dict[str, Any]:
    """An endpoint as it is told."""
    return {
        "id": str(MEMORY_ID),
        "name": "hooks",
        "kind": "webhook",
        "address": "https://hooks.example.org/in",
        "signed_by": 1,
        "made_by": "root",
        "circuit": "closed",
        "failures": 0,
        "disabled_at": None,
        "reason": None,
        "made_at": AT,
    }


READ = {"intention": intention(), "occurrences": []}
INTENDING: list[tuple[Call, tuple[str, str], Any, Any]] = [
    (
        lambda memory: memory.intend("check", scope=SCOPE, after="PT40M", idempotency_key="k"),
        ("POST", "/v1/intentions"),
        {"scope": SCOPE, "action": "check", "after": "PT40M", "idempotency_key": "k"},
        changed(),
    ),
    (
        lambda memory: memory.intend(
            NewIntention(action="check", scope=SCOPE, words="tomorrow at 9", idempotency_key="k")
        ),
        ("POST", "/v1/intentions"),
        {"scope": SCOPE, "action": "check", "words": "tomorrow at 9", "idempotency_key": "k"},
        changed(),
    ),
    (
        lambda memory: memory.preview_intention("check", scope=SCOPE, words="tomorrow at 9"),
        ("POST", "/v1/intentions/preview"),
        {"scope": SCOPE, "action": "check", "words": "tomorrow at 9"},
        {"told": "Tuesday", "coming": [AT]},
    ),
    (
        lambda memory: memory.intention_page(scope=SCOPE, limit=5),
        ("POST", "/v1/intentions/query"),
        {"scope": SCOPE, "limit": 5},
        {"intentions": [intention()], "next": None},
    ),
    (lambda memory: memory.intention(MEMORY_ID), ("GET", OF), None, READ),
    (
        lambda memory: memory.cancel_intention(MEMORY_ID, text="No need.", idempotency_key="k"),
        ("POST", f"{OF}/cancel"),
        {"text": "No need.", "idempotency_key": "k"},
        changed(),
    ),
    (
        lambda memory: memory.confirm_intention(MEMORY_ID, idempotency_key="k"),
        ("POST", f"{OF}/confirm"),
        {"idempotency_key": "k"},
        changed(),
    ),
    (
        lambda memory: memory.reschedule_intention(MEMORY_ID, after="PT1H", idempotency_key="k"),
        ("POST", f"{OF}/reschedule"),
        {"after": "PT1H", "idempotency_key": "k"},
        changed(),
    ),
    (
        lambda memory: memory.hand_over_intention(MEMORY_ID, owner={"subject": "b"}, idempotency_key="k"),
        ("POST", f"{OF}/hand-over"),
        {"owner": {"subject": "b"}, "idempotency_key": "k"},
        changed(),
    ),
    (
        lambda memory: memory.take(limit=5, wait_seconds=0.5),
        ("POST", "/v1/inbox/take"),
        {"limit": 5, "wait_seconds": 0.5},
        {"due": [due()]},
    ),
    (
        lambda memory: memory.acknowledge(MEMORY_ID, lease=LEASE, text="Well.", idempotency_key="k"),
        ("POST", f"{DUE}/acknowledge"),
        {"lease": str(LEASE), "text": "Well.", "idempotency_key": "k"},
        READ,
    ),
    (
        lambda memory: memory.snooze(MEMORY_ID, after="PT15M", idempotency_key="k"),
        ("POST", f"{DUE}/snooze"),
        {"after": "PT15M", "idempotency_key": "k"},
        READ,
    ),
    (
        lambda memory: memory.register_endpoint("hooks", "https://hooks.example.org/in"),
        ("POST", "/v1/endpoints"),
        {"name": "hooks", "address": "https://hooks.example.org/in"},
        {"endpoint": endpoint(), "secret": "whsec_x"},
    ),
    (lambda memory: memory.endpoints(), ("GET", "/v1/endpoints"), None, {"endpoints": [endpoint()]}),
    (
        lambda memory: memory.rotate_endpoint("hooks"),
        ("POST", "/v1/endpoints/rotate"),
        {"name": "hooks"},
        {"endpoint": endpoint(), "secret": "whsec_x"},
    ),
    (
        lambda memory: memory.disable_endpoint("hooks"),
        ("POST", "/v1/endpoints/disable"),
        {"name": "hooks"},
        endpoint(),
    ),
    (
        lambda memory: memory.enable_endpoint("hooks"),
        ("POST", "/v1/endpoints/enable"),
        {"name": "hooks"},
        endpoint(),
    ),
]
