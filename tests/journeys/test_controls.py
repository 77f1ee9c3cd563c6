"""A person inspects, corrects and withdraws what is held about them, whatever their roles; nobody does so for them."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from models.errors import InvalidInput, NotFound, NotPermitted
from models.ids import derived_id
from models.principals import Principal
from models.reconciliation import Verdict
from models.reviews import Acceptance
from models.statements import Correction, Stated, Withdrawal
from models.verbs import Verb
from recall.memories import FactRead
from store.policies import FRESH_SECONDS
from tests.household import AGENT, CHAT, SYSTEM, Household
from tests.policies import applied, read_by
from tests.world import STAGING, World, event

UNDONE = Withdrawal(text="I do not want this to be kept.")


@pytest.fixture
def household(world: World) -> Household:
    return Household(world)


async def withdrawn(household: Household, who: Principal, fact_id: UUID) -> Stated:
    return await household.service.retract(who, fact_id, UNDONE)


def verdict_of(stated: Stated) -> tuple[Verdict, str]:
    assert stated.decided is not None
    return stated.decided.verdict, stated.decided.reason


async def role_of_last_change(household: Household, fact_id: UUID) -> str | None:
    [*_, life] = await household.service.history_of_fact(household.operator, fact_id)
    return life.changes[-1].actor_role


async def test_a_person_withdraws_what_another_wrote_about_them(household: Household) -> None:
    """Ana's role reaches no scope of a user, and may not write the attribute; the memory is about her."""
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    assert await household.values() == {"email"}
    assert verdict_of(await withdrawn(household, household.ana, fact_id)) == (
        Verdict.RETRACT,
        "permitted_withdrawal",
    )
    assert await household.values() == set(), "it is obeyed on the very next recall"
    assert await role_of_last_change(household, fact_id) == "self"


