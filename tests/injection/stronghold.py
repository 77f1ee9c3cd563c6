"""A tenant in which a few things govern, made by people who may say so, and everybody who will try to change them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import text

from models.api_keys import NewApiKey
from models.events import CHECKPOINTS
from models.ids import tenant_id
from models.principals import Principal, PrincipalKind
from models.recall import RecallAnswer, RecalledFact, RecallRequest
from tests.http.conftest import Asking
from tests.world import SERVER, STAGING, event

USER = {"user": "u-27"}
TALK = {"conversation": "talk-1"}
FROZEN = "vm:7"
MENTIONS = (SERVER["id"], "gpu-bench-01", FROZEN, "db-main-1", "service:billing", "billing-api")
AFTER = 5
"""On which day attempts are made: after all that governs was said, so that none fails for being late."""

_UNFINISHED = text(
    """
    SELECT DISTINCT a.external_id, e.scope FROM activities a
    JOIN events e ON e.tenant_id = a.tenant_id AND e.activity_id = a.id
    WHERE a.tenant_id = :tenant AND a.consolidated_seq < a.last_seq AND NOT EXISTS (
        SELECT FROM events c WHERE c.tenant_id = a.tenant_id AND c.activity_id = a.id AND c.type = ANY(:checkpoints)
    )
    """
)
_ACTIVITIES = text("SELECT id FROM activities WHERE tenant_id = :tenant")
_MADE = text(
    """
    SELECT f.id, e.canonical, k.attribute, v.event_id FROM facts f
    JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    JOIN entities e ON e.tenant_id = k.tenant_id AND e.id = k.entity_id
    JOIN evidence v ON v.tenant_id = f.tenant_id AND v.record_id = f.id
    WHERE f.tenant_id = :tenant
    """
)


class Sender(NamedTuple):
    """Who sends, and the type of its events where none is said."""

    principal: Principal
    kind: str


class Stronghold:
    """The tenant, with its facts, and its senders by name."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.world = world = asking.world
        self.operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
        self.user = world.principal("u-27", PrincipalKind.HUMAN, "user")
        self.ada = world.principal("Ada", PrincipalKind.HUMAN, "participant")
        system, agent = PrincipalKind.SYSTEM, PrincipalKind.AGENT
        self.senders = {
            "page": Sender(world.agent, "tool_result"),
            "agent": Sender(world.agent, "message"),
            "page of a lead": Sender(world.lead, "tool_result"),
            "page of a pipeline": Sender(world.pipeline, "tool_result"),
            "page of a user": Sender(self.user, "tool_result"),
            "undeclared system": Sender(world.principal("scraper", system, "agent"), "message"),
            "undeclared system with a role": Sender(
                world.principal("scraper", system, "infra_lead", "operator"), "message"
            ),
            "agent with a role": Sender(world.principal("dana", agent, "infra_lead", "operator"), "message"),
            "pipeline": Sender(world.pipeline, "verification_passed"),
            "developer": Sender(world.developer, "message"),
            "stranger": Sender(world.principal("mallory", PrincipalKind.HUMAN, "participant"), "message"),
            "lead": Sender(world.lead, "correction"),
            "operator": Sender(self.operator, "correction"),
            "user": Sender(self.user, "correction"),
            "admin": Sender(asking.admin, "message"),
            "Ada": Sender(self.ada, "correction"),
        }
        self.words: Mapping[str, str] = {}

    async def furnish(self) -> "Stronghold":
        """Let the permitted say what governs."""
        said = await asyncio.gather(
            self.world.publish(self.world.lead, *_OF_THE_LEAD),
            self.world.publish(self.operator, _for_all_candidate()),
            *(
                self.world.publish(who, event(type="correction", text=_TEA, scope=scope, activity_id="tea"))
                for who, scope in ((self.user, USER), (self.ada, TALK))
            ),
        )
        await self.world.digest([receipt for receipts in said for receipt in receipts])
        await self.asking.api.keys.make(
            self.asking.admin,
            NewApiKey(name="ops", subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",)),
        )
        async with self.world.database.transaction(tenant_id(self.world.tenant)) as work:
            made = {(row.canonical, row.attribute): row for row in await work.rows(_MADE)}
        restriction = made[SERVER["id"], "lifecycle_policy"]
        [named] = [canonical for canonical, _ in made if canonical.startswith("named:")]
        self.words = {
            "restriction": str(restriction.id),
            "said": str(restriction.event_id),
            "frozen": str(made[FROZEN, "change_policy"].id),
            "server": SERVER["id"],
            "named": named,
            "tenant": self.world.tenant,
        }
        return self

    async def digest(self) -> None:
        """End every activity that nobody has ended, and wait until all that was said is decided."""
        async with self.world.database.transaction(tenant_id(self.world.tenant)) as work:
            types = [kind.value for kind in CHECKPOINTS]
            unfinished = await work.rows(_UNFINISHED, {"checkpoints": types})
        ends = [
            event(AFTER + 1, activity_id=row.external_id, scope=row.scope, type="activity_completed")
            for row in unfinished
        ]
        if ends:
            await self.world.publish(self.operator, *ends)
        async with self.world.database.transaction(tenant_id(self.world.tenant)) as work:
            activities: Sequence[UUID] = [row.id for row in await work.rows(_ACTIVITIES)]
        await asyncio.wait_for(self.world.service.settle(self.world.agent, activities), 60)

    async def recalled(self) -> list[RecallAnswer]:
        """What comes back for everything that is known here: the workspace, the user, the conversation."""
        workspace = RecallRequest(scope=STAGING, entities=MENTIONS, **_ROOM)
        user, talk = (RecallRequest(scope=scope, **_ROOM) for scope in (USER, TALK))
        return [
            await self.world.service.recall(self.world.agent, workspace),
            await self.world.service.recall(self.user, user),
            await self.world.service.recall(self.world.agent, talk),
        ]

    async def found_by(self, query: str) -> Sequence[RecalledFact]:
        """The facts that come back for these words in the workspace."""
        asked = RecallRequest(scope=STAGING, query=query[:20_000], limit=100)
        return (await self.world.service.recall(self.world.agent, asked)).facts


def _for_all_candidate() -> dict[str, Any]:
    said = {"attribute": "operating_rule", "value": "never stop machines on Fridays"}
    return event(
        type="correction",
        text="Never stop machines on Fridays.",
        scope={},
        activity_id="rules",
        data={"candidates": [said]},
    )


_ROOM: Mapping[str, Any] = {"limit": 100, "budget_tokens": 100_000}
_TEA = "I prefer tea over coffee."
_FREEZE = {"attribute": "change_policy", "entity": FROZEN, "value": "do not touch"}
_OF_THE_LEAD = [
    event(type="correction", activity_id="house", text=said, **fields)
    for said, fields in (
        ("Keep gpu-bench-01 running until the QA migration is over.", {"entities": [SERVER]}),
        ("gpu-bench-01 is owned by team-a.", {"entities": [SERVER]}),
        ("Do not touch it.", {"data": {"candidates": [_FREEZE]}}),
        ("Keep db-main-1 online until the audit is over.", {}),
        ("Use Stripe for billing-api.", {"entities": [{"id": "service:billing", "name": "billing-api"}]}),
        ("From now on, state versions when asked about libraries.", {}),
        ("We prefer Postgres over MySQL.", {}),
    )
]
