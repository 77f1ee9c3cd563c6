"""Whoever calls too often is told for how long to wait; everybody else goes on, and so do they after that."""

import asyncio
from collections import Counter

import pytest
from sqlalchemy import text

from surfaces.http.application import build
from surfaces.http.limits import RateLimit
from tests.http.conftest import Asking
from tests.world import STAGING, World, event


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def limited(asking: Asking, clock: Clock) -> Asking:
    """The application with five calls a second, and a burst of ten."""
    slow = asking.api._replace(rate=RateLimit(5, clock=clock))
    return Asking(asking.world, slow, build(slow))


async def test_too_many_calls_are_told_to_wait(limited: Asking, clock: Clock) -> None:
    world = limited.world
    token = await limited.token_of(world.agent)
    answers = await asyncio.gather(*(limited.ask(token, "GET", "/v1/principal") for _ in range(25)))
    assert Counter(answer.status_code for answer in answers) == {200: 10, 429: 15}
    for answer in answers:
        if answer.status_code == 429:
            told = answer.json()
            assert (told["code"], told["retryable"]) == ("too_many_requests", True)
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["retry-after"] == "1"
    clock.now = 0.19
    assert (await limited.ask(token, "GET", "/v1/principal")).status_code == 429
    clock.now = 0.2
    assert (await limited.ask(token, "GET", "/v1/principal")).status_code == 200
    assert (await limited.ask(token, "GET", "/v1/principal")).status_code == 429


async def test_only_they_are_told_so(limited: Asking, clock: Clock) -> None:
    """By tenant, kind and subject: a second key of the same agent is the same caller, and the lead is not."""
    world = limited.world
    other = World(world.service, world.database, f"{world.tenant}-b")
    await other.service.add_tenant(other.agent)
    neighbour = Asking(other, limited.api, None)  # type: ignore[arg-type]
    neighbour._transport = limited._transport
    second = await limited.token_of(world.agent, only=["read"])
    for _ in range(10):
        await limited.get(world.agent, "/v1/principal")
    for who in (world.agent, second):
        assert (await limited.ask(who, "GET", "/v1/principal")).status_code == 429
    await limited.get(world.lead, "/v1/principal")
    await neighbour.get(other.agent, "/v1/principal")


async def test_what_is_refused_does_nothing(limited: Asking) -> None:
    """Whatever the route is; and whoever shows no credential is told that and nothing of rates."""
    world = limited.world
    token = await limited.token_of(world.lead)
    for _ in range(10):
        await limited.get(token, "/v1/principal")
    for method, path, body in (
        ("POST", "/v1/events", event()),
        ("POST", "/v1/events/batch", {"events": [event()]}),
        ("POST", "/v1/memories", {"scope": STAGING, "attribute": "uses", "value": "x"}),
        ("POST", "/v1/recall", {"scope": STAGING}),
        ("POST", "/v1/recall", {"scope": "not looked at"}),
        ("GET", "/v1/stream", None),
    ):
        assert (await limited.ask(token, method, path, body)).status_code == 429
    assert (await limited.ask(None, "GET", "/v1/principal")).status_code == 401
    assert (await limited.ask(f"{token}0", "GET", "/v1/principal")).status_code == 401
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert (await limited.ask(None, "GET", path)).status_code == 200
    async with world.database.transaction(world.lead.tenant_id) as work:
        assert await work.rows(text("SELECT id FROM events")) == []
