"""Two tenants with the same scopes, and in each scope a few records."""

import asyncio
import re
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from models.principals import PrincipalKind
from tests.http.conftest import Asking
from tests.world import event

SCOPES: list[dict[str, str]] = [
    {},
    {"workspace": "staging-cloud"},
    {"workspace": "staging-cloud", "project": "apollo"},
    {"conversation": "c-1"},
    {"user": "uma"},
    {"team": "blue"},
]
"""The whole tenant, what most roles reach, parts that some reach, one's own, and what two roles reach."""

SMALL_POLICY = """\
version: 2
dimensions: [workspace]
roles:
  admin: {may: [administer], tenant_wide: true}
"""


EVERYWHERE = "standing_instruction"
"""An attribute whose class is kept at the levels of all of these scopes."""


class Place(NamedTuple):
    """A scope and records in it: an event, a fact in force, one that was retracted, an episode; and a key's id.

    `trace_id` is that of a recall there, by the operator who made the records; `intention_id` that of an intention of
    theirs which has fired, and been acknowledged by its `occurrence_id`. The episode is retracted. `proposal_id` is
    that of a proposal of theirs, taken back, for the procedure `procedure_id`, where one may be: else of none.
    """

    scope: dict[str, str]
    event_id: UUID
    fact_id: UUID
    ended_id: UUID
    episode_id: UUID
    key_id: UUID
    trace_id: UUID
    intention_id: UUID
    occurrence_id: UUID
    procedure_id: UUID
    proposal_id: UUID

    @property
    def entity(self) -> str:
        """What the facts are about."""
        return entity_of(self.scope)


def entity_of(scope: dict[str, str]) -> str:
    return "thing:" + "-".join(["x", *scope.values()])


def nowhere(scope: dict[str, str]) -> Place:
    """A place whose records do not exist."""
    return Place(scope, *(uuid4() for _ in range(10)))


async def settle(asking: Asking, scope: dict[str, str]) -> Place:
    """Make the records of a scope, by the tenant's operator. The key is one that speaks for nobody."""
    who = asking.world.principal("olga", PrincipalKind.HUMAN, "operator")
    body = {"scope": scope, "entity": entity_of(scope)}
    [receipt] = await asking.world.publish(
        who, event(type="milestone", scope=scope, activity_id=f"act-{uuid4()}", text="we met")
    )
    kept = await asking.post(who, "/v1/memories", {**body, "attribute": EVERYWHERE, "value": "wear gloves"})
    ended = await asking.post(who, "/v1/memories", {**body, "attribute": EVERYWHERE, "value": "ask Ana"})
    await asking.post(who, f"/v1/memories/{ended['memory_id']}/retract", {"text": "Ana has left."})
    await asking.world.digest([receipt])
    told = await asking.get(who, f"/v1/events/{receipt.event_id}/verdict")
    nobody = {"name": str(uuid4()), "subject": "nobody", "kind": "human", "roles": ["user"]}
    key = await asking.post(asking.admin, "/v1/keys", nobody)
    recalled = await asking.post(who, "/v1/recall", {"scope": scope, "entities": [entity_of(scope)]})
    intended = await asking.post(
        who,
        "/v1/intentions",
        {"scope": scope, "action": "look", "at": "2026-03-02T09:00:00Z", "grace": "P3650D"},
    )
    intention_id = intended["intention"]["id"]
    while not (occurred := (await asking.get(who, f"/v1/intentions/{intention_id}"))["occurrences"]):
        await asyncio.sleep(0.05)
    await asking.post(who, f"/v1/inbox/{occurred[0]['id']}/acknowledge", {})
    await asking.post(who, f"/v1/episodes/{told['episode_id']}/retract", {"text": "It was another day."})
    procedure_id, proposal_id = uuid4(), uuid4()
    if may_have_procedures(scope):
        made = await asking.post(who, "/v1/proposals", proposal_in(scope))
        proposal_id, procedure_id = (made["proposal"][name] for name in ("id", "procedure_id"))
        await asking.post(who, f"/v1/proposals/{proposal_id}/withdraw", {})
    ids = (
        receipt.event_id,
        kept["memory_id"],
        ended["memory_id"],
        told["episode_id"],
        key["key"]["id"],
        recalled["trace_id"],
        intention_id,
        occurred[0]["id"],
        procedure_id,
        proposal_id,
    )
    return Place(scope, *(UUID(str(each)) for each in ids))


CONTENT = {
    "trigger": {"intent": "put on gloves"},
    "steps": [{"id": "look", "do": "look for gloves", "verify": "they are on"}],
}


def proposal_in(scope: dict[str, str]) -> dict[str, Any]:
    """A proposal for a procedure of its own."""
    name = f"tried-{uuid4()}"
    return {"scope": scope, "procedure": name, "class_name": "operations", "content": CONTENT}


def may_have_procedures(scope: dict[str, str]) -> bool:
    """Whether the class of procedures that is shipped is kept in scopes like this one."""
    return not {"workspace", "project"}.isdisjoint(scope)


def filled(path: str, said: str) -> str:
    """A path with this in the place of every id and name."""
    return re.sub(r"\{\w+\}", lambda _: said, path)
