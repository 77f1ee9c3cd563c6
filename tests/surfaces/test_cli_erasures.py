"""`keepwell forget`, `erasures`, `holds` and `verify-log`: what is erased, what waits, and what is refused."""

import asyncio

from tests.surfaces.terminal import CANARY, Terminal
from tests.world import World, event

OFFICER = ("--as", "human:petra", "--role", "operator")
SECOND = ("--as", "human:paul", "--role", "operator")


async def until(terminal: Terminal, words: str, *arguments: str) -> str:
    """What a command says once it says these words."""
    async with asyncio.timeout(60):
        while True:
            said = (await terminal.keepwell(*arguments)).said()
            if words in said:
                return said


async def test_what_is_named_is_forgotten_and_the_log_holds_together(
    terminal: Terminal, world: World
) -> None:
    said = await world.say(world.lead, f"The word is {CANARY}.")
    asked = await terminal.keepwell("forget", "event", str(said.event_id), *OFFICER, "--json")
    asked.said()
    identity = asked.json["id"]
    shown = await until(terminal, "done", "erasures", "show", identity, *OFFICER)
    assert "receipt 1: " in shown
    assert CANARY not in shown
    assert identity in (await terminal.keepwell("erasures", "list", *OFFICER)).said()
    assert "holds together" in (await terminal.keepwell("verify-log", *OFFICER)).said()


async def test_a_plan_waits_and_is_confirmed_by_its_digest(terminal: Terminal, world: World) -> None:
    await world.say(world.lead, f"The word is {CANARY}.")
    where = ("--scope", "workspace=staging-cloud")
    asked = await terminal.keepwell("forget", "scope", *where, *OFFICER, "--json")
    asked.said()
    identity = asked.json["id"]
    shown = await until(terminal, "waits: ", "erasures", "show", identity, *OFFICER)
    [plan] = [line.split()[1] for line in shown.splitlines() if line.startswith("  plan ")]
    own = await terminal.keepwell("erasures", "confirm", identity, "--digest", plan, *OFFICER)
    own.refused(3, "second person")
    confirmed = await terminal.keepwell("erasures", "confirm", identity, "--digest", plan, *SECOND)
    assert identity in confirmed.said()
    assert "done" in await until(terminal, ", done", "erasures", "show", identity, *OFFICER)


async def test_a_hold_stops_it_and_a_withdrawal_ends_it(terminal: Terminal, world: World) -> None:
    said = await world.say(world.lead, "The lights are green.")
    words = ("holds", "add", "tenant", "--reason", "an audit", *OFFICER)
    hold = (await terminal.keepwell(*words)).said().removeprefix("held, ").strip()
    asked = await terminal.keepwell("forget", "event", str(said.event_id), *OFFICER, "--json")
    asked.said()
    identity = asked.json["id"]
    assert hold in await until(terminal, "held by", "erasures", "show", identity, *OFFICER)
    assert "an audit" in (await terminal.keepwell("holds", "list", *OFFICER)).said()
    withdrawn = await terminal.keepwell("erasures", "withdraw", identity, *OFFICER)
    assert "withdrawn" in withdrawn.said()
    assert (await terminal.keepwell("holds", "release", hold, *OFFICER)).said().strip() == "released"


async def test_what_cannot_be_named_is_refused(terminal: Terminal, world: World) -> None:
    [receipt] = await world.publish(world.lead, event(text="Green."))
    (await terminal.keepwell("forget", "everything", *OFFICER)).refused(2, "KIND", "record, event")
    (await terminal.keepwell("forget", "event", *OFFICER)).refused(2, "NAME")
    (await terminal.keepwell("forget", "event", "nothing", *OFFICER)).refused(2, "id")
    who = ("--as", "human:sam", "--role", "developer")
    (await terminal.keepwell("forget", "event", str(receipt.event_id), *who)).refused(3, "erase")
