"""Endpoints as administrators keep them."""

import pytest

from models.endpoints import EndpointKind, NewEndpoint
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.principals import Principal, PrincipalKind
from tests.world import World

HOOKS = NewEndpoint(name="hooks", address="https://hooks.example.org/in")


@pytest.fixture
def admin(world: World) -> Principal:
    return world.principal("root", PrincipalKind.HUMAN, "admin")


async def test_a_secret_is_shown_once(world: World, admin: Principal) -> None:
    endpoints = world.service.endpoints
    made = await endpoints.register(admin, HOOKS)
    assert made.secret is not None
    assert len(made.secret) == len("whsec_") + 44
    [listed] = await endpoints.list(admin)
    assert listed == made.endpoint
    assert made.secret not in str(listed)
    assert (listed.name, listed.signed_by, listed.made_by) == ("hooks", 1, "root")


async def test_two_secrets_sign_at_most(world: World, admin: Principal) -> None:
    endpoints = world.service.endpoints
    made = [await endpoints.register(admin, HOOKS)]
    made += [await endpoints.rotate(admin, "hooks") for _ in range(2)]
    assert [each.endpoint.signed_by for each in made] == [1, 2, 2]
    assert len({each.secret for each in made}) == 3


async def test_a_workflow_has_no_secret(world: World, admin: Principal) -> None:
    endpoints = world.service.endpoints
    world.let_signal("agent-")
    agent = NewEndpoint(name="agent", kind=EndpointKind.WORKFLOW, address="agent-7#due")
    assert (await endpoints.register(admin, agent)).secret is None
    with pytest.raises(Conflict, match="nothing to replace"):
        await endpoints.rotate(admin, "agent")


async def test_no_workflow_is_registered_but_what_the_operator_allows_this_tenant(
    world: World, admin: Principal
) -> None:
    other = World(world.service, world.database, f"{world.tenant}-other")
    other.let_signal("agent-")
    agent = NewEndpoint(name="agent", kind=EndpointKind.WORKFLOW, address="agent-7#due")
    with pytest.raises(InvalidInput, match="KEEPWELL_SIGNAL_TARGETS to TENANT:PREFIX"):
        await world.service.endpoints.register(admin, agent)
    assert await world.service.endpoints.list(admin) == []


async def test_a_name_is_taken_once(world: World, admin: Principal) -> None:
    await world.service.endpoints.register(admin, HOOKS)
    with pytest.raises(Conflict, match="choose another"):
        await world.service.endpoints.register(admin, HOOKS)


async def test_it_is_switched_off_and_on(world: World, admin: Principal) -> None:
    endpoints = world.service.endpoints
    await endpoints.register(admin, HOOKS)
    off = await endpoints.disable(admin, "hooks")
    assert (off.disabled_at is not None, off.reason) == (True, "switched off by an administrator")
    assert await endpoints.disable(admin, "hooks") == off
    on = await endpoints.enable(admin, "hooks")
    assert (on.disabled_at, on.reason) == (None, None)


async def test_only_administrators_keep_them(world: World, admin: Principal) -> None:
    endpoints = world.service.endpoints
    await endpoints.register(admin, HOOKS)
    for call in (
        endpoints.register(world.lead, HOOKS),
        endpoints.list(world.lead),
        endpoints.rotate(world.lead, "hooks"),
        endpoints.disable(world.lead, "hooks"),
        endpoints.enable(world.lead, "hooks"),
    ):
        with pytest.raises(NotPermitted):
            await call


async def test_what_is_not_there_or_leads_nowhere_is_refused(world: World, admin: Principal) -> None:
    endpoints = world.service.endpoints
    for call in (endpoints.rotate, endpoints.disable, endpoints.enable):
        with pytest.raises(NotFound, match="list the endpoints"):
            await call(admin, "hooks")
    metadata = NewEndpoint(name="hooks", address="http://169.254.169.254/latest/meta-data")
    with pytest.raises(InvalidInput, match="name another host"):
        await endpoints.register(admin, metadata)
