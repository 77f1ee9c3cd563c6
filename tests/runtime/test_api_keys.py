"""Keys as one process knows them: a name is somebody's, is given back, and is taken over in one transaction."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from models.api_keys import NewApiKey
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted, Unauthenticated
from models.principals import Principal, PrincipalKind
from runtime.authentication.keys import ApiKeys
from store import api_keys
from store.engine import Database
from store.policies import Policies
from tests.world import World

BOT = NewApiKey(name="bot", subject="bot", kind=PrincipalKind.AGENT, roles=("agent",))


@pytest.fixture
def keys(database: Database, policies: Policies) -> ApiKeys:
    return ApiKeys(database, policies)


@pytest.fixture
def admin(world: World) -> Principal:
    return world.principal("root", PrincipalKind.HUMAN, "admin")


async def refused(keys: ApiKeys, token: str) -> bool:
    try:
        await keys.recognise(token)
    except Unauthenticated:
        return True
    return False


async def expired(world: World) -> UUID:
    """The id of a key called bot that was made long ago and has ended since."""
    old = BOT.model_copy(update={"expires_at": datetime.now(UTC) - timedelta(hours=1)})
    made = uuid4()
    async with world.database.transaction(world.lead.tenant_id) as work:
        assert await api_keys.add(work, made, old, b"x" * 32, "root", datetime.now(UTC)) == []
    return made


async def test_a_name_is_taken_over_and_the_key_before_refused_at_once(
    keys: ApiKeys, admin: Principal
) -> None:
    first, before = await keys.make(admin, BOT)
    await keys.recognise(before)
    with pytest.raises(Conflict, match="a key of this name is in force"):
        await keys.make(admin, BOT)
    assert not await refused(keys, before)
    second, after = await keys.make(admin, BOT, replace=True)
    assert await refused(keys, before)
    assert not await refused(keys, after)
    listed = {key.id: key.revoked_at for key in await keys.every(admin)}
    assert listed[first.id] is not None
    assert listed[second.id] is None


async def test_nothing_is_replaced_by_a_key_that_is_not_made(
    keys: ApiKeys, admin: Principal, world: World
) -> None:
    _, token = await keys.make(admin, BOT)
    unusable: list[dict[str, Any]] = [{"roles": ()}, {"roles": ("emperor",)}, {"within": {"planet": "mars"}}]
    for changes in unusable:
        with pytest.raises(InvalidInput):
            await keys.make(admin, BOT.model_copy(update=changes), replace=True)
    with pytest.raises(NotPermitted):
        await keys.make(world.lead, BOT, replace=True)
    assert not await refused(keys, token)


async def test_a_name_that_nobody_has_is_simply_taken(keys: ApiKeys, admin: Principal) -> None:
    _, other = await keys.make(admin, BOT.model_copy(update={"name": "other"}))
    _, token = await keys.make(admin, BOT, replace=True)
    assert not await refused(keys, token)
    assert not await refused(keys, other)


async def test_of_many_who_replace_one_name_each_makes_a_key_and_one_stays(
    keys: ApiKeys, admin: Principal
) -> None:
    await keys.make(admin, BOT)
    made = await asyncio.gather(*(keys.make(admin, BOT, replace=True) for _ in range(6)))
    assert len({key.id for key, _ in made}) == 6
    in_force = [token for _, token in made if not await refused(keys, token)]
    assert len(in_force) == 1
    assert [key.revoked_at is None for key in await keys.every(admin)].count(True) == 1


async def test_an_expired_key_gives_its_name_back(keys: ApiKeys, admin: Principal, world: World) -> None:
    old = await expired(world)
    new, token = await keys.make(admin, BOT)
    assert not await refused(keys, token)
    assert {key.id: key.revoked_at is None for key in await keys.every(admin)} == {old: False, new.id: True}
    with pytest.raises(Conflict):
        await keys.make(admin, BOT)


async def test_of_many_who_want_the_name_of_an_expired_key_one_gets_it(
    keys: ApiKeys, admin: Principal, world: World
) -> None:
    await expired(world)
    made = await asyncio.gather(*(keys.make(admin, BOT) for _ in range(6)), return_exceptions=True)
    assert [isinstance(each, Conflict) for each in made].count(True) == 5


async def test_a_key_is_revoked_by_its_name_and_only_the_one_that_has_it(
    keys: ApiKeys, admin: Principal, world: World
) -> None:
    first, _ = await keys.make(admin, BOT)
    second, token = await keys.make(admin, BOT, replace=True)
    ended = {key.id: key.revoked_at for key in await keys.every(admin)}[first.id]
    await keys.recognise(token)
    with pytest.raises(NotPermitted):
        await keys.revoke_named(world.lead, "bot")
    assert await keys.revoke_named(admin, "bot") == second.id
    assert await refused(keys, token)
    assert {key.id: key.revoked_at for key in await keys.every(admin)}[first.id] == ended
    for name in ("bot", "Bot", "nobody"):
        with pytest.raises(NotFound, match="no key of this name"):
            await keys.revoke_named(admin, name)


async def test_a_name_of_another_tenant_is_none(
    keys: ApiKeys, admin: Principal, world: World, database: Database
) -> None:
    _, token = await keys.make(admin, BOT)
    other = World(world.service, database, f"{world.tenant}-b")
    await other.service.add_tenant(other.lead)
    theirs = other.principal("root", PrincipalKind.HUMAN, "admin")
    with pytest.raises(NotFound):
        await keys.revoke_named(theirs, "bot")
    await keys.make(theirs, BOT, replace=True)
    assert not await refused(keys, token)
