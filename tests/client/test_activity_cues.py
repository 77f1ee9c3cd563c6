"""What is to be heeded about a sort of work and about a tool: an activity asks for it by itself."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from keepwell import ConnectionLost, Recalled
from keepwell.activity import Activity
from keepwell.retrieval import RetrievalPolicy, Trigger

from tests.client.recorder import Recorder
from tests.client.records import BENCH, SANDBOX, answer, conflict, fact

SCOPE = {"workspace": "staging"}
PATIENT = RetrievalPolicy(stale_decisions=1_000, stale_seconds=1_000.0)


async def test_what_is_to_be_heeded_about_the_task_and_the_tool_is_asked_for() -> None:
    recorder = Recorder()

    def restart() -> None: ...

    ask_first = fact(
        required=True, canonical="tool:restart", entity="tool:restart", reasons=["standing_instruction"]
    )
    recorder.answers.extend([answer(), answer(ask_first)])
    async with Activity(recorder, "x", scope=SCOPE, task_class="Night watch", retrieval=PATIENT) as run:
        await run.before("look at it", entities=[BENCH])
        known = await run.before("restart it", entities=[BENCH], tool=restart)
        await run.before("look at it", entities=[SANDBOX])
        again = await run.before("restart it", entities=[BENCH], tool="restart")

    first, second, third = recorder.asked
    assert first.entities == ("task:Night-watch", *BENCH.values())
    assert second.entities[:2] == ("task:Night-watch", "tool:restart")
    assert "tool:restart" not in third.entities
    assert "task:" not in first.query
    assert known.reasons == (Trigger.NEW_ENTITY,)
    assert (again.carried_over, again.instructions) == (True, (ask_first,))


ENDED = fact(
    canonical="tool:restart",
    required=True,
    reasons=["standing_instruction"],
    expires_at=datetime.now(UTC) - timedelta(seconds=1),
)


@pytest.mark.parametrize("heard", [answer(ENDED), answer(missing=(uuid4(),))])
async def test_what_is_spent_about_the_tool_is_asked_for_again(heard: Recalled) -> None:
    """It came with a recall about another thing, and the thing of the decision has been asked about since."""
    recorder = Recorder()
    # An answer that is not whole is asked for once more, with room for all of it.
    recorder.answers.extend([heard, *([heard] if heard.missing else []), answer(), answer()])
    async with Activity(recorder, "x", scope=SCOPE, retrieval=PATIENT) as run:
        await run.before("restart it", entities=[BENCH], tool="restart")
        await run.before("look at it", entities=[SANDBOX])
        known = await run.before("restart it", entities=[SANDBOX], tool="restart")

    assert known.reasons == (Trigger.STALE,)
    assert (known.instructions, known.clear) == ((), True)


async def test_what_is_missing_and_in_dispute_about_the_tool_is_carried_over() -> None:
    recorder = Recorder()
    about_tool = conflict(fact(canonical="tool:restart", entity="tool:restart"), fact(value="false"))
    about_bench = conflict(fact(BENCH), fact(BENCH, value="false"))
    heard = answer(missing=(uuid4(),)).model_copy(update={"conflicts": [about_tool, about_bench]})
    recorder.answers.extend([heard, heard, answer(), ConnectionLost("gone", may_have_happened=False)])
    async with Activity(recorder, "x", scope=SCOPE, retrieval=PATIENT) as run:
        await run.before("restart it", entities=[BENCH], tool="restart")
        await run.before("look at it", entities=[SANDBOX])
        known = await run.before("restart it", entities=[SANDBOX], tool="restart")

    assert (known.carried_over, known.missing, known.advice) == (True, tuple(heard.missing), "narrow")
    # Of the other thing, that recall has told what this decision has nothing to do with.
    assert known.conflicts == (about_tool,)
