"""The stream: one's own news and nobody else's, each exactly once, over as many connections as it takes.

Served for real, as news come over a connection that stays open.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

import httpx2
import pytest

from models.news import NewsPosition, TransitionTold, parse_position
from models.principals import Principal, PrincipalKind
from store.evidence import Kind, Transition, declare
from store.unit_of_work import UnitOfWork
from surfaces.http.answers import TransitionNews, VerdictNews
from surfaces.http.limits import MOST_STREAMS_EACH
from surfaces.http.routes import stream as route
from tests.http.conftest import Asking
from tests.http.live import live
from tests.world import STAGING, World

FIRST = str(NewsPosition(0, UUID(int=0)))
"""A position before all news."""


class News(NamedTuple):
    """One piece of news, and its id. The first of a stream only tells where it begins; its kind is `message`."""

    kind: str
    id: str
    told: dict[str, Any]


@asynccontextmanager
async def opened(url: str, token: str, after: str | None = None) -> AsyncGenerator[AsyncIterator[News]]:
    """The news of a stream, each to be waited for."""
    headers = {"authorization": f"Bearer {token}"} | ({} if after is None else {"last-event-id": after})
    async with (
        httpx2.AsyncClient(base_url=url, trust_env=False, timeout=30) as caller,
        caller.stream("GET", "/v1/stream", headers=headers) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-cache"
        async with aclosing(_news(answer)) as news:
            yield news


async def _news(answer: httpx2.Response) -> AsyncGenerator[News]:
    async for each in httpx2.EventSource(answer):
        yield News(each.event, each.id, {} if each.event == "message" else dict(each.json()))  # type: ignore[call-overload]


async def heard(news: AsyncIterator[News], number: int) -> list[News]:
    """The next so many pieces of news; what only tells a position is not counted."""
    found: list[News] = []
    async with asyncio.timeout(30):
        while len(found) < number:
            each = await anext(news)
            if each.kind != "message":
                found.append(each)
    return found


async def say(asking: Asking, who: Principal, value: str, **fields: Any) -> dict[str, Any]:
    """State who owns a thing."""
    body = {"scope": STAGING, "entity": "db-1", "attribute": "owner", "value": value, **fields}
    told: dict[str, Any] = await asking.post(who, "/v1/memories", body)
    return told


async def test_everybody_hears_of_their_own_words(asking: Asking, url: str) -> None:
    """A lead's statement, an agent's claim, and the lead's correction: each hears what became of theirs."""
    world = asking.world
    other = World(world.service, world.database, f"{world.tenant}-b")
    await other.service.add_tenant(other.lead)
    theirs = Asking(other, asking.api, None)  # type: ignore[arg-type]
    theirs._transport = asking._transport
    namesake = world.principal("dana", PrincipalKind.AGENT, "agent")
    async with AsyncExitStack() as stack:
        lead, agent, double, stranger = [
            await stack.enter_async_context(opened(url, await of.token_of(who)))
            for who, of in (
                (world.lead, asking),
                (world.agent, asking),
                (namesake, asking),
                (other.lead, theirs),
            )
        ]
        stated = await say(asking, world.lead, "Ana")
        held = await say(asking, world.agent, "Bo")
        corrected = await asking.post(
            world.lead, f"/v1/memories/{stated['memory_id']}/correct", {"value": "Cy"}
        )
        news = await heard(lead, 5)
        verdicts = {each.told["event_id"]: each.told for each in news if each.kind == "verdict"}
        assert set(verdicts) == {stated["event_id"], corrected["event_id"]}
        made = verdicts[stated["event_id"]]
        assert (made["verdict"], made["memory_id"], made["attribute"]) == (
            "establish",
            stated["memory_id"],
            "owner",
        )
        assert verdicts[corrected["event_id"]]["concerns"] == stated["memory_id"]
        changes = [each.told for each in news if each.kind == "transition"]
        assert {(each["memory_id"], each["from_status"], each["to_status"]) for each in changes} == {
            (stated["memory_id"], None, "active"),
            (stated["memory_id"], "active", "superseded"),
            (corrected["memory_id"], None, "active"),
        }
        claimed = await heard(agent, 2)
        assert {each.kind for each in claimed} == {"verdict", "transition"}
        assert {each.told["memory_id"] for each in claimed} == {held["memory_id"]}
        # Whoever has only the name in common, or the tenant's name almost, hears of their own words first.
        for who, of, ear in ((namesake, asking, double), (other.lead, theirs, stranger)):
            own = await say(of, who, "Di")
            assert {each.told["memory_id"] for each in await heard(ear, 2)} == {own["memory_id"]}
        for each in [*news, *claimed]:
            shape = VerdictNews if each.kind == "verdict" else TransitionNews
            assert set(each.told) == set(shape.model_fields)
            shape.model_validate(each.told)


