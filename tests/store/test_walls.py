"""What one tenant can learn of another through SQL, under the service's own role: nothing."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from models.endpoints import NewEndpoint
from models.erasure.erasures import ErasureState, PlanConfirmation
from models.erasure.targets import TenantTarget
from models.extractions import Budget, Purpose, Usage
from models.ids import tenant_id
from models.observations import LiveObservation
from models.policy_proposal import NewPolicy
from models.principals import PrincipalKind
from models.procedure_runs import NewRun
from models.reports import NewReport
from runtime.addresses import Addresses
from runtime.authentication.keys import ApiKeys
from runtime.settings import SHIPPED_POLICY
from store import candidates, extractions, model_spending, stimuli, vectors
from store.engine import Role
from store.erasure import log
from store.policies import Policies
from store.tables import metadata
from tests.erasure.desk import Desk as EraseDesk
from tests.intentions.desk import Desk, soon
from tests.procedures.bench import Bench
from tests.world import SERVER, STAGING, World, event

TENANT_TABLES = sorted(set(metadata.tables) - {"outbox", "vector_spaces"})
"""Spaces of vectors are of no tenant: a row says which model serves, and nothing of anybody's memory."""


@pytest.fixture
async def service_role(addresses: Addresses) -> AsyncGenerator[AsyncConnection]:
    """A connection as the service makes them, before any tenant is set."""
    engine = create_async_engine(
        addresses.database_url, connect_args={"server_settings": {"role": Role.SERVICE.value}}
    )
    async with engine.connect() as connection:
        yield connection
    await engine.dispose()


async def become(connection: AsyncConnection, tenant: UUID) -> None:
    await connection.execute(text("SELECT set_config('app.tenant', :id, false)"), {"id": str(tenant)})


async def fill(world: World, policies: Policies) -> None:
    """Something in every table: an episode, facts, a gate, a key, a policy, a question, a review, a report,
    a mismatch, a turn, an intention, an endpoint, a procedure, a run, an experience.
    """
    receipts = await world.publish(
        world.lead,
        event(
            type="correction", text="Keep gpu-bench-01 running until the audit is over.", entities=[SERVER]
        ),
        event(text="idle again"),
    )
    await world.digest(receipts)
    [fact] = (await world.recall(entities=(SERVER["id"],))).required
    recalled = await world.recall(entities=(SERVER["id"],))
    assert recalled.trace_id is not None
    seen = LiveObservation(
        entity=SERVER["id"], attribute="lifecycle_policy", value="stopped", observed_at=datetime.now(UTC)
    )
    await world.recall(observations=(seen,))
    await world.service.report(world.agent, recalled.trace_id, NewReport(used=(fact.id,)))
    await world.service.confirm(world.developer, fact.id, receipts[1].event_id)
    await ApiKeys(world.database, policies).make_first(world.tenant)
    administrator = world.principal("root", PrincipalKind.HUMAN, "admin")
    hooks = NewEndpoint(name="hooks", address="https://hooks.example.org/in")
    await world.service.endpoints.register(administrator, hooks)
    new = NewPolicy(content=SHIPPED_POLICY.read_text("utf-8"), reason="to have one")
    await world.service.apply_policy(administrator, new)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        about = extractions.About(receipts[0].activity_id, Purpose.EXTRACT, 1, 1)
        await extractions.ask(work, about, extractions.Asked("model/1", "openai:local"), 1)
        [candidate, *_] = await candidates.of_events(work, [receipts[0].event_id])
        await candidates.settle(work, candidate.id, candidate.id)
        await model_spending.reserve(work, date(2026, 3, 2), Usage(1, 1, 1), Budget(10, 10))
        await vectors.expect_all(work, uuid4())
        await stimuli.await_terms(work, [(fact.id, datetime.now(UTC) + timedelta(days=1))])
    desk = Desk(world)
    await desk.intend(on={"entity": SERVER["id"]})
    await desk.intend(change={"fact_id": str(fact.id), "becomes": ["retired"]})
    await desk.intend(at=soon())
    await desk.due()
    bench = Bench(world)
    await bench.approved("look")
    procedure_id = await bench.procedure_id()
    assert procedure_id is not None
    run = NewRun(scope=STAGING, version=1, activity_id="act-1")
    await world.service.procedure_runs.report(world.agent, procedure_id, run)
    await world.service.deciding.reflect(world.lead)
    await world.service.switch_off(world.lead, "general_note")
    await _erase(world)


async def _erase(world: World) -> None:
    """An erasure that is done, one whose plan somebody has confirmed and that is held, and a hold."""
    officers = EraseDesk(world)
    said = await world.say(world.lead, "The lights are green.", activity_id="act-9", idempotency_key="lights")
    await officers.erase({"kind": "event", "id": str(said.event_id)})
    asked = await officers.ask({"kind": "scope", "scope": STAGING})
    planned = await officers.until(asked.id, ErasureState.PLANNED)
    assert planned.digest is not None
    whole = TenantTarget(kind="tenant")
    await world.service.erasures.hold(officers.officer, whole, "an audit", None)
    said_so = PlanConfirmation(digest=planned.digest.hex())
    await world.service.erasures.confirm(officers.second, asked.id, said_so)
    await officers.until(asked.id, ErasureState.HELD)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        await log.depart(work, "export", 1)


