"""The wrapper around an agent: what it publishes, and that nothing of it can stop the agent."""

import asyncio
import functools
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keepwell import EntityMention, InvalidInput, Keepwell
from keepwell.activity import Activity
from keepwell.retrieval import RetrievalPolicy

from models.events import MAX_EVENT_BYTES, parse_event
from tests.client.answers import EventLog, recalled
from tests.client.misbehaving import UNAVAILABLE, Reply, Server, client_of
from tests.client.recorder import Recorder
from tests.client.records import BENCH, KEEP, MACHINES, SANDBOX, Machine, answer, fact, in_scope

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


async def stop_machine(machine: Machine) -> str:
    await asyncio.sleep(0)
    return f"{machine} is stopped"


class TestTheStory:
    async def test_what_is_forbidden_is_left_alone_and_the_rest_is_done(
        self, recorder: Recorder, run: Activity
    ) -> None:
        recorder.usual = in_scope
        stopped: list[Machine] = []
        async with run:
            machines = await run.tool(list_machines, effect="read")
            for machine in machines:
                known = await run.before(f"stop {machine}", entities=[machine])
                if known.clear:
                    await run.tool(stop_machine, machine, effect="write", using=known)
                    stopped.append(machine)

        assert stopped == [MACHINES[1]]
        assert recorder.told == [
            ("activity_started", "Clean up idle machines"),
            ("tool_call", "list_machines"),
            ("tool_result", json.dumps([BENCH, SANDBOX])),
            ("tool_call", None),
            ("tool_call", None),
            ("tool_call", "stop_machine"),
            ("tool_result", "dev-sandbox-04 is stopped"),
            ("activity_completed", None),
        ]
        assert [event.occurred_at for event in recorder.events] == sorted(
            event.occurred_at for event in recorder.events
        )

    async def test_the_same_over_http(self, server: Server, memory: Keepwell) -> None:
        log = EventLog()
        told = {**recalled(), "facts": [json.loads(KEEP.model_dump_json())]}
        server.usual = lambda sent: Reply(200, told) if sent.path == "/v1/recall" else log(sent)
        async with memory.activity("Clean up idle machines", scope=SCOPE) as run:
            known = await run.before("stop gpu-bench-01", entities=[BENCH])
            await run.tool(stop_machine, MACHINES[1], using=known)

        await memory.buffer.flush()
        assert known.required == (KEEP,)
        assert [event["type"] for event in log.events.values()] == [
            "activity_started",
            "tool_call",
            "tool_call",
            "tool_result",
            "activity_completed",
        ]
        assert not run.undelivered
        assert {ticket.state for ticket in run.tickets} == {"durable"}

    async def test_a_service_that_is_away_stops_nobody_and_is_no_secret(self, server: Server) -> None:
        server.usual = lambda _: UNAVAILABLE
        async with client_of(server) as memory:
            async with memory.activity("Clean up", scope=SCOPE) as run:
                known = await run.before("stop gpu-bench-01", entities=[BENCH], deadline=0.2)
                assert await run.tool(stop_machine, MACHINES[0]) == "gpu-bench-01 is stopped"
            assert (known.recalled, known.error in {"deadline", "unavailable"}) == (False, True)
            assert len(run.undelivered) == len(run.tickets) == 5
            server.usual = EventLog()
            await memory.buffer.flush()
        assert not run.undelivered