async def test_a_stream_begins_now_and_says_where(asking: Asking, url: str) -> None:
    """What was before is not told; and a connection that breaks before the first news can be taken up as well."""
    lead = asking.world.lead
    token = await asking.token_of(lead)
    await say(asking, lead, "Ana", entity="before")
    async with opened(url, token) as news:
        first = await anext(news)
        assert (first.kind, first.told) == ("message", {})
    during = await say(asking, lead, "Bo", entity="during")
    async with opened(url, token, first.id) as news:
        again = await anext(news)
        assert again.id == first.id
        assert {each.told["memory_id"] for each in await heard(news, 2)} == {during["memory_id"]}


async def test_what_a_reader_may_not_read_is_passed_over(asking: Asking, url: str) -> None:
    """The same person with a narrower key hears only of what that key may read."""
    world = asking.world
    who = world.principal("olga", PrincipalKind.HUMAN, "operator")
    narrow = await asking.token_of(who, within={"workspace": "other"})
    async with opened(url, narrow) as news:
        await say(asking, who, "Ana")
        elsewhere = await say(asking, who, "Bo", scope={"workspace": "other"})
        await say(asking, who, "Cy", entity="db-2")
        everywhere = await say(asking, who, "Di", scope={})
        told = await heard(news, 4)
        assert {each.told["memory_id"] for each in told} == {elsewhere["memory_id"], everywhere["memory_id"]}
    mute = await asking.token_of(who, only=["publish", "remember"])
    answer = await asking.ask(mute, "GET", "/v1/stream")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")


async def test_a_reader_who_comes_again_hears_each_once(asking: Asking, url: str) -> None:
    """Connections that end anywhere; what was heard over all of them is what happened, in its order."""
    lead = asking.world.lead
    token = await asking.token_of(lead)
    for number in range(8):
        await say(asking, lead, "Ana", entity=f"db-{number}")
    async with opened(url, token, FIRST) as news:
        everything = await heard(news, 16)
    assert len({each.id for each in everything}) == 16
    for breaks in ([1] * 16, [3, 5, 1, 7], [15, 1], [16]):
        last, told = FIRST, []
        for number in breaks:
            async with opened(url, token, last) as news:
                told += await heard(news, number)
            last = told[-1].id
        assert told == everything


async def change(work: UnitOfWork, fact: str) -> None:
    """A transition of a fact, as a step writes it."""
    now = datetime.now(UTC)
    await declare(
        work, Kind.FACT, Transition(UUID(fact), "active", "active", "test", "test", "test", None, None, now)
    )


