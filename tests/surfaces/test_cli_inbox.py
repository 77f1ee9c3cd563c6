"""`keepwell inbox`: what is due is taken under a lease, acknowledged, put off, and comes again when nobody does."""

import asyncio
import re
from typing import Any

import pytest

from models.intention_changes import MOST_LEASES
from tests.intentions.desk import Desk, soon
from tests.surfaces.terminal import CANARY, Terminal
from tests.world import World

BOT = {"KEEPWELL_AS": "agent:ops-agent", "KEEPWELL_ROLES": "agent"}
SAM = {"KEEPWELL_AS": "human:sam", "KEEPWELL_ROLES": "user"}
TAKE = ("inbox", "take", "--wait", "30", "--json")
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


async def taken(terminal: Terminal, *options: str) -> list[dict[str, Any]]:
    """What the agent takes, as soon as there is something."""
    ended = await terminal.keepwell(*TAKE, *options, **BOT)
    assert (ended.code, ended.err) == (0, "")
    return ended.json["due"]


async def test_what_is_due_is_waited_for_taken_and_acknowledged(terminal: Terminal, desk: Desk) -> None:
    assert (await terminal.keepwell("inbox", "take", **BOT)).said() == "Nothing is due.\n"
    waiting = asyncio.create_task(terminal.keepwell("inbox", "take", "--wait", "30", **BOT))
    identity = await desk.intend(
        at=soon(), action="[red]look[/red]\x1b[2J", data={"canary": "7\x1b"}, timezone="Europe/Berlin"
    )
    said = (await waiting).said()
    assert said.startswith("[red]look[/red]\ufffd[2J\n  due ")
    assert re.search(r" Europe/Berlin, (now|\d+ s ago)\n", said)
    assert "  canary = 7\ufffd\n" in said
    [came] = (await desk.one(identity))[1]
    assert f"  next: keepwell inbox ack {came.id}, or snooze; else it comes again in " in said
    assert f"  occurrence {came.id} · lease " in said

    ack = ("inbox", "ack", str(came.id))
    done = (await terminal.keepwell(*ack, "--outcome", "failed", "--text", "It was red.", **BOT)).said()
    assert "(acknowledged: trigger_met)\n" in done
    assert re.search(r" s ago: acknowledged, failed, handed out 1 time\n", done)
    assert await desk.life(identity) == "acknowledged"
    (await terminal.keepwell(*ack, **BOT)).refused(5, "is settled already, as acknowledged")
    assert (await terminal.keepwell("inbox", "take", **BOT)).said() == "Nothing is due.\n"


async def test_several_are_taken_for_as_long_as_it_is_said(terminal: Terminal, desk: Desk) -> None:
    for number in range(3):
        identity = await desk.intend(at=soon(), data={"number": number})
        await desk.until(identity, "due")
    first = await taken(terminal, "--limit", "2", "--lease-seconds", "1")
    assert [each["data"]["number"] for each in first] == [0, 1]
    [last] = await taken(terminal, "--limit", "1")
    again = await taken(terminal, "--limit", "3")
    assert [(each["data"]["number"], each["leases"]) for each in (last, *again)] == [(2, 1), (0, 2), (1, 2)]


async def test_what_was_taken_by_another_since_is_left_to_them(terminal: Terminal, desk: Desk) -> None:
    await desk.intend(at=soon())
    [was] = await taken(terminal, "--lease-seconds", "1")
    [now] = await taken(terminal)
    ack = ("inbox", "ack", now["occurrence_id"], "--json")
    (await terminal.keepwell(*ack, "--lease", was["lease"], **BOT)).refused(5, "take it anew")
    done = (await terminal.keepwell(*ack, "--lease", now["lease"], **BOT)).json
    assert [(each["fate"], each["outcome"]) for each in done["occurrences"]] == [("acknowledged", "done")]


async def test_what_is_put_off_comes_again(terminal: Terminal, desk: Desk) -> None:
    await desk.intend(at=soon())
    [due] = await taken(terminal)
    snooze = ("inbox", "snooze", due["occurrence_id"], "--lease", due["lease"])
    assert ": due\n" in (await terminal.keepwell(*snooze, "--in", "PT0.1S", **BOT)).said()
    [again] = await taken(terminal)
    assert (again["occurrence_id"], again["leases"]) == (due["occurrence_id"], 1)
    far = ("inbox", "snooze", due["occurrence_id"], "--until", "2100-01-01T00:00:00Z", "--json")
    put_off = (await terminal.keepwell(*far, **BOT)).json
    assert put_off["occurrences"][0]["available_at"] == "2100-01-01T00:00:00Z"


async def test_what_nobody_acknowledges_ends_as_dead(terminal: Terminal, desk: Desk) -> None:
    identity = await desk.intend(at=soon())
    for _ in range(MOST_LEASES):
        assert await desk.due(lease_seconds=1)
    ended = await terminal.keepwell("inbox", "take", "--wait", "2", **BOT)
    assert ended.said() == "Nothing is due.\n"
    said = (await terminal.keepwell("intentions", "--state", "fired", **BOT)).said()
    assert "check the canary (dead_lettered: " in said
    shown = (await terminal.keepwell("intentions", "show", str(identity), **BOT)).said()
    assert f": dead_lettered, handed out {MOST_LEASES} times\n" in shown


async def test_what_cannot_be_said_is_refused_with_the_remedy(terminal: Terminal, desk: Desk) -> None:
    await desk.intend(at=soon(), action=CANARY)
    [due] = await taken(terminal)
    ack, snooze = (("inbox", word, due["occurrence_id"]) for word in ("ack", "snooze"))
    for arguments, code, words in (
        (("inbox", "ack", "x"), 2, "occurrence: is not an id; take one from keepwell inbox take"),
        (("inbox", "ack", UNKNOWN), 4, "no such occurrence within reach"),
        ((*ack, "--lease", "x"), 2, "--lease: is not an id"),
        (snooze, 2, "say until when, in one way: --in or --until"),
        ((*snooze, "--in", "15m"), 2, "--in: give an ISO 8601 duration"),
        ((*snooze, "--until", "2100-01-01T00:00:00"), 2, "--until: "),
    ):
        (await terminal.keepwell(*arguments, **BOT)).refused(code, words)
    (await terminal.keepwell(*ack, **SAM)).refused(4, "no such occurrence within reach")
    (await terminal.keepwell("inbox", "take", "--as", "system:qa-pipeline")).refused(3)
    assert (await terminal.keepwell(*ack, "--outcome", "not_needed", **BOT)).said()
