"""Review: what is held waits for a person with the right, and accepting it is saying it."""

import asyncio
from typing import Any

import pytest

from models.candidates import Terms
from models.errors import Conflict, NotFound, NotPermitted
from models.principals import Principal, PrincipalKind
from models.reviews import Acceptance, ReviewItem, Waiting
from models.statements import Promotion, Stated, Statement, Withdrawal
from tests.world import STAGING, World, event

LIFE = "lifecycle_policy"


async def queue(world: World, who: Principal | None = None) -> list[ReviewItem]:
    return list((await world.service.review_queue(who or world.lead, {})).items)


async def held(world: World, who: Principal, value: str = "drain", **fields: Any) -> Stated:
    said = {"scope": STAGING, "entity": "gpu-bench-01", "attribute": LIFE, "value": value, **fields}
    return await world.service.remember(who, Statement(**said))


async def active(world: World) -> list[str]:
    lives = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")
    return [life.fact.terms.value for life in lives if life.status == "active"]


async def test_an_accepted_claim_governs_on_the_reviewers_word(world: World) -> None:
    claimed = await held(world, world.developer)
    [item] = await queue(world)
    assert (item.waiting, item.reason, item.class_name) == (
        Waiting.HELD,
        "not_permitted",
        "operational_restriction",
    )
    assert item.lapses_at is not None
    assert [heard.subject for heard in item.heard] == ["sam"]
    accepted = await world.service.accept(world.lead, item.id, Acceptance(text="That is right."))
    assert accepted.governs
    assert await active(world) == ["drain"]
    assert await queue(world) == []
    assert claimed.decided is not None
    lives = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")
    told = {life.status: life for life in lives}
    assert told["active"].fact.authority_role == "infra_lead"
    assert told["active"].fact.statement == "drain", "what was claimed, and not why it was accepted"
    assert len(told["active"].sources) == 2, "the developer's word is evidence, and carries no role"
    assert told["superseded"].fact.id == claimed.decided.fact_id
    assert told["superseded"].changes[-1].actor == "dana"


async def test_a_claim_is_accepted_with_other_words(world: World) -> None:
    await held(world, world.developer)
    [item] = await queue(world)
    edited = Acceptance(terms=Terms(value="drain slowly", ends_when="the audit is over"))
    accepted = await world.service.accept(world.lead, item.id, edited)
    assert accepted.governs
    assert await active(world) == ["drain slowly"]
    assert await queue(world) == []


async def test_a_rejected_claim_stays_rejected_however_often_it_is_said(world: World) -> None:
    await held(world, world.developer)
    [item] = await queue(world)
    rejected = await world.service.reject(world.lead, item.id, Withdrawal(text="No, keep it."))
    assert rejected.decided is not None
    assert (rejected.decided.verdict, rejected.decided.reason) == ("retract", "rejected_in_review")
    await held(world, world.developer)
    assert await queue(world) == []
    with pytest.raises(Conflict):
        await world.service.accept(world.lead, rejected.decided.target_id or item.id, Acceptance())
    assert await active(world) == []


async def test_who_may_not_write_it_cannot_accept_it(world: World) -> None:
    await held(world, world.agent)
    [item] = await queue(world)
    assert item.reason == "proposed_by_model"
    for who, refusal in (
        (world.developer, NotPermitted),
        (world.agent, NotPermitted),
        (world.lead.as_model(), NotPermitted),
        (world.principal("eve"), NotFound),
    ):
        with pytest.raises(refusal):
            await world.service.accept(who, item.id, Acceptance())
    assert await queue(world, world.principal("pat", PrincipalKind.HUMAN, "user")) == []
    with pytest.raises(NotPermitted):
        await queue(world, world.developer)
    assert await active(world) == []


