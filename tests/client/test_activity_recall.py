"""What an activity recalls: when, about what, what it goes by otherwise, and what it says of that in the log."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from keepwell import ConnectionLost
from keepwell.activity import Activity
from keepwell.asking import RecallLate
from keepwell.recollection import Recollection
from keepwell.retrieval import RetrievalPolicy, Trigger

from tests.client.recorder import Recorder
from tests.client.records import BENCH, KEEP, MACHINES, SANDBOX, Machine, answer, fact, in_scope, passage

SCOPE = {"workspace": "staging"}
PATIENT = RetrievalPolicy(stale_decisions=1_000, stale_seconds=1_000.0)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def run(recorder: Recorder) -> Activity:
    return Activity(recorder, "Clean up idle machines", scope=SCOPE, retrieval=PATIENT)


def list_machines() -> list[Machine]:
    return MACHINES


def ids(known: Recollection) -> set[UUID]:
    """What must be heeded."""
    return {fact.id for fact in known.required}


class TestRecall:
    async def test_it_asks_about_now(self, recorder: Recorder, run: Activity) -> None:
        async with run:
            await run.tool(lambda: "0 % CPU over 48 h")
            await run.before("stop it", subtask="the bench", entities=[BENCH], budget_tokens=500)
            await run.before("start it", observation="it is needed", entities=[SANDBOX])

        first, second = recorder.asked
        assert first.query == (
            "the bench stop it\n0 % CPU over 48 h\ncloud-instance:i-09a8f gpu-bench-01\nClean up idle machines"
        )
        assert (first.scope, first.budget_tokens, first.limit) == (SCOPE, 500, 10)
        assert second.query.startswith("start it\nit is needed\n")
        # What is in play besides is asked about so that the service can say of each restriction whose it is.
        assert second.entities == ("cloud-instance:i-04c21", "dev-sandbox-04", BENCH["id"], BENCH["name"])
        assert BENCH["name"] not in second.query

    async def test_without_entities_it_is_about_what_was_spoken_of_lately(
        self, recorder: Recorder, run: Activity
    ) -> None:
        async with run:
            run.said("look after web-7 first")
            await run.tool(list_machines)
            await run.before("clean up")

        assert recorder.asked[0].entities == (
            BENCH["id"], BENCH["name"], SANDBOX["id"], SANDBOX["name"], "web-7",
        )  # fmt: skip

    async def test_when_nothing_calls_for_it_the_restriction_is_still_there(
        self, recorder: Recorder, run: Activity
    ) -> None:
        recorder.usual = in_scope
        async with run:
            first = await run.before("stop it", entities=[BENCH])
            again = await run.before("stop it after all", entities=["gpu-bench-01"])

        assert (first.recalled, first.reasons) == (True, (Trigger.FIRST_DECISION, Trigger.NEW_ENTITY))
        assert (again.recalled, again.carried_over, again.reasons) == (False, True, ())
        assert again.required == first.required == (KEEP,)
        assert not first.clear
        assert not again.clear
        assert "carried over" in again.text
        assert len(recorder.asked) == 1

    async def test_a_restriction_on_one_thing_is_none_on_another(
        self, recorder: Recorder, run: Activity
    ) -> None:
        other_name, everywhere = (
            fact({"id": "named:x", "name": "the bench"}, required=True, about=[BENCH["id"]]),
            fact(required=True),
        )
        recorder.answers.append(answer(KEEP, other_name, everywhere, passages=(passage(),)))
        async with run:
            both = await run.before("clean up", entities=[BENCH, SANDBOX])
            bench = await run.before("stop it", entities=[BENCH])
            sandbox = await run.before("stop it", entities=[SANDBOX])

        assert ids(both) == ids(bench) == {KEEP.id, other_name.id, everywhere.id}
        # The service knows the bench by a name that nobody here has used, and says that it means the bench.
        assert ids(sandbox) == {everywhere.id}
        assert len(sandbox.passages) == 1

    async def test_what_is_in_play_is_told_and_binds_only_whom_it_is_about(
        self, recorder: Recorder, run: Activity
    ) -> None:
        """The words of an observation may bring up another thing's restriction; the decision's own words may too."""
        bench = fact({"id": "named:x", "name": "gpu-bench-09"}, required=True, about=[])
        recorder.usual = lambda _: answer(bench)
        async with run:
            run.observed("gpu-bench-09 is idle")
            beside = await run.before("stop it", entities=[SANDBOX])
            named = await run.before("stop it and gpu-bench-09", entities=[SANDBOX])
            at_large = await run.before("stop what is idle", explicit=True)

        assert (beside.facts, beside.required, beside.clear) == ((bench,), (), True)
        assert named.required == (bench,)
        assert at_large.required == (bench,)

    async def test_each_thing_goes_by_the_recall_that_was_made_for_it(
        self, recorder: Recorder, run: Activity
    ) -> None:
        everywhere = fact(required=True)
        recorder.answers.extend([answer(KEEP), answer(everywhere, fact(SANDBOX, required=True))])
        async with run:
            await run.before("stop it", entities=[BENCH])
            await run.before("stop it", entities=[SANDBOX])
            known = await run.before("stop it", entities=[BENCH])

        assert known.carried_over
        assert ids(known) == {KEEP.id, everywhere.id}

    async def test_clear_is_said_only_after_memory_was_heard(self, recorder: Recorder, run: Activity) -> None:
        recorder.answers.extend([ConnectionLost("away", may_have_happened=False), answer(), answer(fact())])
        async with run:
            clear = [
                (await run.before("stop it", entities=[each])).clear
                for each in (BENCH, BENCH, SANDBOX, BENCH)
            ]

        assert clear == [False, True, True, True]

    @pytest.mark.parametrize(
        ("happens", "reasons"),
        [
            (lambda run: None, []),
            (lambda run: run.said("no, keep it", kind="correction"), [Trigger.USER_CORRECTION]),
            (lambda run: run.said("that was wrong", kind="feedback"), [Trigger.USER_CORRECTION]),
            (lambda run: run.said("go on"), []),
            (lambda run: run.verified("it is down", passed=False), [Trigger.NEW_ERROR]),
            (lambda run: run.verified("it is up"), []),
            (lambda run: fails(run, "stop", TimeoutError), [Trigger.NEW_ERROR]),
            (lambda run: fails(run, "stop", TimeoutError, TimeoutError), [Trigger.NEW_ERROR, Trigger.FAILED_STRATEGY]),
        ],
    )  # fmt: skip
    async def test_what_happens_in_between_calls_for_it(
        self, recorder: Recorder, run: Activity, happens: Any, reasons: list[Trigger]
    ) -> None:
        async with run:
            await run.before("stop it", entities=[BENCH])
            happening = happens(run)
            if asyncio.iscoroutine(happening):
                await happening
            known = await run.before("stop it", entities=[BENCH])
            after = await run.before("stop it", entities=[BENCH])

        assert list(known.reasons) == reasons
        assert known.recalled is bool(reasons)
        assert after.reasons == ()

    async def test_an_error_that_is_known_calls_for_nothing_until_the_strategy_has_failed(
        self, run: Activity
    ) -> None:
        async with run:
            await run.before("stop it")
            await fails(run, "stop", TimeoutError)
            assert (await run.before("try again")).reasons == (Trigger.NEW_ERROR,)
            await fails(run, "stop", TimeoutError)
            assert (await run.before("try again")).reasons == ()
            await fails(run, "stop", TimeoutError)
            assert (await run.before("try again")).reasons == (Trigger.FAILED_STRATEGY,)

    async def test_a_correction_holds_for_all_that_was_recalled_before_it(self, run: Activity) -> None:
        async with run:
            await run.before("stop it", entities=[BENCH])
            await run.before("stop it", entities=[SANDBOX])
            run.said("leave them alone", kind="correction")
            for thing in (BENCH, SANDBOX):
                assert (await run.before("stop it", entities=[thing])).reasons == (Trigger.USER_CORRECTION,)
            assert (await run.before("stop it", entities=[SANDBOX])).reasons == ()

    async def test_a_thing_that_was_out_of_play_returns(self, recorder: Recorder) -> None:
        policy = RetrievalPolicy(in_play_for=2, stale_decisions=100)
        async with Activity(recorder, "x", scope=SCOPE, retrieval=policy) as run:
            await run.before("stop it", entities=[BENCH])
            for _ in range(3):
                assert not (await run.before("go on", entities=[SANDBOX])).required
            known = await run.before("stop it", entities=[BENCH])
            again = await run.before("stop it", entities=[BENCH])

        assert known.reasons == (Trigger.RETURNING_ENTITY,)
        assert again.reasons == ()

    async def test_a_known_class_of_tasks_is_looked_up_once(self, recorder: Recorder) -> None:
        policy = RetrievalPolicy(task_classes=frozenset({"cleanup", "restart"}))
        async with Activity(recorder, "x", scope=SCOPE, task_class="cleanup", retrieval=policy) as run:
            reasons = [
                (await run.before("x", task_class=each)).reasons for each in (None, None, "restart", "other")
            ]

        known, new = Trigger.KNOWN_TASK_CLASS, Trigger.NEW_ENTITY
        assert reasons == [(Trigger.FIRST_DECISION, new, known), (), (new, known), (new,)]

    async def test_what_was_recalled_gets_stale_and_what_has_expired_is_asked_about(
        self, recorder: Recorder
    ) -> None:
        ended = fact(BENCH, required=True, expires_at=datetime.now(UTC) - timedelta(seconds=1))
        recorder.answers.extend([answer(ended), answer()])
        policy = RetrievalPolicy(stale_decisions=2)
        async with Activity(recorder, "x", scope=SCOPE, retrieval=policy) as run:
            reasons = [(await run.before("x", entities=[BENCH])).reasons for _ in range(5)]

        assert [bool(each) for each in reasons] == [True, True, False, True, False]
        assert reasons[1] == reasons[3] == (Trigger.STALE,)

    async def test_what_must_be_heeded_comes_beyond_the_budget(
        self, recorder: Recorder, run: Activity
    ) -> None:
        some = fact(SANDBOX)
        recorder.answers.extend([answer(some, missing=(KEEP.id,)), answer(KEEP, some)])
        async with run:
            known = await run.before("stop it", entities=[BENCH])

        assert [request.budget_tokens for request in recorder.asked] == [2_000, 200_000]
        assert known.required == (KEEP,)
        assert known.facts == (KEEP, some)
        assert (known.advice, known.missing) == ("narrow", ())

    async def test_what_is_missing_all_the_same_is_said_and_asked_for_again(
        self, recorder: Recorder, run: Activity
    ) -> None:
        recorder.answers.extend([answer(missing=(KEEP.id,)), ConnectionLost("gone", may_have_happened=False)])
        async with run:
            known = await run.before("stop it", entities=[BENCH])
            again = await run.before("stop it", entities=[BENCH])

        assert (known.missing, known.advice, known.clear) == ((KEEP.id,), "narrow", False)
        assert (again.reasons, again.clear) == ((Trigger.STALE,), True)

    async def test_a_recall_that_is_late_is_not_waited_for(self, recorder: Recorder, run: Activity) -> None:
        async with run:
            recorder.usual = in_scope
            await run.before("stop it", entities=[BENCH])
            recorder.late = asyncio.Event()
            known = await run.before("stop it", entities=[BENCH], explicit=True, deadline=0.01)

        assert (known.recalled, known.error, known.reasons) == (False, "deadline", (Trigger.EXPLICIT_NEED,))
        assert (known.carried_over, known.required, known.clear) == (True, (KEEP,), False)
        assert recorder.last("tool_call").data["error"] == "deadline"
        await asyncio.wait_for(recorder.given_up.wait(), 10)

    @pytest.mark.parametrize(
        ("error", "code"),
        [
            (ConnectionLost("away", may_have_happened=False), "connection_lost"),
            (RuntimeError("x"), "RuntimeError"),
        ],
    )
    async def test_a_recall_that_fails_is_said_or_raised_as_one_chooses(
        self, recorder: Recorder, run: Activity, error: Exception, code: str
    ) -> None:
        recorder.usual = error
        async with run:
            known = await run.before("stop it", entities=[BENCH])
        assert (known.error, known.recalled, known.facts) == (code, False, ())

        async with Activity(recorder, "x", scope=SCOPE, on_failure="raise") as strict:
            with pytest.raises(type(error)) as raised:
                await strict.before("stop it", entities=[BENCH])
            recorder.late = asyncio.Event()
            with pytest.raises(RecallLate):
                await strict.before("stop it", entities=[BENCH], deadline=0.0)
        assert raised.value is error
        assert recorder.last("tool_call").data["error"] == "deadline"

    async def test_a_failed_recall_is_made_again(self, recorder: Recorder, run: Activity) -> None:
        recorder.answers.append(RuntimeError())
        recorder.usual = in_scope
        async with run:
            await run.before("stop it", entities=[BENCH])
            known = await run.before("stop it", entities=[BENCH])

        assert known.required == (KEEP,)

    async def test_cancelling_a_decision_cancels_its_recall(self, recorder: Recorder, run: Activity) -> None:
        recorder.late = asyncio.Event()

        async def work() -> None:
            async with run:
                await run.before("stop it")

        task = asyncio.create_task(work())
        while not recorder.asked:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(recorder.given_up.wait(), 10)
        assert recorder.told[-1] == ("activity_failed", "failed with CancelledError")

    async def test_a_thing_without_a_name_is_refused(self, run: Activity) -> None:
        async with run:
            with pytest.raises(TypeError, match="names no entity"):
                await run.before("stop it", entities=[None])

    async def test_of_too_many_things_some_are_left_out_and_counted(self, run: Activity) -> None:
        many = [{"id": f"machine:{number}", "name": f"web-{number}"} for number in range(600)]
        async with run:
            known = await run.before("stop them", entities=many)
            again = await run.before("stop them", entities=many)

        assert (known.left_out, known.clear) == (100, False)
        assert again.reasons == (Trigger.NEW_ENTITY,)


async def fails(run: Activity, tool: str, *kinds: type[Exception]) -> None:
    """Let a tool fail, once for each kind of error."""
    for kind in kinds:

        def failing(kind: type[Exception] = kind) -> None:
            raise kind

        with pytest.raises(kind):
            await run.tool(failing, name=tool)


class TestAttribution:
    async def test_events_say_what_was_visible_used_and_why(self, recorder: Recorder, run: Activity) -> None:
        seen = passage()
        recorder.answers.extend([answer(KEEP, passages=(seen,)), answer()])
        async with run:
            known = await run.before("stop it", entities=[BENCH])
            decided = recorder.memory_of()
            run.used([KEEP.id])
            await run.tool(list_machines)
            acted = recorder.memory_of()
            other = await run.before("stop it", entities=[SANDBOX])
            await run.tool(list_machines, using=known)
            went_by_the_first = recorder.memory_of()
            await run.tool(list_machines)
            run.used([str(seen.id), KEEP.id])

        both, triggers = [str(KEEP.id), str(seen.id)], ["first_decision", "new_entity"]
        first, second = [str(each) for each in known.trace_ids], [str(each) for each in other.trace_ids]
        assert len(first) == len(second) == 1
        assert decided == {"traces": first, "visible": both, "used": [], "trigger": triggers}
        assert acted == {"traces": first, "visible": both, "used": [str(KEEP.id)], "trigger": triggers}
        assert other.visible == ()
        assert went_by_the_first == {"traces": first, "visible": both, "used": [], "trigger": triggers}
        nothing = {"traces": second, "visible": [], "used": [], "trigger": ["new_entity"]}
        assert recorder.memory_of() == nothing
        assert recorder.memory_of("activity_completed")["traces"] == [*first, *second]
        assert recorder.memory_of("activity_completed")["used"] == both

    async def test_a_decision_is_an_event_that_changes_nothing(
        self, recorder: Recorder, run: Activity
    ) -> None:
        async with run:
            await run.before("stop it", entities=[BENCH])

        event = recorder.last("tool_call")
        assert (event.text, event.entities) == (None, ())
        assert {name: event.data[name] for name in event.data if name != "memory"} == {
            "tool": "keepwell.recall",
            "effect": "read",
            "decision": "stop it",
            "about": list(BENCH.values()),
            "recalled": True,
            "carried_over": False,
            "error": None,
            "missing": 0,
        }

    async def test_the_latest_recollection_is_at_hand(self, run: Activity) -> None:
        async with run:
            assert run.latest is None
            known = await run.before("stop it")
            assert run.latest is known
            assert isinstance(known, Recollection)
