"""The server is killed while many publish. What it acknowledged is there, once; what it refused is not."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from temporalio.client import Client

from models.api_keys import NewApiKey
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from runtime.addresses import Addresses
from runtime.authentication.keys import ApiKeys
from runtime.service import Service
from store.engine import Database
from store.policies import Policies
from tests.http.serving import ServerProcess, served
from tests.stores import own_database
from tests.world import MASKER, event

TENANT = "killed"
PUBLISHERS = 8
KILL_AFTER = 150
"""Acknowledgements after which the server is killed, in the midst of others."""
EACH = 60
"""Events that each publisher sends."""


class Site(NamedTuple):
    """A server on a database of its own, and a key for an agent."""

    server: ServerProcess
    database_url: str
    token: str


@pytest.fixture
async def site(addresses: Addresses, policy: Policy, client: Client, tmp_path: Path) -> AsyncGenerator[Site]:
    agent = Principal(tenant=TENANT, subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",))
    async with own_database(addresses) as url:
        async with Database(url, pool_size=2) as database:
            policies = Policies(database, policy)
            await Service(database, policies, client, masker=MASKER, task_queue=TENANT).add_tenant(agent)
            root = agent.model_copy(update={"roles": ("admin",)})
            new = NewApiKey(name="agent", subject=agent.subject, kind=agent.kind, roles=agent.roles)
            _, token = await ApiKeys(database, policies).make(root, new)
        async with served(addresses, url, TENANT, tmp_path) as server:
            yield Site(server, url, token)


class Tally:
    """What publishers were told."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, UUID] = {}
        self.refused: set[str] = set()
        self.enough = asyncio.Event()

    def take(self, key: str, answer: httpx2.Response) -> None:
        if answer.status_code == 201:
            self.acknowledged[key] = UUID(answer.json()["event_id"])
        else:
            assert answer.status_code == 422, answer.text
            self.refused.add(key)
        if len(self.acknowledged) >= KILL_AFTER:
            self.enough.set()


async def publish(site: Site, tally: Tally, events: list[dict[str, Any]]) -> None:
    """Send events one after another, each again under its key until there is an answer."""
    headers = {"authorization": f"Bearer {site.token}"}
    async with httpx2.AsyncClient(base_url=site.server.url, headers=headers, trust_env=False) as caller:
        for each in events:
            key = each["idempotency_key"]
            while key not in tally.acknowledged and key not in tally.refused:
                try:
                    tally.take(key, await caller.post("/v1/events", json=each, timeout=30))
                except httpx2.TransportError:
                    # Nobody listens until the server is there again: there is no event to wait for.
                    await asyncio.sleep(0.05)


async def kill_in_the_midst(site: Site, tally: Tally) -> None:
    await tally.enough.wait()
    await site.server.kill()
    await site.server.start()


async def stored(site: Site) -> list[tuple[UUID, str, int]]:
    """Id, key and number of every event, as the owner of the database sees them."""
    addresses = create_async_engine(site.database_url)
    async with addresses.connect() as connection:
        await connection.execute(text("SET ROLE keepwell_service"))
        tenant = str(Principal(tenant=TENANT, subject="x", kind=PrincipalKind.AGENT).tenant_id)
        await connection.execute(text("SELECT set_config('app.tenant', :tenant, false)"), {"tenant": tenant})
        rows = await connection.execute(
            text("SELECT id, idempotency_key, seq FROM events ORDER BY activity_id, seq")
        )
        found = [(row.id, row.idempotency_key, row.seq) for row in rows]
    await addresses.dispose()
    return found


def sent(publisher: int, number: int, activity: str) -> dict[str, Any]:
    """An event; every tenth is malformed, and has to be refused."""
    key = f"{publisher}/{number}"
    wrong = {"occurred_at": "yesterday"} if number % 10 == 9 else {}
    return event(activity_id=activity, text=f"step {key}", idempotency_key=key, **wrong)


async def test_what_was_acknowledged_is_there_once(site: Site) -> None:
    tally = Tally()
    publishing = [
        publish(site, tally, [sent(publisher, number, f"act-{publisher}") for number in range(EACH)])
        for publisher in range(PUBLISHERS)
    ]
    await asyncio.gather(*publishing, kill_in_the_midst(site, tally))
    found = await stored(site)
    assert {key: identity for identity, key, _ in found} == tally.acknowledged
    assert len(found) == len(tally.acknowledged) == PUBLISHERS * EACH * 9 // 10
    assert len(tally.refused) == PUBLISHERS * EACH // 10


async def test_parallel_appends_to_one_session_stay_in_order(site: Site) -> None:
    """Fifty at once, killed in the middle: fifty events, numbered without a gap, each publisher's in its order."""
    tally = Tally()
    each = KILL_AFTER * 2 // 50
    publishing = [
        publish(
            site,
            tally,
            [
                event(activity_id="session", text="x", idempotency_key=f"{publisher:02}/{number:02}")
                for number in range(each)
            ],
        )
        for publisher in range(50)
    ]
    await asyncio.gather(*publishing, kill_in_the_midst(site, tally))
    found = await stored(site)
    assert [seq for _, _, seq in found] == list(range(1, 50 * each + 1))
    for publisher in range(50):
        mine = [key for _, key, _ in found if key.startswith(f"{publisher:02}/")]
        assert mine == [f"{publisher:02}/{number:02}" for number in range(each)]


async def test_a_server_that_is_asked_to_end_finishes_what_it_began(site: Site) -> None:
    """SIGTERM under load: every call has an answer or was never taken, and the exit is clean."""
    tally = Tally()
    headers = {"authorization": f"Bearer {site.token}"}
    limits = httpx2.Limits(max_connections=PUBLISHERS)
    async with httpx2.AsyncClient(
        base_url=site.server.url, headers=headers, trust_env=False, limits=limits, timeout=30
    ) as caller:

        async def one(number: int) -> str:
            try:
                answer = await caller.post("/v1/events", json=sent(0, number, "act"))
            except httpx2.TransportError:
                return "not taken"
            tally.take(f"0/{number}", answer)
            return "answered"

        calls = [asyncio.create_task(one(number)) for number in range(400)]
        await tally.enough.wait()
        code = await site.server.terminate()
        outcomes = await asyncio.gather(*calls)
    assert code == 0
    assert "not taken" in outcomes
    assert {key for _, key, _ in await stored(site)} == set(tally.acknowledged)
