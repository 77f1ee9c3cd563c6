"""Class readers: to whoever is not among them, a memory looks like what is not there, whatever they ask."""

import math
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from models.errors import KeepwellError, NotFound
from models.memories import MemoryQuery
from models.news import VerdictTold
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from models.reviews import Acceptance
from models.statements import Correction, Statement, Withdrawal
from store import evidence
from tests.policies import admin_of, applied, read_by, without
from tests.world import MONDAY, STAGING, World

FACT = evidence.Kind.FACT
KEEP = "Keep gpu-bench-01 running until the audit is over."
ASKED = RecallRequest(scope=STAGING, query="what about the audit of gpu-bench-01", entities=("gpu-bench-01",))


class Kept(NamedTuple):
    """A restriction that only leads read, in a tenant where somebody else said something harmless as well."""

    world: World
    fact_id: UUID
    event_id: UUID
    activity_id: UUID
    harmless_id: UUID


@pytest.fixture
async def kept(world: World) -> Kept:
    said = await world.say(world.lead, KEEP, activity_id="act-secret")
    harmless = await world.say(world.developer, "The audit uses a dashboard.", activity_id="act-other")
    [fact] = (await world.recall(entities=("gpu-bench-01",))).required
    await applied(world, read_by("operational_restriction", "infra_lead"))
    return Kept(world, fact.id, said.event_id, said.activity_id, harmless.event_id)


async def outcome(call: object) -> object:
    """What a call comes to: its answer, or the error as it reads."""
    try:
        return await call  # type: ignore[misc]
    except KeepwellError as error:
        return type(error), str(error)


async def test_whoever_is_among_the_readers_sees_all(kept: Kept) -> None:
    world, lead = kept.world, kept.world.lead
    answer = await world.service.recall(lead, ASKED)
    assert [fact.id for fact in answer.required] == [kept.fact_id]
    assert [passage for passage in answer.passages if "running" in passage.text]
    assert await world.service.memory(lead, kept.fact_id)
    assert await world.service.history_of_fact(lead, kept.fact_id)
    assert await world.service.episode_of(lead, kept.activity_id)
    assert (await world.service.explain(lead, kept.fact_id, ASKED)).included
    [told] = await world.service.verdicts_of(lead, [kept.event_id])
    assert [decided.attribute for decided in told.decisions] == ["lifecycle_policy"]
    assert told.episode_id is not None


async def test_no_recall_brings_it_up(kept: Kept) -> None:
    answer = await kept.world.service.recall(kept.world.agent, ASKED)
    assert answer.facts == ()
    assert [passage.text for passage in answer.passages] == ["sam: The audit uses a dashboard."]
    assert (answer.left_out, answer.missing, answer.over_budget) == (0, (), ())


async def test_words_of_which_nothing_was_made_are_hidden_as_well(kept: Kept) -> None:
    """What came too late is no evidence for the memory, and says as much as if it were."""
    said = await kept.world.say(
        kept.world.lead,
        "Keep gpu-bench-01 reserved until the dashboard is mended.",
        activity_id="act-late",
        occurred_at=(MONDAY - timedelta(days=1)).isoformat(),
    )
    [told] = await kept.world.service.verdicts_of(kept.world.lead, [said.event_id])
    assert [decided.verdict for decided in told.decisions] == ["ignore_stale"]
    for asked in (ASKED, RecallRequest(scope=STAGING, query="dashboard mended")):
        answer = await kept.world.service.recall(kept.world.agent, asked)
        assert [passage.text for passage in answer.passages] == ["sam: The audit uses a dashboard."]


async def test_no_single_read_finds_it(kept: Kept) -> None:
    """The words of the refusal are those for an id that nobody has."""
    service, agent = kept.world.service, kept.world.agent
    [episode] = await _episodes(kept.world, kept.activity_id)
    for hidden in (kept.fact_id, episode):
        for read in (
            service.memory,
            service.lineage,
            service.history_of_fact,
            lambda who, record: service.explain(who, record, ASKED),
        ):
            found, missing = await outcome(read(agent, hidden)), await outcome(read(agent, uuid4()))
            assert found == missing
            assert isinstance(missing, tuple)
            assert missing[0] is NotFound
    assert await service.episode_of(agent, kept.activity_id) is None


async def test_no_list_and_no_history_has_it(kept: Kept) -> None:
    service, agent = kept.world.service, kept.world.agent
    page = await service.memories(agent, MemoryQuery(scope=STAGING))
    assert [memory for memory in page.memories if getattr(memory, "activity", "") == "act-secret"] == []
    assert len(page.memories) == 1
    assert page.next is None
    everything = await service.memories(kept.world.lead, MemoryQuery(scope=STAGING))
    assert len(everything.memories) == 3
    with pytest.raises(NotFound) as of_it:
        await service.history_of_entity(agent, STAGING, "gpu-bench-01")
    with pytest.raises(NotFound) as of_nothing:
        await service.history_of_entity(agent, STAGING, "nobody-knows")
    assert str(of_it.value) == str(of_nothing.value)


