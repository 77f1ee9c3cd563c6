"""Calls of erasures, holds and tombstones, with what goes over the wire."""

from typing import Any

from tests.client.answers import AT, MEMORY_ID
from tests.client.trace_calls import Call

ERASURE = f"/v1/erasures/{MEMORY_ID}"
TARGET = {"kind": "event", "id": str(MEMORY_ID)}
DIGEST = "0f" * 32
LINE = {"kind": "event", "disposition": "redact", "named": True, "records": 1}


def erasure() -> dict[str, Any]:
    """An erasure that is done, as it is told."""
    return {
        "id": str(MEMORY_ID),
        "target": "event",
        "basis": "request",
        "state": "done",
        "asked_by": "petra",
        "asked_at": AT,
        "confirmers": 0,
        "confirmed_by": [],
        "plan": {
            "digest": DIGEST,
            "lines": [LINE],
            "total": 1,
            "depth": 0,
            "holds": [],
            "planned_at": AT,
        },
        "found": {},
        "lapses_at": None,
        "accepted_at": AT,
        "done_at": AT,
        "receipt": {
            "number": 1,
            "digest": DIGEST,
            "previous": DIGEST,
            "key_id": None,
            "signature": None,
            "plan_digest": DIGEST,
            "result": [LINE],
            "result_digest": DIGEST,
            "rows": {"events": 1},
            "runs": 1,
            "vacuumed_at": AT,
            "departed": {},
            "left_here": {},
            "without_holder": [],
        },
    }


def hold() -> dict[str, Any]:
    """A legal hold as it is told."""
    return {
        "id": str(MEMORY_ID),
        "target": TARGET,
        "reason": "litigation",
        "owner": "petra",
        "until": None,
        "released_at": None,
        "released_by": None,
        "held_at": AT,
    }


ERASING: list[tuple[Call, tuple[str, str], Any, Any]] = [
    (
        lambda memory: memory.ask_erasure(target=TARGET, dry_run=True),
        ("POST", "/v1/erasures"),
        {"target": TARGET, "dry_run": True},
        erasure(),
    ),
    (
        lambda memory: memory.erasure_page(after=MEMORY_ID, limit=5),
        ("GET", f"/v1/erasures?after={MEMORY_ID}&limit=5"),
        None,
        {"erasures": [erasure()], "next": None},
    ),
    (lambda memory: memory.erasure(MEMORY_ID), ("GET", ERASURE), None, erasure()),
    (
        lambda memory: memory.confirm_erasure(MEMORY_ID, DIGEST),
        ("POST", f"{ERASURE}/confirm"),
        {"digest": DIGEST},
        erasure(),
    ),
    (lambda memory: memory.withdraw_erasure(MEMORY_ID), ("POST", f"{ERASURE}/withdraw"), None, erasure()),
    (
        lambda memory: memory.tombstone(MEMORY_ID),
        ("GET", f"/v1/tombstones/{MEMORY_ID}"),
        None,
        {
            "id": str(MEMORY_ID),
            "kind": "event",
            "disposition": "redact",
            "erasure_id": str(MEMORY_ID),
            "erased_at": AT,
        },
    ),
    (
        lambda memory: memory.check_erasure_log(),
        ("GET", "/v1/erasures/log"),
        None,
        {"holds": True, "faults": []},
    ),
    (
        lambda memory: memory.hold(TARGET, "litigation"),
        ("POST", "/v1/holds"),
        {"target": TARGET, "reason": "litigation"},
        {"id": str(MEMORY_ID)},
    ),
    (lambda memory: memory.holds(), ("GET", "/v1/holds"), None, {"holds": [hold()]}),
    (lambda memory: memory.release_hold(MEMORY_ID), ("POST", f"/v1/holds/{MEMORY_ID}/release"), None, None),
]
