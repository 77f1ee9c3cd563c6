"""A page of the review queue costs what it shows, however much waits, has been settled, or has come to nothing."""

from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from models.policy import Policy
from models.readers import everything
from runtime.addresses import Addresses
from store import reviews
from store.engine import Database
from store.readable import READERS, values_of
from store.sql import sql
from store.unit_of_work import UnitOfWork
from tests.stores import own_database

TENANT = uuid4()
START = datetime(2000, 1, 1, tzinfo=UTC)
MANY = 20_000
"""Rows of each sort that the tenant has."""
WITHIN = '{"workspace": "w"}'

# Of every ten claims one is open, and of every ten candidates one has no thing. The older half of the claims has
# lapsed. What nobody asks for here is left out, so that the laws about whole records have to look away.
FILLED = """
    SET LOCAL session_replication_role = 'replica';
    INSERT INTO tenants (id, name) VALUES (:tenant, 'large');
    INSERT INTO events (tenant_id, id, activity_id, seq, type, subject, subject_kind, roles, authority, scope_key,
        scope, occurred_at, entities, data, digest)
    SELECT :tenant, md5(n::text)::uuid, :tenant, n, 'note', 'ana', 'human', '{}', 2, :tenant, '{"workspace": "w"}',
        now(), '[]', '{}', '' FROM generate_series(1, :many) AS n;
    INSERT INTO fact_keys (tenant_id, id, scope_key, scope, attribute)
    SELECT :tenant, md5(n::text)::uuid, :tenant, '{"workspace": "w"}', 'owner' FROM generate_series(1, :many) AS n;
    INSERT INTO facts (tenant_id, id, key_id, scope_key, admission, value, valid_from, ended_at, ending, lapses_at,
        stated_at, restated_at, authority, standing, statement, recorded_at)
    SELECT :tenant, uuidv7(), md5(n::text)::uuid, :tenant, 'unverified', 'x', now(),
        CASE WHEN n % 10 > 0 THEN now() END, CASE WHEN n % 10 > 0 THEN 'retracted' END,
        now() + CASE WHEN n > 10000 THEN interval '9 days' ELSE '-1 day' END,
        now(), now(), 1, 'inferred', 'x', now() - interval '90 days' + n * interval '1 second'
    FROM generate_series(1, :many) AS n;
    INSERT INTO transitions (tenant_id, record_id, record_kind, to_status, rule, reason, actor,
        effective_at)
    SELECT :tenant, id, 'fact', 'quarantined', 'hold_unverified', 'proposed_by_model', 'bot', now() FROM facts;
    INSERT INTO candidates (tenant_id, id, event_id, kind, attribute, mention, value, hedged, quote, extractor,
        recorded_at)
    SELECT :tenant, uuidv7(), md5(n::text)::uuid, 'statement', 'owner', CASE WHEN n % 10 = 0 THEN 'the rig' END,
        CASE WHEN n % 10 = 0 THEN 'x' END, false, '', 'rules', now() - interval '90 days' + n * interval '1 second'
    FROM generate_series(1, :many) AS n;
    INSERT INTO decisions (tenant_id, candidate_id, verdict, reason)
    SELECT :tenant, id, CASE WHEN value IS NULL THEN 'discard' ELSE 'hold_unverified' END,
        CASE WHEN value IS NULL THEN 'no_change' ELSE 'ambiguous_entity' END FROM candidates;
    ANALYZE
"""


@pytest.fixture
async def large(addresses: Addresses) -> AsyncGenerator[Database]:
    """A database of its own with one large tenant, seen through the service's role."""
    async with own_database(addresses) as url, Database(url) as database:
        admin = make_url(str(addresses.admin_database_url)).set(database=make_url(url).database)
        engine = create_async_engine(admin, poolclass=NullPool)
        async with engine.begin() as connection:
            for statement in FILLED.split(";\n"):
                named = {"tenant": TENANT, "many": MANY}
                await connection.execute(
                    text(statement), {key: value for key, value in named.items() if f":{key}" in statement}
                )
        await engine.dispose()
        yield database


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", ()):
        yield from nodes(each)


def seen(node: dict[str, Any]) -> float:
    """How many rows a node has looked at."""
    removed = sum(node.get(f"Rows Removed by {why}", 0) for why in ("Filter", "Index Recheck", "Join Filter"))
    return (node["Actual Rows"] + removed) * node["Actual Loops"]


@pytest.mark.parametrize("most", [20, 200])
async def test_a_page_reads_no_more_than_it_shows(large: Database, policy: Policy, most: int) -> None:
    readable, now = everything(policy), datetime.now(UTC)
    explain = sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {reviews.QUEUE}", **READERS)
    async with large.transaction(TENANT) as work:
        # From the start, and from where both sorts wait.
        for after in (START, await halfway(work)):
            values = {"recorded_at": after, "id": UUID(int=0), "now": now, "most": most, "enough": 2}
            row = await work.row(explain, {"within": WITHIN, **values, **values_of(readable)})
            assert row is not None
            whole = list(nodes(row[0][0]["Plan"]))
            assert {"facts_to_review", "candidates_unnamed"} <= {node.get("Index Name") for node in whole}
            assert max(map(seen, whole)) <= 2 * most
            found, following = await reviews.waiting(
                work, readable, WITHIN, (after, UUID(int=0)), now, most, 2
            )
            assert len(found) == most
            assert following == (found[-1].recorded_at, found[-1].id)


async def halfway(work: UnitOfWork) -> datetime:
    row = await work.row(text("SELECT min(recorded_at) AS at FROM facts WHERE lapses_at > now()"))
    assert row is not None
    return row.at


async def test_it_is_gone_through_in_order_and_each_thing_is_met_once(
    large: Database, policy: Policy
) -> None:
    readable, now = everything(policy), datetime.now(UTC)
    after, met = (START, UUID(int=0)), list[reviews.Waits]()
    async with large.transaction(TENANT) as work:
        while after is not None:
            found, after = await reviews.waiting(work, readable, WITHIN, after, now, 700, 2)
            met += found
        # What lies in another scope is looked at, and told to nobody.
        elsewhere = await reviews.waiting(
            work, readable, '{"workspace": "v"}', (START, UUID(int=0)), now, 700, 2
        )
        one = await reviews.waiting_one(work, readable, met[-1].id, now, 2)
    assert [(each.recorded_at, each.id) for each in met] == sorted(
        (each.recorded_at, each.id) for each in met
    )
    assert (len(met), sum(each.unnamed is None for each in met)) == (3_000, 1_000)
    assert {each.reason for each in met} == {"proposed_by_model", "ambiguous_entity"}
    assert (elsewhere.found, elsewhere.following is None) == ([], False)
    assert one == met[-1]
