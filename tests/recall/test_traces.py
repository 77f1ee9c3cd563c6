"""Traces as somebody may see them, and why a record was or was not in a past answer."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from models.errors import InvalidInput, NotFound, NotPermitted
from models.explanation import Step
from models.principals import PrincipalKind
from models.recall import RecallAnswer, RecallRequest
from models.reports import NewReport
from models.statements import Statement, Withdrawal
from models.traces import TraceQuery
from models.triggers import Trigger
from runtime.retention import TraceRetention
from store import reports, traces
from store.engine import Database, Role
from tests.policies import admin_of, applied, read_by
from tests.world import STAGING, World

KEEP = "Keep gpu-bench-01 running until the audit is over."
BENCH = ("gpu-bench-01",)


async def _recalled(world: World, **fields: object) -> tuple[UUID, RecallAnswer]:
    answer = await world.recall(**fields)
    assert answer.trace_id is not None
    return answer.trace_id, answer


async def test_one_sees_ones_own_recalls_and_a_reader_of_the_tenant_all(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
    own = await world.service.trace(world.agent, trace_id)
    assert {entry.id for entry in own.entries} >= {fact.id for fact in answer.facts}
    assert (await world.service.trace(admin_of(world), trace_id)).entries == own.entries
    for stranger in (world.developer, world.agent.model_copy(update={"kind": PrincipalKind.HUMAN})):
        with pytest.raises(NotFound):
            await world.service.trace(stranger, trace_id)
        assert (await world.service.traces(stranger, TraceQuery())).traces == []
    [listed] = (await world.service.traces(admin_of(world), TraceQuery())).traces
    assert (listed.id, listed.asked.query) == (trace_id, "audit")


async def test_to_others_a_trace_of_what_they_may_not_read_is_not_there(world: World) -> None:
    """Its question, its ranks and its counts would tell that something was found."""
    await world.say(world.lead, KEEP)
    await world.say(world.developer, "The dashboard is mended.", activity_id="act-2")
    trace_id, answer = await _recalled(world, query="audit dashboard", entities=BENCH)
    harmless, _ = await _recalled(world, query="mended", triggers=(Trigger.NEW_ERROR,))
    [fact] = answer.required
    passage = next(each.id for each in answer.passages if "mended" in each.text)
    operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
    assert await world.service.trace(operator, trace_id)
    await applied(world, read_by("operational_restriction", "infra_lead", "agent"))
    for read in (
        world.service.trace(operator, trace_id),
        world.service.explain_trace(operator, trace_id, fact.id),
        world.service.explain_trace(operator, trace_id, passage),
    ):
        with pytest.raises(NotFound):
            await read
    for query in (TraceQuery(), TraceQuery(limit=1), TraceQuery(record_id=passage)):
        page = await world.service.traces(operator, query)
        assert ([each.id for each in page.traces], page.next) == ([harmless], None)
    assert (await world.service.traces(operator, TraceQuery(record_id=fact.id))).traces == []
    own = await world.service.trace(world.agent, trace_id)
    assert own.entry(fact.id) is not None
    assert len((await world.service.traces(world.agent, TraceQuery())).traces) == 2


async def test_ones_own_trace_is_told_without_what_one_may_not_read_any_more(world: World) -> None:
    await world.say(world.lead, KEEP)
    await world.say(world.developer, "The dashboard is mended.", activity_id="act-2")
    trace_id, answer = await _recalled(world, query="audit dashboard", entities=BENCH)
    [fact] = answer.required
    whole = await world.service.trace(world.agent, trace_id)
    assert [entry.rank for entry in whole.entries] == [1, 2, 3]
    assert len(whole.decisions) == 8
    await applied(world, read_by("operational_restriction", "infra_lead"))
    left = await world.service.trace(world.agent, trace_id)
    [entry] = left.entries
    assert entry.rank == 1
    assert entry.id in {passage.id for passage in answer.passages if "mended" in passage.text}
    assert {each.name.value for each in left.decisions} == {"trigger", "scopes", "eligibility", "query"}
    assert (await world.service.traces(world.agent, TraceQuery(record_id=fact.id))).traces == []
    assert len((await world.service.traces(world.agent, TraceQuery(record_id=entry.id))).traces) == 1


async def test_a_trace_that_names_what_is_there_no_more_is_told_to_whoever_may_read_everything(
    world: World,
) -> None:
    """Nobody can say whether words that were cut anew had spoken of what others may not read."""
    await world.say(world.developer, "The dashboard is mended.", activity_id="act-2")
    trace_id, answer = await _recalled(world, query="dashboard")
    [passage] = answer.passages
    await world.say(world.lead, "It is broken again.", activity_id="act-2")
    assert passage.id not in {each.id for each in (await world.recall(query="dashboard")).passages}
    operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
    assert (await world.service.trace(operator, trace_id)).entry(passage.id) is not None
    await applied(world, read_by("operational_restriction", "infra_lead"))
    with pytest.raises(NotFound):
        await world.service.trace(operator, trace_id)
    assert (await world.service.trace(world.agent, trace_id)).entry(passage.id) is not None


async def test_lists_are_filtered_and_go_on_page_by_page(world: World) -> None:
    await world.say(world.lead, KEEP)
    [fact] = (await world.recall(entities=BENCH)).required
    for _ in range(3):
        await world.recall(query="nothing of the kind", triggers=(Trigger.NEW_ERROR,))
    query, met = TraceQuery(limit=2), list[UUID]()
    while True:
        page = await world.service.traces(world.agent, query)
        met += [each.id for each in page.traces]
        if page.next is None:
            break
        query = TraceQuery(limit=2, cursor=page.next)
    assert len(met) == len(set(met)) == 4
    assert met == sorted(met, reverse=True)
    found = await world.service.traces(world.agent, TraceQuery(record_id=fact.id))
    assert [each.id for each in found.traces] == met[-1:]
    assert len((await world.service.traces(world.agent, TraceQuery(trigger=Trigger.NEW_ERROR))).traces) == 3
    assert (await world.service.traces(world.agent, TraceQuery(record_id=uuid4()))).traces == []
    first = await world.service.traces(world.agent, TraceQuery(limit=1))
    with pytest.raises(InvalidInput, match="other filters"):
        await world.service.traces(world.agent, TraceQuery(trigger=Trigger.STALE, cursor=first.next))
    with pytest.raises(NotPermitted):
        await world.service.traces(world.principal("nobody"), TraceQuery())


async def test_a_trace_says_why_what_was_found_is_in_the_answer_or_is_not(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH, limit=1)
    [fact] = answer.facts
    [episode_id] = fact.episodes
    included = await world.service.explain_trace(world.agent, trace_id, fact.id)
    assert included.included
    assert included.checks[-1].step is Step.BUDGET
    left_out = await world.service.explain_trace(world.agent, trace_id, episode_id)
    assert left_out.dropped_at is Step.LIMIT
    assert left_out.checks[-1].detail == "rank 2 of at most 1 places"


async def test_what_came_later_does_not_count(world: World) -> None:
    """A record that is retracted or made since then is told as it stood at the recall."""
    await world.say(world.lead, KEEP)
    [fact] = (await world.recall(entities=BENCH)).required
    trace_id, _ = await _recalled(world, query="weather")
    instant = datetime.now(UTC)
    await world.service.retract(world.lead, fact.id, Withdrawal(text="It is over."))
    later = await world.service.remember(
        world.lead,
        Statement(scope=STAGING, entity=SANDBOX, attribute="lifecycle_policy", value="keep running"),
    )
    assert later.decided is not None
    assert later.decided.fact_id is not None
    now = RecallRequest(scope=STAGING, query="weather")
    assert (await world.service.explain(world.agent, fact.id, now)).dropped_at is Step.STATUS
    then = await world.service.explain_trace(world.agent, trace_id, fact.id)
    assert then.dropped_at is Step.CANDIDATE
    assert then.checks[-1].detail == "nothing in the request names its entity or is like it"
    unknown = await world.service.explain_trace(world.agent, trace_id, later.decided.fact_id)
    assert unknown.dropped_at is Step.STATUS
    assert "not known before" in unknown.checks[-1].detail
    after, _ = await _recalled(world, query="audit running", triggers=())
    over = await world.service.explain_trace(world.agent, after, fact.id)
    assert over.dropped_at is Step.STATUS
    assert over.as_of > instant


SANDBOX = "dev-sandbox-04"


async def test_scope_readers_words_and_triggers_are_told_apart(world: World) -> None:
    said = await world.say(world.lead, KEEP)
    [fact] = (await world.recall(entities=BENCH)).required
    elsewhere = await world.service.recall(
        world.agent, RecallRequest(scope={"workspace": "other"}, query="audit")
    )
    assert elsewhere.trace_id is not None
    told = await world.service.explain_trace(world.agent, elsewhere.trace_id, fact.id)
    assert told.dropped_at is Step.SCOPE
    quiet, _ = await _recalled(world, query="audit", triggers=())
    told = await world.service.explain_trace(world.agent, quiet, fact.id)
    assert told.checks[-1].detail == "nothing called for the recall, so that words were not searched"
    await applied(world, read_by("operational_restriction", "infra_lead"))
    hidden, _ = await _recalled(world, query="audit", entities=BENCH)
    await applied(world, read_by("operational_restriction", "infra_lead", "agent"))
    told = await world.service.explain_trace(world.agent, hidden, fact.id)
    assert told.dropped_at is Step.READERS
    episode = await world.service.episode_of(world.lead, said.activity_id)
    assert episode is not None
    told = await world.service.explain_trace(world.agent, hidden, episode.id)
    assert told.dropped_at is Step.READERS


async def test_traces_are_forgotten_when_their_time_is_over(world: World) -> None:
    await world.say(world.lead, KEEP)
    trace_id, _ = await _recalled(world, entities=BENCH)
    async with Database(world.database.url, Role.RELAY, pool_size=1) as relay:
        retention = TraceRetention(relay, world.database, timedelta(days=3))
        await retention.forget_due(datetime.now(UTC) + timedelta(days=2))
        assert (await world.service.trace(world.agent, trace_id)).id == trace_id
        assert await retention.forget_due(datetime.now(UTC) + timedelta(days=4)) >= 1
    with pytest.raises(NotFound):
        await world.service.trace(world.agent, trace_id)


async def test_what_is_erased_takes_its_traces_and_reports_along(world: World) -> None:
    said = await world.say(world.lead, KEEP)
    trace_id, answer = await _recalled(world, query="audit", entities=BENCH)
    other, _ = await _recalled(world, query="weather", triggers=())
    await world.service.report(world.agent, trace_id, NewReport(used=(answer.facts[0].id,)))
    async with world.database.transaction(world.agent.tenant_id) as work:
        records = await traces.resting_on(work, [said.event_id])
        assert {*(each.id for each in answer.facts), *(each.id for each in answer.passages)} == set(records)
        assert await traces.forget_records(work, records) == 1
        assert await reports.forget_records(work, records) == 1
        assert await reports.uses(work, records) == {}
    with pytest.raises(NotFound):
        await world.service.trace(world.agent, trace_id)
    assert await world.service.trace(world.agent, other)