async def test_a_person_corrects_what_another_wrote_about_them(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    corrected = await household.service.correct(household.ana, fact_id, Correction(value="phone"))
    assert verdict_of(corrected) == (Verdict.SUPERSEDE, "permitted_other_terms")
    assert await household.values() == {"phone"}
    [_, life] = await household.service.history_of_fact(household.operator, fact_id)
    assert (life.fact.authority_role, life.changes[0].actor) == ("self", "ana")


async def test_a_person_sees_what_is_about_them_and_nothing_beside_it(household: Household) -> None:
    service, ana = household.service, household.ana
    mine = await household.remembered(household.operator, "preference", "tea")
    theirs = await household.remembered(household.operator, "preference", "coffee", scope={"user": "ana.b"})
    read = await service.memory(ana, mine)
    assert isinstance(read, FactRead)
    assert (read.fact.terms.value, read.switched_off) == ("tea", False)
    [life] = await service.history_of_fact(ana, mine)
    assert life.fact.id == mine
    assert [node.id for node in (await service.lineage(ana, mine)).nodes] == [mine]
    page = await service.own_memories(ana, 10)
    assert [each.fact.id for each in page.memories if isinstance(each, FactRead)] == [mine]
    for asked in (service.memory, service.history_of_fact, service.lineage):
        with pytest.raises(NotFound):
            await asked(ana, theirs)


@pytest.mark.parametrize("subject", ["Ana", "ana ", "ana.b", "an", "ana%", "%", "_na", "*", "ána"])
async def test_somebody_of_a_similar_name_is_somebody_else(household: Household, subject: str) -> None:
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    alike = household.person(subject, "developer")
    for call in (
        household.service.retract(alike, fact_id, UNDONE),
        household.service.correct(alike, fact_id, Correction(value="phone")),
        household.service.memory(alike, fact_id),
    ):
        with pytest.raises(NotFound):
            await call
    assert (await household.service.own_memories(alike, 10)).memories == []
    assert await household.values() == {"email"}


@pytest.mark.parametrize(
    "narrowed",
    [
        {"kind": AGENT},
        {"kind": SYSTEM},
        {"only": frozenset({Verb.READ, Verb.RECALL})},
        {"within": {"user": "ana.b"}},
        {"within": {"workspace": "staging-cloud"}},
    ],
)
async def test_nobody_and_no_narrower_credential_does_it_for_them(
    household: Household, narrowed: dict[str, Any]
) -> None:
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    other = household.ana.model_copy(update=narrowed)
    with pytest.raises((NotFound, NotPermitted)):
        await household.service.retract(other, fact_id, UNDONE)
    with pytest.raises((NotFound, NotPermitted)):
        await household.service.correct(other, fact_id, Correction(value="phone"))
    assert await household.values() == {"email"}


async def test_a_credential_for_ones_own_scope_is_wide_enough(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    mine = household.ana.model_copy(update={"within": {"user": "ana"}})
    assert verdict_of(await withdrawn(household, mine, fact_id))[0] is Verdict.RETRACT


async def test_a_model_in_the_persons_name_is_no_person(household: Household) -> None:
    """A user's role reaches the scope, so the call is taken; what it says is an agent's claim."""
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    model = household.person("ana").as_model()
    assert verdict_of(await withdrawn(household, model, fact_id)) == (
        Verdict.HOLD_UNVERIFIED,
        "proposed_by_model",
    )
    assert await household.values() == {"email"}


async def test_what_holds_for_a_team_is_no_matter_of_whoever_said_it(household: Household) -> None:
    """Dana has said it alone, and has lost the role since."""
    service, dana = household.service, household.world.lead
    former = household.person("dana", "developer")
    for attribute in ("lifecycle_policy", "operating_rule", "standing_instruction", "owner"):
        fact_id = await household.remembered(dana, attribute, "keep it", scope=STAGING)
        assert verdict_of(await service.retract(former, fact_id, UNDONE)) == (
            Verdict.HOLD_UNVERIFIED,
            "not_permitted",
        ), attribute
        assert (await service.own_memories(former, 10)).memories == []


async def test_personal_data_in_a_shared_scope_is_about_whoever_said_it_alone(household: Household) -> None:
    """A preference that Ana stated in a conversation, where she has no say any more."""
    speaking = household.person("ana", "participant")
    fact_id = await household.remembered(speaking, "preference", "tea", scope=CHAT)
    [mine] = (await household.service.own_memories(household.ana, 10)).memories
    assert isinstance(mine, FactRead)
    assert mine.fact.id == fact_id
    # An agent says the same: nobody makes it another's by repeating it without a right to.
    bot = household.world.principal("bot", AGENT, "agent")
    repeated = await household.state(bot, "preference", "tea", scope=CHAT)
    assert (repeated.verdict, repeated.target_id) == (Verdict.RESTATE, fact_id)
    assert verdict_of(await withdrawn(household, household.ana, fact_id))[0] is Verdict.RETRACT
    assert await household.values(scope=CHAT) == set()


async def test_what_somebody_repeats_stays_whose_it_was(household: Household) -> None:
    ana, ben = household.person("ana", "participant"), household.person("ben", "participant")
    fact_id = await household.remembered(ana, "preference", "tea", scope=CHAT)
    assert (await household.state(ben, "preference", "tea", scope=CHAT)).verdict is Verdict.RESTATE
    assert (await household.service.own_memories(ben, 10)).memories == []
    assert len((await household.service.own_memories(ana, 10)).memories) == 1
    assert verdict_of(await withdrawn(household, household.ana, fact_id))[0] is Verdict.RETRACT


async def test_what_an_agent_has_said_first_is_ones_own_once_one_says_so(household: Household) -> None:
    bot = household.world.principal("bot", AGENT, "agent")
    assert (await household.state(bot, "preference", "tea", scope=CHAT)).verdict is Verdict.HOLD_UNVERIFIED
    fact_id = await household.remembered(
        household.person("ana", "participant"), "preference", "tea", scope=CHAT
    )
    assert [each.fact.id for each in await own_facts(household)] == [fact_id]
    await household.service.switch_off(household.ana, "user_preference")
    assert await household.values(scope=CHAT) == set()


async def test_what_a_reviewer_accepts_is_about_whoever_claimed_it(household: Household) -> None:
    """In the conversation's workspace Ana has no say, so that her word takes a lead's to govern."""
    speaking, reviewer = household.person("ana", "agent"), household.world.lead
    candidate = {"attribute": "preference", "value": "tea"}
    said = event(type="correction", text="I like tea", data={"candidates": [candidate]})
    await household.world.digest(
        await household.world.publish(speaking, said, event(type="activity_completed"))
    )
    [claim] = (await household.service.review_queue(reviewer, {})).items
    accepted = (await household.service.accept(reviewer, claim.id, Acceptance())).decided
    assert accepted is not None
    assert accepted.fact_id in {each.fact.id for each in await own_facts(household)}


async def own_facts(household: Household) -> list[FactRead]:
    page = await household.service.own_memories(household.ana, 10)
    return [each for each in page.memories if isinstance(each, FactRead)]


async def test_no_source_outweighs_a_person_who_takes_back_what_is_about_them(household: Household) -> None:
    """Said by a source that is stronger than a person's word, in a class where such a one goes on."""

    def dispute(document: dict[str, Any]) -> None:
        document["classes"]["user_preference"]["conflict"] = "dispute"

    await applied(household.world, dispute)
    await asyncio.sleep(FRESH_SECONDS)  # for the worker to hear of it
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    async with household.world.database.transaction(household.ana.tenant_id) as work:
        await work.run(text("UPDATE facts SET authority = 4 WHERE id = :id"), {"id": fact_id})
    corrected = await household.service.correct(household.ana, fact_id, Correction(value="phone"))
    assert verdict_of(corrected) == (Verdict.DISPUTE, "weaker_source")
    assert verdict_of(await withdrawn(household, household.person("ana"), fact_id))[0] is Verdict.RETRACT
    assert await household.values() == set()


async def test_a_person_sees_what_is_about_them_whoever_the_readers_of_its_class_are(
    household: Household,
) -> None:
    fact_id = await household.remembered(household.operator, "preference", "tea")
    await applied(household.world, read_by("user_preference", "admin"))
    with pytest.raises(NotFound):
        await household.service.memory(household.operator, fact_id)
    with pytest.raises(NotFound):
        await withdrawn(household, household.operator, fact_id)
    [life] = await household.service.history_of_fact(household.ana, fact_id)
    assert life.fact.terms.value == "tea"
    assert len((await household.service.own_memories(household.ana, 10)).memories) == 1
    assert verdict_of(await withdrawn(household, household.ana, fact_id))[0] is Verdict.RETRACT
    [life] = await household.service.history_of_fact(household.ana, fact_id)
    assert life.status == "retracted"


async def test_a_cursor_belongs_to_ones_own_list(household: Household) -> None:
    for value in ("tea", "coffee", "water"):
        await household.remembered(household.operator, "preference", value)
    first = await household.service.own_memories(household.ana, 2)
    assert first.next is not None
    rest = await household.service.own_memories(household.ana, 2, first.next)
    values = [
        each.fact.terms.value for each in (*first.memories, *rest.memories) if isinstance(each, FactRead)
    ]
    assert (values, rest.next) == (["water", "coffee", "tea"], None)
    with pytest.raises(InvalidInput, match="another query"):
        await household.service.own_memories(household.person("ana.b"), 2, first.next)


async def test_what_is_not_there_is_told_as_what_is_out_of_reach(household: Household) -> None:
    beyond = await household.remembered(household.operator, "preference", "tea", scope={"user": "ben"})
    told: list[str] = []
    for fact_id in (beyond, derived_id("nothing")):
        with pytest.raises(NotFound) as missing:
            await withdrawn(household, household.ana, fact_id)
        told.append(str(missing.value))
    assert told[0] == told[1]
