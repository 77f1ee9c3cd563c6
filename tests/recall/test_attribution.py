"""Reports on recalls, what they come to, and how use counts in what comes back."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from models.attribution import Attribution, AttributionQuery, Loss
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.recall import RecallAnswer
from models.reports import Arm, NewReport, Outcome
from models.statements import Statement, Withdrawal
from models.traces import TraceQuery
from models.triggers import Trigger
from store import reports
from store.reports import Uses
from tests.household import Household
from tests.policies import admin_of, applied, read_by
from tests.world import STAGING, World, event

KEEP = "Keep gpu-bench-01 running until the audit is over."
BENCH = ("gpu-bench-01",)


async def _recalled(world: World, **fields: object) -> tuple[UUID, RecallAnswer]:
    answer = await world.recall(**fields)
    assert answer.trace_id is not None
    return answer.trace_id, answer


async def _state(world: World, thing: str, value: str = "terraform") -> UUID:
    said = Statement(scope=STAGING, entity=thing, attribute="uses", value=value)
    stated = await world.service.remember(world.lead, said)
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    return stated.decided.fact_id


async def _uses(world: World, record_id: UUID) -> Uses | None:
    async with world.database.transaction(world.agent.tenant_id) as work:
        return (await reports.uses(work, [record_id])).get(record_id)


async def _attribution(world: World, **query: object) -> Attribution:
    return await world.service.attribution(admin_of(world), AttributionQuery.model_validate(query))


def _reached(found: Attribution) -> list[int]:
    """How many facts came to each stage, in order."""
    return [stage.records for stage in found.funnels[0].stages]


def _lost(found: Attribution) -> dict[Loss, int]:
    return {loss.loss: loss.records for loss in found.funnels[0].losses}


async def test_a_record_counts_once_for_each_recall_however_often_it_is_said(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
    [fact] = answer.facts
    seen, used = NewReport(visible=(fact.id,), idempotency_key="a"), NewReport(used=(fact.id,))
    assert not (await world.service.report(world.agent, trace_id, seen)).duplicate
    assert (await world.service.report(world.agent, trace_id, seen)).duplicate
    assert await _uses(world, fact.id) == Uses(1, 0)
    await asyncio.gather(*(world.service.report(world.agent, trace_id, used) for _ in range(5)))
    assert await _uses(world, fact.id) == Uses(1, 1)
    other, _ = await _recalled(world, query="audit", entities=BENCH)
    await world.service.report(world.agent, other, NewReport(visible=(fact.id,)))
    assert await _uses(world, fact.id) == Uses(2, 1)


async def test_only_the_asker_reports_and_only_on_what_the_answer_had(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH, limit=1)
    [fact] = answer.facts
    report = NewReport(used=(fact.id,))
    with pytest.raises(NotFound):
        await world.service.report(world.developer, trace_id, report)
    with pytest.raises(NotPermitted, match="only whoever asked"):
        await world.service.report(admin_of(world), trace_id, report)
    with pytest.raises(NotFound):
        await world.service.report(world.agent, uuid4(), report)
    entries = (await world.service.trace(world.agent, trace_id)).entries
    left_out = next(entry.id for entry in entries if entry.id != fact.id)
    for stranger in (uuid4(), left_out):
        with pytest.raises(InvalidInput, match="1 of the records"):
            await world.service.report(world.agent, trace_id, NewReport(visible=(fact.id, stranger)))
    assert await _uses(world, fact.id) is None
    other = world.principal("somebody", world.agent.kind, "agent")
    with pytest.raises(NotFound):
        await world.service.report(other, trace_id, report)


async def test_a_key_stands_for_one_report_and_a_recall_for_one_arm(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
    keyed = NewReport(used=(answer.facts[0].id,), idempotency_key="k")
    await world.service.report(world.agent, trace_id, keyed)
    with pytest.raises(Conflict, match="other content"):
        await world.service.report(world.agent, trace_id, NewReport(outcome="success", idempotency_key="k"))
    paired = NewReport(pair="p", arm=Arm.WITH_MEMORY)
    await world.service.report(world.agent, trace_id, paired)
    await world.service.report(world.agent, trace_id, paired)
    for pair, arm in (("q", Arm.WITH_MEMORY), ("p", Arm.WITHOUT_MEMORY)):
        with pytest.raises(Conflict, match="another pair"):
            await world.service.report(world.agent, trace_id, NewReport(pair=pair, arm=arm))


async def test_what_agents_tell_in_events_is_counted_and_what_does_not_fit_is_passed_over(
    world: World,
) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
    [fact] = answer.facts
    seen = {"traces": [str(trace_id), str(uuid4())], "visible": [str(fact.id), str(uuid4())], "used": []}
    used = {**seen, "used": [str(fact.id)]}
    for who, said, counted in (
        (world.developer, used, None),
        (world.agent, seen, Uses(1, 0)),
        (world.agent, used, Uses(1, 1)),
        (world.agent, used, Uses(1, 1)),
    ):
        told = await world.publish(
            who,
            event(type="tool_call", activity_id="act-7", text="stop", data={"memory": said}),
            event(type="activity_completed", activity_id="act-7"),
        )
        await world.digest(told)
        assert await _uses(world, fact.id) == counted


async def test_the_funnel_says_how_far_records_came_and_why_no_further(world: World) -> None:
    await world.say(world.lead, KEEP)
    ended = await _state(world, "dev-1", "pulumi")
    await world.service.retract(world.lead, ended, Withdrawal(text="no"))
    await _state(world, "dev-2")
    await _state(world, "dev-3")
    since = datetime.now(UTC)
    assert _reached(await _attribution(world)) == [4, 4, 0, 0, 0, 0]
    assert _lost(await _attribution(world, since=since)) == {Loss.NOT_IN_FORCE: 1, Loss.NOT_FOUND: 3}
    trace_id, answer = await _recalled(
        world, query="audit", entities=BENCH, triggers=(Trigger.NEW_ENTITY,), limit=1
    )
    await _recalled(world, entities=("dev-2",), triggers=(Trigger.NEW_ENTITY, Trigger.STALE))
    [fact] = answer.facts
    await world.service.report(world.agent, trace_id, NewReport(used=(fact.id,), outcome=Outcome.SUCCESS))
    found = await _attribution(world, since=since)
    assert (found.recalls, found.reported) == (2, 1)
    assert _reached(found) == [4, 3, 2, 1, 1, 0]
    assert _lost(found) == {
        Loss.NOT_IN_FORCE: 1,
        Loss.NOT_FOUND: 1,
        Loss.NOT_REPORTED: 1,
        Loss.NOT_PAIRED: 1,
    }
    passages = {loss.loss for loss in found.funnels[1].losses}
    assert Loss.BEYOND_LIMIT in passages
    uses = {use.trigger: use for use in found.triggers}
    assert set(uses) == set(Trigger)
    entity, stale = uses[Trigger.NEW_ENTITY], uses[Trigger.STALE]
    assert (entity.fired, entity.reported, entity.used, entity.exposed, entity.records_used) == (
        2,
        1,
        1,
        1,
        1,
    )
    assert (stale.fired, stale.reported, stale.used) == (1, 0, 0)


@pytest.mark.parametrize("switched", [False, True])
async def test_what_the_caller_may_not_read_counts_nowhere(world: World, switched: bool) -> None:
    """Neither what is hidden by its class nor what a person has switched off: as if nobody had been shown it."""
    household = Household(world)
    mine = {"user": "ana"}
    for attribute, value in (("preference", "tea"), ("commitment", "tea for all on Monday")):
        said = {"text": f"Ana said: {value}.", "activity_id": attribute}
        await household.remembered(household.operator, attribute, value, **said)
        over = event(type="activity_completed", activity_id=attribute, scope=mine)
        await world.digest(await world.publish(household.operator, over))
    seen = await household.recall(query="tea", triggers=(Trigger.NEW_ENTITY,))
    [hidden] = [fact.id for fact in seen.facts if fact.value == "tea"]
    assert seen.trace_id is not None
    await household.service.report(household.operator, seen.trace_id, NewReport(used=(hidden,)))
    reader = household.operator if not switched else household.admin

    async def counted() -> tuple[list[int], list[int], tuple[int, ...]]:
        found = await world.service.attribution(reader, AttributionQuery(scope=mine))
        [use] = [use for use in found.triggers if use.trigger is Trigger.NEW_ENTITY]
        facts, passages = ([stage.records for stage in funnel.stages] for funnel in found.funnels)
        return facts, passages, (use.fired, use.reported, use.used, use.exposed, use.records_used)

    facts, passages, use = await counted()
    assert (facts, use) == ([2, 2, 2, 1, 1, 0], (1, 1, 1, 1, 1))
    assert passages[0] == 2
    if switched:
        await household.service.switch_off(household.ana, "user_preference")
    else:
        await applied(world, read_by("user_preference", "user"))
    facts, passages, use = await counted()
    assert (facts, use) == ([1, 1, 1, 0, 0, 0], (1, 1, 0, 0, 0))
    assert passages[0] == 1


async def test_the_period_and_the_scope_are_those_that_were_asked_for(world: World) -> None:
    await world.say(world.lead, KEEP)
    await _recalled(world, query="audit", entities=BENCH)
    now = datetime.now(UTC)
    assert (await _attribution(world, scope=STAGING)).recalls == 1
    elsewhere = await _attribution(world, scope={"workspace": "other"})
    assert (elsewhere.recalls, _reached(elsewhere)) == (0, [0] * 6)
    past = await _attribution(world, since=now - timedelta(days=2), until=now - timedelta(days=1))
    assert (past.recalls, _reached(past)[2]) == (0, 0)
    with pytest.raises(InvalidInput, match="after the end"):
        await _attribution(world, since=now, until=now - timedelta(days=1))
    with pytest.raises(NotPermitted):
        await world.service.attribution(world.developer, AttributionQuery())


async def test_help_is_told_from_pairs_alone(world: World) -> None:
    await world.say(world.lead, KEEP)
    runs: dict[tuple[str, Arm], UUID] = {}
    for pair, ends in {
        "a": (Outcome.SUCCESS, Outcome.FAILURE),
        "b": (Outcome.SUCCESS, Outcome.SUCCESS),
        "c": (Outcome.SUCCESS, None),
    }.items():
        for arm, outcome in zip(Arm, ends, strict=True):
            trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
            used = tuple(fact.id for fact in answer.facts) if arm is Arm.WITH_MEMORY else ()
            await world.service.report(world.agent, trace_id, NewReport(used=used, pair=pair, arm=arm))
            if outcome is not None:
                await world.service.report(world.agent, trace_id, NewReport(outcome=outcome))
            runs[pair, arm] = trace_id
    found = await _attribution(world)
    assert (found.pairs.pairs, found.pairs.complete) == (3, 2)
    assert (found.pairs.rescue, found.pairs.regret, found.pairs.unchanged) == (1, 0, 1)
    assert _reached(found)[-1] == 1
    # The latest outcome counts: the run without memory did well after all.
    better = NewReport(outcome=Outcome.SUCCESS)
    await world.service.report(world.agent, runs["a", Arm.WITHOUT_MEMORY], better)
    changed = await _attribution(world)
    assert (changed.pairs.rescue, changed.pairs.unchanged) == (0, 2)
    assert _reached(changed)[-1] == 0
    assert _lost(changed)[Loss.NO_RESCUE] == 1


async def test_use_moves_a_record_up_and_touches_neither_truth_nor_eligibility(world: World) -> None:
    """Of facts that are alike the one that was used comes first; words that fit better still come before it."""
    await _state(world, "dev-1")
    await _state(world, "dev-2")
    trace_id, answer = await _recalled(world, query="terraform")
    first, last = answer.facts
    assert last.terms.help == 0
    before = await world.service.memory(world.lead, last.id)
    await world.service.report(world.agent, trace_id, NewReport(used=(last.id,)))
    _, after = await _recalled(world, query="terraform")
    assert [fact.id for fact in after.facts] == [last.id, first.id]
    assert after.facts[0].terms.help == pytest.approx(1 / 3)
    assert await world.service.memory(world.lead, last.id) == before
    _, named = await _recalled(world, query=f"terraform {first.entity}")
    assert named.facts[0].id == first.id
    await world.service.retract(world.lead, last.id, Withdrawal(text="It is over."))
    _, over = await _recalled(world, query="terraform")
    assert [fact.id for fact in over.facts] == [first.id]


async def test_to_another_tenant_there_is_nothing(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
    other = World(world.service, world.database, f"{world.tenant}-x")
    await other.service.add_tenant(other.agent)
    with pytest.raises(NotFound):
        await other.service.report(other.agent, trace_id, NewReport(used=(answer.facts[0].id,)))
    assert (await other.service.traces(other.agent, TraceQuery())).traces == []
    assert _reached(await _attribution(other)) == [0] * 6
