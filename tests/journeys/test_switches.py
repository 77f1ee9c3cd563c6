"""A class that a person has switched off for themselves: nothing new is held, and what is there comes to nobody."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from models.errors import InvalidInput, NotFound, NotPermitted
from models.explanation import Step
from models.memories import MemoryQuery
from models.principals import Principal, PrincipalKind
from models.recall import RecallRequest
from models.reconciliation import Verdict
from models.reviews import Acceptance
from models.statements import Correction, Withdrawal
from models.verbs import Verb
from recall.memories import FactRead
from tests.household import AGENT, CHAT, SYSTEM, Household
from tests.policies import applied
from tests.world import World, event

PREFERENCE, INSTRUCTION, NOTE = "user_preference", "standing_instruction", "general_note"
REFUSED = (Verdict.DISCARD, "switched_off")
MINE = {"user": "ana"}


@pytest.fixture
def household(world: World) -> Household:
    return Household(world)


async def listed(household: Household, who: Principal, scope: dict[str, str]) -> set[UUID]:
    page = await household.service.memories(who, MemoryQuery(scope=scope))
    return {each.fact.id for each in page.memories if isinstance(each, FactRead)}


async def test_what_is_there_comes_back_to_nobody_until_it_is_switched_on(household: Household) -> None:
    service = household.service
    fact_id = await household.remembered(household.operator, "preference", "tea")
    other = await household.remembered(household.operator, "commitment", "tea for all on Monday")
    assert await household.values() == {"tea", "tea for all on Monday"}

    switched = await service.switch_off(household.ana, PREFERENCE)
    assert (switched.class_name, switched.state) == (PREFERENCE, "off")
    assert await household.values() == {"tea for all on Monday"}
    assert await listed(household, household.operator, MINE) == {other}
    for asked in (service.memory, service.history_of_fact, service.lineage):
        with pytest.raises(NotFound):
            await asked(household.operator, fact_id)
    told = await service.explain(household.operator, fact_id, RecallRequest(scope=MINE, query="tea"))
    assert (told.dropped_at, told.checks[-1].detail) == (
        Step.STATUS,
        "active, and switched off by the person whom it is about",
    )

    await service.switch_on(household.ana, PREFERENCE)
    assert await household.values() == {"tea", "tea for all on Monday"}
    assert await listed(household, household.operator, MINE) == {fact_id, other}


async def test_the_words_behind_it_are_told_to_nobody_else(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "preference", "tea")
    [life] = await household.service.history_of_fact(household.operator, fact_id)
    event_id = life.sources[0]
    words = (await household.service.said_in(household.operator, [event_id]))[event_id].text
    await household.service.switch_off(household.ana, PREFERENCE)
    assert (await household.service.said_in(household.operator, [event_id]))[event_id].text is None
    await household.service.switch_on(household.ana, PREFERENCE)
    assert (await household.service.said_in(household.operator, [event_id]))[event_id].text == words


async def test_the_person_still_sees_it_marked(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "preference", "tea")
    user = household.person("ana")
    await household.service.switch_off(user, PREFERENCE)
    for who in (user, household.ana):
        read = await household.service.memory(who, fact_id)
        assert isinstance(read, FactRead)
        assert (read.fact.terms.value, read.switched_off) == ("tea", True)
        [life] = await household.service.history_of_fact(who, fact_id)
        assert life.switched_off
        [mine] = (await household.service.own_memories(who, 10)).memories
        assert isinstance(mine, FactRead)
        assert mine.switched_off
    assert await listed(household, user, MINE) == {fact_id}
    # Recall brings it back to nobody, whoever asks: an agent may be listening.
    answer = await household.service.recall(user, RecallRequest(scope=MINE, query="tea"))
    assert answer.facts == ()


async def test_nothing_new_is_held_and_no_word_of_it_is_kept(household: Household) -> None:
    await household.service.switch_off(household.ana, PREFERENCE)
    for who in (household.operator, household.person("ana")):
        decided = await household.state(who, "preference", "tea")
        assert (decided.verdict, decided.reason, decided.fact_id) == (*REFUSED, None)
    assert (await household.state(household.operator, "contact_channel", "phone")).reason == "switched_off"
    async with household.world.database.transaction(household.ana.tenant_id) as work:
        rows = await work.rows(text("SELECT value, quote, mention, key_id FROM candidates"))
    assert {tuple(row) for row in rows} == {(None, "", None, None)}
    await household.service.switch_on(household.ana, PREFERENCE)
    assert await household.values() == set(), "what was refused does not come by itself"
    assert (await household.state(household.operator, "preference", "tea")).verdict is Verdict.ESTABLISH


async def test_neither_a_correction_nor_a_message_gets_round_it(household: Household) -> None:
    service, speaking = household.service, household.person("ana", "participant")
    fact_id = await household.remembered(household.operator, "contact_channel", "email")
    await service.switch_off(household.ana, PREFERENCE)
    with pytest.raises(NotFound):
        await service.correct(household.operator, fact_id, Correction(value="phone"))
    corrected = await service.correct(household.ana, fact_id, Correction(value="phone"))
    assert corrected.decided is not None
    assert (corrected.decided.verdict, corrected.decided.reason) == REFUSED
    candidate = {"attribute": "preference", "value": "coffee"}
    [said] = await household.world.publish(
        speaking, event(type="correction", scope=CHAT, text="I like coffee", data={"candidates": [candidate]})
    )
    await household.world.digest([said])
    [became] = (await service.verdicts_of(speaking, [said.event_id]))[0].decisions
    assert (became.verdict, became.reason) == REFUSED


async def test_what_is_switched_off_can_be_withdrawn(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "preference", "tea")
    await household.service.switch_off(household.ana, PREFERENCE)
    undone = await household.service.retract(household.ana, fact_id, Withdrawal(text="Forget it."))
    assert undone.decided is not None
    assert undone.decided.verdict is Verdict.RETRACT
    await household.service.switch_on(household.ana, PREFERENCE)
    assert await household.values() == set()


async def test_standing_instructions_are_looked_up_without_it(household: Household) -> None:
    for scope in (MINE, {"workspace": "w"}):
        await household.remembered(
            household.operator, "standing_instruction", "answer in French", scope=scope
        )
    assert [fact.value for fact in (await household.recall(query="")).required] == ["answer in French"]
    await household.service.switch_off(household.ana, INSTRUCTION)
    # Olga's for the workspace stays, whoever has said it: it is about nobody.
    await household.service.switch_off(household.operator, INSTRUCTION)
    assert (await household.recall(query="")).required == ()
    assert len((await household.recall(query="", scope={"workspace": "w"})).required) == 1


async def test_claims_wait_for_nobody_and_come_up_for_nobody(household: Household) -> None:
    """What an agent claims of Ana is held; asked for as unverified, or for review, it is not there while off."""
    service, bot = household.service, household.world.principal("bot", AGENT, "operator")
    held = await household.state(bot, "preference", "tea")
    assert (held.verdict, held.reason) == (Verdict.HOLD_UNVERIFIED, "proposed_by_model")

    async def found() -> tuple[int, int]:
        claims = (await household.recall(unverified=True)).unverified
        queue = await service.review_queue(household.operator, MINE)
        assert held.fact_id is not None
        one = await service.waiting_for_review(household.operator, held.fact_id)
        assert (one is None) == (not queue.items)
        return len(claims), len(queue.items)

    assert await found() == (1, 1)
    await service.switch_off(household.ana, PREFERENCE)
    assert await found() == (0, 0)
    await service.switch_on(household.ana, PREFERENCE)
    assert await found() == (1, 1)


async def test_a_claim_is_accepted_as_whom_it_is_about_wants_and_not_as_the_reviewer_does(
    household: Household,
) -> None:
    service, reviewer = household.service, household.world.lead
    # Ana has no role that may write it in the workspace, so that it is a claim, and it is about her as she said it.
    speaking = household.person("ana", "agent")
    candidate = {"attribute": "preference", "value": "tea"}
    said = event(type="correction", text="I like tea", data={"candidates": [candidate]})
    done = event(type="activity_completed")
    await household.world.digest(await household.world.publish(speaking, said, done))
    [claim] = (await service.review_queue(reviewer, {})).items
    await service.switch_off(household.ana, PREFERENCE)
    with pytest.raises(NotFound):
        await service.accept(reviewer, claim.id, Acceptance())
    await service.switch_on(household.ana, PREFERENCE)
    await service.switch_off(reviewer, PREFERENCE)
    assert (await service.accept(reviewer, claim.id, Acceptance())).governs


async def test_it_is_for_oneself_and_for_one_class(household: Household) -> None:
    people = ("ana", "Ana", "ana.b", "ana%")
    for subject in people:
        await household.remembered(household.operator, "preference", "tea", scope={"user": subject})
        await household.remembered(household.operator, "note", "coffee", scope={"user": subject})
    await household.service.switch_off(household.ana, PREFERENCE)
    found = {subject: await household.values(scope={"user": subject}) for subject in people}
    assert found == {
        "ana": {"coffee"},
        "Ana": {"tea", "coffee"},
        "ana.b": {"tea", "coffee"},
        "ana%": {"tea", "coffee"},
    }
    elsewhere = {"user": "ana", "workspace": "w"}
    assert (
        await household.state(household.operator, "preference", "tea", scope=elsewhere)
    ).reason == "switched_off"


async def test_personal_data_in_a_shared_scope_goes_with_whoever_said_it(household: Household) -> None:
    for name, value in (("ana", "tea"), ("ben", "coffee")):
        await household.remembered(household.person(name, "participant"), "preference", value, scope=CHAT)
    await household.service.switch_off(household.ana, PREFERENCE)
    assert await household.values(scope=CHAT) == {"coffee"}
    for name, reason in (("ana", "switched_off"), ("ben", "permitted_statement")):
        speaking = household.person(name, "participant")
        assert (await household.state(speaking, "preference", "email", scope=CHAT)).reason == reason


@pytest.mark.parametrize(
    "narrowed",
    [
        {"kind": AGENT},
        {"kind": SYSTEM},
        {"within": MINE},
        {"only": frozenset({Verb.READ})},
        {"roles": ()},
        {"roles": ("emperor",)},
    ],
)
async def test_only_the_person_may_and_with_a_credential_for_all(
    household: Household, narrowed: dict[str, Any]
) -> None:
    other = household.ana.model_copy(update=narrowed)
    with pytest.raises(NotPermitted):
        await household.service.switch_off(other, PREFERENCE)
    if narrowed != {"only": frozenset({Verb.READ})}:
        with pytest.raises(NotPermitted):
            await household.service.switches_of(other)
    assert {each.state for each in await household.service.switches_of(household.ana)} == {"on"}


async def test_a_class_that_nobody_can_switch_off_is_refused_with_those_that_one_can(
    household: Household,
) -> None:
    for name in ("operational_restriction", "no_such_class", "", "user_preference\x00"):
        with pytest.raises(
            InvalidInput, match="general_note, standing_instruction, task_commitment, user_pref"
        ):
            await household.service.switch_off(household.ana, name)
    with pytest.raises(NotFound):
        await household.service.switch_off(household.ana.model_copy(update={"tenant": "nowhere"}), NOTE)


async def test_the_log_keeps_each_change_and_only_changes(household: Household) -> None:
    service = household.service
    turns = [service.switch_on, service.switch_off, service.switch_off, service.switch_on, service.switch_off]
    for turn in turns:
        await turn(household.ana, NOTE)
    told = {each.class_name: each for each in await service.switches_of(household.ana)}
    assert set(told) == {PREFERENCE, INSTRUCTION, NOTE, "task_commitment"}
    assert told[NOTE].state == "off"
    assert told[NOTE].since is not None
    assert (told[PREFERENCE].state, told[PREFERENCE].since) == ("on", None)
    async with household.world.database.transaction(household.ana.tenant_id) as work:
        rows = await work.rows(text("SELECT state FROM switches ORDER BY number"))
    assert [row.state for row in rows] == ["off", "on", "off"]
    for change in ("UPDATE switches SET state = 'on'", "DELETE FROM switches"):
        with pytest.raises(DBAPIError, match="permission denied"):
            async with household.world.database.transaction(household.ana.tenant_id) as work:
                await work.run(text(change))


async def test_what_was_switched_off_stays_off_where_the_policy_no_longer_offers_it(
    household: Household,
) -> None:
    """A change of the policy does not bring back what somebody did not want, and does not lock them out."""
    service = household.service
    await household.remembered(household.operator, "preference", "tea")
    await service.switch_off(household.ana, PREFERENCE)

    def close(document: dict[str, Any]) -> None:
        document["classes"][PREFERENCE]["controls"] = []

    await applied(household.world, close)
    assert await household.values() == set()
    assert PREFERENCE in {each.class_name for each in await service.switches_of(household.ana)}
    await service.switch_on(household.ana, PREFERENCE)
    assert await household.values() == {"tea"}
    with pytest.raises(InvalidInput):
        await service.switch_off(household.ana, PREFERENCE)


async def test_recall_leaves_out_the_words_as_well(household: Household) -> None:
    """What was said before the switch comes back with it; what was refused meanwhile does not."""
    world, ana = household.world, household.world.principal("ana", PrincipalKind.HUMAN, "user")

    async def say(number: int, text: str) -> None:
        data = {"candidates": [{"attribute": "preference", "value": text}]}
        said = {"scope": MINE, "activity_id": f"chat-{number}", "text": text}
        receipts = await world.publish(
            ana,
            event(number, type="correction", **said, data=data),
            event(number, type="activity_completed", **{**said, "text": "done"}),
        )
        await world.digest(receipts)

    async def passages() -> str:
        return " ".join(passage.text for passage in (await household.recall(query="tea milk sugar")).passages)

    await say(1, "tea without sugar")
    assert "without sugar" in await passages()
    await household.service.switch_off(household.ana, PREFERENCE)
    await say(2, "tea with milk")
    assert "tea" not in await passages()
    await household.service.switch_on(household.ana, PREFERENCE)
    assert "without sugar" in await passages()
    assert "milk" not in await passages()


async def test_nobody_brings_it_back_by_saying_the_same(household: Household) -> None:
    """What Ben says is a memory of his own, in his own words."""
    service, ana, ben = (
        household.service,
        household.person("ana", "participant"),
        household.person("ben", "participant"),
    )
    hers = await household.remembered(ana, "preference", "tea", scope=CHAT, text="Ana likes tea at work")
    await service.switch_off(household.ana, PREFERENCE)
    his = await household.remembered(ben, "preference", "tea", scope=CHAT)
    assert his != hers
    [found] = (await household.recall(scope=CHAT)).facts
    assert (found.id, found.statement) == (his, "tea")


async def test_nobody_else_acts_on_it_by_its_id(household: Household) -> None:
    fact_id = await household.remembered(household.operator, "preference", "tea")
    await household.service.switch_off(household.ana, PREFERENCE)
    for act in (
        household.service.retract(household.operator, fact_id, Withdrawal(text="gone")),
        household.service.correct(household.operator, fact_id, Correction(value="coffee")),
    ):
        with pytest.raises(NotFound):
            await act


async def test_a_claim_that_is_switched_off_is_no_second_word(household: Household) -> None:
    """Ben's claim to the same effect is one of its own, which reviewers see."""
    ana, ben = household.person("ana", "agent"), household.person("ben", "agent")
    for who in (ana, ben):
        candidate = {"attribute": "preference", "value": "tea"}
        common = {"activity_id": f"of-{who.subject}"}
        said = event(type="correction", text="I like tea", data={"candidates": [candidate]}, **common)
        done = event(type="activity_completed", **common)
        await household.world.digest(await household.world.publish(who, said, done))
        if who is ana:
            await household.service.switch_off(household.ana, PREFERENCE)
    [waits] = (await household.service.review_queue(household.world.lead, {})).items
    assert [heard.subject for heard in waits.heard] == ["ben"]


async def test_reviewers_do_not_read_what_is_switched_off(household: Household) -> None:
    """Neither words on which it rests, nor what was said of a name that means several things."""
    world, ana = household.world, household.person("ana", "user")
    for identity in ("drink:1", "drink:2"):
        thing = {"id": identity, "name": "the usual"}
        done = [
            event(text="seen", entities=[thing], scope=MINE),
            event(type="activity_completed", scope=MINE),
        ]
        await world.digest(await world.publish(household.operator, *done))
    said = await household.state(ana, "preference", "with milk", entity="the usual")
    assert said.reason == "ambiguous_entity"
    assert len((await household.service.review_queue(household.operator, MINE)).items) == 1
    await household.service.switch_off(household.ana, PREFERENCE)
    assert not (await household.service.review_queue(household.operator, MINE)).items
