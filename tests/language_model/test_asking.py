"""Asking within a budget: what is put aside and what is taken, and that a question has one answer for ever."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import pytest

from capture.asking import Asking, Reply
from models.errors import ModelAnswersBadly, ModelFailed, ModelTimedOut, ModelUnauthorised, ModelUnreachable
from models.extractions import MOST_ATTEMPTS, Budget, Fault, Purpose, State, Usage
from models.ids import tenant_id
from providers.protocols import Answer
from store import extractions, model_spending
from store.engine import Database
from store.extractions import About, Asked
from tests.world import World, event

MOST = Usage(3, 600, 400)
TOOK = Usage(1, 90, 10)
PLENTY = Budget(tokens=10_000, requests=100)


class Question(NamedTuple):
    """A question whose answer is what a test says; it counts how often it is asked."""

    answer: Callable[[], str | ModelFailed]
    usage: Usage | None
    calls: list[int]
    hold: asyncio.Event | None = None
    model: str = "openai:local"
    prompt: str = "extract_facts.v1"
    digest: bytes = b"digest"
    most: Usage = MOST

    async def ask(self) -> Answer[str]:
        self.calls.append(len(self.calls))
        if self.hold is not None:
            await self.hold.wait()
        answer = self.answer()
        if isinstance(answer, ModelFailed):
            raise answer
        return Answer(answer, self.usage)


def question(answer: str | ModelFailed = "told", usage: Usage | None = TOOK) -> Question:
    return Question(lambda: answer, usage, [])


class Tenant:
    """A tenant with one activity, and what it spends."""

    def __init__(self, database: Database, tenant: UUID, activity_id: UUID) -> None:
        self._database = database
        self.id = tenant
        self.activity_id = activity_id

    def about(self, number: int = 1) -> About:
        return About(self.activity_id, Purpose.EXTRACT, number, number)

    async def reply(self, asked: Question, number: int = 1, budget: Budget = PLENTY) -> Reply:
        asking = Asking(self._database, budget)
        return await asking.reply(self.id, self.about(number), "extractor/1", asked, str)

    async def spent(self) -> Budget:
        async with self._database.transaction(self.id) as work:
            return await model_spending.spent(work, datetime.now(UTC).date())

    async def cut_off(self, number: int = 1) -> None:
        """A call that a process began and did not live to end."""
        async with self._database.transaction(self.id) as work:
            await extractions.ask(work, self.about(number), Asked("extractor/1"), MOST_ATTEMPTS)


@pytest.fixture
async def tenant(world: World) -> Tenant:
    receipts = await world.publish(world.lead, event(text="hello"))
    return Tenant(world.database, tenant_id(world.tenant), receipts[0].activity_id)


async def test_what_a_call_took_is_spent_and_the_rest_is_put_back(tenant: Tenant) -> None:
    reply = await tenant.reply(question())
    assert (reply.proposed, reply.extraction.state, reply.extraction.usage) == ("told", State.PROPOSED, TOOK)
    assert await tenant.spent() == Budget(tokens=100, requests=1)


@pytest.mark.parametrize(
    ("asked", "spent"),
    [
        pytest.param(question(usage=None), Budget(1_000, 3), id="a server that does not say"),
        pytest.param(question(ModelAnswersBadly()), Budget(1_000, 3), id="answers of no use"),
        pytest.param(question(ModelUnauthorised(was_free=True)), Budget(0, 0), id="a refusal"),
    ],
)
async def test_where_nobody_says_what_it_took_it_took_all(
    tenant: Tenant, asked: Question, spent: Budget
) -> None:
    await tenant.reply(asked)
    assert await tenant.spent() == spent


async def test_a_spent_budget_ends_it_by_rule_and_without_a_call(tenant: Tenant) -> None:
    asked = question()
    reply = await tenant.reply(asked, budget=Budget(tokens=999, requests=100))
    assert (reply.proposed, reply.extraction.state, reply.extraction.reason) == (
        None,
        State.FELL_BACK,
        Fault.BUDGET_SPENT,
    )
    few = await tenant.reply(asked, 2, budget=Budget(tokens=10_000, requests=2))
    assert few.fallback is not None
    assert asked.calls == []
    assert await tenant.spent() == Budget(0, 0)


async def test_many_at_once_never_spend_more_than_there_is(tenant: Tenant) -> None:
    """Twenty calls want 1,000 tokens each at most, and take 100; four fit beside one another."""
    go = asyncio.Event()
    asked = Question(lambda: "told", TOOK, [], go)
    budget = Budget(tokens=4_500, requests=1_000)
    replies = [asyncio.create_task(tenant.reply(asked, number, budget)) for number in range(20)]
    while sum(each.done() for each in replies) < 16:
        await asyncio.sleep(0.01)
    assert len(asked.calls) == 4
    assert (await tenant.spent()).tokens == 4_000
    go.set()
    ended = await asyncio.gather(*replies)
    assert sum(each.proposed == "told" for each in ended) == 4
    assert {each.extraction.reason for each in ended if each.proposed is None} == {Fault.BUDGET_SPENT}
    assert await tenant.spent() == Budget(tokens=400, requests=4)
    assert (await tenant.reply(question(), 99, budget)).proposed == "told", "what was put back can be spent"


async def test_the_budget_of_one_tenant_is_not_anothers(
    tenant: Tenant, database: Database, world: World
) -> None:
    tight = Budget(tokens=1_000, requests=3)
    assert (await tenant.reply(question(usage=MOST), 1, tight)).proposed
    assert (await tenant.reply(question(), 2, tight)).proposed is None
    other = World(world.service, database, f"{world.tenant}-b")
    await world.service.add_tenant(other.agent)
    receipts = await other.publish(other.lead, event(text="hello"))
    theirs = Tenant(database, tenant_id(other.tenant), receipts[0].activity_id)
    assert (await theirs.reply(question(), 1, tight)).proposed == "told"


async def test_an_answer_is_given_once(tenant: Tenant) -> None:
    first = await tenant.reply(question("first"))
    again = question("second")
    assert await tenant.reply(again) == first
    assert again.calls == []


async def test_of_two_at_once_the_answer_that_came_first_counts(tenant: Tenant) -> None:
    slow = Question(lambda: "slow", TOOK, [], asyncio.Event())
    waiting = asyncio.create_task(tenant.reply(slow))
    while not slow.calls:
        await asyncio.sleep(0.01)
    assert (await tenant.reply(question("quick"))).proposed == "quick"
    assert slow.hold is not None
    slow.hold.set()
    assert (await waiting).proposed == "quick"
    assert await tenant.spent() == Budget(tokens=200, requests=2)


async def test_it_is_asked_again_as_often_as_it_may_be(tenant: Tenant) -> None:
    asked = question(ModelUnreachable(was_free=True))
    for attempt in range(1, MOST_ATTEMPTS):
        with pytest.raises(ModelUnreachable) as failed:
            await tenant.reply(asked)
        assert failed.value.retry_after == 2.0 ** (attempt - 1)
    reply = await tenant.reply(asked)
    assert reply.fallback is not None
    assert reply.fallback == (Fault.UNREACHABLE, MOST_ATTEMPTS)
    assert len(asked.calls) == MOST_ATTEMPTS
    assert await tenant.reply(question()) == reply, "what has ended by rule stays so until it is redone"


async def test_calls_that_are_cut_off_count_too(tenant: Tenant) -> None:
    """A question that kills whoever asks it is not asked for ever."""
    for _ in range(MOST_ATTEMPTS):
        await tenant.cut_off()
    asked = question()
    reply = await tenant.reply(asked)
    assert asked.calls == []
    assert reply.fallback == (Fault.INTERRUPTED, MOST_ATTEMPTS)


async def test_a_call_that_was_cut_off_once_is_made_again(tenant: Tenant) -> None:
    await tenant.cut_off()
    reply = await tenant.reply(question())
    assert (reply.proposed, reply.extraction.attempts) == ("told", 2)


async def test_what_every_attempt_took_is_counted(tenant: Tenant) -> None:
    answers: list[str | ModelFailed] = [ModelTimedOut(), "told"]
    asked = Question(lambda: answers.pop(0), TOOK, [])
    with pytest.raises(ModelTimedOut):
        await tenant.reply(asked)
    reply = await tenant.reply(asked)
    assert reply.extraction.usage == Usage(4, 690, 410)
    assert reply.extraction.reason is None
    assert await tenant.spent() == Budget(tokens=1_100, requests=4)
