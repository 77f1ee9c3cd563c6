"""What is to be heeded about a sort of work and about a tool: an activity asks for it by itself."""

from keepwell.activity import Activity
from keepwell.retrieval import RetrievalPolicy, Trigger

from tests.client.recorder import Recorder
from tests.client.records import BENCH, SANDBOX, answer, fact

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
