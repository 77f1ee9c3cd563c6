"""What an activity tells: events that the service can hold, receipts that do not pile up, and no memory of itself."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from keepwell import Acknowledgement, InvalidInput
from keepwell.activity import Activity
from keepwell.asking import RecallLate
from keepwell.errors import ConnectionLost, invalid_input
from keepwell.journal import MAX_TICKETS
from keepwell.retrieval import RetrievalPolicy

from models.episodes import passages, worth_an_episode
from models.events import MAX_EVENT_BYTES, EntityMention, EventType, StoredEvent, parse_event, size_of
from tests.client.recorder import Recorder
from tests.client.records import BENCH, answer, fact
from tests.pure.samples import event

SCOPE = {"workspace": "staging"}


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def run(recorder: Recorder) -> Activity:
    return Activity(recorder, "Clean up", scope=SCOPE)


def acknowledged() -> Acknowledgement:
    return Acknowledgement(
        event_id=uuid4(),
        activity=uuid4(),
        seq=1,
        duplicate=False,
        readable=False,
        verdict="pending",
        masked=[],
    )


def as_the_service_has_it(recorder: Recorder) -> list[StoredEvent]:
    """The events of a recorder as the service stores them."""
    return [
        event(
            told.text,
            EventType(told.type),
            seq=number,
            entities=tuple(EntityMention(id=each.id, name=each.name) for each in told.entities),
            data=told.data,
        )
        for number, told in enumerate(recorder.events, 1)
    ]


class TestItsOwnDoings:
    async def test_a_decision_is_no_memory(self, recorder: Recorder, run: Activity) -> None:
        """What was considered would otherwise come back as what has happened."""
        async with run:
            await run.before("stop the kiln", subtask="tidy up", entities=[BENCH, "Рабочая база"])

        decision = recorder.last("tool_call")
        assert decision.data["decision"] == "stop the kiln"
        assert decision.data["about"] == [*BENCH.values(), "Рабочая база"]
        stored = as_the_service_has_it(recorder)
        assert [passage.text for passage in passages(stored)] == ["dana: Clean up"]
        assert not worth_an_episode(stored)

    async def test_why_a_recall_failed_is_said(
        self, recorder: Recorder, run: Activity, caplog: pytest.LogCaptureFixture
    ) -> None:
        recorder.usual = invalid_input("unknown dimension; the policy knows workspace, project", "scope")
        async with run:
            refused = await run.before("stop it", entities=[BENCH])
            recorder.usual = RecallLate("no answer")
            lost = await run.before("stop it", entities=[BENCH])
            recorder.usual = RuntimeError("the password is hunter2")
            strange = await run.before("stop it", entities=[BENCH])

        said = "scope: unknown dimension; the policy knows workspace, project"
        assert (refused.error, refused.error_detail) == ("invalid_input", said)
        assert refused.why.endswith(f"failed: invalid_input: {said}")
        assert lost.why.endswith("failed: deadline: no answer")
        assert (strange.error, strange.error_detail) == ("RuntimeError", None)
        assert [record.getMessage() for record in caplog.records] == [
            f"a recall failed (invalid_input: {said}); the agent goes on without it",
            "a recall failed (deadline: no answer); the agent goes on without it",
            "a recall failed (RuntimeError); the agent goes on without it",
        ]
        assert "hunter2" not in caplog.text

    async def test_a_request_that_cannot_be_made_says_why(self, recorder: Recorder, run: Activity) -> None:
        async with run:
            run.scope["workspace"] = 7  # pyright: ignore[reportArgumentType]
            known = await run.before("stop it")

        assert known.error == "invalid_input"
        assert known.error_detail is not None
        assert known.error_detail.startswith("scope.workspace: ")


class TestReceipts:
    async def test_they_do_not_pile_up(self, recorder: Recorder, run: Activity) -> None:
        async with run:
            tickets = [run.note("x") for _ in range(MAX_TICKETS + 500)]
            assert len(run.undelivered) == MAX_TICKETS + 501
            for ticket in (run.tickets[0], *run.undelivered[:700]):
                ticket.settle("durable", acknowledgement=acknowledged())
            tickets[-1].settle("refused", error=invalid_input("no"))
            last = run.note("y")

        ledger = run._ledger.journal  # pyright: ignore[reportPrivateUsage] - what is kept is what this is about
        kept = (*ledger._tickets, *ledger._waiting, *ledger._lost)  # pyright: ignore[reportPrivateUsage]
        assert len(kept) < MAX_TICKETS + 10
        assert len(run.tickets) == MAX_TICKETS
        assert run.tickets[-2] is last
        assert run.delivered == 701 - 1
        assert run.delivered + len(run.undelivered) == len(recorder.events)

    async def test_what_was_lost_is_kept_within_bounds(self, run: Activity) -> None:
        async with run:
            for _ in range(2 * MAX_TICKETS + 500):
                run.note("x").settle("dropped", error=ConnectionLost("away", may_have_happened=False))
            latest = run.note("y")
            assert len(run.undelivered) == 2 * MAX_TICKETS + 1
            assert run.undelivered[-1] is latest
            assert run.delivered == 0

    async def test_what_waits_is_kept_until_it_is_settled(self, run: Activity) -> None:
        async with run:
            first = run.note("the first")
            for _ in range(MAX_TICKETS + 10):
                run.note("x").settle("durable", acknowledgement=acknowledged())
            assert first not in run.tickets
            assert first in run.undelivered
            first.settle("refused", error=invalid_input("no"))
            assert first in run.undelivered
            with pytest.raises(InvalidInput):
                await first


class TestTheLimitOfAnEvent:
    @pytest.mark.parametrize("character", ["x", "\x01", "漢", "\U0001f600", '"', "\x7f"])
    async def test_no_event_is_too_large(self, recorder: Recorder, character: str) -> None:
        long = character * 30_000
        many = [
            *({"id": f"machine:{number}", "name": f"{number}{character * 290}"} for number in range(300)),
            *(f"{number}{character * 290}" for number in range(300)),
        ]
        recorder.usual = answer(*[fact(BENCH) for _ in range(1_200)])
        policy = RetrievalPolicy(stale_decisions=1_000)
        async with Activity(recorder, long, scope=SCOPE, entities=many, retrieval=policy) as run:
            known = await run.before(long, entities=many, observation=long)
            run.used(known.visible)
            run.said(long, entities=many)
            run.observed(long, many, evidence_ref="x" * 2_000)
            await run.calling(entities=many, name=long).tool(
                lambda **_: {"all": many}, **{long[:300]: [long] * 9}
            )
            run.used(uuid4() for _ in range(2_000))
            await run.calling(entities=many).tool(lambda given: given, long)

        assert not [ticket for ticket in run.tickets if ticket.state == "refused"]
        for told in recorder.events:
            raw: Any = json.loads(told.as_json())
            assert size_of(raw) < MAX_EVENT_BYTES, told.type
            parse_event(raw, datetime.now(UTC))