class TestTools:
    @pytest.mark.parametrize(
        ("function", "args", "kwargs", "name", "arguments"),
        [
            (stop_machine, (MACHINES[0],), {}, "stop_machine", {"machine": BENCH}),
            (functools.partial(stop_machine, MACHINES[0]), (), {}, "stop_machine", {"machine": BENCH}),
            (max, (1, 2), {}, "max", {"arguments": [1, 2]}),
            (lambda **options: options, (), {"host": "web-7"}, "<lambda>", {"options": {"host": "web-7"}}),
            (dict, (), {"a": float("nan")}, "dict", {"a": "nan"}),
        ],
    )
    async def test_a_call_is_told_by_name_and_arguments(
        self,
        recorder: Recorder,
        run: Activity,
        function: Any,
        args: Any,
        kwargs: Any,
        name: str,
        arguments: Any,
    ) -> None:
        async with run:
            result = await run.tool(function, *args, **kwargs)

        call = recorder.last("tool_call")
        assert (call.text, call.data["tool"], call.data["arguments"]) == (name, name, arguments)
        assert "effect" not in call.data
        assert call.data["memory"] == {"traces": [], "visible": [], "used": [], "trigger": []}
        assert recorder.last("tool_result").data == {"tool": name, "outcome": "returned"}
        assert result is not None

    async def test_a_tool_can_be_given_a_name_an_effect_and_entities(
        self, recorder: Recorder, run: Activity
    ) -> None:
        async with run:
            await run.tool(asyncio.sleep, 0, name="rest", effect="read", entities=["Рабочая база"])
            with pytest.raises(ValueError, match="effect is"):
                await run.tool(list_machines, effect="none")  # pyright: ignore[reportArgumentType]

        call, result = recorder.last("tool_call"), recorder.last("tool_result")
        assert (call.text, call.data["effect"]) == ("rest", "read")
        assert call.entities == result.entities == (EntityMention(name="Рабочая база"),)
        assert result.text is None

    async def test_a_result_comes_back_as_it_is(self, run: Activity) -> None:
        def rows() -> Iterator[int]:
            yield from range(3)

        made = object()
        async with run:
            assert await run.tool(lambda: made) is made
            assert list(await run.tool(rows)) == [0, 1, 2]

    @pytest.mark.parametrize("error", [RuntimeError("the password is hunter2"), KeyboardInterrupt()])
    async def test_what_a_tool_raises_is_raised_and_told_by_its_type(
        self, recorder: Recorder, run: Activity, error: BaseException
    ) -> None:
        async def fails() -> None:
            raise error

        async with run:
            with pytest.raises(type(error)) as raised:
                await run.tool(fails, name="restart")

        assert raised.value is error
        kind = type(error).__name__
        result = recorder.last("tool_result")
        assert result.text == f"restart failed with {kind}"
        assert result.data == {"tool": "restart", "outcome": "failed", "error": kind}
        assert not any("hunter2" in event.as_json().decode() for event in recorder.events)

    async def test_a_cancelled_tool_is_told_as_that(self, recorder: Recorder, run: Activity) -> None:
        waiting = asyncio.Event()

        async def waits() -> None:
            waiting.set()
            await asyncio.Event().wait()

        async def work() -> None:
            async with run:
                await run.tool(waits)

        task = asyncio.create_task(work())
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert recorder.told[-2:] == [
            ("tool_result", "waits was cancelled"),
            ("activity_failed", "failed with CancelledError"),
        ]

    async def test_entities_come_from_arguments_and_results(self, recorder: Recorder, run: Activity) -> None:
        async with run:
            await run.tool(stop_machine, MACHINES[0])
            await run.tool(list_machines)

        calls = [event.entities for event in recorder.events if event.type.startswith("tool")]
        both = (EntityMention(**BENCH), EntityMention(**SANDBOX))
        assert calls == [both[:1], (EntityMention(name="gpu-bench-01"),), (), both]

    async def test_a_finder_of_ones_own_is_used_and_one_that_fails_replaced(self, recorder: Recorder) -> None:
        def odd(value: Any) -> list[str]:
            if value == {}:
                return ["База"]
            raise RuntimeError

        async with Activity(recorder, "x", scope=SCOPE, find=odd) as run:
            await run.tool(list_machines)

        assert recorder.last("tool_call").entities == (EntityMention(name="База"),)
        assert len(recorder.last("tool_result").entities) == 2

    async def test_secrets_are_masked_and_redacted_before_anything_is_told(self, recorder: Recorder) -> None:
        def login(password: str, note: str) -> dict[str, str]:
            return {"token": "tok-1", "greeting": f"hello {note}"}

        def redact(tool: str, value: Any) -> Any:
            return {**value, "note": "…"} if "note" in value else {**value, "greeting": "…"}

        async with Activity(recorder, "x", scope=SCOPE, redact=redact) as run:
            assert await run.tool(login, "hunter2", "db-secret-9") == {
                "token": "tok-1",
                "greeting": "hello db-secret-9",
            }

        assert recorder.last("tool_call").data["arguments"] == {"password": "[withheld]", "note": "…"}
        assert json.loads(recorder.last("tool_result").text or "") == {"token": "[withheld]", "greeting": "…"}
        told = "".join(event.as_json().decode() for event in recorder.events)
        assert not any(secret in told for secret in ("hunter2", "db-secret-9", "tok-1"))

    async def test_a_redaction_that_fails_lets_nothing_out(self, recorder: Recorder) -> None:
        def redact(tool: str, value: Any) -> Any:
            raise RuntimeError

        async with Activity(recorder, "x", scope=SCOPE, redact=redact) as run:
            assert await run.tool(list_machines) is MACHINES

        assert recorder.last("tool_call").data["arguments"] == "[withheld]"
        assert recorder.last("tool_result").text == "[withheld]"
        assert recorder.last("tool_result").entities == ()

    @pytest.mark.parametrize(
        ("result", "said"),
        [
            ("x" * 50_000, {"cut": True, "characters": 50_000}),
            (["x"] * 200, {"cut": True}),
            ({"a": "x" * 50_000}, {"cut": True}),
            ("short", {}),
            (["x"] * 3, {}),
        ],
    )
    async def test_a_long_result_is_cut_and_said_to_be(
        self, recorder: Recorder, run: Activity, result: Any, said: dict[str, Any]
    ) -> None:
        async with run:
            assert await run.tool(lambda: result) is result

        told = recorder.last("tool_result")
        assert told.text is not None
        assert len(told.text) <= 8_000
        assert {name: told.data[name] for name in told.data if name not in {"tool", "outcome"}} == said