async def test_what_is_committed_late_is_not_skipped(asking: Asking, url: str) -> None:
    """A transaction that began first ends last. What came after it waits, and then both are told in order."""
    world = asking.world
    facts = [
        (await say(asking, world.lead, "Ana", entity=f"db-{number}"))["memory_id"] for number in range(2)
    ]
    position = await world.service.news_begin(world.lead, None)
    async with opened(url, await asking.token_of(world.lead), str(position)) as news:
        async with world.database.transaction(world.lead.tenant_id) as early:
            await change(early, facts[0])
            async with world.database.transaction(world.lead.tenant_id) as late:
                await change(late, facts[1])
            found, reached, _ = await world.service.news(world.lead, position)
            assert found == []
        # Whoever goes on from where that look came to hears of both as well.
        found, _, _ = await world.service.news(world.lead, reached)
        assert [str(each.told.record_id) for each in found if isinstance(each.told, TransitionTold)] == facts
        told = await heard(news, 2)
        assert [each.told["memory_id"] for each in told] == facts
        numbers = [parse_position(each.id).transaction for each in told]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize("seed", [1, 2])
async def test_many_writers_lose_nothing(asking: Asking, url: str, seed: int) -> None:
    """Transactions that overlap and end in any order, while a reader comes and goes: each change is heard once."""
    world, dice = asking.world, random.Random(seed)
    facts = [
        (await say(asking, world.lead, "Ana", entity=f"db-{number}"))["memory_id"] for number in range(4)
    ]
    position = str(await world.service.news_begin(world.lead, None))
    writers, open_at_once = 60, asyncio.Semaphore(6)
    ends = [asyncio.Event() for _ in range(writers)]
    begun: list[int] = []

    async def write(number: int) -> None:
        async with open_at_once, world.database.transaction(world.lead.tenant_id) as work:
            for _ in range(1 + number % 3):
                await change(work, facts[number % 4])
            begun.append(number)
            await ends[number].wait()

    async def end_in_disorder() -> None:
        while not all(each.is_set() for each in ends):
            waiting = [number for number in begun if not ends[number].is_set()]
            if waiting and (len(waiting) > 3 or len(begun) == writers):
                ends[dice.choice(waiting)].set()
            await asyncio.sleep(0)

    expected = sum(1 + number % 3 for number in range(writers))
    token = await asking.token_of(world.lead)

    async def read() -> list[News]:
        told: list[News] = []
        last = position
        while len(told) < expected:
            async with opened(url, token, last) as news:
                told += await heard(news, min(dice.randint(1, 25), expected - len(told)))
            last = told[-1].id
        return told

    async with asyncio.timeout(90):
        told, *_ = await asyncio.gather(
            read(), end_in_disorder(), *(write(number) for number in range(writers))
        )
    assert len({each.id for each in told}) == expected
    order = [(place.transaction, place.id) for place in (parse_position(each.id) for each in told)]
    assert order == sorted(order)
    found, _, more = await world.service.news(world.lead, parse_position(position))
    assert more or len(found) == expected
    assert [str(each.position) for each in found] == [each.id for each in told][: len(found)]


GARBAGE = ["x", "0", "-", "1-", "-" + "0" * 32, "1-" + "g" * 32, "1-" + "0" * 31, "1-" + "A" * 32, "+1-" + "0" * 32,
    "18446744073709551616-" + "0" * 32, "9" * 21 + "-" + "0" * 32, "1_0-" + "0" * 32, "1" * 10_000, "1--" + "0" * 32,
    "1-" + "0" * 32 + ",2", "null", "*", "%00"]  # fmt: skip


@pytest.mark.parametrize("sent", GARBAGE)
async def test_a_position_that_is_none_is_refused(asking: Asking, sent: str) -> None:
    """Before a stream is opened; to begin anywhere else would lose or repeat news."""
    answer = await asking.ask(asking.world.lead, "GET", "/v1/stream", headers={"last-event-id": sent})
    assert (answer.status_code, answer.json()["field"]) == (422, "Last-Event-ID")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_positions_at_the_edges(asking: Asking, url: str) -> None:
    token = await asking.token_of(asking.world.lead)
    raw = [(b"authorization", f"Bearer {token}".encode()), (b"last-event-id", "1-٣".encode())]
    answer = await asking.ask(None, "GET", "/v1/stream", headers=httpx2.Headers(raw))
    assert answer.status_code == 422
    several = httpx2.Headers(
        [("authorization", f"Bearer {token}"), ("last-event-id", FIRST), ("last-event-id", FIRST)]
    )
    answer = await asking.ask(None, "GET", "/v1/stream", headers=several)
    assert answer.status_code == 422
    async with opened(url, token, FIRST) as news:
        assert (await anext(news)).id == FIRST
    # A browser sends the header empty where it has seen no id.
    async with opened(url, token, "") as news:
        assert (await anext(news)).kind == "message"


