"""A candidate without a thing is settled once, whoever reviews it at once and however often one asks again."""

from uuid import UUID

import pytest

from models.errors import Conflict, NotFound
from models.principals import Principal, PrincipalKind
from models.reviews import Acceptance
from models.statements import Statement, Withdrawal
from tests.world import STAGING, World, event

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


@pytest.fixture
def kim(world: World) -> Principal:
    return world.principal("kim", PrincipalKind.HUMAN, "infra_lead")


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
