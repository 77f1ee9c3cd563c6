"""Every reason of a decision is reached through the real service, and tells its gate and what it means."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import yaml
from temporalio.client import Client

from models.candidates import CandidateKind
from models.gates import gate_of
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.reasons import ReasonCode
from models.reconciliation import Disposition
from models.reviews import Acceptance
from models.statements import Correction, Promotion, Stated, Statement, Withdrawal
from runtime.addresses import Addresses
from runtime.settings import SHIPPED_POLICY
from store import facts
from tests.contracts import memory_class
from tests.echo import Echo
from tests.stores import own_world
from tests.world import STAGING, World, event

Story = Callable[[World], Awaitable[UUID]]
STORIES: dict[ReasonCode, Story] = {}
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
async def world(addresses: Addresses, client: Client) -> AsyncGenerator[World]:
    """A tenant under the shipped policy and a class that a system of record holds."""
    declared = yaml.safe_load(SHIPPED_POLICY.read_text())
    ledger = memory_class({"balance": {"write": ["infra_lead"]}}, fallback={"system_of_record": "billing"})
    declared["classes"]["ledger"] = ledger
    async with own_world(addresses, Policy.model_validate(declared), client, Echo()) as made:
        yield made


def reaches(reason: ReasonCode) -> Callable[[Story], Story]:
    """The story that reaches `reason`; it answers the event of which that was decided."""

    def told(story: Story) -> Story:
        STORIES[reason] = story
        return story

    return told


def thing() -> str:
    """A thing that no other story is about."""
    return f"thing-{uuid4().hex[:12]}"


async def said(
    world: World, entity: str | None, value: str, who: Principal | None = None, **fields: Any
) -> Stated:
    """A statement, of the owner of a thing unless `fields` say otherwise."""
    filled = {"scope": STAGING, "attribute": "owner", "entity": entity, "value": value, **fields}
    return await world.service.remember(who or world.lead, Statement.model_validate(filled))


async def proposed(world: World, text: str, who: Principal | None = None, **fields: Any) -> UUID:
    """The event of a proposal that says `value` of a thing; of the kind `withdrawal` where there is no value."""
    value, kind = fields.pop("value", None), fields.pop("type", "correction")
    proposal = {
        "kind": CandidateKind.WITHDRAWAL if value is None else CandidateKind.STATEMENT,
        "attribute": fields.pop("attribute", "owner"),
        "mention": fields.pop("entity", thing()),
        "terms": None if value is None else {"value": value},
        "hedged": fields.pop("hedged", False),
        **fields.pop("proposal", {}),
    }
    activity = f"act-{uuid4()}"
    things = [{"name": proposal["mention"]}] if proposal.get("mention") else []
    receipts = await world.publish(
        who or world.lead,
        event(
            type=kind,
            text=text,
            activity_id=activity,
            entities=things,
            data={"proposals": [proposal]},
            **fields,
        ),
        event(type="activity_completed", activity_id=activity, **fields),
    )
    await world.digest(receipts)
    return receipts[0].event_id


def fact_of(stated: Stated) -> UUID:
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    return stated.decided.fact_id


@asynccontextmanager
async def held_up(world: World, fact_id: UUID) -> AsyncGenerator[None]:
    """Nothing is decided on the fact's key meanwhile."""
    async with world.database.transaction(world.lead.tenant_id) as work:
        assert await facts.lock(work, fact_id) is not None
        yield


async def both(world: World, fact_id: UUID, first: Awaitable[Stated], second: Awaitable[Stated]) -> UUID:
    """Two calls, each stored before anything is decided; the event of the second one."""
    operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
    calls: list[asyncio.Future[Stated]] = []
    async with asyncio.timeout(30), held_up(world, fact_id):
        for number, call in enumerate((first, second), start=1):
            calls.append(asyncio.ensure_future(call))
            while (await world.service.verdict_counts(operator)).get("undecided", 0) < number:
                await asyncio.sleep(0.02)
    _, later = await asyncio.gather(*calls)
    return later.event_id


# --- what governs ----------------------------------------------------------------------------------------


@reaches(ReasonCode.PERMITTED_STATEMENT)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "Ana")).event_id


@reaches(ReasonCode.PERMITTED_OTHER_TERMS)
async def _(world: World) -> UUID:
    entity = thing()
    await said(world, entity, "Ana")
    return (await said(world, entity, "Bo")).event_id


@reaches(ReasonCode.PERMITTED_FOR_LATER)
async def _(world: World) -> UUID:
    entity = thing()
    await said(world, entity, "Ana")
    return (await said(world, entity, "Bo", valid_from=NOW + timedelta(days=30))).event_id


@reaches(ReasonCode.PERMITTED_FOR_EARLIER)
async def _(world: World) -> UUID:
    entity = thing()
    await said(world, entity, "Ana")
    return (await said(world, entity, "Bo", valid_from=NOW - timedelta(days=30))).event_id


