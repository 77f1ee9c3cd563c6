"""What was known at an instant, of facts that came to more than one end and of claims."""

from datetime import UTC, datetime
from uuid import UUID

from models.explanation import Step
from models.recall import RecallRequest
from models.statements import Statement, Withdrawal
from tests.world import STAGING, World, event

NEXT, AFTER = "2099-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
BETWEEN, LATE = datetime(2099, 6, 1, tzinfo=UTC), datetime(2100, 6, 1, tzinfo=UTC)
BENCH = "gpu-bench-01"


async def _stated(world: World, value: str, valid_from: str | None = None) -> UUID:
    when = {"valid_from": valid_from} if valid_from else {"occurred_at": event()["occurred_at"]}
    said = {"scope": STAGING, "entity": BENCH, "attribute": "owner", "value": value, **when}
    stated = await world.service.remember(world.lead, Statement.model_validate(said))
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    return stated.decided.fact_id


async def _withdrawn(world: World, fact_id: UUID) -> None:
    said = await world.service.retract(world.lead, fact_id, Withdrawal(text="No."))
    assert said.decided is not None
    assert said.decided.verdict == "retract"


async def _told(world: World, known_at: datetime, as_of: datetime) -> list[str]:
    answer = await world.recall(entities=(BENCH,), known_at=known_at, as_of=as_of)
    return [fact.value for fact in answer.facts]


async def test_the_latest_change_that_was_recorded_by_then_says_when_a_fact_ends(world: World) -> None:
    ana, bo = await _stated(world, "Ana"), await _stated(world, "Bo", NEXT)
    await _stated(world, "Cy", AFTER)
    scheduled = datetime.now(UTC)
    await _withdrawn(world, bo)
    reopened = datetime.now(UTC)
    await _withdrawn(world, ana)
    withdrawn = datetime.now(UTC)
    lives = await world.service.history_of_fact(world.lead, ana)
    assert [(change.rule, change.to_status) for change in lives[0].changes] == [
        ("establish", "active"),
        ("schedule", "superseded"),
        ("reopen", "active"),
        ("reopen", "superseded"),
        ("retract", "retracted"),
    ]
    expected = {
        (scheduled, scheduled): ["Ana"],
        (scheduled, BETWEEN): ["Bo"],
        (scheduled, LATE): ["Cy"],
        (reopened, reopened): ["Ana"],
        (reopened, withdrawn): ["Ana"],
        (reopened, BETWEEN): ["Ana"],
        (reopened, LATE): ["Cy"],
        (withdrawn, withdrawn): [],
        (withdrawn, BETWEEN): [],
        (withdrawn, LATE): ["Cy"],
    }
    assert {asked: await _told(world, *asked) for asked in expected} == expected
    for (known_at, as_of), values in expected.items():
        request = RecallRequest(scope=STAGING, entities=(BENCH,), known_at=known_at, as_of=as_of)
        explained = await world.service.explain(world.agent, ana, request)
        assert explained.included == ("Ana" in values)
        assert explained.dropped_at in (None, Step.STATUS)


async def test_what_was_not_known_yet_is_explained_as_that(world: World) -> None:
    before = datetime.now(UTC)
    ana = await _stated(world, "Ana")
    request = RecallRequest(scope=STAGING, entities=(BENCH,), known_at=before)
    explained = await world.service.explain(world.agent, ana, request)
    assert explained.dropped_at is Step.STATUS
    assert explained.checks[-1].detail.startswith("not known before ")


async def test_a_claim_that_is_settled_since_was_open_then(world: World) -> None:
    await world.say(world.developer, f"Keep {BENCH} running until the move is over.", activity_id="b")
    [held] = (await world.service.review_queue(world.lead, {})).items
    open_then = datetime.now(UTC)
    await world.service.reject(world.lead, held.id, Withdrawal(text="no"))
    settled = datetime.now(UTC)

    async def claims(known_at: datetime) -> list[UUID]:
        asked = {"entities": (BENCH,), "unverified": True, "as_of": settled, "known_at": known_at}
        return [claim.id for claim in (await world.recall(**asked)).unverified]

    assert await claims(open_then) == [held.id]
    assert await claims(settled) == []
