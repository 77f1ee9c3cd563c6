"""Which policy is in force: the newest one a second later everywhere, at once where it was changed, and read once."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from models.errors import PolicyInvalid
from models.ids import tenant_id
from models.policy import Policy
from models.policy_document import digest_of
from models.principals import PrincipalKind
from models.statements import Statement
from store import policies
from store.engine import Database
from store.policies import FRESH_SECONDS, Policies
from tests.http.conftest import Statements
from tests.policies import otherwise, read_by
from tests.world import STAGING, World

OTHER = otherwise(read_by("decision", "operator"))
THIRD = otherwise(read_by("decision", "infra_lead"))


class Clock:
    """A clock that goes on when it is told to."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def known(database: Database, policy: Policy, clock: Clock) -> Policies:
    """The policies as a process knows them that has seen none yet."""
    return Policies(database, policy, clock=clock)


Apply = Callable[[int, Policy], Awaitable[bool]]


@pytest.fixture
def apply(world: World) -> Apply:
    """Applies a version as another process would."""

    async def add(version: int, policy: Policy) -> bool:
        async with world.database.transaction(world.lead.tenant_id) as work:
            return await policies.add(work, version, "the words", policy, world.lead, "a test")

    return add


async def test_a_tenant_without_a_policy_has_the_shipped_one(
    known: Policies, policy: Policy, world: World
) -> None:
    assert await known.in_force(world.lead.tenant_id) == (0, policy, frozenset())
    assert await known.of(tenant_id("nobody has made this one")) == policy


async def test_a_change_of_another_process_is_obeyed_within_a_second(
    known: Policies, clock: Clock, policy: Policy, world: World, apply: Apply
) -> None:
    tenant = world.lead.tenant_id
    assert await known.of(tenant) == policy
    assert await apply(1, OTHER)
    clock.now += FRESH_SECONDS - 0.01
    assert await known.of(tenant) == policy
    clock.now += 0.01
    assert (await known.in_force(tenant))[:2] == (1, OTHER)
    assert await apply(2, THIRD)
    clock.now += FRESH_SECONDS
    assert (await known.in_force(tenant))[:2] == (2, THIRD)


async def test_a_change_of_ones_own_is_obeyed_at_once(known: Policies, world: World, apply: Apply) -> None:
    tenant = world.lead.tenant_id
    await known.of(tenant)
    await apply(1, OTHER)
    known.changed(tenant)
    assert await known.of(tenant) == OTHER


async def test_a_look_that_was_under_way_does_not_bring_back_the_policy_of_before(
    known: Policies, world: World, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = world.lead.tenant_id
    looked, go_on = asyncio.Event(), asyncio.Event()
    real = policies._newer

    async def slow(*args: object) -> object:
        found = await real(*args)  # type: ignore[arg-type]
        if not looked.is_set():
            looked.set()
            await go_on.wait()
        return found

    monkeypatch.setattr(policies, "_newer", slow)
    under_way = asyncio.create_task(known.of(tenant))
    await looked.wait()
    await apply(1, OTHER)
    known.changed(tenant)
    go_on.set()
    assert await under_way == OTHER
    assert await known.of(tenant) == OTHER


async def test_callers_at_once_look_once_and_a_caller_that_leaves_ends_it_for_nobody(
    known: Policies, database: Database, world: World
) -> None:
    tenant = world.lead.tenant_id
    with Statements(database) as sent:
        leaving = asyncio.create_task(known.of(tenant))
        others = [asyncio.create_task(known.of(tenant)) for _ in range(20)]
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(*others)
    assert len([each for each in sent if "FROM policies" in each]) == 1


async def test_a_document_is_read_once_a_version(
    known: Policies, clock: Clock, world: World, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant = world.lead.tenant_id
    await apply(1, OTHER)
    first = await known.of(tenant)

    def never(*_: object) -> Policy:
        raise AssertionError

    monkeypatch.setattr(policies, "_read", never)
    for _ in range(3):
        clock.now += FRESH_SECONDS
        assert await known.of(tenant) is first


async def test_the_attributes_that_a_tenant_has_memories_of_are_looked_up_beside_its_policy(
    known: Policies, clock: Clock, world: World
) -> None:
    """With those that no class declares any more: they are hidden, and somebody has to know that they are there."""
    tenant = world.lead.tenant_id
    assert (await known.in_force(tenant)).attributes == frozenset()
    for attribute, value in (("owner", "Ana"), ("note", "a"), ("note", "b"), ("uses", "gloves")):
        await world.service.remember(
            world.lead, Statement(scope=STAGING, entity="db-1", attribute=attribute, value=value)
        )
    assert (await known.in_force(tenant)).attributes == frozenset()
    clock.now += FRESH_SECONDS
    assert (await known.in_force(tenant)).attributes == {"owner", "note", "uses"}


async def test_the_cache_has_an_end(
    known: Policies, world: World, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policies, "_MOST_REMEMBERED", 3)
    for number in range(10):
        assert await known.of(UUID(int=number)) == policy
    assert list(known._known) == [UUID(int=number) for number in (7, 8, 9)]


async def test_versions_have_no_gap_and_of_many_who_make_the_next_one_does(
    world: World, apply: Apply
) -> None:
    assert not await apply(2, OTHER)
    assert sorted(await asyncio.gather(*(apply(1, OTHER) for _ in range(6)))) == [False] * 5 + [True]
    assert not await apply(1, THIRD)
    assert not await apply(3, THIRD)
    assert await apply(2, THIRD)
    async with world.database.transaction(world.lead.tenant_id) as work:
        found = await policies.log(work)
        assert await policies.content_of(work, 1) == (OTHER, "the words")
        assert await policies.content_of(work, 3) is None
    assert [(each.version, each.digest) for each in found] == [(2, digest_of(THIRD)), (1, digest_of(OTHER))]
    assert (found[0].applied_by, found[0].applied_kind, found[0].reason) == (
        "dana",
        PrincipalKind.HUMAN,
        "a test",
    )


async def test_a_tenant_sees_its_own_policy_alone(known: Policies, world: World, apply: Apply) -> None:
    other = World(world.service, world.database, f"{world.tenant}-b")
    await other.service.add_tenant(other.lead)
    await apply(1, OTHER)
    assert (await known.in_force(other.lead.tenant_id))[:2] == (0, known._shipped.policy)
    async with world.database.transaction(other.lead.tenant_id) as work:
        assert await policies.log(work) == []
        assert await policies.content_of(work, 1) is None


async def test_what_another_version_of_keepwell_has_applied_is_not_guessed_at(
    known: Policies, world: World
) -> None:
    async with world.database.transaction(world.lead.tenant_id) as work:
        await work.run(
            text(
                "INSERT INTO policies VALUES (:id, 1, '', '{\"version\": 9}', '', 'root', 'human', 'later')"
            ),
            {"id": world.lead.tenant_id},
        )
    with pytest.raises(PolicyInvalid, match="applied by another version of Keepwell"):
        await known.of(world.lead.tenant_id)


async def test_a_policy_of_a_tenant_that_nobody_has_made_is_refused(world: World) -> None:
    stranger = world.lead.model_copy(update={"tenant": f"{world.tenant}-none"})
    with pytest.raises(DBAPIError, match="foreign key"):
        async with world.database.transaction(stranger.tenant_id) as work:
            await policies.add(work, 1, "", OTHER, stranger, "a test")
