"""Fifty people contradict each other at once; one fact governs, and the log tells the whole way there."""

import asyncio
from itertools import pairwise

from sqlalchemy import text

from activities.reconciliation import ReconciliationSteps
from models.ids import tenant_id
from models.messages import FactKeyRef
from models.principals import PrincipalKind
from models.scope import Scope
from store import facts
from store.facts import FactKey
from store.policies import Policies
from tests.world import STAGING, World, event

STATEMENTS = 50


async def speak_at_once(world: World) -> None:
    people = [world.principal(f"lead-{n}", PrincipalKind.HUMAN, "infra_lead") for n in range(STATEMENTS)]
    batches = await asyncio.gather(
        *(
            world.publish(
                who,
                event(
                    n / 1_000,
                    activity_id=f"act-{n}",
                    type="correction",
                    text=f"Keep gpu-bench-01 running until review-{n} is over.",
                ),
            )
            for n, who in enumerate(people)
        )
    )
    await world.digest([receipt for batch in batches for receipt in batch])


async def test_fifty_statements_leave_one_fact_and_a_whole_log(world: World) -> None:
    await speak_at_once(world)
    lives = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")
    assert [life.status for life in lives].count("active") == 1
    assert {life.status for life in lives} <= {"active", "superseded"}
    for before, after in pairwise(lives):
        assert before.fact.ended_at == after.fact.valid_from, (
            "validities follow each other without gap or overlap"
        )
    for life in lives:
        rules = [(change.from_status, change.to_status) for change in life.changes]
        ended = [("active", "superseded")] if life.status == "superseded" else []
        assert rules == [(None, "active"), *ended]
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        verdicts = await work.rows(text("SELECT verdict, count(*) AS n FROM decisions GROUP BY verdict"))
    counts = {row.verdict: row.n for row in verdicts}
    assert sum(counts.values()) == STATEMENTS
    assert counts["establish"] == 1
    assert set(counts) <= {"establish", "supersede", "ignore_stale"}
    assert len(lives) == counts["establish"] + counts.get("supersede", 0)


async def test_steps_at_once_decide_one_after_the_other(world: World, policies: Policies) -> None:
    """Without any workflow to put them in order, as for a key that none has heard of, the lock of the key does."""
    await speak_at_once(world)
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        [known] = await work.rows(
            text("SELECT entity_id FROM fact_keys WHERE attribute = 'lifecycle_policy'")
        )
        key_id = await facts.ensure_key(work, FactKey(Scope(STAGING), known.entity_id, "change_policy", None))
        before = await work.rows(text("SELECT count(*) AS n FROM transitions"))
        [candidate] = await work.rows(
            text(
                "SELECT c.* FROM candidates c JOIN events e ON e.id = c.event_id"
                " ORDER BY e.occurred_at DESC, c.id LIMIT 1"
            )
        )
        await work.run(
            text(
                "INSERT INTO candidates SELECT tenant_id, gen_random_uuid(), event_id, :key_id, kind,"
                " 'change_policy', mention, 'keep it ' || n, ends_when, expires_at, stated_from, hedged, quote,"
                " extractor"
                " FROM candidates, generate_series(1, 20) n WHERE id = :id"
            ),
            {"id": candidate.id, "key_id": key_id},
        )
    steps = ReconciliationSteps(world.database, policies)
    ref = FactKeyRef(tenant_id=tenant_id(world.tenant), key_id=key_id)
    results = await asyncio.gather(*(steps.reconcile(ref) for _ in range(8)))
    assert sum(sum(each.verdicts.values()) for each in results) == 20
    lives = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")
    statuses = [life.status for life in lives if life.fact.attribute == "change_policy"]
    assert statuses.count("active") == 1
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        after = await work.rows(text("SELECT count(*) AS n FROM transitions"))
    assert after[0].n > before[0].n
