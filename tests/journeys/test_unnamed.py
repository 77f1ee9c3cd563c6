"""A candidate without a thing is settled once, whoever reviews it at once and however often one asks again."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from capture.reviews import Reviews
from models.errors import Conflict, NotFound
from models.ids import tenant_id
from models.principals import Principal, PrincipalKind
from models.reviews import Acceptance
from models.scope import Scope
from models.statements import Stated, Statement, Withdrawal
from store import entities, facts
from store.facts import FactKey
from store.policies import Policies
from tests.world import MASKER, STAGING, World, event

LIFE = "lifecycle_policy"
ONE, OTHER = "cloud-instance:i-1", "cloud-instance:i-2"
AS_ONE, AS_OTHER = (
    Acceptance(entity=ONE, idempotency_key="one"),
    Acceptance(entity=OTHER, idempotency_key="other"),
)


async def held(world: World) -> UUID:
    """Something said of a name that two things have; the id under which it waits."""
    for identity in (ONE, OTHER):
        done = [
            event(text="seen", entities=[{"id": identity, "name": "gpu"}]),
            event(type="activity_completed"),
        ]
        await world.digest(await world.publish(world.lead, *done))
    said = Statement(scope=STAGING, entity="gpu", attribute=LIFE, value="drain")
    await world.service.remember(world.lead, said)
    [item] = (await world.service.review_queue(world.lead, {})).items
    return item.id


async def waiting(world: World) -> list[str]:
    """What the names mean that wait in the queue."""
    items = (await world.service.review_queue(world.lead, {})).items
    return [item.unnamed.mention for item in items if item.unnamed is not None]


async def governing(world: World) -> list[str]:
    """Of what it governs that something is to be drained."""
    recalled = await world.recall(world.lead, entities=[ONE, OTHER])
    return [str(fact.canonical) for fact in recalled.facts]


@pytest.fixture
def kim(world: World) -> Principal:
    return world.principal("kim", PrincipalKind.HUMAN, "infra_lead")


@pytest.fixture
def reviews(world: World, policies: Policies) -> Reviews:
    """Reviews that are stored, and for whose decision nobody waits."""
    return Reviews(world.database, policies, MASKER)


@asynccontextmanager
async def undecided(world: World) -> AsyncGenerator[None]:
    """Nothing is decided on either thing meanwhile."""
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        known = (await entities.look_up(work, Scope(STAGING), [ONE, OTHER])).canonical
        keys = [FactKey(Scope(STAGING), each, LIFE, None) for each in known.values()]
        locked = [await facts.ensure_key(work, each) for each in keys]
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        for each in locked:
            await facts.lock_key(work, each)
        yield


def told(stated: Stated) -> tuple[str, str]:
    assert stated.decided is not None
    return stated.decided.verdict.value, stated.decided.reason


async def test_of_two_acceptances_at_once_one_governs(world: World, reviews: Reviews, kim: Principal) -> None:
    item = await held(world)
    async with undecided(world):
        await reviews.accept(world.lead, item, AS_ONE)
        await reviews.accept(kim, item, AS_OTHER)
    answers = await asyncio.gather(
        world.service.accept(world.lead, item, AS_ONE), world.service.accept(kim, item, AS_OTHER)
    )
    assert sorted(map(told, answers)) == [
        ("establish", "permitted_statement"),
        ("ignore_stale", "reviewed_already"),
    ]
    assert len(await governing(world)) == 1
    assert await waiting(world) == []


async def test_what_is_rejected_before_its_acceptance_is_decided_stays_so(
    world: World, reviews: Reviews, kim: Principal
) -> None:
    item = await held(world)
    async with undecided(world):
        await reviews.accept(world.lead, item, AS_ONE)
        rejected = await world.service.reject(kim, item, Withdrawal(text="Neither."))
    assert told(rejected) == ("retract", "rejected_in_review")
    assert told(await world.service.accept(world.lead, item, AS_ONE)) == ("ignore_stale", "reviewed_already")
    assert await governing(world) == []


async def test_a_name_that_is_as_good_as_none_settles_nothing(world: World) -> None:
    item = await held(world)
    named = await world.service.accept(world.lead, item, Acceptance(entity="gpu"))
    assert told(named) == ("hold_unverified", "ambiguous_entity")
    assert await waiting(world) == ["gpu"]


async def test_a_review_that_is_sent_again_is_answered_again(world: World, kim: Principal) -> None:
    item = await held(world)
    accepted = await world.service.accept(world.lead, item, AS_ONE)
    assert accepted.governs
    assert await world.service.accept(world.lead, item, AS_ONE) == accepted._replace(duplicate=True)
    with pytest.raises(Conflict):
        await world.service.accept(world.lead, item, AS_ONE.model_copy(update={"entity": OTHER}))
    with pytest.raises(NotFound):
        await world.service.accept(kim, item, AS_ONE)


async def test_a_rejection_that_is_sent_again_is_answered_again(world: World) -> None:
    item = await held(world)
    rejection = Withdrawal(text="Neither.", idempotency_key="no")
    rejected = await world.service.reject(world.lead, item, rejection)
    assert await world.service.reject(world.lead, item, rejection) == rejected._replace(duplicate=True)
    with pytest.raises(Conflict):
        await world.service.accept(world.lead, item, Acceptance(entity=ONE, idempotency_key="no"))
