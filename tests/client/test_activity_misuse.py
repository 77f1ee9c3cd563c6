"""What can mean nothing is refused at the call, and what a tool takes itself is never taken from it."""

import asyncio
import functools
from typing import Any

import pytest
from keepwell.activity import Activity
from keepwell.retrieval import RetrievalPolicy

from tests.client.recorder import Recorder
from tests.client.records import answer, fact

SCOPE = {"workspace": "staging"}


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def run(recorder: Recorder) -> Activity:
    return Activity(recorder, "Clean up", scope=SCOPE)


class TestAnActivity:
    @pytest.mark.parametrize(
        ("said", "error", "allowed"),
        [
            ({"scope": "staging"}, TypeError, 'such as {"workspace": "staging"}'),
            ({"scope": None}, TypeError, "scope maps"),
            ({"goal": ""}, ValueError, "what the work is for"),
            ({"goal": " \x00\n"}, ValueError, "what the work is for"),
            ({"goal": None}, TypeError, "goal is a text"),
            ({"on_failure": "rase"}, ValueError, "report, raise"),
            ({"retrieval": "always"}, TypeError, "RetrievalPolicy"),
            ({"entities": [5]}, TypeError, "names no entity"),
            ({"find": "name"}, TypeError, "functions"),
            ({"redact": "name"}, TypeError, "functions"),
            ({"result_characters": 0}, ValueError, "at least 1"),
        ],
    )
    def test_options_that_mean_nothing(
        self, recorder: Recorder, said: dict[str, Any], error: type[Exception], allowed: str
    ) -> None:
        with pytest.raises(error) as refused:
            Activity(recorder, **{"goal": "x", "scope": SCOPE, **said})
        assert allowed in str(refused.value)

    @pytest.mark.parametrize(
        ("call", "error", "allowed"),
        [
            (lambda run: run.said("no", kind="corection"), ValueError, "message, instruction, correction, feedback"),
            (lambda run: run.used(["abc"]), ValueError, "known.visible"),
            (lambda run: run.used("abc"), ValueError, "known.visible"),
            (lambda run: run.used(7), ValueError, "known.visible"),
            (lambda run: run.note({"cpu": 0}), TypeError, "a text"),
            (lambda run: run.said(None), TypeError, "a text"),
            (lambda run: run.verified("x", "https://a.b/check"), TypeError, "evidence_ref"),
            (lambda run: run.calling(effect="none"), ValueError, '"read" or "write"'),
            (lambda run: run.calling(using="x"), TypeError, "run.before"),
            (lambda run: run.calling(name=7), TypeError, "name of a tool"),
        ],
    )  # fmt: skip
    async def test_words_that_mean_nothing(
        self, recorder: Recorder, run: Activity, call: Any, error: type[Exception], allowed: str
    ) -> None:
        async with run:
            with pytest.raises(error, match=allowed):
                call(run)
        assert [kind for kind, _ in recorder.told] == ["activity_started", "activity_completed"]

    @pytest.mark.parametrize(
        ("said", "error", "allowed"),
        [
            ({"decision": None}, TypeError, "in words"),
            ({"observation": {"cpu": 0}}, TypeError, "observation is a text"),
            ({"tool": 7}, TypeError, "tool is the function that is to be called"),
            ({"subtask": 7}, TypeError, "subtask is a text"),
            ({"budget_tokens": 0}, ValueError, "between 1 and 200,000"),
            ({"budget_tokens": 200_001}, ValueError, "between 1 and 200,000"),
        ],
    )
    async def test_decisions_that_mean_nothing(
        self, recorder: Recorder, run: Activity, said: dict[str, Any], error: type[Exception], allowed: str
    ) -> None:
        async with run:
            with pytest.raises(error, match=allowed):
                await run.before(**{"decision": "stop it", **said})
        assert not recorder.asked

    async def test_one_record_that_was_used_is_one(self, recorder: Recorder, run: Activity) -> None:
        used = fact()
        async with run:
            run.used(used.id)
            run.used(str(used.id).upper())
        assert recorder.memory_of("activity_completed")["used"] == [str(used.id)]

    @pytest.mark.parametrize(
        "call",
        [
            lambda run: run.note("x"),
            lambda run: run.observed("x"),
            lambda run: run.said("x"),
            lambda run: run.verified("x"),
            lambda run: run.milestone("x"),
            lambda run: run.used([]),
            lambda run: run.before("stop it"),
            lambda run: run.tool(list),
            lambda run: run.calling().tool(list),
        ],
    )
    async def test_it_is_used_inside_of_its_block(self, recorder: Recorder, run: Activity, call: Any) -> None:
        async def called() -> None:
            given = call(run)
            if hasattr(given, "send"):
                await given

        with pytest.raises(RuntimeError, match="enter the activity first"):
            await called()
        async with run:
            with pytest.raises(RuntimeError, match="entered once"):
                await run.__aenter__()
        told = len(recorder.told)
        with pytest.raises(RuntimeError, match="was left; make another"):
            await called()
        assert (len(recorder.told), recorder.asked) == (told, [])

    async def test_what_has_begun_inside_may_end_outside(self, recorder: Recorder, run: Activity) -> None:
        begun, going_on = asyncio.Event(), asyncio.Event()

        async def waits() -> int:
            begun.set()
            await going_on.wait()
            return 3

        async with run:
            task = asyncio.create_task(run.tool(waits))
            await begun.wait()
        going_on.set()

        assert await task == 3
        assert recorder.told[-2:] == [("activity_completed", None), ("tool_result", "3")]