async def test_every_table_is_walled(world: World, policies: Policies, service_role: AsyncConnection) -> None:
    await fill(world, policies)
    await become(service_role, tenant_id(world.tenant))
    mine = {}
    for table in TENANT_TABLES:
        mine[table] = (await service_role.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()
    assert [table for table, count in mine.items() if count == 0] == []
    await become(service_role, uuid4())
    for table in [*TENANT_TABLES, "outbox"]:
        seen = (await service_role.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one()
        assert seen == 0, f"another tenant counts {seen} rows of {table}"


async def test_without_a_tenant_there_is_nothing(
    world: World, policies: Policies, service_role: AsyncConnection
) -> None:
    await fill(world, policies)
    for table in [*TENANT_TABLES, "outbox"]:
        assert (await service_role.execute(text(f"SELECT count(*) FROM {table}"))).scalar_one() == 0


async def test_a_row_cannot_be_planted_in_another_tenant(
    world: World, policies: Policies, service_role: AsyncConnection
) -> None:
    await become(service_role, uuid4())
    with pytest.raises(DBAPIError, match="row-level security"):
        await service_role.execute(
            text("INSERT INTO aliases VALUES (:tenant, :id, 'n', :id, 'n', true, now())"),
            {"tenant": tenant_id(world.tenant), "id": uuid4()},
        )


async def test_a_name_that_another_tenant_uses_is_free_here(
    world: World, policies: Policies, service_role: AsyncConnection
) -> None:
    """A unique constraint that spanned tenants would tell what the other one has."""
    await fill(world, policies)
    stranger = uuid4()
    await become(service_role, stranger)
    insert = text("INSERT INTO entities (tenant_id, canonical, type) VALUES (:tenant, :canonical, 'x')")
    await service_role.execute(insert, {"tenant": stranger, "canonical": SERVER["id"]})
    await service_role.rollback()


@pytest.mark.parametrize(
    "table",
    [
        "events",
        "evidence",
        "lineage",
        "transitions",
        "decisions",
        "candidates",
        "settlements",
        "policies",
        "switches",
        "switched_attributes",
    ],
)
@pytest.mark.parametrize("change", ["UPDATE {} SET recorded_at = now()", "DELETE FROM {}"])
async def test_logs_are_never_rewritten(
    world: World, service_role: AsyncConnection, table: str, change: str
) -> None:
    await become(service_role, tenant_id(world.tenant))
    with pytest.raises(DBAPIError, match="permission denied"):
        await service_role.execute(text(change.format(table)))


async def test_the_role_cannot_step_over_the_wall(service_role: AsyncConnection) -> None:
    row = (
        await service_role.execute(
            text("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname IN (current_user, session_user)")
        )
    ).all()
    assert row
    assert not any(super_user or bypasses for super_user, bypasses in row)
    owned = await service_role.execute(
        text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tableowner = current_user")
    )
    assert owned.scalar_one() == 0
    forced = await service_role.execute(
        text(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
            " AND NOT (relrowsecurity AND relforcerowsecurity)"
        )
    )
    assert [name for (name,) in forced] == ["alembic_version"]


async def test_the_login_alone_may_do_nothing(addresses: Addresses) -> None:
    engine = create_async_engine(addresses.database_url)
    async with engine.connect() as connection:
        with pytest.raises(DBAPIError, match="permission denied"):
            await connection.execute(text("SELECT count(*) FROM events"))
    await engine.dispose()


async def test_the_relay_sees_the_outbox_and_which_tenants_there_are_and_nothing_else(
    addresses: Addresses,
) -> None:
    engine = create_async_engine(
        addresses.database_url, connect_args={"server_settings": {"role": Role.RELAY.value}}
    )
    async with engine.connect() as connection:
        await connection.execute(text("SELECT count(*) FROM outbox"))
        await connection.execute(text("SELECT id FROM tenants"))
        await connection.rollback()
        refused = dict.fromkeys([*TENANT_TABLES, "vector_spaces"], "count(*)") | {"tenants": "name"}
        for table, column in refused.items():
            with pytest.raises(DBAPIError, match="permission denied"):
                await connection.execute(text(f"SELECT {column} FROM {table}"))
            await connection.rollback()
    await engine.dispose()


async def test_fifty_writers_of_two_tenants_never_cross(world: World) -> None:
    """Pooled connections change hands between tenants all the time."""
    other = World(world.service, world.database, f"{world.tenant}-b")
    await other.service.add_tenant(other.agent)
    worlds = [world, other] * 25
    await asyncio.gather(
        *(
            each.publish(each.lead, event(activity_id=f"act-{index}", text=each.tenant))
            for index, each in enumerate(worlds)
        )
    )
    for each in (world, other):
        async with each.database.transaction(tenant_id(each.tenant)) as work:
            rows = await work.rows(text("SELECT text, count(*) AS n FROM events GROUP BY text"))
        assert [(row.text, row.n) for row in rows] == [(each.tenant, 25)]
