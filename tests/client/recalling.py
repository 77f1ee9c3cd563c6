"""Calls of recall, context and explain, for the tests of where calls go."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from keepwell import ContextRequest, Keepwell, RecallRequest

from tests.client.answers import AT, EXPLAINED, MEMORY_ID, context, recalled

Call = Callable[[Keepwell], Awaitable[Any]]
SCOPE = {"workspace": "staging"}
ON = f"/v1/memories/{MEMORY_ID}"

RECALLING: list[tuple[Call, tuple[str, str], Any, Any]] = [
    (
        lambda memory: memory.recall(scope=SCOPE, query="clean up", entities=["db-1"], limit=3),
        ("POST", "/v1/recall"),
        {"scope": SCOPE, "query": "clean up", "entities": ["db-1"], "limit": 3},
        recalled(),
    ),
    (
        lambda memory: memory.recall(RecallRequest(scope={}, as_of=datetime(2026, 3, 2, tzinfo=UTC))),
        ("POST", "/v1/recall"),
        {"scope": {}, "as_of": "2026-03-02T00:00:00Z"},
        recalled(),
    ),
    (
        lambda memory: memory.recall(
            scope=SCOPE,
            activity_id="run",
            observations=[{"attribute": "owner", "value": "Bo", "observed_at": AT}],
        ),
        ("POST", "/v1/recall"),
        {
            "scope": SCOPE,
            "activity_id": "run",
            "observations": [{"attribute": "owner", "value": "Bo", "observed_at": "2026-03-02T09:00:00Z"}],
        },
        recalled(),
    ),
    (
        lambda memory: memory.context(scope=SCOPE, subtask="clean up", answer_tokens=500),
        ("POST", "/v1/context"),
        {"scope": SCOPE, "subtask": "clean up", "answer_tokens": 500},
        context(),
    ),
    (
        lambda memory: memory.context(ContextRequest(scope=SCOPE, goal="order", entities=("db-1",))),
        ("POST", "/v1/context"),
        {"scope": SCOPE, "goal": "order", "entities": ["db-1"]},
        context(),
    ),
    (
        lambda memory: memory.explain(MEMORY_ID, scope=SCOPE, query="clean up"),
        ("POST", f"{ON}/explain"),
        {"scope": SCOPE, "query": "clean up"},
        EXPLAINED,
    ),
    (
        lambda memory: memory.recall(scope=SCOPE, query="clean up", unverified=True),
        ("POST", "/v1/recall"),
        {"scope": SCOPE, "query": "clean up", "unverified": True},
        recalled(),
    ),
]
"""A call, the route that it goes to, the body that it has, and an answer to it."""
