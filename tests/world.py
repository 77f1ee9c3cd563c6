"""A tenant with people in it, for tests that tell stories."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from capture.accept import Receipt
from capture.masking import Masker
from models.principals import Principal, PrincipalKind
from models.recall import RecallAnswer, RecallRequest
from providers.secret_scanner import SecretScanner
from runtime.service import Service
from store.engine import Database

QUIET_SECONDS = 0.2
WEBHOOK_HOSTS = frozenset({"127.0.0.1"})
"""Where the tests take webhooks."""
SIGNAL_TARGETS: set[str] = set()
"""Which workflows get signals: each test that has one adds it, as its tenant has a name of its own."""
MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STAGING = {"workspace": "staging-cloud"}
FINDER = SecretScanner()
"""One for all tests, as the rules take a while to be read."""
MASKER = Masker(FINDER, lambda: bytes(range(32)))
SERVER = {"id": "cloud-instance:i-09a8f", "name": "gpu-bench-01"}


class World:
    """One tenant: publishes for anybody, waits until it is digested, and asks."""

    def __init__(self, service: Service, database: Database, tenant: str) -> None:
        self.service = service
        self.database = database
        self.tenant = tenant
        self.agent = self.principal("ops-agent", PrincipalKind.AGENT, "agent")
        self.lead = self.principal("dana", PrincipalKind.HUMAN, "infra_lead")
        self.developer = self.principal("sam", PrincipalKind.HUMAN, "developer")
        self.pipeline = self.principal("qa-pipeline", PrincipalKind.SYSTEM)

    def principal(self, subject: str, kind: PrincipalKind = PrincipalKind.HUMAN, *roles: str) -> Principal:
        return Principal(tenant=self.tenant, subject=subject, kind=kind, roles=roles)

    def let_signal(self, prefix: str) -> None:
        """Have the operator allow signals of this tenant to workflows whose ids begin with `prefix`."""
        SIGNAL_TARGETS.add(f"{self.tenant}:{prefix}")

    async def publish(self, who: Principal, *events: dict[str, Any]) -> list[Receipt]:
        return await self.service.publish(who, list(events))

    async def digest(self, receipts: Sequence[Receipt]) -> None:
        """Wait until what these events have led to is done."""
        activities = list({receipt.activity_id for receipt in receipts})
        await asyncio.wait_for(self.service.settle(self.agent, activities), 60)

    async def say(self, who: Principal, text: str, **fields: Any) -> Receipt:
        """Publish one correction and wait until it is digested."""
        receipts = await self.publish(who, event(type="correction", text=text, **fields))
        await self.digest(receipts)
        return receipts[0]

    async def recall(self, who: Principal | None = None, **fields: Any) -> RecallAnswer:
        return await self.service.recall(who or self.agent, RecallRequest(scope=STAGING, **fields))

    async def verdicts(self, *event_ids: UUID) -> list[str]:
        return [decided.verdict for decided in await self.service.became_of(self.agent, event_ids)]


def event(days: float = 0, **fields: Any) -> dict[str, Any]:
    """A well-formed event, `days` after Monday, with `fields` in place of the defaults."""
    return {
        "activity_id": "act-1",
        "type": "note",
        "scope": STAGING,
        "occurred_at": (MONDAY + timedelta(days=days)).isoformat(),
        **fields,
    }
