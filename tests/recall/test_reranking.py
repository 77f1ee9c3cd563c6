"""A second look at what was found changes the order of what may move, and nothing else; recall never depends on it."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs
from temporalio.client import Client

from models.context import ContextRequest
from models.policy import Policy
from models.recall import RecallAnswer, RecallRequest, Without
from models.statements import Statement
from models.traces import DecisionName
from providers.rerankers.endpoint import EndpointReranker
from runtime.addresses import Addresses
from tests.embedders.server import Reply
from tests.rerankers.server import RerankingServer, reranking_server, results
from tests.stores import own_world
from tests.world import MONDAY, STAGING, World, event

KEEP = "Keep gpu-bench-01 running until the audit is over."
FIRST, SECOND = "The audit report is late.", "The audit of the printers was a farce."
QUERY = "audit report"


@pytest.fixture(scope="module")
async def server() -> AsyncGenerator[RerankingServer]:
    async with reranking_server() as running:
        yield running


@pytest.fixture(scope="module")
async def own(
    addresses: Addresses, policy: Policy, client: Client, server: RerankingServer
) -> AsyncGenerator[World]:
    reranker = EndpointReranker("local-rerank", url=server.url)
    async with own_world(addresses, policy, client, reranker=reranker) as made:
        yield made
    await reranker.aclose()


@pytest.fixture
async def world(own: World, server: RerankingServer) -> World:
    """A tenant of its own on the servers that have a reranker, which prefers what is of printers."""
    server.asked.clear()
    server.scorer = lambda _, texts: results([0.9 if "printers" in text else 0.1 for text in texts])
    made = World(own.service, own.database, f"{own.tenant}-{uuid4().hex[:8]}")
    await made.service.add_tenant(made.agent)
    receipts = await made.publish(
        made.lead,
        event(0, activity_id="one", type="feedback", text=FIRST),
        event(1, activity_id="two", type="feedback", text=SECOND),
    )
    await made.digest(receipts)
    return made


def said(answer: RecallAnswer) -> list[str]:
    return [passage.text.removeprefix("dana: ") for passage in answer.passages]


async def rank_saw(world: World, answer: RecallAnswer) -> Any:
    assert answer.trace_id is not None
    trace = await world.service.trace(world.agent, answer.trace_id)
    return next(each.saw for each in trace.decisions if each.name is DecisionName.RANK)


async def test_the_order_is_that_of_the_second_look_and_is_told(
    world: World, server: RerankingServer
) -> None:
    answer = await world.recall(query=QUERY)
    assert said(answer) == [SECOND, FIRST]
    assert answer.without == ()
    best, other = answer.passages
    assert (best.terms.reranked, best.terms.relevance) == (0.9, 0.9)
    assert (other.terms.reranked, other.terms.relevance) == (0.1, 0.1)
    assert other.terms.words > best.terms.words, "what words said is told all the same"
    assert (await rank_saw(world, answer))["reranked"] == 2
    [asked] = server.asked
    assert asked["query"] == QUERY
    told = await world.service.explain(
        world.agent, best.episode_id, RecallRequest(scope=STAGING, query=QUERY)
    )
    assert told.included
    assert "reranked 0.900" in " ".join(check.detail for check in told.checks)
    assert said(await world.recall(query=QUERY)) == [SECOND, FIRST]


async def test_a_context_has_that_order_too(world: World) -> None:
    told = await world.service.context(world.agent, ContextRequest(scope=STAGING, subtask=QUERY))
    assert 0 < told.text.index("printers") < told.text.index("report is late")


async def test_equal_scores_leave_an_order_that_is_always_the_same(
    world: World, server: RerankingServer
) -> None:
    server.scorer = lambda _, texts: results([0.5] * len(texts))
    answers = [await world.recall(query=QUERY) for _ in range(3)]
    assert len({tuple(said(each)) for each in answers}) == 1


async def test_what_must_be_heeded_is_neither_sent_nor_moved(world: World, server: RerankingServer) -> None:
    await world.say(world.lead, KEEP, activity_id="three")
    server.asked.clear()
    answer = await world.recall(query=QUERY, entities=("gpu-bench-01",))
    [fact] = answer.required
    assert fact.terms.reranked is None
    [asked] = server.asked
    assert not [text for text in asked["documents"] if "lifecycle_policy" in text]


async def test_it_sees_nothing_that_the_asker_may_not_see(world: World, server: RerankingServer) -> None:
    await world.digest(
        await world.publish(
            world.lead,
            event(
                2,
                activity_id="four",
                type="feedback",
                text="The audit report of payroll.",
                scope={"workspace": "payroll"},
            ),
        )
    )
    await world.recall(query=QUERY)
    assert not [text for asked in server.asked for text in asked["documents"] if "payroll" in text]


@pytest.mark.parametrize("told", [0.02, 0.95])
async def test_a_restriction_that_words_alone_bring_up_keeps_its_rank_whatever_the_others_get(
    world: World, server: RerankingServer, told: float
) -> None:
    restriction = "lifecycle_policy"
    for thing, attribute, value in (
        ("dev-1", "uses", "audit report printers"),
        ("dev-2", restriction, "audit report"),
        ("dev-3", "uses", "audit of something that has many other words beside it"),
    ):
        stated = await world.service.remember(
            world.lead, Statement(scope=STAGING, entity=thing, attribute=attribute, value=value)
        )
        assert stated.decided is not None
        assert stated.decided.fact_id is not None
    asked = {"query": "audit report printers", "limit": 2}
    server.scorer = lambda *_: Reply(500, "")
    own = await world.recall(**asked)
    assert [fact.attribute for fact in own.facts] == ["uses", restriction]
    assert not own.required
    server.scorer = lambda _, texts: results([told + index / 100 for index in range(len(texts))])
    answer = await world.recall(**asked)
    assert answer.without == ()
    assert [fact.attribute for fact in answer.facts] == ["uses", restriction]
    assert answer.facts[0].id != own.facts[0].id, "the others are in the order of the second look"
    assert answer.facts[1] == own.facts[1]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(500, ""), "answers 500; see its log"),
        (Reply(200, "no json"), "no reranker of this form"),
        (results([0.9]), "no reranker of this form"),
    ],
)
async def test_where_it_fails_recall_goes_on_in_its_own_order_and_says_so(
    world: World, server: RerankingServer, reply: Reply, why: str
) -> None:
    server.scorer = lambda *_: reply
    with capture_logs() as lines:
        answer = await world.recall(query=QUERY)
    [reason] = [line["reason"] for line in lines if line["event"] == "recall_without_reranking"]
    assert why in reason
    assert said(answer) == [FIRST, SECOND]
    assert answer.without == (Without.RERANKING,)
    assert {passage.terms.reranked for passage in answer.passages} == {None}
    assert (await rank_saw(world, answer))["reranked"] == 0
    told = await world.service.context(world.agent, ContextRequest(scope=STAGING, subtask=QUERY))
    assert "There was no second look" in told.text


async def test_it_is_not_asked_where_there_is_nothing_to_put_in_order(
    world: World, server: RerankingServer
) -> None:
    for fields in ({"query": " "}, {"query": QUERY, "triggers": ()}, {"query": "farce"}):
        assert (await world.recall(**fields)).without == ()
    assert server.asked == []


async def test_secrets_of_the_question_stay_here(world: World, server: RerankingServer) -> None:
    await world.recall(query="audit report, password: hunter2hunter2")
    [asked] = server.asked
    assert "hunter2" not in asked["query"]


class Slow:
    """A reranker that does not come back until it is let go."""

    remote = True

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def rerank(self, query: str, texts: list[str]) -> list[float]:
        await self.go.wait()
        return [0.5] * len(texts)


async def test_one_that_is_late_is_done_without_and_holds_no_transaction(
    addresses: Addresses, policy: Policy, client: Client
) -> None:
    slow = Slow()
    async with own_world(addresses, policy, client, reranker=slow) as world:
        await world.digest(
            await world.publish(
                world.lead,
                event(0, activity_id="one", type="feedback", text=FIRST),
                event(1, activity_id="two", type="feedback", text=SECOND),
            )
        )
        answer = await world.recall(query=QUERY, deadline_ms=600)
        assert answer.without == (Without.RERANKING,)
        assert len(answer.passages) == 2
        asking = [asyncio.create_task(world.recall(query=QUERY)) for _ in range(30)]
        # More recalls wait for it than the pool has connections, and others are answered meanwhile.
        assert (await world.recall(query="farce", as_of=MONDAY + timedelta(days=9))).passages
        slow.go.set()
        assert {each.without for each in await asyncio.gather(*asking)} == {()}
