"""What people and agents say they will do, or ask to be reminded of, is proposed to its owner, once, by the policy."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from activities.consolidation import ConsolidationSteps
from capture.proposing import Narrators, Proposers
from models.errors import Conflict, NotFound
from models.intention_changes import Cancellation, Confirmation
from models.intentions import AtInstant, Recurring
from models.messages import ActivityPass
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from providers.narrators import TemplateNarrator
from providers.rule_extractor import RuleExtractor
from store.policies import Policies
from tests.intentions.desk import ALL, Desk, soon
from tests.policies import otherwise
from tests.world import STAGING, event

CHECK = "I'll check the canary in 40 minutes."
REMIND = "Remind me on the 24th at 14:00 to send the report."


def just_now(**fields: Any) -> dict[str, Any]:
    return event(**{"occurred_at": datetime.now(UTC).isoformat(), "timezone": "Europe/Berlin", **fields})


async def said(desk: Desk, who: Principal, text: str, **fields: Any) -> None:
    """Somebody says something in an activity that is then consolidated."""
    end = just_now(type="activity_completed", **{k: v for k, v in fields.items() if k == "activity_id"})
    receipts = await desk.world.publish(who, just_now(**{"type": "message", "text": text, **fields}), end)
    await desk.world.digest(receipts)


async def test_what_an_agent_promises_waits_for_its_yes_and_then_fires(desk: Desk) -> None:
    await said(desk, desk.agent, CHECK)
    [identity] = await desk.listed()
    planned, occurrences = await desk.one(identity)
    assert (planned.life, planned.intention.action, occurrences) == ("proposed", "check the canary", [])
    assert planned.intention.owner.subject == planned.intention.set_by.subject == desk.agent.subject
    assert isinstance(planned.intention.trigger, AtInstant)
    assert planned.coming == (planned.intention.trigger.at,)
    await desk.service.intentions.confirm(desk.agent, identity, Confirmation())
    assert await desk.life(identity) == "pending"


async def test_a_field_of_any_name_hinders_no_promise(desk: Desk) -> None:
    await said(desk, desk.agent, CHECK, data={"intention": {"acknowledge": {}, "id": "ship it"}})
    assert len(await desk.listed()) == 1


async def test_what_an_acknowledgement_says_promises_nothing_by_itself(desk: Desk) -> None:
    await desk.intend(at=soon())
    [due] = await desk.due()
    at = {"activity_id": "rollout", "occurred_at": datetime.now(UTC).isoformat(), "timezone": "Europe/Berlin"}
    await desk.acknowledge(due, text=CHECK, **at)
    await said(desk, desk.lead, "The canary is well.", activity_id="rollout")
    assert await desk.listed() == []


async def test_what_a_person_asks_to_be_reminded_of_is_theirs_in_their_zone(desk: Desk) -> None:
    await said(desk, desk.lead, REMIND)
    [identity] = await desk.listed(desk.lead)
    assert await desk.listed() == []
    intention = (await desk.one(identity, desk.lead))[0].intention
    assert (intention.action, intention.timezone, intention.scope) == (
        "send the report",
        "Europe/Berlin",
        STAGING,
    )
    assert isinstance(intention.trigger, AtInstant)
    assert (intention.trigger.at.day, intention.trigger.at.hour) in {(24, 12), (24, 13)}


async def test_a_recurrence_is_told_with_its_next_instants(desk: Desk) -> None:
    await said(desk, desk.agent, "Every Monday at 9 I'll review the exemptions.")
    [identity] = await desk.listed()
    planned, _ = await desk.one(identity)
    assert isinstance(planned.intention.trigger, Recurring)
    assert len(planned.coming) == 3
    assert all(at.weekday() == 0 for at in planned.coming)
    await desk.service.intentions.confirm(desk.agent, identity, Confirmation())
    assert (await desk.one(identity))[0].coming == planned.coming


async def test_one_for_each_phrase_however_often_it_is_looked_at(desk: Desk) -> None:
    await said(desk, desk.agent, f"{CHECK} I'll rotate the keys tomorrow at 9.", activity_id="act-1")
    there = await desk.listed()
    assert len(there) == 2
    await said(desk, desk.agent, "Nothing else.", activity_id="act-1")
    assert await desk.listed() == there
    await said(desk, desk.agent, CHECK, activity_id="act-1")
    assert len(await desk.listed()) == 3, "said again, it is promised again"


async def test_a_pass_that_is_tried_again_makes_none_twice(desk: Desk, steps: ConsolidationSteps) -> None:
    ref = await proposed(desk, steps, CHECK)
    assert await steps.propose_facts(ref) == await steps.propose_facts(ref)
    assert len(await desk.listed()) == 1


async def test_another_is_reminded_by_who_may_assign_and_is_known(desk: Desk) -> None:
    mira = desk.world.principal("mira", PrincipalKind.HUMAN, "developer")
    text = "Remind Mira tomorrow at 10 to rotate the keys."
    await said(desk, desk.lead, text, activity_id="a-1")
    assert await desk.listed(mira) == [], "nobody has heard of her"
    await desk.world.publish(mira, just_now(activity_id="a-2", text="Good morning."))
    await said(desk, desk.agent, text, activity_id="a-3")
    assert await desk.listed(mira) == [], "an agent may not assign"
    await said(desk, desk.lead, text, activity_id="a-4")
    [identity] = await desk.listed(mira)
    intention = (await desk.one(identity, mira))[0].intention
    assert (intention.owner.subject, intention.set_by.subject) == ("mira", desk.lead.subject)
    with pytest.raises(NotFound):
        await desk.service.intentions.confirm(desk.agent, identity, Confirmation())
    await desk.service.intentions.confirm(mira, identity, Confirmation())


@pytest.mark.parametrize("kind", ["tool_result", "observation", "tool_call", "verification_passed"])
async def test_what_nobody_says_promises_nothing(desk: Desk, kind: str) -> None:
    await said(desk, desk.lead, f"{CHECK} {REMIND}", type=kind)
    assert await desk.listed(desk.lead, states=ALL) == []


async def test_a_system_that_is_not_declared_proposes_nothing(desk: Desk) -> None:
    unknown = desk.world.principal("scraper", PrincipalKind.SYSTEM, "infra_lead")
    await said(desk, unknown, CHECK)
    assert await desk.listed(unknown, states=ALL) == []


@pytest.fixture
def steps(desk: Desk, policy: Policy) -> ConsolidationSteps:
    return steps_under(desk, policy)


def steps_under(desk: Desk, policy: Policy) -> ConsolidationSteps:
    database = desk.world.database
    proposers = Proposers(RuleExtractor())
    return ConsolidationSteps(database, Policies(database, policy), Narrators(TemplateNarrator()), proposers)


async def proposed(desk: Desk, steps: ConsolidationSteps, text: str) -> ActivityPass:
    """The pass over an activity in which the agent says something, which nobody else looks at."""
    [receipt] = await desk.world.publish(desk.agent, just_now(type="message", text=text))
    ref = ActivityPass(
        tenant_id=desk.agent.tenant_id, activity_id=receipt.activity_id, through_seq=receipt.seq
    )
    await steps.propose_facts(ref)
    return ref


@pytest.mark.parametrize(
    ("captured", "wanted"),
    [({"model_inferred": "ignore"}, []), ({"model_inferred": "set"}, ["pending"]), ({}, ["proposed"])],
)
async def test_the_policy_says_what_is_made_of_it(
    desk: Desk, captured: Mapping[str, str], wanted: list[str]
) -> None:
    policy = otherwise(lambda document: document.update(intentions={"captured": dict(captured)}))
    await proposed(desk, steps_under(desk, policy), CHECK)
    assert [await desk.life(each) for each in await desk.listed()] == wanted


async def test_what_is_given_up_does_not_come_back(desk: Desk) -> None:
    await said(desk, desk.agent, CHECK, activity_id="act-1")
    [identity] = await desk.listed()
    await desk.service.intentions.cancel(desk.agent, identity, Cancellation())
    with pytest.raises(Conflict):
        await desk.service.intentions.confirm(desk.agent, identity, Confirmation())
    await said(desk, desk.agent, "Nothing else.", activity_id="act-1")
    assert (await desk.listed(), await desk.life(identity)) == ([], "cancelled")


async def test_what_is_not_confirmed_in_time_lapses_and_fires_nothing(desk: Desk) -> None:
    began = datetime.now(UTC) - timedelta(seconds=56)
    await said(desk, desk.agent, "I'll check the canary in one minute.", occurred_at=began.isoformat())
    [identity] = await desk.listed()
    await desk.until(identity, "expired")
    planned, occurrences = await desk.one(identity)
    assert (planned.intention.reason, occurrences, planned.coming) == ("not_confirmed", [], ())
    with pytest.raises(Conflict):
        await desk.service.intentions.confirm(desk.agent, identity, Confirmation())


async def test_what_was_over_before_it_was_looked_at_is_not_proposed(desk: Desk) -> None:
    long_ago = (datetime.now(UTC) - timedelta(days=2)).isoformat()
    await said(desk, desk.agent, CHECK, occurred_at=long_ago)
    assert await desk.listed(states=ALL) == []
