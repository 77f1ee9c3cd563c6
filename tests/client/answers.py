"""Answers as the service gives them, for the servers of these tests."""

from typing import Any
from uuid import UUID, uuid4

from tests.client.misbehaving import Reply, Sent

MEMORY_ID = UUID("11111111-2222-4333-8444-555555555555")
AT = "2026-03-02T09:00:00+00:00"
EXPLAINED = {"record_id": str(MEMORY_ID), "as_of": AT, "included": False, "dropped_at": "scope", "checks": []}


def acknowledgement(seq: int = 1, *, duplicate: bool = False) -> dict[str, Any]:
    return {
        "event_id": str(uuid4()),
        "activity": str(MEMORY_ID),
        "seq": seq,
        "duplicate": duplicate,
        "durable": True,
        "readable": False,
        "verdict": "pending",
        "masked": [],
    }


def outcome(verdict: str = "establish") -> dict[str, Any]:
    return {
        "event_id": str(uuid4()),
        "activity": str(MEMORY_ID),
        "duplicate": False,
        "verdict": verdict,
        "reason": "nothing_there",
        "governs": True,
        "memory_id": str(MEMORY_ID),
        "concerns": None,
    }


def recalled() -> dict[str, Any]:
    return {
        "facts": [],
        "passages": [],
        "advice": "use",
        "missing": [],
        "over_budget": [],
        "tokens": 0,
        "limit": 10,
        "left_out": 0,
        "as_of": AT,
        "unverified": [],
        "conflicts": [],
        "unmet": [],
        "triggers": ["explicit_need"],
        "session": [],
        "intentions": [],
        "procedure": None,
        "procedure_over_budget": None,
        "without": [],
        "trace_id": str(MEMORY_ID),
    }


def context(text: str = "<retrieved-memory>\n</retrieved-memory>") -> dict[str, Any]:
    return {
        "text": text,
        "sections": [{"name": "facts", "ids": [str(MEMORY_ID)], "tokens": 40}],
        "advice": "use",
        "missing": [],
        "conflicts": [],
        "unmet": [],
        "triggers": ["explicit_need"],
        "without": [],
        "tokens": 120,
        "left_out": 0,
        "session_left_out": 0,
        "procedure_over_budget": None,
        "as_of": AT,
        "trace_id": str(MEMORY_ID),
    }


def review(**changed: Any) -> dict[str, Any]:
    said = {
        "event_id": str(MEMORY_ID),
        "subject": "sam",
        "authority": "human_instruction",
        "authority_role": None,
        "supports": "claim",
        "occurred_at": AT,
        "text": "It may go.",
    }
    return {
        "id": str(MEMORY_ID),
        "waiting": "held",
        "reason": "not_permitted",
        "gate": "authority",
        "meaning": "no role of whoever said it may write it",
        "class_name": "operational_restriction",
        "recorded_at": AT,
        "lapses_at": None,
        "claim": fact(status="quarantined"),
        "unnamed": None,
        "heard": [said],
        "challenged": None,
        "challenged_heard": [],
        "not_by": ["sam"],
        "mismatches": None,
        **changed,
    }


def fact(**changed: Any) -> dict[str, Any]:
    return {
        "kind": "fact",
        "id": str(MEMORY_ID),
        "scope": {"workspace": "staging"},
        "entity": {"canonical": None, "name": "gpu-bench-01"},
        "attribute": "keep_running",
        "value": "yes",
        "ends_when": "QA has migrated",
        "expires_at": None,
        "status": "active",
        "switched_off": False,
        "valid_from": AT,
        "ended_at": None,
        "ending": None,
        "stated_at": AT,
        "restated_at": AT,
        "recorded_at": AT,
        "authority": "human_instruction",
        "authority_role": "infra_lead",
        "standing": "observed",
        "challenges": None,
        "statement": "Keep it running.",
        **changed,
    }


