"""The prompt of a decision: the service's context, or what is in hand where it does not come, within one deadline."""

import asyncio
from uuid import UUID, uuid4

import pytest
from keepwell import ConnectionLost, InvalidInput
from keepwell.activity import Activity
from keepwell.types import ContextRequest, ContextTold, LiveObservation, SessionEventTold

from tests.client.answers import MEMORY_ID, context
from tests.client.recorder import Recorder
from tests.client.records import AT, BENCH, KEEP, answer, in_scope, passage

SCOPE = {"workspace": "staging"}


class Composer(Recorder):
    """A memory that writes contexts as well; `broken` is raised in place of one."""

    def __init__(self) -> None:
        super().__init__()
        self.usual = in_scope
        self.composed: list[ContextRequest] = []
        self.broken: Exception | None = None
        self.slow: asyncio.Event | None = None

    async def context(self, request: ContextRequest, /) -> ContextTold:
        self.composed.append(request)
        if self.slow is not None:
            await self.slow.wait()
        if self.broken is not None:
            raise self.broken
        return ContextTold.model_validate(context("<retrieved-memory>as written</retrieved-memory>"))


@pytest.fixture
def memory() -> Composer:
    return Composer()


@pytest.fixture
def run(memory: Composer) -> Activity:
    return Activity(memory, "Clean up", scope=SCOPE, activity_id="act-7")


def said(kind: str, text: str) -> SessionEventTold:
    return SessionEventTold(
        id=uuid4(), type=kind, actor="dana", authority="human_instruction", occurred_at=AT, text=text
    )


async def test_a_recall_names_the_activity_and_its_corrections_are_in_hand(
    memory: Composer, run: Activity
) -> None:
    found = answer(passages=(passage(),))
    memory.usual = found.model_copy(
        update={"session": [said("tool_call", "list"), said("correction", "Use the other cluster.")]}
    )
    async with run:
        known = await run.before("stop it", entities=[BENCH])
        again = await run.before("stop it", entities=[BENCH])
    assert memory.asked[0].activity_id == "act-7"
    assert [event.text for event in known.session] == ["Use the other cluster."]
    assert known.text.count("Use the other cluster.") == 1
    assert (again.carried_over, again.session) == (True, known.session)


async def test_the_prompt_is_the_context_that_the_service_writes(memory: Composer, run: Activity) -> None:
    seen = LiveObservation(entity=BENCH["id"], attribute="owner", value="Bo", observed_at=AT)
    async with run:
        run.observed("gpu-bench-01 is idle")
        prompt = await run.context(
            "stop it", subtask="the bench", entities=[BENCH], observations=[seen], answer_tokens=700
        )
    [asked] = memory.composed
    assert (asked.goal, asked.subtask, asked.observation) == (
        "Clean up",
        "the bench: stop it",
        "gpu-bench-01 is idle",
    )
    assert set(asked.entities) == set(BENCH.values())
    assert (asked.activity_id, asked.observations, asked.answer_tokens) == ("act-7", (seen,), 700)
    assert asked.triggers == ("first_decision", "new_entity")
    assert prompt.text == "<retrieved-memory>as written</retrieved-memory>"
    assert prompt.visible == (str(MEMORY_ID),)
    assert prompt.known.required == (KEEP,)
    assert prompt.error is None


async def test_where_nothing_called_for_a_recall_a_prompt_is_a_need_of_its_own(
    memory: Composer, run: Activity
) -> None:
    """An empty list would say that nothing is to be searched, and leave out of the prompt what is in hand."""
    async with run:
        await run.context("stop it", entities=[BENCH])
        again = await run.context("stop it", entities=[BENCH])
    assert again.known.reasons == ()
    assert [asked.triggers for asked in memory.composed] == [("first_decision", "new_entity"), None]


async def test_without_entities_it_is_about_what_is_in_play(memory: Composer, run: Activity) -> None:
    async with run:
        run.said("look after web-7 first")
        await run.context("clean up")
    assert memory.composed[0].entities == ("web-7",)


async def test_where_it_does_not_come_what_is_in_hand_is_shown(memory: Composer, run: Activity) -> None:
    memory.broken = ConnectionLost("nobody answers", may_have_happened=False)
    async with run:
        prompt = await run.context("stop it", entities=[BENCH])
    assert (prompt.context, prompt.error) == (None, "connection_lost")
    assert prompt.error_detail is not None
    assert prompt.error_detail.startswith("nobody answers")
    assert prompt.text == prompt.known.text
    assert KEEP.statement in prompt.text
    assert [UUID(each) for each in prompt.visible] == [KEEP.id]


async def test_it_takes_no_longer_than_the_deadline(memory: Composer, run: Activity) -> None:
    memory.slow = asyncio.Event()
    async with run:
        prompt = await asyncio.wait_for(run.context("stop it", entities=[BENCH], deadline=0.05), 5)
    assert prompt.error == "deadline"
    assert prompt.known.recalled


async def test_what_fails_is_raised_where_that_is_wanted(memory: Composer) -> None:
    memory.broken = ConnectionLost("nobody answers", may_have_happened=False)
    async with Activity(memory, "Clean up", scope=SCOPE, on_failure="raise") as run:
        with pytest.raises(ConnectionLost):
            await run.context("stop it", entities=[BENCH])


async def test_what_can_mean_nothing_is_refused_at_once(memory: Composer, run: Activity) -> None:
    async with run:
        with pytest.raises(InvalidInput, match="answer_tokens"):
            await run.context("stop it", entities=[BENCH], answer_tokens=-1)
    assert memory.composed == []
