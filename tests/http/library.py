"""A tenant with memories of every kind and status, and what a filter means, said once more in Python."""

import asyncio
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import text

from models.authority import Authority
from models.events import CHECKPOINTS
from models.principals import Principal, PrincipalKind
from tests.http.conftest import Asking
from tests.world import STAGING, event

FAR = "2999-01-01T00:00:00Z"
PAST = "2026-03-01T09:00:00Z"


def librarian(asking: Asking) -> Principal:
    """Somebody whose word counts for every attribute."""
    return asking.world.principal("olga", PrincipalKind.HUMAN, "operator")


async def fill(asking: Asking) -> None:
    """Facts of each status, about things with an id, with a name and without either; episodes of each outcome."""
    world, who = asking.world, librarian(asking)
    server = {"id": "cloud-instance:i-1", "name": "gpu-bench-01"}
    for activity, types in (
        ("done", ["milestone", "activity_completed", "verification_passed"]),
        ("failed", ["note", "activity_failed", "verification_failed"]),
        ("open", ["message", "milestone"]),
        ("other", ["message", "milestone"]),
    ):
        about = [] if activity == "open" else [server if activity != "other" else {"name": "db-1"}]
        events = [
            event(number, activity_id=activity, type=kind, text=f"{kind} of {activity}", entities=about)
            for number, kind in enumerate(types)
        ]
        await world.digest(await world.publish(world.lead if activity != "other" else world.agent, *events))

    async def say(speaker: Principal, value: str, **fields: Any) -> dict[str, Any]:
        body = {"scope": STAGING, "attribute": "owner", "value": value, "occurred_at": PAST, **fields}
        told: dict[str, Any] = await asking.post(speaker, "/v1/memories", body)
        return told

    await say(who, "Ana", entity=server["id"])
    await say(who, "Bo", entity=server["id"], occurred_at="2026-03-03T09:00:00Z")  # supersedes
    held = await say(world.agent, "Cy", entity=server["id"], occurred_at="2026-03-04T09:00:00Z")
    assert held["verdict"] == "hold_unverified"
    await say(who, "Di", entity="db-1")
    await say(who, "Ed", entity="db-2", valid_from=FAR)
    await say(who, "Fi", entity="db-3", expires_at="2026-04-01T00:00:00Z")
    await say(who, "be kind", attribute="standing_instruction", expires_at=FAR)
    await say(who, "tea at four", attribute="standing_instruction", scope={})
    await say(world.lead, "coffee", attribute="preference", entity="db-1")
    checked = {"activity_id": "check", "text": "build-7"}
    said = {"candidates": [{"attribute": "outcome", "entity": "build-7", "value": "passed"}]}
    events = [
        event(9, type="observation", data=said, **checked),
        event(10, type="activity_completed", **checked),
    ]
    await world.digest(await world.publish(world.pipeline, *events))
    disputed = await say(
        world.lead, "failed", attribute="outcome", entity="build-7", occurred_at="2026-03-20T09:00:00Z"
    )
    assert disputed["verdict"] == "dispute"
    gone = await say(who, "Gus", entity="db-4")
    await asking.post(who, f"/v1/memories/{gone['memory_id']}/retract", {"text": "Gus has left."})
    gated = await say(
        who, "keep", attribute="lifecycle_policy", entity=server["id"], ends_when="the audit is over"
    )
    [proof] = await world.publish(who, event(5, type="verification_passed", text="the audit is over"))
    confirmed = await asking.post(
        who, f"/v1/memories/{gated['memory_id']}/confirm", {"evidence": str(proof.event_id)}
    )
    assert confirmed["state"] == "accepted"
    # What was retracted has an episode as well, a moment later.
    async with world.database.transaction(world.lead.tenant_id) as work:
        rows = await work.rows(
            text("SELECT DISTINCT activity_id FROM events WHERE type = ANY(:kinds)"),
            {"kinds": [kind.value for kind in CHECKPOINTS]},
        )
        activities = [row.activity_id for row in rows]
    await asyncio.wait_for(world.service.settle(world.agent, activities), 60)


class Shelved(NamedTuple):
    """A memory as a filter sees it; None where it has no such field."""

    id: str
    kind: str
    attribute: str | None
    entity: frozenset[str] | None
    authority: str
    standing: str | None
    execution_status: str | None
    goal_outcome: str | None
    valid_from: datetime
    recorded_at: datetime


async def shelved(asking: Asking, listed: list[dict[str, Any]]) -> list[Shelved]:
    """Memories as they were listed, with what an episode does not tell of itself."""
    async with asking.world.database.transaction(asking.world.lead.tenant_id) as work:
        rows = await work.rows(text("SELECT id, authority FROM episodes"))
        authorities = {str(row.id): row.authority for row in rows}
        mentioned: dict[str, set[str]] = {}
        names = text(
            "SELECT p.episode_id, e.canonical, a.name FROM episode_entities p"
            " JOIN entities e ON e.id = p.entity_id LEFT JOIN aliases a ON a.entity_id = e.id"
        )
        for row in await work.rows(names):
            mentioned.setdefault(str(row.episode_id), set()).update({row.canonical, row.name} - {None})
    return [
        _fact(each) if each["kind"] == "fact" else _episode(each, authorities, mentioned) for each in listed
    ]


def _fact(told: dict[str, Any]) -> Shelved:
    return Shelved(
        id=told["id"],
        kind="fact",
        attribute=told["attribute"],
        entity=frozenset(filter(None, told["entity"].values())) or None,
        authority=told["authority"],
        standing=told["standing"],
        execution_status=None,
        goal_outcome=None,
        valid_from=datetime.fromisoformat(told["valid_from"]),
        recorded_at=datetime.fromisoformat(told["recorded_at"]),
    )


def _episode(told: dict[str, Any], authorities: dict[str, int], mentioned: dict[str, set[str]]) -> Shelved:
    return Shelved(
        id=told["id"],
        kind="episode",
        attribute=None,
        entity=frozenset(mentioned.get(told["id"], ())) or None,
        authority=Authority(authorities[told["id"]]).name.lower(),
        standing=None,
        execution_status=told["execution_status"],
        goal_outcome=told["goal_outcome"],
        valid_from=datetime.fromisoformat(told["started_at"]),
        recorded_at=datetime.fromisoformat(told["recorded_at"]),
    )


def passes(wanted: dict[str, Any], memory: Shelved, status: str) -> bool:
    """Whether a memory passes a filter. What has no such field meets no condition on it."""
    if "all" in wanted:
        return all(passes(each, memory, status) for each in wanted["all"])
    if "any" in wanted:
        return any(passes(each, memory, status) for each in wanted["any"])
    if "not" in wanted:
        return not passes(wanted["not"], memory, status)
    field, operator, value = wanted["field"], wanted["op"], wanted["value"]
    held: Any = status if field == "status" else getattr(memory, field)
    if held is None:
        return False
    if field in {"valid_from", "recorded_at"}:
        instant = datetime.fromisoformat(value).astimezone(UTC)
        return bool(
            {"lt": held < instant, "lte": held <= instant, "gt": held > instant, "gte": held >= instant}[
                operator
            ]
        )
    values = set(value) if operator == "in" else {value}
    met = bool(values & held) if field == "entity" else held in values
    return not met if operator == "ne" else met
