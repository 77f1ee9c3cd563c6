"""What models were asked, and reading events again, from the command line."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import Client

from models.policy import Policy
from runtime.addresses import Addresses
from tests.language_model.modelled import BY_MODEL, FOUND, MODEL, SAID, Modelled, language_model, script
from tests.language_model.server import Refusal, candidates, model_server
from tests.stores import own_world
from tests.surfaces.terminal import CANARY, Terminal

LISTED = ("when", "activity", "purpose", "events", "model", "prompt", "state", "tokens")


@pytest.fixture(scope="module")
async def modelled(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[Modelled]:
    async with (
        model_server() as server,
        own_world(addresses, policy, client, model=language_model(server)) as world,
    ):
        yield Modelled(world, server, client)


@pytest.fixture
def terminal(tmp_path: Path, addresses: Addresses, modelled: Modelled) -> Terminal:
    """A terminal of somebody who works for the tenant of these tests."""
    return Terminal(
        tmp_path,
        KEEPWELL_DATABASE_URL=modelled.world.database.url,
        KEEPWELL_TEMPORAL_ADDRESS=addresses.temporal_address,
        KEEPWELL_TASK_QUEUE=modelled.world.service.task_queue,
        KEEPWELL_TENANT=modelled.world.tenant,
    )


@pytest.fixture
def informed(terminal: Terminal, modelled: Modelled) -> Terminal:
    """A terminal whose environment names the model."""
    told = {"KEEPWELL_MODEL": MODEL, "KEEPWELL_MODEL_URL": modelled.server.url}
    return Terminal(terminal.folder, **terminal.variables, **told)


def just_now() -> tuple[str, ...]:
    now = datetime.now(UTC)
    earlier, later = ((now + timedelta(hours=hours)).isoformat() for hours in (-1, 1))
    return ("--since", earlier, "--until", later)


async def test_extractions_are_listed(modelled: Modelled, terminal: Terminal) -> None:
    empty = await terminal.keepwell("extractions", "--tenant", "nobody")
    assert empty.said() == "No extractions.\n"
    modelled.server.script = script(narrate=Refusal(401))
    receipt = await modelled.say(activity="listed")
    human, every, fell_back = await asyncio.gather(
        terminal.keepwell("extractions"),
        terminal.keepwell("extractions", "--json"),
        terminal.keepwell("extractions", "--state", "fell_back", "--json"),
    )
    said = human.said()
    assert [word for word in LISTED if word not in said] == []
    assert "fell_back: model_unauthorised" in said
    assert str(receipt.activity_id) in said
    told: dict[str, Any] = {each["purpose"]: each for each in every.json}
    assert set(told) == {"extract", "narrate"}
    assert (told["extract"]["state"], told["extract"]["model"], told["extract"]["prompt"]) == (
        "applied",
        MODEL,
        "extract_facts.v1",
    )
    assert told["extract"]["usage"] == {"requests": 1, "input_tokens": 100, "output_tokens": 20}
    assert len(told["extract"]["input_digest"]) == 64
    assert [(each["purpose"], each["reason"]) for each in fell_back.json] == [
        ("narrate", "model_unauthorised")
    ]


async def test_a_redo_is_shown_and_applied(modelled: Modelled, informed: Terminal) -> None:
    modelled.server.script = script(Refusal(400), Refusal(400))
    receipt = await modelled.say(SAID.replace("billing-api", "orders-api"), "redone")
    found = {**FOUND, "mention": "orders-api", "quote": FOUND["quote"].replace("billing-api", "orders-api")}
    modelled.server.script = script(candidates(found, {**found, "mention": "prod-db"}))
    human = await informed.keepwell("redo", *just_now(), "--fell-back-only")
    said = human.said()
    assert "orders-api uses = Postgres 18" in said
    assert "not_grounded" in said
    assert "1 activity: 1 new, 1 refused, 1 the same." in said
    program = await informed.keepwell("redo", *just_now(), "--activity", receipt.activity_id, "--json")
    redo_id = program.json["redo_id"]
    [activity] = program.json["activities"]
    assert activity["activity_id"] == str(receipt.activity_id)
    assert activity["fallback"] is None
    new = next(line for line in activity["lines"] if line["change"] == "new")
    assert (new["mention"], new["value"], new["event_id"]) == (
        "orders-api",
        "Postgres 18",
        str(receipt.event_id),
    )
    applied = await informed.keepwell("redo", "apply", redo_id)
    assert applied.said() == (
        "1 new candidate and 1 refused in 1 activity; 1 fact key handed to reconciliation.\n"
    )
    await modelled.world.digest([receipt])
    answer = await modelled.world.recall(entities=("orders-api",))
    assert [fact.value for fact in answer.facts] == ["Postgres 18"]
    again = await informed.keepwell("redo", "apply", redo_id)
    again.refused(5, "has been applied")


async def test_a_redo_with_a_model_that_is_away_says_so(modelled: Modelled, informed: Terminal) -> None:
    modelled.server.script = script(Refusal(401, {}, f'{{"error": {{"message": "{CANARY}"}}}}'))
    await modelled.say(f"{CANARY} {BY_MODEL}", "away")
    redone = await informed.keepwell("redo", *just_now())
    assert redone.code == 0
    assert "Read by rule alone: model_unauthorised." in redone.out
    assert "model_was_no_help" in redone.err
    assert CANARY not in redone.err


async def test_what_cannot_be_redone_is_said_in_one_line(terminal: Terminal) -> None:
    nothing, missing, unclear, backwards, activity, unknown, model, away = await asyncio.gather(
        terminal.keepwell("redo", "--since", "2020-01-01T00:00:00Z", "--until", "2020-01-02T00:00:00Z"),
        terminal.keepwell("redo", "--since", "2020-01-01T00:00:00Z"),
        terminal.keepwell("redo", "--since", "yesterday", "--until", "2020-01-02T00:00:00Z"),
        terminal.keepwell("redo", "--since", "2020-01-02T00:00:00Z", "--until", "2020-01-01T00:00:00Z"),
        terminal.keepwell("redo", *just_now(), "--activity", "act-1"),
        terminal.keepwell("redo", "apply", uuid4()),
        terminal.keepwell("redo", *just_now(), KEEPWELL_MODEL="gpt"),
        terminal.keepwell("redo", *just_now(), KEEPWELL_MODEL="nobody:gpt", KEEPWELL_MODEL_KEY="secret"),
    )
    assert nothing.said() == "No events that a pass has seen were recorded in this range.\n"
    missing.refused(2, "--until: is missing")
    unclear.refused(2, "--since: ", "ISO 8601")
    backwards.refused(2, "--until: ")
    activity.refused(2, "--activity: is not an id")
    unknown.refused(4, "no such redo")
    model.refused(2, "KEEPWELL_MODEL: ")
    away.refused(2, "KEEPWELL_MODEL: cannot be used", "anthropic:NAME")
    assert "secret" not in away.err


async def test_the_doctor_tells_of_the_model(terminal: Terminal, informed: Terminal) -> None:
    without, told, nosuch, keyless = await asyncio.gather(
        terminal.keepwell("doctor"),
        informed.keepwell("doctor", KEEPWELL_MODEL_PURPOSES="extract"),
        terminal.keepwell("doctor", KEEPWELL_MODEL="nosuch:thing"),
        terminal.keepwell("doctor", KEEPWELL_MODEL="anthropic:claude"),
    )
    assert "well  policy: in this shell: 7 roles, 1 system, " in without.said()
    assert "well  model: in this shell: none; rules extract, narrate and draft" in without.said()
    for useless in (nosuch, keyless):
        assert useless.code == 1
        assert "ill   model: KEEPWELL_MODEL: cannot be used" in useless.out
        assert "KEEPWELL_MODEL_KEY" in useless.out
    assert f"well  model: in this shell: {MODEL} at http://127.0.0.1:" in told.said()
    assert (
        " to extract, beside the rules; a tenant may spend 1,000,000 tokens and 2,000 requests" in told.said()
    )
