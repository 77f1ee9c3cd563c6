"""No secret reaches a table, a history, a log or an error, whichever way it comes in."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import asyncpg
import pytest
import structlog
from sqlalchemy import text as sql
from sqlalchemy.engine import make_url
from temporalio.client import Client

from models.errors import Conflict, InvalidInput, NotFound
from models.masking import holds_mask
from models.policy import Policy
from models.reconciliation import Verdict
from models.statements import Correction, Stated, Statement, Withdrawal
from providers.rule_extractor import RuleExtractor
from runtime.addresses import Addresses
from store.engine import plain_dsn
from tests.journeys.test_canary import everything_that_temporal_has
from tests.secrets.corpora import planted
from tests.stores import own_world
from tests.world import SERVER, STAGING, World, event

PLANTED = [case for case in planted() if all(len(secret) >= 7 for secret in case.secrets)]
PASSWORD = "Tr0ub4dor&3"
CARD = "4111 1111 1111 1111"
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
SECRETS = [PASSWORD, CARD, TOKEN, CARD.replace(" ", "")]


@pytest.fixture
async def own(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[World]:
    async with own_world(addresses, policy, client, RuleExtractor()) as world:
        yield world


async def everything_in_the_database(world: World, addresses: Addresses) -> str:
    """Every row of every table, as text."""
    name = world.database._engine.url.database
    admin = make_url(str(addresses.admin_database_url)).set(database=name)
    connection = await asyncpg.connect(plain_dsn(admin.render_as_string(hide_password=False)))
    try:
        tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        rows = [
            row["t"]
            for table in tables
            for row in await connection.fetch(f'SELECT t::text AS t FROM "{table["tablename"]}" t')
        ]
    finally:
        await connection.close()
    assert len(tables) > 12
    assert len(rows) > 20
    return "\n".join(rows)


def stated(**said: Any) -> Statement:
    whole = {"scope": STAGING, "entity": "db-main-1", "attribute": "owner", "value": "Ana", **said}
    return Statement.model_validate(whole)


async def test_no_secret_is_anywhere(
    own: World,
    addresses: Addresses,
    client: Client,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with structlog.testing.capture_logs() as lines:
        for start in range(0, len(PLANTED), 40):
            cases = PLANTED[start : start + 40]
            receipts = await own.publish(
                own.lead,
                *(event(type="correction", text=f"Keep gpu-bench-01. {case.text}") for case in cases),
                *(event(type="tool_result", data={"out": [case.text], case.text: 1}) for case in cases),
                event(
                    type="milestone",
                    entities=[
                        SERVER,
                        {"name": f"box {PASSWORD} password: {PASSWORD}"},
                        {"id": f"card:{CARD[:4]}"},
                    ],
                    evidence_ref=f"https://ci:{PASSWORD}@host/run",
                    data={
                        "password": PASSWORD,
                        "card": int(CARD.replace(" ", "")),
                        "argv": ["--token", TOKEN],
                    },
                ),
            )
            assert all(receipt.masked for receipt in receipts)
            await own.digest(receipts)
        kept = await own.service.remember(own.lead, stated())
        for said in (
            stated(value=f"password: {PASSWORD}"),
            stated(value="Bo", ends_when=f"{TOKEN} expires"),
            stated(entity=f"card {CARD}"),
            stated(value="Cy", text=f"Cy owns it; the password is {PASSWORD}."),
            stated(value="Di", evidence_ref=f"https://ci:{PASSWORD}@host"),
        ):
            await own.service.remember(own.lead, said)
        assert kept.decided is not None
        [current] = [each for each in await lives(own, "db-main-1") if each.status == "active"]
        await own.service.correct(own.lead, current.fact.id, Correction(value=TOKEN, text=f"use {TOKEN}"))
        gone = Withdrawal(text=f"It was {TOKEN}, and the card {CARD}.")
        await own.service.retract(own.lead, current.fact.id, gone)
        for refused in ({"activity_id": TOKEN}, {"idempotency_key": CARD}, {"scope": {"workspace": TOKEN}}):
            with pytest.raises(InvalidInput) as error:
                await own.publish(own.lead, event(text="fine", **refused))
            assert [secret for secret in SECRETS if secret in repr(error.value) + str(error.value)] == []
    database = await everything_in_the_database(own, addresses)
    _, histories = await everything_that_temporal_has(client, str(own.agent.tenant_id))
    printed = capsys.readouterr()
    log = repr(lines) + caplog.text + printed.out + printed.err
    planted_secrets = {secret for case in PLANTED for secret in case.secrets} | set(SECRETS)
    for where, told in {"database": database, "histories": histories, "log": log}.items():
        found = [secret for secret in planted_secrets if secret in told or json.dumps(secret)[1:-1] in told]
        assert found == [], f"secrets are in the {where}"
    assert database.count("[masked:") > len(PLANTED)


async def lives(world: World, mention: str) -> list[Any]:
    return await world.service.history_of_entity(world.lead, STAGING, mention)


def decided(told: Stated) -> tuple[str, str]:
    assert told.decided is not None
    return told.decided.verdict, told.decided.reason


async def test_what_holds_a_secret_is_no_fact(world: World) -> None:
    """The value, the condition and the entity are what is claimed; the rest of the sentence may have a mask."""
    discarded = (Verdict.DISCARD, "holds_secret")
    assert decided(await world.service.remember(world.lead, stated(value=f"the key {TOKEN}"))) == discarded
    assert decided(await world.service.remember(world.lead, stated(ends_when=f"{TOKEN} ends"))) == discarded
    assert decided(await world.service.remember(world.lead, stated(entity=TOKEN))) == discarded
    with pytest.raises(NotFound):
        await lives(world, "db-main-1")
    said = stated(text=f"Ana owns db-main-1; her password is {PASSWORD}.")
    kept = await world.service.remember(world.lead, said)
    assert decided(kept)[0] == Verdict.ESTABLISH
    assert kept.decided is not None
    assert kept.decided.fact_id is not None
    assert (
        decided(await world.service.correct(world.lead, kept.decided.fact_id, Correction(value=TOKEN)))
        == discarded
    )
    [life] = await lives(world, "db-main-1")
    assert (life.fact.terms.value, life.status) == ("Ana", "active")
    assert holds_mask(life.fact.statement)
    assert PASSWORD not in life.fact.statement


async def test_what_an_event_proposes_is_judged_alike(world: World) -> None:
    candidate = {"attribute": "owner", "value": TOKEN, "entity": "db-main-1"}
    said = [
        event(type="correction", text="Keep [masked:password:0123456789] running.", activity_id="one"),
        event(type="correction", data={"candidates": [candidate]}, activity_id="two"),
    ]
    receipts = await world.publish(world.lead, *said)
    await world.digest(receipts)
    told = await world.service.became_of(world.lead, [receipt.event_id for receipt in receipts])
    assert {(each.verdict, each.reason) for each in told} == {(Verdict.DISCARD, "holds_secret")}


async def test_a_repeated_secret_has_one_mask_and_another_tenant_another(world: World, own: World) -> None:
    texts = [f"card {CARD}", f"visa {CARD.replace(' ', '-')}"]
    for each in (world, own):
        await each.publish(each.lead, *(event(text=text) for text in texts))
    [one, same], [other, _] = [await stored_texts(each) for each in (world, own)]
    assert one.partition(" ")[2] == same.partition(" ")[2]
    assert one != other


async def stored_texts(world: World) -> list[str]:
    async with world.database.transaction(world.lead.tenant_id) as work:
        return [row.text for row in await work.rows(sql("SELECT text FROM events ORDER BY seq"))]


async def test_an_event_is_known_again_by_what_is_left_of_it(world: World) -> None:
    """The digest of what was stored is one of masked content: it cannot be used to try out secrets."""
    said = event(text=f"the password is {PASSWORD}", idempotency_key="once")
    [first] = await world.publish(world.lead, said)
    [again] = await world.publish(world.lead, said)
    assert (first.masked, again.masked) == (("password",), ("password",))
    assert (again.event_id, again.duplicate) == (first.event_id, True)
    with pytest.raises(Conflict):
        await world.publish(world.lead, event(text="the password is hunter2", idempotency_key="once"))