async def test_streams_end_when_the_server_is_to_end(asking: Asking) -> None:
    """All of them, at once and in good order; the server does not wait for callers to go away."""
    theirs = asking.api._replace(draining=asyncio.Event())
    token = await asking.token_of(asking.world.lead)
    async with AsyncExitStack() as stack, live(theirs) as (url, server):
        streams = [await stack.enter_async_context(opened(url, token)) for _ in range(3)]
        for news in streams:
            assert (await anext(news)).kind == "message"
        told = await say(asking, asking.world.lead, "Ana")
        for news in streams:
            assert {each.told["memory_id"] for each in await heard(news, 2)} == {told["memory_id"]}
        server.end()
        async with asyncio.timeout(20):
            for news in streams:
                assert [each async for each in news] == []
        ready = await asking.ask(None, "GET", "/readyz")
        assert ready.status_code == 200


async def test_a_stream_ends_with_its_key(asking: Asking, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever had a key revoked would go on listening, for as long as the connection lasts."""
    monkeypatch.setattr(route, "_LOOK_AGAIN_SECONDS", 0.1)
    body = {"name": "ear", "subject": "dana", "kind": "human", "roles": ["infra_lead"]}
    made = await asking.post(asking.admin, "/v1/keys", body)
    async with opened(url, made["token"]) as news:
        assert (await anext(news)).kind == "message"
        await asking.ask(asking.admin, "DELETE", f"/v1/keys/{made['key']['id']}")
        async with asyncio.timeout(20):
            assert [each async for each in news] == []


async def test_nobody_is_left_behind_a_stream(asking: Asking) -> None:
    """A caller who goes away takes what served them along."""
    theirs = asking.api._replace(draining=asyncio.Event())
    token = await asking.token_of(asking.world.lead)
    async with live(theirs) as (url, server):
        async with AsyncExitStack() as stack:
            for _ in range(10):
                news = await stack.enter_async_context(opened(url, token))
                assert (await anext(news)).kind == "message"
            assert len(server.server_state.tasks) == 10
        async with asyncio.timeout(20):
            while server.server_state.tasks:
                await asyncio.sleep(0.01)


async def test_a_position_of_another_database_is_refused(asking: Asking, url: str) -> None:
    """As after a restore: a reader that goes on from it would hear nothing and never know."""
    for ahead in (f"{2**63}-{'0' * 32}", f"{2**64 - 1}-{'f' * 32}"):
        answer = await asking.ask(asking.world.lead, "GET", "/v1/stream", headers={"last-event-id": ahead})
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


async def test_whoever_hears_nothing_does_not_look_through_the_past_again(asking: Asking) -> None:
    """The position goes on with the order itself, and not only with one's own news."""
    world = asking.world
    begin = await world.service.news_begin(world.agent, None)
    await say(asking, world.lead, "Ana")
    found, reached, more = await world.service.news(world.agent, begin)
    assert (found, more) == ([], False)
    assert reached > begin


async def test_nobody_takes_all_places(asking: Asking, url: str) -> None:
    token = await asking.token_of(asking.world.lead)
    async with AsyncExitStack() as held:
        for _ in range(MOST_STREAMS_EACH):
            await held.enter_async_context(opened(url, token))
        one_more = await asking.ask(token, "GET", "/v1/stream")
        assert (one_more.status_code, one_more.json()["code"]) == (429, "too_many_requests")
        assert int(one_more.headers["retry-after"]) >= 1
    async with asyncio.timeout(20):
        while asking.api.streams.taken_by(asking.world.lead):
            await asyncio.sleep(0.05)