@reaches(ReasonCode.SAME_TERMS)
async def _(world: World) -> UUID:
    entity = thing()
    await said(world, entity, "Ana")
    return (await said(world, entity, "ana ")).event_id


@reaches(ReasonCode.PERMITTED_WITHDRAWAL)
async def _(world: World) -> UUID:
    stated = await said(world, thing(), "Ana")
    gone = Withdrawal(text="Ana has left.")
    return (await world.service.retract(world.lead, fact_of(stated), gone)).event_id


@reaches(ReasonCode.REJECTED_IN_REVIEW)
async def _(world: World) -> UUID:
    claim = await said(world, thing(), "Ana", world.developer)
    return (await world.service.reject(world.lead, fact_of(claim), Withdrawal(text="No."))).event_id


# --- what is kept apart ----------------------------------------------------------------------------------


@reaches(ReasonCode.UNTRUSTED_SOURCE)
async def _(world: World) -> UUID:
    return await proposed(world, "owned by Ana", world.agent, type="tool_result", value="Ana")


@reaches(ReasonCode.PROPOSED_BY_MODEL)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "Ana", world.agent)).event_id


@reaches(ReasonCode.NOT_PERMITTED)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "Ana", world.developer)).event_id


@reaches(ReasonCode.HEDGED)
async def _(world: World) -> UUID:
    return await proposed(world, "It is probably owned by Ana.", value="Ana", hedged=True)


@reaches(ReasonCode.NEEDS_SECOND_WORD)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "move to Postgres 18", attribute="decision")).event_id


@reaches(ReasonCode.NOT_VALIDATED)
async def _(world: World) -> UUID:
    fact_id = fact_of(await said(world, f"thing:{thing()}", "Ana", scope={**STAGING, "project": "cart"}))
    return (await world.service.promote(world.lead, fact_id, Promotion(scope=STAGING))).event_id


@reaches(ReasonCode.BORNE_OUT_BELOW)
async def _(world: World) -> UUID:
    entity = f"thing:{thing()}"
    for number in range(3):
        await said(
            world, entity, "Ana", scope={**STAGING, "project": f"p{number}"}, activity_id=f"act-{uuid4()}"
        )
    await world.service.deciding.reflect(world.lead)
    async with asyncio.timeout(30):
        while True:
            for each in (await world.service.review_queue(world.lead, {})).items:
                if each.claim is not None and each.claim.subject.canonical == entity:
                    return each.heard[0].event_id
            await asyncio.sleep(0.05)


@reaches(ReasonCode.AMBIGUOUS_ENTITY)
async def _(world: World) -> UUID:
    name = thing()
    for identity in (f"machine:{thing()}", f"machine:{thing()}"):
        seen = event(text="seen", entities=[{"id": identity, "name": name}], activity_id=f"act-{uuid4()}")
        done = {**seen, "type": "activity_completed"}
        await world.digest(await world.publish(world.lead, seen, done))
    return (await said(world, name, "Ana")).event_id


@reaches(ReasonCode.NOT_AMONG_VALUES)
async def _(world: World) -> UUID:
    olga = world.principal("olga", PrincipalKind.HUMAN, "operator")
    return await proposed(world, "by pigeon", olga, attribute="contact_channel", value="pigeon")


@reaches(ReasonCode.NOT_A_REFERENCE)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "the report of last week", attribute="artifact")).event_id


@reaches(ReasonCode.CONTRADICTS_HISTORY)
async def _(world: World) -> UUID:
    entity = thing()
    await said(world, entity, "Ana", valid_from=NOW - timedelta(days=90))
    await said(world, entity, "Bo")
    return (await said(world, entity, "Cy", valid_from=NOW - timedelta(days=30))).event_id


@reaches(ReasonCode.WEAKER_SOURCE)
async def _(world: World) -> UUID:
    return (await disputed(world)).event_id


async def disputed(world: World) -> Stated:
    """A person's word against what a system has verified."""
    entity = thing()
    await proposed(world, "passed", world.pipeline, entity=entity, attribute="outcome", value="passed")
    return await said(world, entity, "failed", attribute="outcome")


# --- what came too late ----------------------------------------------------------------------------------


@reaches(ReasonCode.OLDER_THAN_GOVERNING)
async def _(world: World) -> UUID:
    entity = thing()
    await said(world, entity, "Ana")
    return (await said(world, entity, "Bo", occurred_at=NOW - timedelta(days=1))).event_id


@reaches(ReasonCode.OLDER_THAN_LAST_ENDING)
async def _(world: World) -> UUID:
    entity = thing()
    stated = await said(world, entity, "Ana")
    await world.service.retract(world.lead, fact_of(stated), Withdrawal(text="Ana has left."))
    return (await said(world, entity, "Bo", occurred_at=NOW - timedelta(days=1))).event_id


