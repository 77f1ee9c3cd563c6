"""Calls of procedures and proposals, with what goes over the wire."""

from typing import Any

from tests.client.answers import AT, MEMORY_ID, episode
from tests.client.trace_calls import Call

SCOPE = {"workspace": "staging"}
OF = f"/v1/procedures/{MEMORY_ID}"
PROPOSED = f"/v1/proposals/{MEMORY_ID}"
CONTENT: dict[str, Any] = {
    "trigger": {"intent": "Clean up idle compute", "task_class": "cleanup"},
    "preconditions": ["it is a weekday"],
    "applies_to": ["cloud-instance"],
    "steps": [{"id": "look", "do": "Look at 72 h of CPU", "verify": "It is noted", "because": None}],
}
SENT = {**CONTENT, "steps": [{key: said for key, said in CONTENT["steps"][0].items() if said is not None}]}
WHO = {"subject": "sam", "kind": "human"}


def version() -> dict[str, Any]:
    """A version as it is told."""
    return {
        "id": str(MEMORY_ID),
        "number": 1,
        "status": "current",
        "content": CONTENT,
        "origin": "written",
        "proposal_id": str(MEMORY_ID),
        "drafters": [WHO],
        "approved": [{"by": WHO, "role": "infra_lead", "at": AT}],
        "episodes": [],
        "trial": None,
        "reason": "approved",
        "recorded_at": AT,
    }


def procedure() -> dict[str, Any]:
    """A procedure as it is told."""
    return {
        "id": str(MEMORY_ID),
        "scope": SCOPE,
        "name": "cleanup",
        "class_name": "operations",
        "versions": 1,
        "current": version(),
        "trial": None,
    }


def proposal() -> dict[str, Any]:
    """A proposal as it is told."""
    return {
        "id": str(MEMORY_ID),
        "procedure_id": str(MEMORY_ID),
        "name": "cleanup",
        "scope": SCOPE,
        "class_name": "operations",
        "base": None,
        "content": CONTENT,
        "origin": "written",
        "drafters": [WHO],
        "because": None,
        "episodes": [],
        "state": "open",
        "reason": "proposed",
        "revision": 1,
        "recorded_at": AT,
        "lapses_at": AT,
        "version_id": None,
    }


CHANGED = {"proposal": proposal(), "event_id": str(MEMORY_ID), "duplicate": False}
GROUND = {"change": "steps/look", "because": "four incidents", "supporting": [], "opposing": [], "runs": 9}
READ: dict[str, Any] = {
    "proposal": proposal(),
    "base": None,
    "changes": [
        {
            "what": "steps/look",
            "kind": "added",
            "before": None,
            "after": CONTENT["steps"][0],
            "grounds": [GROUND],
        }
    ],
    "episodes": [episode()],
    "decisions": [],
    "approvals": [],
    "reviewers": 1,
}
DECIDED = {**CHANGED, "decision_id": str(MEMORY_ID), "outcome": "approved", "meaning": "in force"}
TALLY = {"number": 1, "runs": 1, "succeeded": 1, "failed": 0, "steps": []}
PLAYING: list[tuple[Call, tuple[str, str], Any, Any]] = [
    (
        lambda memory: memory.propose(
            "cleanup", class_name="operations", scope=SCOPE, content=SENT, idempotency_key="k"
        ),
        ("POST", "/v1/proposals"),
        {
            "scope": SCOPE,
            "procedure": "cleanup",
            "class_name": "operations",
            "content": SENT,
            "idempotency_key": "k",
        },
        CHANGED,
    ),
    (
        lambda memory: memory.proposal_page(scope={}, states=["rejected"], limit=5),
        ("POST", "/v1/proposals/query"),
        {"scope": {}, "states": ["rejected"], "limit": 5},
        {"proposals": [proposal()], "next": None},
    ),
    (lambda memory: memory.proposal(MEMORY_ID), ("GET", PROPOSED), None, READ),
    (
        lambda memory: memory.revise_proposal(MEMORY_ID, revision=1, content=SENT, idempotency_key="k"),
        ("POST", f"{PROPOSED}/revise"),
        {"revision": 1, "content": SENT, "idempotency_key": "k"},
        CHANGED,
    ),
    (
        lambda memory: memory.withdraw_proposal(MEMORY_ID, because="No need.", idempotency_key="k"),
        ("POST", f"{PROPOSED}/withdraw"),
        {"because": "No need.", "idempotency_key": "k"},
        CHANGED,
    ),
    (
        lambda memory: memory.decide(MEMORY_ID, revision=1, choice="approve", idempotency_key="k"),
        ("POST", f"{PROPOSED}/decisions"),
        {"revision": 1, "choice": "approve", "idempotency_key": "k"},
        DECIDED,
    ),
    (
        lambda memory: memory.procedure_page(scope=SCOPE, limit=5),
        ("POST", "/v1/procedures/query"),
        {"scope": SCOPE, "limit": 5},
        {"procedures": [procedure()], "next": None},
    ),
    (
        lambda memory: memory.procedure(MEMORY_ID),
        ("GET", OF),
        None,
        {"procedure": procedure(), "versions": [version()]},
    ),
    (
        lambda memory: memory.roll_back(MEMORY_ID, to=1, because="It was better.", idempotency_key="k"),
        ("POST", f"{OF}/rollback"),
        {"to": 1, "because": "It was better.", "idempotency_key": "k"},
        {"procedure": procedure(), "event_id": str(MEMORY_ID), "duplicate": False},
    ),
    (
        lambda memory: memory.report_run(
            MEMORY_ID,
            version=1,
            scope=SCOPE,
            activity_id="act-1",
            steps=[{"id": "look", "fate": "done"}],
            outcome="success",
            idempotency_key="k",
        ),
        ("POST", f"{OF}/runs"),
        {
            "version": 1,
            "scope": SCOPE,
            "activity_id": "act-1",
            "steps": [{"id": "look", "fate": "done"}],
            "outcome": "success",
            "idempotency_key": "k",
        },
        {"event_id": str(MEMORY_ID), "activity_id": str(MEMORY_ID), "duplicate": False},
    ),
    (
        lambda memory: memory.runs(MEMORY_ID),
        ("GET", f"{OF}/runs"),
        None,
        {"current": TALLY, "trial": None, "pairs": None},
    ),
    (
        lambda memory: memory.reflect(),
        ("POST", "/v1/reflections"),
        None,
        {"read": 4, "found": 1, "proposed": 1, "widened": 1, "lapsed": 2},
    ),
    (
        lambda memory: memory.retract_episode(MEMORY_ID, text="Another machine.", idempotency_key="k"),
        ("POST", f"/v1/episodes/{MEMORY_ID}/retract"),
        {"text": "Another machine.", "idempotency_key": "k"},
        {"episode_id": str(MEMORY_ID), "event_id": str(MEMORY_ID), "duplicate": False},
    ),
]
"""Each call, the method and path that it goes to, the body that it sends, and an answer to it."""