async def test_a_decision_takes_two_people(world: World) -> None:
    said = {"scope": STAGING, "entity": "db-1", "attribute": "decision", "value": "move to Postgres 18"}
    first = await world.service.remember(world.lead, Statement(**said))
    assert first.decided is not None
    assert (first.decided.verdict, first.decided.reason) == ("hold_unverified", "needs_second_word")
    [item] = await queue(world)
    assert item.not_by == ("dana",)
    with pytest.raises(NotPermitted, match="four eyes"):
        await world.service.accept(world.lead, item.id, Acceptance())
    again = await world.service.remember(world.lead, Statement(**said))
    assert not again.governs, "the same person twice is one person"
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    accepted = await world.service.accept(kim, item.id, Acceptance())
    assert accepted.governs
    [governing] = [
        life
        for life in await world.service.history_of_entity(world.lead, STAGING, "db-1")
        if life.status == "active"
    ]
    assert governing.fact.standing == "confirmed"


async def test_two_people_who_say_it_make_a_decision_without_a_review(world: World) -> None:
    said = {"scope": STAGING, "entity": "db-1", "attribute": "decision", "value": "move to Postgres 18"}
    await world.service.remember(world.lead, Statement(**said))
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    assert (await world.service.remember(kim, Statement(**said))).governs
    assert await queue(world) == []


async def test_a_dispute_shows_both_sides_and_a_person_settles_it(world: World) -> None:
    passed = await world.publish(
        world.pipeline,
        event(
            type="observation",
            text="outcome",
            data={"candidates": [{"attribute": "outcome", "entity": "build-7", "value": "passed"}]},
        ),
        event(type="activity_completed"),
    )
    await world.digest(passed)
    said = {"scope": STAGING, "entity": "build-7", "attribute": "outcome", "value": "failed"}
    disputed = await world.service.remember(world.lead, Statement(**said))
    assert disputed.decided is not None
    assert (disputed.decided.verdict, disputed.governs) == ("dispute", False)
    [item] = await queue(world)
    assert item.waiting is Waiting.DISPUTED
    assert item.challenged is not None
    assert item.challenged.terms.value == "passed"
    assert [heard.subject for heard in item.challenged_heard] == ["qa-pipeline"]
    recalled = await world.recall(entities=["build-7"])
    assert [fact.value for fact in recalled.facts] == ["passed"]
    with pytest.raises(NotPermitted, match="your own words"):
        await world.service.accept(world.lead, item.id, Acceptance())
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    settled = await world.service.accept(kim, item.id, Acceptance())
    assert settled.decided is not None
    assert settled.decided.verdict == "supersede", "a review settles what a statement alone could not"


async def test_a_claim_about_nobody_knows_what_is_accepted_with_a_name(world: World) -> None:
    for identity in ("cloud-instance:i-1", "cloud-instance:i-2"):
        thing = {"id": identity, "name": "gpu"}
        done = [event(text="seen", entities=[thing]), event(type="activity_completed")]
        await world.digest(await world.publish(world.lead, *done))
    unnamed = await held(world, world.lead, entity="gpu")
    assert unnamed.decided is not None
    assert unnamed.decided.reason == "ambiguous_entity"
    [item] = await queue(world)
    assert item.unnamed is not None
    assert (item.waiting, item.unnamed.mention) == (Waiting.UNNAMED, "gpu")
    accepted = await world.service.accept(world.lead, item.id, Acceptance(entity="cloud-instance:i-2"))
    assert accepted.governs
    assert await queue(world) == []
    assert accepted.decided is not None
    assert accepted.decided.fact_id is not None
    [life] = await world.service.history_of_fact(world.lead, accepted.decided.fact_id)
    assert unnamed.event_id in life.sources, "what was claimed stands behind it"


async def test_two_reviewers_at_once_accept_it_once(world: World) -> None:
    await held(world, world.developer)
    [item] = await queue(world)
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    both = await asyncio.gather(
        world.service.accept(world.lead, item.id, Acceptance()),
        world.service.reject(kim, item.id, Withdrawal(text="No.")),
        return_exceptions=True,
    )
    # Whoever comes later is told so: at once where it is settled by then, else by the verdict.
    verdicts = sorted(
        each.decided.verdict.value for each in both if isinstance(each, Stated) and each.decided is not None
    )
    assert verdicts in (
        ["establish", "ignore_stale"],
        ["ignore_stale", "retract"],
        ["establish"],
        ["retract"],
    )
    assert all(isinstance(each, Stated | Conflict) for each in both)
    assert await queue(world) == []