class TestWhatTheServiceTakes:
    """Whatever happens to an agent, the service takes the events of it."""

    anything = st.text() | st.text(alphabet="\x00\x01\ud83d\U0001f600漢", min_size=1)
    json_like = st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | anything | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )

    @given(anything, json_like, anything)
    @settings(deadline=None, max_examples=60)
    async def test_odd_arguments_results_and_words(self, argument: str, result: Any, words: str) -> None:
        recorder = Recorder()
        async with Activity(recorder, f"x{words}", scope=SCOPE) as run:
            await run.calling(effect="read").tool(
                lambda given, **_: result, argument, **{words or "x": result}
            )
            run.note(words)
            run.said(words, kind="correction")
            run.observed(words)
            await run.before(words)

        assert len(recorder.events) == len(run.tickets) == 8
        assert not any(ticket.state == "refused" for ticket in run.tickets)
        for event in recorder.events:
            parse_event(json.loads(event.as_json()), datetime.now(UTC))

    @pytest.mark.parametrize("character", ["x", "\x01", "漢", "\U0001f600", '"'])
    async def test_huge_arguments_results_words_and_many_entities(
        self, recorder: Recorder, character: str
    ) -> None:
        long = character * 400_000
        many = [
            {"id": f"machine:{number}", "name": f"web-{number}" + character * 280} for number in range(1_500)
        ]
        recorder.usual = answer(*[fact(BENCH) for _ in range(1_200)])
        async with Activity(recorder, long, scope=SCOPE, entities=many) as run:
            await run.before(long)
            run.used(uuid4() for _ in range(1_500))
            await run.calling(name=long).tool(
                lambda **_: many, first=long, second=[long] * 1_000, third=many, name=long
            )
            await run.tool(lambda: long)
            run.said(long, entities=many)
            run.verified(long, entities=many)

        assert len(recorder.events) == len(run.tickets) == 9
        for event in recorder.events:
            assert len(event.as_json()) < MAX_EVENT_BYTES
            parse_event(json.loads(event.as_json()), datetime.now(UTC))
        assert recorder.events[0].data["entities_left_out"] > 0


class TestWords:
    @pytest.mark.parametrize(
        ("tell", "kind", "fields"),
        [
            (lambda run: run.observed("0 % CPU", [BENCH], evidence_ref="m://1"), "observation", {"evidence_ref": "m://1"}),
            (lambda run: run.note("0 % CPU", [BENCH]), "note", {}),
            (lambda run: run.said("0 % CPU", entities=[BENCH]), "message", {"timezone": "Europe/Berlin"}),
            (
                lambda run: run.said("0 % CPU", kind="feedback", entities=[BENCH], timezone="UTC"),
                "feedback",
                {"timezone": "UTC"},
            ),
            (lambda run: run.verified("0 % CPU", True, "m://1", [BENCH]), "verification_passed", {"evidence_ref": "m://1"}),
            (lambda run: run.verified("0 % CPU", False, entities=[BENCH]), "verification_failed", {}),
            (lambda run: run.milestone("0 % CPU", [BENCH]), "milestone", {}),
        ],
    )  # fmt: skip
    async def test_what_is_said_is_published(
        self, recorder: Recorder, tell: Any, kind: str, fields: dict[str, Any]
    ) -> None:
        async with Activity(recorder, "x", scope=SCOPE, activity_id="act-1", timezone="Europe/Berlin") as run:
            ticket = tell(run)

        event = recorder.events[1]
        assert (event.activity_id, event.type, event.scope, event.text) == ("act-1", kind, SCOPE, "0 % CPU")
        assert event.entities == (EntityMention(**BENCH),)
        assert ticket.idempotency_key == event.idempotency_key
        assert {name: getattr(event, name) for name in fields} == fields

    async def test_no_two_activities_share_an_id(self, recorder: Recorder) -> None:
        assert Activity(recorder, "x", scope=SCOPE).id != Activity(recorder, "x", scope=SCOPE).id


class TestTheEnd:
    async def test_what_the_block_raises_goes_on_and_is_told_by_its_type(
        self, recorder: Recorder, run: Activity
    ) -> None:
        error = ValueError("the password is hunter2")
        with pytest.raises(ValueError, match="hunter2") as raised:
            async with run:
                raise error

        assert raised.value is error
        ended = recorder.last("activity_failed")
        assert (ended.text, ended.data["error"]) == ("failed with ValueError", "ValueError")
        assert "hunter2" not in ended.as_json().decode()

    @pytest.mark.parametrize(
        ("fields", "field"),
        [({"activity_id": "x" * 300}, "activity_id"), ({"scope": {"workspace": 7}}, "scope")],
    )
    async def test_what_could_never_be_sent_is_refused_at_once(
        self, recorder: Recorder, fields: Any, field: str
    ) -> None:
        with pytest.raises(InvalidInput, match=field):
            async with Activity(recorder, "x", **{"scope": SCOPE, **fields}):
                pytest.fail("it must not be entered")

    async def test_a_buffer_that_fails_stops_nobody_and_is_no_secret(
        self, recorder: Recorder, run: Activity
    ) -> None:
        async with run:
            recorder.buffer.error = RuntimeError("full")
            assert await run.tool(list_machines) is MACHINES
            ticket = run.note("x")

        assert [ticket.state for ticket in run.undelivered] == ["waiting"] + ["refused"] * 4
        with pytest.raises(InvalidInput, match="cannot be told"):
            await ticket