def episode() -> dict[str, Any]:
    return {
        "kind": "episode",
        "id": str(MEMORY_ID),
        "scope": {"workspace": "staging"},
        "activity": str(MEMORY_ID),
        "activity_id": "act-1",
        "revision": 1,
        "execution_status": "completed",
        "goal_outcome": "unknown",
        "narrative": "It was stopped.",
        "started_at": AT,
        "ended_at": AT,
        "recorded_at": AT,
        "retracted_at": None,
        "sources": [],
    }


def key(**changed: Any) -> dict[str, Any]:
    return {
        "id": str(MEMORY_ID),
        "name": "ci",
        "subject": "ci-agent",
        "kind": "agent",
        "roles": ["agent"],
        "within": {},
        "only": None,
        "created_at": AT,
        "expires_at": None,
        "revoked_at": None,
        "last_used_at": None,
        **changed,
    }


def switched(state: str = "off") -> dict[str, Any]:
    return {"class_name": "general_note", "state": state, "since": AT}


def export(**changed: Any) -> dict[str, Any]:
    """An export with nothing in it."""
    sections = (
        "memories",
        "events",
        "episodes",
        "confirmations",
        "changes",
        "switches",
        "policy_changes",
        "recalls",
        "withheld",
    )
    counted = (*sections, "candidates", "passages")
    return {
        "format": "keepwell.export",
        "version": 1,
        "tenant": "acme",
        "subject": "dana",
        "requested_by": "dana",
        "generated_at": AT,
        **{section: [] for section in sections},
        "counts": dict.fromkeys(counted, 0),
        "digest": "0" * 64,
        **changed,
    }


def trace(**changed: Any) -> dict[str, Any]:
    asked = {
        "subject": "ops-agent",
        "kind": "agent",
        "roles": ["agent"],
        "policy_version": 0,
        "scope": {"workspace": "staging"},
        "query": "clean up",
        "entities": [],
        "as_of": AT,
        "known_at": None,
        "timezone": None,
        "budget_tokens": 2_000,
        "limit": 10,
    }
    entry = {
        "id": str(MEMORY_ID),
        "kind": "fact",
        "rank": 1,
        "score": 1.0,
        "reasons": ["keywords"],
        "fate": "selected",
        "observed": None,
    }
    return {
        "id": str(MEMORY_ID),
        "recorded_at": AT,
        "asked": asked,
        "triggers": ["explicit_need"],
        "advice": "use",
        "tokens": 30,
        "decisions": [{"name": "trigger", "saw": {"triggers": ["explicit_need"], "searches": True}}],
        "entries": [entry],
        **changed,
    }


def attribution() -> dict[str, Any]:
    return {
        "scope": {"workspace": "staging"},
        "since": AT,
        "until": AT,
        "recalls": 0,
        "reported": 0,
        "funnels": [{"kind": "fact", "stages": [{"stage": "written", "records": 0}], "losses": []}],
        "triggers": [],
        "pairs": {"pairs": 0, "complete": 0, "rescue": 0, "regret": 0, "unchanged": 0, "net": None},
    }


def policy(**changed: Any) -> dict[str, Any]:
    return {"version": 3, "digest": "ab" * 32, "document": {"version": 2}, "content": None, **changed}


class EventLog:
    """Takes events as the service does: in order, each key once."""

    def __init__(self) -> None:
        self.events: dict[str, dict[str, Any]] = {}

    @property
    def texts(self) -> list[str]:
        return [event["text"] for event in self.events.values()]

    def __call__(self, sent: Sent) -> Reply:
        batch = sent.path.endswith("/batch")
        events = sent.body["events"] if batch else [sent.body]
        receipts: list[dict[str, Any]] = []
        for event in events:
            duplicate = event["idempotency_key"] in self.events
            self.events.setdefault(event["idempotency_key"], event)
            receipts.append(acknowledgement(len(self.events), duplicate=duplicate))
        return Reply(201, {"events": receipts} if batch else receipts[0])