async def test_other_words_are_the_reviewers_alone(world: World) -> None:
    """A second person stands behind what both have said, and not behind what one of them made of it."""
    said = {"scope": STAGING, "entity": "db-1", "attribute": "decision", "value": "move to Postgres 18"}
    await world.service.remember(world.lead, Statement(**said))
    [item] = await queue(world)
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    edited = await world.service.accept(kim, item.id, Acceptance(terms=Terms(value="move to MySQL")))
    assert edited.decided is not None
    assert (edited.decided.verdict, edited.decided.reason) == ("discard", "needs_second_word")
    assert not [
        life
        for life in await world.service.history_of_entity(world.lead, STAGING, "db-1")
        if life.status == "active"
    ]


async def test_two_people_accept_what_an_agent_proposes(world: World) -> None:
    said = {"scope": STAGING, "entity": "db-1", "attribute": "decision", "value": "move to Postgres 18"}
    await world.service.remember(world.agent, Statement(**said))
    [item] = await queue(world)
    first = await world.service.accept(world.lead, item.id, Acceptance())
    assert first.decided is not None
    assert (first.decided.verdict, first.decided.reason) == ("hold_unverified", "needs_second_word")
    [waiting] = await queue(world)
    assert (waiting.id, waiting.not_by) == (item.id, ("dana", "ops-agent"))
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    assert (await world.service.accept(kim, item.id, Acceptance())).governs


async def test_an_acceptance_and_a_rejection_are_two_things(world: World) -> None:
    await held(world, world.developer)
    [item] = await queue(world)
    await world.service.accept(world.lead, item.id, Acceptance(text="see ticket 7", idempotency_key="k"))
    with pytest.raises(Conflict):
        await world.service.reject(world.lead, item.id, Withdrawal(text="see ticket 7", idempotency_key="k"))


async def test_words_of_a_scope_beyond_reach_are_not_shown(world: World) -> None:
    olga, otto = (world.principal(name, PrincipalKind.HUMAN, "operator") for name in ("olga", "otto"))
    owner = {"entity": "machine:b-1", "attribute": "owner", "value": "Ana"}
    narrow = {**STAGING, "team": "legal"}
    told = await world.service.remember(
        olga, Statement(scope=narrow, **owner, text="Ana, until the layoffs.")
    )
    assert told.decided is not None
    assert told.decided.fact_id is not None
    promoted = await world.service.promote(otto, told.decided.fact_id, Promotion(scope=STAGING))
    assert promoted.governs
    await world.service.remember(world.developer, Statement(scope=STAGING, **{**owner, "value": "Bo"}))
    [item] = await queue(world)
    assert [(heard.subject, heard.text) for heard in item.challenged_heard] == [
        ("olga", None),
        ("otto", None),
    ]
    [item] = await queue(world, olga)
    assert item.challenged_heard[0].text == "Ana, until the layoffs."


async def test_a_candidate_without_a_thing_is_rejected_alone(world: World) -> None:
    """By now the name means one thing, of which somebody has said the same: that goes on."""
    for identity in ("cloud-instance:i-1", "cloud-instance:i-2"):
        thing = {"id": identity, "name": "gpu"}
        done = [event(text="seen", entities=[thing]), event(type="activity_completed")]
        await world.digest(await world.publish(world.agent, *done))
    await held(world, world.lead, entity="gpu")
    [item] = await queue(world)
    assert item.unnamed is not None
    named = [event(text="seen", entities=[{"id": "cloud-instance:i-1", "name": "gpu"}], activity_id="act-2")]
    await world.digest(
        await world.publish(world.lead, *named, event(type="activity_completed", activity_id="act-2"))
    )
    governing = await held(world, world.lead, entity="gpu", value="keep")
    assert governing.governs
    rejected = await world.service.reject(world.lead, item.id, Withdrawal(text="Which gpu?"))
    assert rejected.decided is not None
    assert (rejected.decided.verdict, rejected.decided.target_id) == ("retract", None)
    assert governing.decided is not None
    assert governing.decided.fact_id is not None
    [life] = await world.service.history_of_fact(world.lead, governing.decided.fact_id)
    assert life.status == "active"