class TestOptionsOfATool:
    async def test_a_parameter_of_the_function_is_the_functions(
        self, recorder: Recorder, run: Activity
    ) -> None:
        called: list[Any] = []

        def delete(
            name: str = "everything", *, effect: str = "", using: str = "", entities: str = ""
        ) -> None:
            called.append((name, effect, using, entities))

        given: dict[str, Any] = {"name": "gpu-bench-01", "effect": "none", "using": "rm", "entities": "all"}
        async with run:
            for option, value in given.items():
                with pytest.raises(
                    TypeError, match=rf"delete may itself take {option}.*run\.calling\({option}=…\)"
                ):
                    await run.tool(delete, **{option: value})
            assert called == []
            await run.tool(delete, "gpu-bench-01")
            await run.calling(effect="write", name="remove").tool(delete, **given)

        assert called == [("gpu-bench-01", "", "", ""), tuple(given.values())]
        call = recorder.last("tool_call")
        assert (call.text, call.data["effect"], call.data["arguments"]) == ("remove", "write", given)

    @pytest.mark.parametrize("function", [lambda **options: options, dict, functools.partial(dict, a=1)])
    async def test_what_may_take_any_keyword_is_asked_apart(self, run: Activity, function: Any) -> None:
        async with run:
            with pytest.raises(TypeError, match="may itself take name"):
                await run.tool(function, name=None)
            assert (await run.calling(name="make").tool(function, name="x"))["name"] == "x"
            assert (await run.tool(function, other="x"))["other"] == "x"

    async def test_a_parameter_that_has_no_name_outside_is_no_matter(
        self, recorder: Recorder, run: Activity
    ) -> None:
        def delete(name: str, /) -> str:
            return name

        async with run:
            assert await run.tool(delete, "web-7", name="remove", effect="write") == "web-7"
        assert recorder.last("tool_call").text == "remove"

    async def test_options_serve_any_number_of_calls(self, recorder: Recorder, run: Activity) -> None:
        recorder.usual = answer(fact())
        async with run:
            known = await run.before("look around", entities="web-7")
            await run.before("look elsewhere", entities="web-8")
            looking = run.calling(effect="read", using=known, entities="web-7")
            for _ in range(2):
                await looking.tool(list)
                call = recorder.last("tool_call")
                assert (call.data["effect"], call.data["memory"]["visible"]) == ("read", list(known.visible))
                assert [mention.name for mention in call.entities] == ["web-7"]

    async def test_a_result_in_place_of_a_function_is_refused(
        self, recorder: Recorder, run: Activity
    ) -> None:
        async with run:
            with pytest.raises(TypeError, match="give it without calling it"):
                await run.tool([])  # pyright: ignore[reportArgumentType, reportCallIssue]
        assert "tool_call" not in dict(recorder.told)


@pytest.mark.parametrize(
    "said", [{"budget_tokens": 0}, {"budget_tokens": 200_001}, {"limit": 0}, {"limit": 101}]
)
def test_a_policy_that_the_service_would_refuse(said: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="budget_tokens lies"):
        RetrievalPolicy(**said)  # pyright: ignore[reportArgumentType]
