"""Statements: each hits what it names and nothing else, is answered in time, and is decided whatever happens."""

import asyncio
from typing import Any

import pytest

from models.errors import Conflict, NotPermitted
from models.policy import Policy
from models.reconciliation import Verdict
from models.statements import Correction, Stage, Stated, Statement, Withdrawal
from runtime.addresses import Addresses
from runtime.embedded.processes import free_port
from runtime.service import Service
from runtime.temporal import connect
from store.engine import Database
from store.policies import Policies
from tests.stores import own_database
from tests.world import MASKER, MONDAY, STAGING, World, event


def statement(value: str, **said: Any) -> Statement:
    whole = {"scope": STAGING, "entity": "db-main-1", "attribute": "owner", "value": value, **said}
    return Statement.model_validate(whole)


async def remembered(world: World, value: str, **said: Any) -> Stated:
    stated = await world.service.remember(world.lead, statement(value, **said))
    assert stated.decided is not None
    return stated


async def test_a_correction_touches_the_fact_that_it_names_alone(world: World) -> None:
    """Neither a withdrawal nor a correction of one fact may end the other."""
    first = await remembered(world, "Ana", occurred_at=event()["occurred_at"])
    later = await remembered(world, "Bo", valid_from="2099-01-01T00:00:00Z")
    assert first.decided is not None
    assert later.decided is not None
    assert (later.decided.verdict, later.decided.target_id) == ("schedule", first.decided.fact_id)
    assert first.decided.fact_id is not None
    assert not later.governs
    other = await world.service.correct(world.lead, first.decided.fact_id, Correction(value="Cy"))
    assert other.governs
    lives = await world.service.history_of_fact(world.lead, first.decided.fact_id)
    told = [(life.fact.terms.value, life.status) for life in lives]
    assert told == [("Ana", "superseded"), ("Cy", "active"), ("Bo", "not_yet_valid")]
    assert lives[1].fact.ended_at == lives[2].fact.valid_from


async def test_a_successor_that_is_withdrawn_before_it_begins_gives_its_place_back(world: World) -> None:
    first = await remembered(world, "Ana", occurred_at=event()["occurred_at"])
    later = await remembered(world, "Bo", valid_from="2099-01-01T00:00:00Z")
    assert later.decided is not None
    assert later.decided.fact_id is not None
    gone = await world.service.retract(world.lead, later.decided.fact_id, Withdrawal(text="Bo stays away."))
    assert gone.decided is not None
    assert gone.decided.verdict == "retract"
    lives = await world.service.history_of_fact(world.lead, later.decided.fact_id)
    assert [life.status for life in lives] == ["active", "not_yet_valid"]
    assert first.decided is not None
    assert (lives[0].fact.id, lives[0].fact.ends_at) == (first.decided.fact_id, None)
    assert [change.rule for change in lives[0].changes] == ["establish", "schedule", "reopen"]


async def test_a_withdrawal_that_comes_after_a_change_of_mind_hits_nothing(world: World) -> None:
    """What is decided first counts: the later speaker has never seen the fact that governs by then."""
    first = await remembered(world, "Ana", occurred_at=event()["occurred_at"])
    assert first.decided is not None
    assert first.decided.fact_id is not None
    other = world.service.remember(world.lead, statement("Bo", occurred_at=event(1)["occurred_at"]))
    gone = world.service.retract(world.lead, first.decided.fact_id, Withdrawal(text="Ana has left."))
    stated, withdrawn = await asyncio.gather(other, gone, return_exceptions=True)
    assert isinstance(stated, Stated)
    lives = await world.service.history_of_fact(world.lead, first.decided.fact_id)
    governing = [life.fact.terms.value for life in lives if life.status == "active"]
    assert isinstance(withdrawn, Conflict | Stated)
    if isinstance(withdrawn, Stated) and withdrawn.decided is not None and stated.decided is not None:
        verdicts = (stated.decided.verdict, withdrawn.decided.verdict, withdrawn.decided.reason)
        assert verdicts in {
            (Verdict.SUPERSEDE, Verdict.IGNORE_STALE, "named_fact_not_in_force"),
            (Verdict.IGNORE_STALE, Verdict.RETRACT, "permitted_withdrawal"),
        }
        assert governing == (["Bo"] if verdicts[0] is Verdict.SUPERSEDE else [])


async def test_a_narrowed_credential_ends_nothing_beyond_it(world: World) -> None:
    operator = world.principal("olga", world.lead.kind, "operator")
    everywhere = await world.service.remember(
        operator,
        statement("keep", scope={}, attribute="lifecycle_policy", ends_when="it is over", occurred_at=MONDAY),
    )
    assert everywhere.governs
    assert everywhere.decided is not None
    assert everywhere.decided.fact_id is not None
    [proof] = await world.publish(world.lead, event(1, text="it is over"))
    narrowed = operator.model_copy(update={"within": STAGING})
    with pytest.raises(NotPermitted):
        await world.service.confirm(narrowed, everywhere.decided.fact_id, proof.event_id)
    with pytest.raises(NotPermitted):
        await world.service.retract(narrowed, everywhere.decided.fact_id, Withdrawal(text="over"))
    confirmed = await world.service.confirm(operator, everywhere.decided.fact_id, proof.event_id)
    assert confirmed.state == "accepted"


async def test_a_restriction_of_the_scope_itself_comes_on_every_recall(world: World) -> None:
    rule = statement("never stop machines on Fridays", entity=None, attribute="operating_rule")
    assert (await world.service.remember(world.lead, rule)).governs
    for asked in ({"entities": ("dev-sandbox-04",)}, {"query": "anything"}, {}):
        [fact] = (await world.recall(**asked)).required
        assert fact.reasons[0] == "restriction_on_scope"
    assert (await world.service.remember(world.lead, statement("Ana"))).governs
    assert len((await world.recall()).required) == 1, "an owner is no restriction"


async def test_what_became_of_a_statement_is_told_at_once(world: World) -> None:
    stated = await remembered(world, "Ana")
    [told] = await world.service.verdicts_of(world.lead, [stated.event_id])
    assert (told.stage, [each.verdict for each in told.decisions]) == (Stage.SETTLED, [Verdict.ESTABLISH])


@pytest.mark.timeout(300)
async def test_many_statements_on_one_key_are_all_decided(world: World) -> None:
    """So many that the key's workflow goes on as new again and again while others wait for it."""
    waiting = asyncio.Semaphore(12)

    async def state(number: int) -> Stated:
        async with waiting:
            return await world.service.remember(world.developer, statement(f"owner {number}"))

    stated = await asyncio.gather(*(state(number) for number in range(400)))
    assert [each for each in stated if each.decided is None] == []


async def test_without_temporal_a_statement_is_stored_and_pending(
    addresses: Addresses, policy: Policy
) -> None:
    away = await connect(f"127.0.0.1:{free_port()}", "default", lazy=True)
    async with own_database(addresses) as url, Database(url) as database:
        cut_off = World(
            Service(database, Policies(database, policy), away, masker=MASKER, task_queue="nobody"),
            database,
            "cut-off",
        )
        await cut_off.service.add_tenant(cut_off.lead)
        said = statement("Ana", idempotency_key="once")
        pending = await cut_off.service.remember(cut_off.lead, said)
        assert (pending.decided, pending.governs) == (None, False)
        again = await cut_off.service.remember(cut_off.lead, said)
        assert again == pending._replace(duplicate=True)
        [told] = await cut_off.service.verdicts_of(cut_off.lead, [pending.event_id])
        assert told.stage is Stage.WAITING_FOR_DECISION
