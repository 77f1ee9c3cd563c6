"""The calls about answers that were given, for the table of all calls."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from keepwell import Keepwell

from tests.client.answers import EXPLAINED, MEMORY_ID, attribution, trace

EVIDENCE = uuid4()
SCOPE = {"workspace": "staging"}
Call = Callable[[Keepwell], Awaitable[Any]]

TRACE_CALLS: list[tuple[Call, tuple[str, str], Any, Any]] = [
    (lambda memory: memory.trace(MEMORY_ID), ("GET", f"/v1/traces/{MEMORY_ID}"), None, trace()),
    (
        lambda memory: memory.trace_page(record_id=MEMORY_ID, trigger="new_error", limit=5),
        ("GET", f"/v1/traces?record_id={MEMORY_ID}&trigger=new_error&limit=5"),
        None,
        {"traces": [trace()], "next": None},
    ),
    (
        lambda memory: memory.explain_trace(MEMORY_ID, EVIDENCE),
        ("GET", f"/v1/traces/{MEMORY_ID}/explain/{EVIDENCE}"),
        None,
        EXPLAINED,
    ),
    (
        lambda memory: memory.report(MEMORY_ID, used=[EVIDENCE], outcome="success", idempotency_key="k"),
        ("POST", f"/v1/traces/{MEMORY_ID}/report"),
        {"used": [str(EVIDENCE)], "outcome": "success", "idempotency_key": "k"},
        {"trace_id": str(MEMORY_ID), "duplicate": False},
    ),
    (
        lambda memory: memory.attribution(scope=SCOPE, since=datetime(2026, 3, 2, tzinfo=UTC)),
        ("POST", "/v1/attribution/query"),
        {"scope": SCOPE, "since": "2026-03-02T00:00:00Z"},
        attribution(),
    ),
]
