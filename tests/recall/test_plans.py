"""Among many tenants a recall reads the rows of its own: under the service's role, with row-level security on."""

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import asyncpg
import pytest
from sqlalchemy import make_url
from temporalio.client import Client

from evals.bench.sent import main_statement, noted
from evals.crowd import gather
from models.policy import Policy
from models.statements import Statement
from providers.embedders.bundled import BundledEmbedder
from runtime.addresses import Addresses
from store.engine import Role, plain_dsn
from tests.stores import own_world
from tests.world import STAGING, World, event

OTHERS = 150
ENTITIES = 8
TABLES = (
    "events", "passages", "episodes", "facts", "fact_keys", "evidence", "postings", "vectors", "aliases", "entities",
)  # fmt: skip

# asyncpg has no types.
_connect: Any = asyncpg.connect  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class Crowd(NamedTuple):
    """One world among copies of it, and a connection as the owner, who sees all of them."""

    world: World
    owner: Any


async def _fill(world: World) -> None:
    for number in range(ENTITIES):
        name = f"host-{number:02}"
        said = {"scope": STAGING, "entity": name, "text": f"{name} is kept running until the audit is over."}
        await world.service.remember(
            world.lead,
            Statement(attribute="lifecycle_policy", value="keep running", **said),  # pyright: ignore[reportArgumentType]
        )
        await world.digest(
            await world.publish(
                world.lead,
                event(
                    type="feedback", activity_id=f"act-{name}", text=f"The restart of {name} broke the audit."
                ),
            )
        )
    await world.service.embedded(world.agent)


@pytest.fixture(scope="module")
async def crowd(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[Crowd]:
    async with own_world(addresses, policy, client, embedder=BundledEmbedder()) as world:
        await _fill(world)
        here = make_url(world.database.url).database
        admin = make_url(str(addresses.admin_database_url)).set(database=here)
        owner = await _connect(plain_dsn(admin.render_as_string(hide_password=False)))
        others = [(uuid4(), f"other-{number}") for number in range(OTHERS)]
        await gather(owner, world.lead.tenant_id, others)
        yield Crowd(world, owner)
        await owner.close()


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def literal(value: Any) -> str:
    """A value as it stands in a statement, without a type: the statement has those."""
    if value is None:
        return "NULL"
    if isinstance(value, list | tuple):
        parts: list[str] = [json.dumps(str(part), ensure_ascii=False) for part in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        value = f"{{{','.join(parts)}}}"
    return "'" + str(value).replace("'", "''") + "'"


def looked_at(node: dict[str, Any]) -> float:
    """How many rows a scan has looked at each time."""
    return node["Actual Rows"] + sum(
        node.get(f"Rows Removed by {why}", 0) for why in ("Filter", "Index Recheck", "Join Filter")
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"query": "restart of host-03 before the audit", "entities": ("host-03",)},
        {"query": "the audit"},
        {"entities": ("host-01", "host-02")},
        {"query": "is anything running?", "limit": 100},
    ],
)
async def test_a_recall_looks_at_no_row_of_another_tenant(crowd: Crowd, fields: dict[str, Any]) -> None:
    world = crowd.world
    with noted() as sent:
        answer = await world.recall(**fields)
    assert answer.facts
    assert answer.without == ()
    statement = main_statement(sent)
    own = {
        table: await crowd.owner.fetchval(
            f"SELECT count(*) FROM {table} WHERE tenant_id = $1", world.lead.tenant_id
        )
        for table in TABLES
    }
    async with crowd.owner.transaction():
        await crowd.owner.execute(f"SET LOCAL ROLE {Role.SERVICE}")
        await crowd.owner.execute("SELECT set_config('app.tenant', $1, true)", str(world.lead.tenant_id))
        # As in a recall: planned for any values, whatever they are this time.
        await crowd.owner.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        await crowd.owner.execute(f"PREPARE recall AS {statement.statement}")
        values = ", ".join(map(literal, statement.values))
        told = await crowd.owner.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE recall({values})")
        await crowd.owner.execute("DEALLOCATE recall")
    scans = [node for node in nodes(json.loads(told)[0]["Plan"]) if node.get("Relation Name") in own]
    searched = {"postings", "vectors", "passages"} if "query" in fields else set[str]()
    assert {"facts", *searched} <= {node["Relation Name"] for node in scans}
    for node in scans:
        table = node["Relation Name"]
        assert looked_at(node) <= own[table], (node["Node Type"], table, node.get("Index Cond"))


async def test_another_tenant_has_the_same_and_hears_of_its_own(crowd: Crowd) -> None:
    """The copies are whole: what a recall finds in one, it finds in each, under other ids."""
    world = crowd.world
    mine = await world.recall(query="the audit")
    name = await crowd.owner.fetchval("SELECT name FROM tenants WHERE name LIKE 'other-%' LIMIT 1")
    assert mine.passages
    copied = await crowd.owner.fetchval(
        "SELECT count(*) FROM passages p JOIN tenants t ON t.id = p.tenant_id WHERE t.name = $1", name
    )
    assert copied == await crowd.owner.fetchval(
        "SELECT count(*) FROM passages WHERE tenant_id = $1", world.lead.tenant_id
    )
    ids = {passage.id for passage in mine.passages}
    assert await crowd.owner.fetchval("SELECT count(*) FROM passages WHERE id = ANY($1)", list(ids)) == len(
        ids
    )