async def test_nothing_is_told_of_what_was_decided(kept: Kept) -> None:
    service, agent = kept.world.service, kept.world.agent
    [told] = await service.verdicts_of(agent, [kept.event_id])
    assert (told.decisions, told.episode_id) == ((), None)
    assert await service.became_of(agent, [kept.event_id]) == []
    counts = await service.verdict_counts(admin_of(kept.world))
    assert "establish" not in counts


async def test_the_words_of_an_event_are_for_whoever_may_read_what_it_speaks_of(kept: Kept) -> None:
    service, world = kept.world.service, kept.world
    both = [kept.event_id, kept.harmless_id, uuid4()]
    assert {said.text for said in (await service.said_in(world.lead, both)).values()} == {
        KEEP,
        "The audit uses a dashboard.",
    }
    told = await service.said_in(world.agent, both)
    assert told == {
        kept.event_id: (STAGING, None),
        kept.harmless_id: (STAGING, "The audit uses a dashboard."),
    }
    nobody = world.principal("eve", PrincipalKind.HUMAN, "user")
    assert await service.said_in(nobody, both) == {}


async def test_whoever_said_it_hears_no_news_of_it_once_they_are_no_reader(kept: Kept) -> None:
    """Nor does a page of news end early for what is left out of it."""
    world, lead = kept.world, kept.world.lead
    start = (await world.service.news_begin(lead, None))._replace(transaction=1)
    before, _, _ = await world.service.news(lead, start)
    assert {type(each.told) is VerdictTold for each in before} == {True, False}
    await applied(world, read_by("operational_restriction", "operator"), expected_version=1)
    assert (await world.service.news(lead, start))[0] == []


async def test_nobody_acts_on_what_they_may_not_read(kept: Kept) -> None:
    service, world = kept.world.service, kept.world
    for act in (
        lambda fact: service.correct(world.developer, fact, Correction(value="stop it", text="Stop it.")),
        lambda fact: service.retract(world.developer, fact, Withdrawal(text="It is over.")),
        lambda fact: service.confirm(world.pipeline, fact, kept.harmless_id),
    ):
        found, missing = await outcome(act(kept.fact_id)), await outcome(act(uuid4()))
        assert found == missing
        assert isinstance(missing, tuple)
        assert missing[0] is NotFound


async def test_a_statement_is_no_way_to_ask_what_is_there(kept: Kept) -> None:
    """A verdict would say whether a guess is right, so that none is told."""
    told = [
        await kept.world.service.remember(who, _guess(value))
        for who in (kept.world.developer, kept.world.agent)
        for value in ("keep running", "stop it")
    ]
    assert [(each.decided, each.governs) for each in told] == [(None, False)] * 4
    known = await kept.world.service.remember(kept.world.lead, _guess("keep running"))
    assert known.decided is not None


def _guess(value: str) -> Statement:
    return Statement(
        scope=STAGING,
        entity="gpu-bench-01",
        attribute="lifecycle_policy",
        value=value,
        ends_when="the audit is over",
    )


async def test_a_claim_that_is_held_is_no_more_to_be_seen_than_what_it_challenges(kept: Kept) -> None:
    """Not in a recall that asks for the unverified, not in the queue, and nobody settles it."""
    world, service = kept.world, kept.world.service
    await applied(world, read_by("operational_restriction", "operator"), expected_version=1)
    operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
    await world.say(world.developer, "Keep gpu-bench-01 running until the move is over.", activity_id="b")
    [held] = (await service.review_queue(operator, {})).items
    asked = ASKED.model_copy(update={"unverified": True})
    assert [claim.id for claim in (await service.recall(operator, asked)).unverified] == [held.id]
    for who in (world.lead, world.developer):
        assert (await service.recall(who, asked)).unverified == ()
    assert (await service.review_queue(world.lead, {})).items == []
    assert await service.waiting_for_review(world.lead, held.id) is None
    for act in (
        lambda claim: service.accept(world.lead, claim, Acceptance()),
        lambda claim: service.reject(world.lead, claim, Withdrawal(text="no")),
    ):
        found, missing = await outcome(act(held.id)), await outcome(act(uuid4()))
        assert found == missing
        assert isinstance(missing, tuple)


async def test_words_that_speak_of_two_memories_are_told_to_readers_of_both(kept: Kept) -> None:
    """A reviewer of a claim sees who said it, and not the words, where they say something else as well."""
    world, service = kept.world, kept.world.service
    said = {
        "candidates": [
            {"attribute": "lifecycle_policy", "entity": "gpu-bench-01", "value": "both"},
            {"attribute": "decision", "entity": "gpu-bench-01", "value": "both"},
        ]
    }
    await world.say(world.lead, "We decided both.", activity_id="two", data=said)
    operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
    [mine] = (await service.review_queue(world.lead, {})).items
    assert [heard.text for heard in mine.heard] == ["We decided both."]
    [theirs] = (await service.review_queue(operator, {})).items
    assert [(heard.subject, heard.text) for heard in theirs.heard] == [("dana", None)]


