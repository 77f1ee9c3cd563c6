"""Promotion: what holds in a narrow scope comes to hold in a wider one, once more than one person stands behind it."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from models.errors import Conflict, InvalidInput, KeepwellError, NotFound, NotPermitted
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from models.reviews import Acceptance
from models.statements import Promotion, Stated, Statement, Withdrawal
from store.policies import FRESH_SECONDS
from tests.policies import applied
from tests.world import STAGING, World

CART = {**STAGING, "project": "cart"}
SEARCH = {**STAGING, "project": "search"}
BENCH = "machine:bench-1"


async def remembered(world: World, who: Principal, **fields: Any) -> UUID:
    said = {"scope": CART, "entity": BENCH, "attribute": "owner", "value": "Ana", **fields}
    stated = await world.service.remember(who, Statement.model_validate(said))
    assert stated.decided is not None
    fact_id = stated.decided.fact_id or stated.decided.target_id
    assert fact_id is not None
    return fact_id


async def promote(world: World, who: Principal, fact_id: UUID, **fields: Any) -> Stated:
    return await world.service.promote(who, fact_id, Promotion.model_validate({"scope": STAGING, **fields}))


async def found(world: World, scope: dict[str, str]) -> list[str]:
    asked = RecallRequest(scope=scope, query="who is the owner", entities=[BENCH])
    return [fact.value for fact in (await world.service.recall(world.lead, asked)).facts]


def verdict(stated: Stated) -> tuple[str, str]:
    assert stated.decided is not None
    return stated.decided.verdict, stated.decided.reason


@pytest.fixture
def kim(world: World) -> Principal:
    """Another lead."""
    return world.principal("kim", PrincipalKind.HUMAN, "infra_lead")


@pytest.fixture
async def renewals(world: World) -> None:
    """The tenant keeps dates of renewal."""

    def change(document: dict[str, Any]) -> None:
        attributes = document["classes"]["service_dependency"]["attributes"]
        attributes["renewal"] = {"type": "date", "write": ["infra_lead"]}

    await applied(world, change)
    await asyncio.sleep(FRESH_SECONDS)


async def test_a_validated_fact_comes_to_hold_in_the_wider_scope(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    assert await remembered(world, kim) == narrow
    assert await found(world, SEARCH) == []
    promoted = await promote(world, kim, narrow, text="The same everywhere in staging.")
    assert verdict(promoted) == ("establish", "permitted_statement")
    assert promoted.governs
    assert await found(world, SEARCH) == ["Ana"]
    assert promoted.decided is not None
    assert promoted.decided.fact_id is not None
    [life] = await world.service.history_of_fact(world.lead, promoted.decided.fact_id)
    assert (life.fact.scope, life.fact.standing) == (STAGING, "confirmed")
    assert len(life.sources) == 3, "what was said in the narrow scope stands behind it, and the promotion"
    lineage = await world.service.lineage(world.lead, promoted.decided.fact_id)
    assert narrow in {node.id for node in lineage.nodes}
    [before] = await world.service.history_of_fact(world.lead, narrow)
    assert before.status == "active", "the narrow fact stays as it is"


async def test_whoever_promotes_is_the_second_one_to_stand_behind_it(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    assert (await promote(world, kim, narrow)).governs


async def test_nobody_validates_their_own_word(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    promoted = await promote(world, world.lead, narrow)
    assert verdict(promoted) == ("hold_unverified", "not_validated")
    assert await found(world, SEARCH) == []
    [item] = (await world.service.review_queue(kim, STAGING)).items
    accepted = await world.service.accept(kim, item.id, Acceptance(text="So it is."))
    assert accepted.governs
    assert accepted.decided is not None
    assert accepted.decided.fact_id is not None
    lineage = await world.service.lineage(kim, accepted.decided.fact_id)
    assert {narrow, item.id} <= {node.id for node in lineage.nodes}


@pytest.mark.parametrize("asks", ["developer", "agent"])
async def test_a_promotion_by_who_has_no_say_waits_for_a_reviewer(
    world: World, kim: Principal, asks: str
) -> None:
    narrow = await remembered(world, world.lead)
    promoted = await promote(world, getattr(world, asks), narrow)
    assert verdict(promoted)[0] == "hold_unverified"
    assert await found(world, SEARCH) == []
    [item] = (await world.service.review_queue(world.lead, STAGING)).items
    own = await world.service.accept(world.lead, item.id, Acceptance())
    assert verdict(own) == ("hold_unverified", "not_validated"), "she has said it in the narrow scope"
    assert (await world.service.accept(kim, item.id, Acceptance())).governs


async def test_a_promotion_that_waits_ends_with_its_fact(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    await promote(world, world.agent, narrow)
    await world.service.retract(world.lead, narrow, Withdrawal(text="Ana has left."))
    [item] = (await world.service.review_queue(kim, STAGING)).items
    accepted = await world.service.accept(kim, item.id, Acceptance())
    assert verdict(accepted) == ("ignore_stale", "named_fact_not_in_force")


async def test_it_does_not_reach_back(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    promoted = await promote(world, kim, narrow, occurred_at="2020-01-01T00:00:00Z")
    assert promoted.decided is not None
    assert promoted.decided.fact_id is not None
    [life] = await world.service.history_of_fact(kim, promoted.decided.fact_id)
    assert life.fact.valid_from.year > 2020


async def test_a_value_means_what_it_meant_where_it_was_said(
    world: World, kim: Principal, renewals: None
) -> None:
    said = {"attribute": "renewal", "value": "tomorrow", "occurred_at": "2026-03-02T09:00:00Z"}
    said["timezone"] = "Europe/Berlin"
    narrow = await remembered(world, world.lead, **said)
    promoted = await promote(world, kim, narrow)
    claim = await remembered(world, world.developer, **said, scope=STAGING, entity="machine:bench-2")
    accepted = await world.service.accept(kim, claim, Acceptance())
    for stated in (promoted, accepted):
        assert stated.decided is not None
        assert stated.decided.fact_id is not None
        lives = await world.service.history_of_fact(kim, stated.decided.fact_id)
        assert {life.fact.canonical for life in lives} == {"date:2026-03-03"}


async def test_terms_are_carried_over_and_hold_from_the_promotion_on(world: World, kim: Principal) -> None:
    whole = {"attribute": "change_policy", "value": "freeze", "ends_when": "the release is out"}
    narrow = await remembered(world, world.lead, **whole, occurred_at="2026-03-02T09:00:00Z")
    promoted = await promote(world, kim, narrow)
    assert promoted.decided is not None
    assert promoted.decided.fact_id is not None
    [life] = await world.service.history_of_fact(kim, promoted.decided.fact_id)
    [before] = await world.service.history_of_fact(kim, narrow)
    assert life.fact.terms.same_limits_as(before.fact.terms)
    assert life.fact.valid_from > before.fact.valid_from
    again = await promote(world, world.lead, narrow)
    assert verdict(again) == ("restate", "same_terms")


async def test_it_takes_the_place_of_what_held_in_the_wider_scope(world: World, kim: Principal) -> None:
    wide = await remembered(world, world.lead, scope=STAGING, value="Bo")
    narrow = await remembered(world, world.lead)
    promoted = await promote(world, kim, narrow)
    assert verdict(promoted) == ("supersede", "permitted_other_terms")
    assert promoted.decided is not None
    assert promoted.decided.target_id == wide


async def test_a_promotion_sent_again_counts_once(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    first = await promote(world, kim, narrow, idempotency_key="p-1")
    again = await promote(world, kim, narrow, idempotency_key="p-1")
    assert again.duplicate
    assert again.decided == first.decided


async def test_what_has_ended_is_not_promoted(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead)
    await world.service.retract(world.lead, narrow, Withdrawal(text="Ana has left."))
    with pytest.raises(Conflict, match="not in force"):
        await promote(world, kim, narrow)


async def test_a_claim_is_not_promoted(world: World, kim: Principal) -> None:
    claim = await remembered(world, world.developer)
    with pytest.raises(Conflict, match="claim"):
        await promote(world, kim, claim)


async def test_a_thing_without_a_canonical_id_means_nothing_elsewhere(world: World, kim: Principal) -> None:
    narrow = await remembered(world, world.lead, entity="the bench")
    with pytest.raises(Conflict, match="canonical id"):
        await promote(world, kim, narrow)
    await remembered(world, world.lead, scope=STAGING, entity="the rig")
    known = await remembered(world, world.lead, entity="the rig", value="Bo")
    assert (await promote(world, kim, known)).governs, "the wider scope has given the name"


@pytest.mark.parametrize(
    ("scope", "error", "about"),
    [
        (CART, InvalidInput, "not wider"),
        (SEARCH, InvalidInput, "not wider"),
        ({"workspace": "production"}, InvalidInput, "not wider"),
        ({}, NotPermitted, "the whole tenant"),
        ({"galaxy": "x"}, InvalidInput, "unknown dimension"),
    ],
)
async def test_a_scope_has_to_be_wider_and_within_reach(
    world: World, kim: Principal, scope: dict[str, str], error: type[KeepwellError], about: str
) -> None:
    narrow = await remembered(world, world.lead)
    with pytest.raises(error, match=about):
        await promote(world, kim, narrow, scope=scope)


async def test_a_class_is_kept_at_its_levels_only(world: World) -> None:
    olga = world.principal("olga", PrincipalKind.HUMAN, "operator")
    narrow = await remembered(world, olga, attribute="note", value="It hums.")
    with pytest.raises(InvalidInput, match="levels"):
        await promote(world, olga, narrow, scope={})


async def test_what_lies_beyond_reach_looks_like_what_is_not_there(world: World) -> None:
    narrow = await remembered(world, world.lead)
    visitor = world.principal("ana", PrincipalKind.HUMAN, "user")
    for fact_id in (narrow, uuid4()):
        with pytest.raises(NotFound, match="no such fact"):
            await promote(world, visitor, fact_id)


async def test_nobody_carries_what_is_about_a_person_out_of_their_scope(world: World) -> None:
    """Whom it is about may do so themselves, and has their class switched off or on for it."""
    olga = world.principal("olga", PrincipalKind.HUMAN, "operator")
    ana = world.principal("ana", PrincipalKind.HUMAN, "operator")
    hers = {**CART, "user": "ana"}
    said = {"scope": hers, "entity": None, "attribute": "preference", "value": "short answers"}
    narrow = await remembered(world, ana, **said)
    with pytest.raises(NotPermitted, match="about a person"):
        await promote(world, olga, narrow)
    assert (await promote(world, olga, narrow, scope={**STAGING, "user": "ana"})).governs
    assert (await promote(world, ana, narrow)).governs, "what is about oneself takes no second word"
    await world.service.switch_off(ana, "user_preference")
    other = await remembered(world, ana, scope=hers, entity=None, attribute="owner", value="Ana")
    assert (await promote(world, ana, other)).governs
    with pytest.raises(NotFound):
        await promote(world, olga, narrow, scope={"user": "ana"})
    assert verdict(await promote(world, ana, narrow, scope={"user": "ana"})) == ("discard", "switched_off")


async def test_what_was_said_of_a_person_stays_theirs_in_a_wider_scope(world: World) -> None:
    """Whoever said it in her scope does not come by it where no scope names her."""
    olga = world.principal("olga", PrincipalKind.HUMAN, "operator")
    ana = world.principal("ana", PrincipalKind.HUMAN, "operator")
    said = {"scope": {**CART, "user": "ana"}, "entity": None, "attribute": "preference", "value": "tea"}
    narrow = await remembered(world, olga, **said)
    promoted = await promote(world, ana, narrow)
    assert promoted.governs
    assert promoted.decided is not None
    await world.service.switch_off(ana, "user_preference")
    with pytest.raises(NotFound):
        await world.service.history_of_fact(olga, promoted.decided.fact_id or uuid4())
