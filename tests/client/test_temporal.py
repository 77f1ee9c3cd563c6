"""An agent that runs on Temporal: what is published of it without a change to it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from keepwell import EntityMention, NewEvent
from keepwell.temporal import (
    KeepwellInterceptor,
)
from keepwell.temporal.interceptor import of_workflow
from temporalio.activity import Info
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import ActivityEnvironment

from runtime.addresses import Addresses
from tests.client.recorder import Recorder
from tests.client.records import BENCH
from tests.client.their_agent import Cleanup, Failing, Leaving, Waiting
from tests.client.their_worker import outcome, worker
from tests.world import STAGING

SCOPE = STAGING


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(scope="module")
async def theirs(addresses: Addresses) -> Client:
    """A client of somebody's own, who has Temporal's own data converter and no plugin."""
    return await Client.connect(addresses.temporal_address)


def told(events: Sequence[NewEvent]) -> list[tuple[str, str | None, int, str | None]]:
    """Type, text, attempt and outcome of each event."""
    return [(each.type, each.text, each.data["attempt"], each.data.get("outcome")) for each in events]


class TestInterceptor:
    async def test_what_activities_do_is_published_without_a_change_to_them(
        self, recorder: Recorder, theirs: Client
    ) -> None:
        interceptor = KeepwellInterceptor(recorder, scope=SCOPE, reads=["list_machines"])
        async with worker(theirs, interceptor) as queue:
            result = await outcome(theirs, queue, Cleanup.run, name=f"cleanup-{uuid4().hex}")

        assert result == ["gpu-bench-01 is stopped"]
        assert told(recorder.events) == [
            ("tool_call", "list_machines", 1, None),
            ("tool_result", "list_machines returned", 1, "returned"),
            ("tool_call", "stop_machine", 1, None),
            ("tool_result", "stop_machine failed with RateLimited", 1, "failed"),
            ("tool_call", "stop_machine", 2, None),
            ("tool_result", "stop_machine returned", 2, "returned"),
            ("tool_call", "list_machines", 1, None),
            ("tool_result", "list_machines returned", 1, "returned"),
        ]
        assert {each.activity_id.partition("-")[0] for each in recorder.events} == {"cleanup"}
        assert len({each.idempotency_key for each in recorder.events}) == 8
        listed, stopping = recorder.events[1], recorder.events[2]
        assert listed.entities == (EntityMention(**BENCH),)
        assert stopping.entities == (EntityMention(name="gpu-bench-01"),)
        assert recorder.events[0].data == {
            "tool": "list_machines",
            "attempt": 1,
            "workflow": "Cleanup",
            "effect": "read",
        }
        assert "effect" not in stopping.data
        assert not any("hunter2" in each.as_json().decode() for each in recorder.events)

    async def test_a_failure_stays_what_it_is(self, recorder: Recorder, theirs: Client) -> None:
        async with worker(theirs, KeepwellInterceptor(recorder, scope=SCOPE)) as queue:
            assert await outcome(theirs, queue, Failing.run) == "ValueError"

        assert recorder.told[-1] == ("tool_result", "fail_for_good failed with ValueError")
        assert "hunter2" not in recorder.events[-1].as_json().decode()

    async def test_a_cancelled_activity_is_told_as_that(self, recorder: Recorder, theirs: Client) -> None:
        async with worker(theirs, KeepwellInterceptor(recorder, scope=SCOPE)) as queue:
            handle = await theirs.start_workflow(Waiting.run, id=f"w-{uuid4().hex}", task_queue=queue)
            await recorder.buffer.count(1)
            await handle.cancel()
            with pytest.raises(WorkflowFailureError):
                await handle.result()

        assert recorder.told[-1] == ("tool_result", "wait_for_ever was cancelled")

    async def test_what_somebody_else_completes_is_told_as_begun(
        self, recorder: Recorder, theirs: Client
    ) -> None:
        async with worker(theirs, KeepwellInterceptor(recorder, scope=SCOPE)) as queue:
            handle = await theirs.start_workflow(Leaving.run, id=f"l-{uuid4().hex}", task_queue=queue)
            await recorder.buffer.count(1)
            left = theirs.get_async_activity_handle(
                workflow_id=handle.id, run_id=handle.first_execution_run_id, activity_id="left"
            )
            await left.complete("done by others")
            assert await handle.result() == "done by others"

        assert recorder.told == [("tool_call", "leave_it_to_others")]

    async def test_no_failure_of_keepwell_is_one_of_theirs(self, recorder: Recorder, theirs: Client) -> None:
        recorder.buffer.error = RuntimeError("full")

        def fails(*_: Any) -> Any:
            raise RuntimeError

        async with worker(
            theirs,
            KeepwellInterceptor(recorder, scope=SCOPE),
            KeepwellInterceptor(Recorder(), scope=SCOPE, include=fails, find=fails, redact=fails),
            KeepwellInterceptor(Recorder(), scope=fails),
            KeepwellInterceptor(Recorder(), scope={"workspace": 7}),  # pyright: ignore[reportArgumentType]
        ) as queue:
            assert await outcome(theirs, queue, Cleanup.run) == ["gpu-bench-01 is stopped"]

        assert recorder.events == []

    async def test_two_that_tell_the_same_client_tell_once(self, recorder: Recorder, theirs: Client) -> None:
        first, second = (KeepwellInterceptor(recorder, scope=SCOPE) for _ in range(2))
        other = Recorder()
        async with worker(theirs, first, second, KeepwellInterceptor(other, scope=SCOPE)) as queue:
            await outcome(theirs, queue, Cleanup.run)

        assert len(recorder.events) == len(other.events) == 8

    async def test_a_caller_decides_what_is_told_and_where(self, recorder: Recorder, theirs: Client) -> None:
        seen: list[tuple[str, Any]] = []

        def include(info: Info, phase: str, value: Any) -> str | None:
            seen.append((phase, value if phase != "failure" else type(value).__name__))
            return f"in words: {value}" if phase == "call" else None

        interceptor = KeepwellInterceptor(
            recorder,
            scope=lambda info: None if info.is_local else {"workspace": info.task_queue},
            activity_id=lambda info: "job-" + "x" * 300 + str(info.workflow_type),
            checkpoints={"stop_machine"},
            include=include,
            redact=lambda tool, value: ["db-main-1"] if tool == "list_machines" else value,
        )
        async with worker(theirs, interceptor) as queue:
            await outcome(theirs, queue, Cleanup.run)

        assert [each.type for each in recorder.events] == [
            "tool_call", "tool_result", "tool_call", "tool_result", "tool_call", "tool_result", "milestone",
        ]  # fmt: skip
        assert {tuple(each.scope.items()) for each in recorder.events} == {(("workspace", queue),)}
        assert len({each.activity_id for each in recorder.events}) == 1
        assert len(recorder.events[0].activity_id) == 200
        assert recorder.events[0].entities == (EntityMention(name="db-main-1"),)
        assert recorder.events[2].text == "stop_machine\nin words: ['gpu-bench-01']"
        assert ("failure", "ApplicationError") in seen
        assert ("result", "gpu-bench-01 is stopped") in seen


class TestKeys:
    INFO = replace(
        ActivityEnvironment.default_info(), workflow_id="w", workflow_run_id="r", activity_id="7", attempt=1
    )

    def key(self, phase: str = "started", **changed: Any) -> str | None:
        recorder = Recorder()
        interceptor = KeepwellInterceptor(recorder, scope=SCOPE)
        info = replace(self.INFO, **changed)
        if phase == "started":
            interceptor.started(info, [])
        else:
            interceptor.returned(info, None)
        return recorder.events[0].idempotency_key

    def test_the_same_attempt_has_the_same_name(self) -> None:
        later = self.INFO.started_time + timedelta(seconds=1)

        assert self.key() == self.key() == self.key(started_time=later)

    def test_every_other_attempt_and_phase_has_its_own(self) -> None:
        later = self.INFO.started_time + timedelta(seconds=1)
        keys = [
            self.key(),
            self.key("returned"),
            self.key(attempt=2),
            self.key(activity_id="8"),
            self.key(workflow_run_id="s"),
            self.key(workflow_id="v"),
            self.key(workflow_id=None, workflow_run_id=None, activity_run_id="a"),
            self.key(is_local=True),
            self.key(is_local=True, started_time=later),
        ]

        assert len(set(keys)) == len(keys)
        assert all(key is not None and len(key) <= 200 for key in keys)

    def test_an_activity_without_a_workflow_is_one_by_itself(self) -> None:
        assert of_workflow(self.INFO) == "w"
        assert of_workflow(replace(self.INFO, workflow_id=None)) == "7"