async def test_keyword_statistics_count_no_record_that_is_hidden(kept: Kept) -> None:
    """How rare a word is, and how long records are, is asked of what may be seen: here of one passage."""
    answer = await kept.world.service.recall(kept.world.agent, RecallRequest(scope=STAGING, query="audit"))
    [passage] = answer.passages
    async with kept.world.database.transaction(kept.world.agent.tenant_id) as work:
        posted = await work.rows(text("SELECT * FROM postings WHERE term = 'audit'"))
    assert len(posted) > 1
    assert passage.terms.words == pytest.approx(math.log(1 + 0.5 / 1.5))


async def test_a_lineage_leaves_it_out_and_does_not_count_it(world: World) -> None:
    """One event can lead to a memory that is seen and to one that is not."""
    said = await world.say(
        world.lead,
        "Two things.",
        data={
            "candidates": [
                {"attribute": "lifecycle_policy", "entity": "gpu-bench-01", "value": "things"},
                {"attribute": "owner", "entity": "gpu-bench-01", "value": "two"},
            ]
        },
    )
    lives = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")
    ids = {life.fact.attribute: life.fact.id for life in lives}
    assert set(ids) == {"lifecycle_policy", "owner"}
    async with world.database.transaction(world.lead.tenant_id) as work:
        await evidence.derive(work, FACT, ids["owner"], FACT, [ids["lifecycle_policy"]])
    before = await world.service.lineage(world.agent, ids["owner"])
    assert {node.id for node in before.nodes} == {*ids.values(), said.event_id}
    await applied(world, read_by("operational_restriction", "infra_lead"))
    told = await world.service.lineage(world.agent, ids["owner"])
    assert {node.id for node in told.nodes} == {ids["owner"], said.event_id}
    assert (told.hidden, told.truncated) == (0, False)
    # What is seen is recalled; the words from which both were made are not.
    answer = await world.recall(entities=("gpu-bench-01",), query="two things")
    assert [fact.attribute for fact in answer.facts] == ["owner"]
    assert answer.passages == ()


async def test_memories_of_a_class_that_is_gone_are_for_administrators_alone(kept: Kept) -> None:
    """They are listed and read, so that somebody can say what is to become of them, and influence nobody."""
    world = kept.world
    root = admin_of(world)
    await applied(world, without("operational_restriction"))
    for who in (world.lead, world.agent):
        await _is_nowhere(world, who, kept.fact_id)
    answer = await world.service.recall(root, ASKED)
    assert (answer.facts, len(answer.passages)) == ((), 1)
    assert await world.service.memory(root, kept.fact_id)
    assert len(await world.service.history_of_entity(root, STAGING, "gpu-bench-01")) == 1
    assert len((await world.service.memories(root, MemoryQuery(scope=STAGING))).memories) == 3
    told = await world.service.explain(root, kept.fact_id, ASKED)
    assert told.dropped_at == "readers"
    await applied(world, read_by("operational_restriction", "infra_lead"))
    assert (await world.service.recall(world.lead, ASKED)).required


async def _is_nowhere(world: World, who: Principal, fact_id: UUID) -> None:
    answer = await world.service.recall(who, ASKED)
    assert answer.facts == ()
    assert not [passage for passage in answer.passages if "running" in passage.text]
    with pytest.raises(NotFound):
        await world.service.memory(who, fact_id)
    assert len((await world.service.memories(who, MemoryQuery(scope=STAGING))).memories) == 1


async def test_a_memory_under_a_former_name_is_read_and_recalled_as_its_attribute(kept: Kept) -> None:
    def renamed(document: dict[str, object]) -> None:
        read_by("operational_restriction", "infra_lead")(document)
        attributes = document["classes"]["operational_restriction"]["attributes"]  # type: ignore[index]
        attributes["keep_up"] = attributes.pop("lifecycle_policy") | {"synonyms": ["lifecycle_policy"]}

    change = await applied(kept.world, renamed)
    assert [(effect.kind, effect.concerns) for effect in change.effects] == [
        ("known_by_another_name", ("keep_up",))
    ]
    answer = await kept.world.service.recall(kept.world.lead, ASKED)
    assert [fact.id for fact in answer.required] == [kept.fact_id]
    await _is_nowhere(kept.world, kept.world.agent, kept.fact_id)


async def _episodes(world: World, activity_id: UUID) -> list[UUID]:
    async with world.database.transaction(world.agent.tenant_id) as work:
        found = await work.rows(
            text("SELECT id FROM episodes WHERE activity_id = :activity"), {"activity": activity_id}
        )
    return [row.id for row in found]