@reaches(ReasonCode.NAMED_FACT_NOT_IN_FORCE)
async def _(world: World) -> UUID:
    fact_id = fact_of(await said(world, thing(), "Ana"))
    gone = world.service.retract(world.lead, fact_id, Withdrawal(text="Ana has left."))
    corrected = world.service.correct(world.lead, fact_id, Correction(value="Bo"))
    return await both(world, fact_id, gone, corrected)


@reaches(ReasonCode.REVIEWED_ALREADY)
async def _(world: World) -> UUID:
    claim = fact_of(await said(world, thing(), "Ana", world.developer))
    rejected = world.service.reject(world.lead, claim, Withdrawal(text="No."))
    accepted = world.service.accept(world.lead, claim, Acceptance())
    return await both(world, claim, rejected, accepted)


# --- what has no claim on memory -------------------------------------------------------------------------


@reaches(ReasonCode.OBSERVATION_OF_STATE)
async def _(world: World) -> UUID:
    return await proposed(world, "0 % CPU", proposal={"kind": CandidateKind.OBSERVATION})


@reaches(ReasonCode.UNKNOWN_ATTRIBUTE)
async def _(world: World) -> UUID:
    return await proposed(world, "calm", attribute="mood", value="calm")


@reaches(ReasonCode.PROHIBITED_CONTENT)
async def _health(world: World) -> UUID:
    return (await said(world, thing(), "nobody in March, as Maria has cancer")).event_id


@reaches(ReasonCode.SAYS_NOTHING)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "Thanks!")).event_id


@reaches(ReasonCode.SYSTEM_OF_RECORD)
async def _(world: World) -> UUID:
    return await proposed(world, "it owes 7 EUR", attribute="balance", value="7 EUR")


@reaches(ReasonCode.SOURCE_NOT_ALLOWED)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "It hums.", world.agent, attribute="note")).event_id


@reaches(ReasonCode.SWITCHED_OFF)
async def _(world: World) -> UUID:
    await world.service.switch_off(world.principal("uma", PrincipalKind.HUMAN, "user"), "general_note")
    olga = world.principal("olga", PrincipalKind.HUMAN, "operator")
    return (await said(world, None, "It hums.", olga, attribute="note", scope={"user": "uma"})).event_id


@reaches(ReasonCode.SCOPE_NOT_ALLOWED)
async def _(world: World) -> UUID:
    olga = world.principal("olga", PrincipalKind.HUMAN, "operator")
    return await proposed(world, "it hums", olga, attribute="note", value="it hums", scope={})


@reaches(ReasonCode.HOLDS_SECRET)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "[masked:api_key:0123456789]")).event_id


@reaches(ReasonCode.NOT_GROUNDED)
async def _(world: World) -> UUID:
    return await proposed(world, "owned by Ana", value="evil-corp")


@reaches(ReasonCode.WITHDRAWAL_WITHOUT_VALUE)
async def _(world: World) -> UUID:
    return await proposed(world, "it depends on less", attribute="depends_on")


@reaches(ReasonCode.OVER_BEFORE_IT_BEGINS)
async def _(world: World) -> UUID:
    return (await said(world, thing(), "Ana", expires_at=NOW - timedelta(days=1))).event_id


@reaches(ReasonCode.NOTHING_TO_WITHDRAW)
async def _(world: World) -> UUID:
    return await proposed(world, "nobody owns it any more")


@reaches(ReasonCode.OWN_WORDS)
async def _(world: World) -> UUID:
    """Whoever says the same while their acceptance is on its way has said it by the time of the decision."""
    claim = fact_of(await disputed(world))
    kim = world.principal("kim", PrincipalKind.HUMAN, "infra_lead")
    [item] = [each for each in (await world.service.review_queue(world.lead, {})).items if each.id == claim]
    assert item.claim is not None
    again = said(world, item.claim.subject.label, "failed", kim, attribute="outcome")
    return await both(world, claim, again, world.service.accept(kim, claim, Acceptance()))


@pytest.mark.parametrize("reason", STORIES)
async def test_a_reason_is_reached_and_says_what_it_means(world: World, reason: ReasonCode) -> None:
    event_id = await STORIES[reason](world)
    reader = world.principal("olga", PrincipalKind.HUMAN, "operator")
    [told] = await world.service.verdicts_of(reader, [event_id])
    assert [each.reason for each in told.decisions] == [reason]
    [decided] = told.decisions
    assert decided.meaning == reason.meaning
    assert decided.gate is gate_of(reason)
    if decided.gate is not None:
        assert decided.disposition is not Disposition.PERSIST, (
            "a gate lets through without a reason of its own"
        )


def test_no_reason_is_left_out() -> None:
    assert set(STORIES) == set(ReasonCode)
