"""`keepwell intentions`: set by words that somebody has confirmed, or to the letter; listed, changed, and refused."""

import asyncio
import os
import pty
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from tests.intentions.desk import Desk, far
from tests.surfaces.terminal import CANARY, KEEPWELL, SECONDS, Ended, Terminal
from tests.world import SERVER, World, event

HERE = ("--scope", "workspace=staging-cloud")
SET = ("intentions", "set", "check the canary", *HERE)
BOT = {"KEEPWELL_AS": "agent:ops-agent", "KEEPWELL_ROLES": "agent"}
SAM = {"KEEPWELL_AS": "human:sam", "KEEPWELL_ROLES": "developer"}
EVE = {"KEEPWELL_AS": "human:eve", "KEEPWELL_ROLES": "user"}
EVE_OF = f"24 December {datetime.now(UTC).year + 2}"
"""A day to come that words may name."""
FIRST_MONDAYS = ("--when", "every first Monday at 9", "--zone", "America/Vancouver")


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


async def made(terminal: Terminal, *how: str, **who: str) -> dict[str, Any]:
    """An intention that is set."""
    ended = await terminal.keepwell(*SET, *how, "--json", **(who or BOT))
    assert (ended.code, ended.err) == (0, "")
    return ended.json["intention"]


async def listed(terminal: Terminal, *options: str, **who: str) -> list[dict[str, Any]]:
    ended = await terminal.keepwell("intentions", *options, "--json", **(who or BOT))
    assert (ended.code, ended.err) == (0, "")
    return ended.json["intentions"]


@asynccontextmanager
async def asked(
    terminal: Terminal, *arguments: str
) -> AsyncGenerator[tuple[asyncio.subprocess.Process, int]]:
    """The command at a terminal of its own, once it has asked; and the file descriptor of whoever sits there."""
    here, there = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        KEEPWELL,
        *arguments,
        cwd=terminal.folder,
        env=terminal.environment(**BOT),
        stdin=there,
        stdout=asyncio.subprocess.PIPE,
        stderr=there,
    )
    os.close(there)
    try:
        yield process, here
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        os.close(here)


async def heard(here: int, until: str) -> str:
    """What is shown at a terminal, up to some words."""
    loop, shown, seen = asyncio.get_running_loop(), "", asyncio.Event()
    loop.add_reader(here, seen.set)
    try:
        async with asyncio.timeout(SECONDS):
            while until not in shown:
                await seen.wait()
                seen.clear()
                shown += os.read(here, 10_000).decode()
    finally:
        loop.remove_reader(here)
    return shown


async def answered(terminal: Terminal, answer: bytes, *arguments: str) -> Ended:
    """What comes of a command when somebody at the terminal answers its question so."""
    async with asked(terminal, *arguments) as (process, here):
        shown = await heard(here, "[y/N]")
        os.write(here, answer)
        out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), shown)


async def test_words_are_shown_in_full_and_set_after_a_yes(terminal: Terminal, world: World) -> None:
    no = await answered(terminal, b"n\n", *SET, *FIRST_MONDAYS)
    assert (no.code, no.out) == (1, "")
    assert "every month on the first Monday at 09:00, America/Vancouver; next: Monday " in no.err
    assert await listed(terminal) == []
    yes = await answered(terminal, b"y\n", *SET, "--when", "in 3 days", "--json")
    assert yes.code == 0
    [there] = await listed(terminal)
    # What is set is to the second what was shown, however long the answer took.
    assert there["trigger"]["at"] == yes.out.partition('"at": "')[2].partition('"')[0]
    assert there["told"].partition(", in ")[0] in yes.err


async def test_whoever_leaves_at_the_question_sets_nothing(terminal: Terminal, world: World) -> None:
    async with asked(terminal, *SET, *FIRST_MONDAYS) as (process, here):
        await heard(here, "[y/N]")
        process.send_signal(2)
        await asyncio.wait_for(process.wait(), SECONDS)
    assert process.returncode == 130
    assert (await answered(terminal, b"\x04", *SET, *FIRST_MONDAYS)).code == 1
    assert await listed(terminal) == []


async def test_without_a_terminal_words_take_a_yes_in_the_call(terminal: Terminal, world: World) -> None:
    refused = await terminal.keepwell(*SET, *FIRST_MONDAYS, stdin=b"y\n", **BOT)
    refused.refused(2, "--when: nothing is set yet", "on the first Monday at 09:00", "Add --yes")
    assert await listed(terminal) == []
    said = (await terminal.keepwell(*SET, *FIRST_MONDAYS, "--yes", **BOT)).said()
    assert said.startswith("Set:\ncheck the canary (pending)\n  every month on the first Monday at 09:00, Am")
    assert said.count("  next: Monday ") == 3
    assert said.count(", 09:00 America/Vancouver, in ") == 3
    assert "  in workspace=staging-cloud, of agent:ops-agent\n" in said


@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ((), 2, ("say when, in one way",)),
        (("--in", "PT1H", "--at", "2100-01-01T00:00:00Z"), 2, ("say when, in one way",)),
        (("--when", f"{CANARY} at some point", "--yes"), 2, ("ISO 8601", "RRULE")),
        (("--when", "tomorrow at 9", "--zone", "Mars/Olympus"), 2, ("--zone: not an IANA zone", "Europe")),
        (("--every", "FREQ=DAILY", "--zone", "Mars/Olympus"), 2, ("--zone: not an IANA zone", "Europe")),
        (("--every", "FREQ=SECONDLY"), 2, ("--every: ", "minute")),
        (("--at", "2026-01-01T09:00:00Z"), 2, ("--at: lies in the past", "grace")),
        (("--at", "2100-01-01T09:00:00"), 2, ("--at: ", "offset")),
        (("--in", "40m"), 2, ("--in: ", "PT40M")),
        (("--in", "PT1H", "--starts", "2100-01-01T00:00:00Z"), 2, ("--starts: says more of --every",)),
        (("--in", "PT1H", "--deadline", "2026-01-01T00:00:00Z"), 2, ("--deadline: lies in the past",)),
        (("--in", "PT1H", "--repeats"), 2, ("--repeats: says more of --on",)),
        (("--in", "PT1H", "--for", "dana"), 2, ("--for: write it as human:NAME",)),
        (("--in", "PT1H", "--for", "human:dana"), 3, ("assign",)),
        (("--in", "PT1H", "--deliver-to", "nowhere"), 4, ("--deliver-to: no such endpoint",)),
        (("--in", "PT1H", "--premise", "x"), 2, ("--premise: is not an id",)),
        (("--in", "PT1H", "--data", "{"), 2, ("--data: not JSON",)),
        (("--on", "data.job"), 2, ("--on: write it as FIELD=TEXT",)),
        (("--on", f"data.secret={CANARY}"), 2, ("--on: ", "cue_fields")),
        (("--on", "data.severity:=high"), 2, ("--on: not JSON",)),
        (("--attribute", "owner"), 2, ("--becomes: is missing",)),
        (("--becomes", "retired"), 2, ("--becomes: name the fact",)),
        (("--becomes", "retired", "--attribute", "mood"), 2, ("--attribute: no such attribute",)),
    ],
)
async def test_what_cannot_be_set_says_how(
    terminal: Terminal, world: World, how: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    (await terminal.keepwell(*SET, *how, **BOT)).refused(code, *words)
    assert await listed(terminal) == []


async def test_an_instant_that_has_passed_takes_a_grace(terminal: Terminal, world: World) -> None:
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    (await terminal.keepwell(*SET, "--at", hour_ago, **BOT)).refused(2, "--at: lies in the past")
    assert (await made(terminal, "--at", hour_ago, "--grace", "PT2H"))["grace_seconds"] == 7200


async def test_a_rule_counts_in_its_zone_within_its_bounds(terminal: Terminal, world: World) -> None:
    rule = ("--every", "FREQ=DAILY;BYHOUR=9;BYMINUTE=30", "--starts", "2099-12-31T00:00:00Z")
    bounds = ("--not-before", "2100-01-05T00:00:00Z", "--deadline", "2100-01-07T00:00:00Z")
    left_out = ("--except", "2100-01-05T08:30:00Z")
    there = await made(terminal, *rule, *bounds, *left_out, "--zone", "Europe/Berlin")
    assert there["coming"] == ["2100-01-06T08:30:00Z"]
    said = (await terminal.keepwell("intentions", **BOT)).said()
    assert "  every day at 09:30, with 1 exception, Europe/Berlin\n" in said
    assert "  next: Wednesday 6 January 2100, 09:30 Europe/Berlin, in " in said
    assert "  deadline Thursday 7 January 2100, 01:00 Europe/Berlin, in " in said


async def test_an_event_and_a_change_are_waited_for(terminal: Terminal, desk: Desk) -> None:
    cue = ("--on", "data.version=1.10", "--on", "data.severity:=1", "--on", "type=milestone", "--repeats")
    waits = await made(terminal, *cue)
    assert [each["value"] for each in waits["trigger"]["conditions"]] == ["1.10", 1, "milestone"]
    said = {"type": "milestone", "occurred_at": datetime.now(UTC).isoformat()}
    for version in (1.10, "1.10"):
        told = event(**said, data={"version": version, "severity": 1})
        await desk.world.publish(desk.lead, told)
    [due] = await desk.due()
    assert str(due.intention.id) == waits["id"]

    fact = ("--becomes", "established", "--becomes", "disputed", "--attribute", "owner")
    change = await made(terminal, *fact, "--entity", SERVER["id"], "--value", "Ana")
    assert change["told"] == (
        f"when owner of {SERVER['id']} becomes established or disputed with the value Ana"
    )


async def test_one_is_listed_shown_and_given_another_time(terminal: Terminal, world: World) -> None:
    there = await made(terminal, "--at", "2100-01-01T09:00:00Z", "--zone", "Europe/Berlin")
    path = ("intentions", "reschedule", there["id"])
    for how, words in (
        ((), "say when, in one way"),
        (("--when", f"on {EVE_OF} at 18:00"), f"{EVE_OF}, 18:00 Europe/Berlin"),
        (("--when", "sometime", "--yes"), "ISO 8601"),
        (("--at", "2026-01-01T09:00:00Z"), "--at: lies in the past"),
    ):
        (await terminal.keepwell(*path, *how, **BOT)).refused(2, words)
    moved = (await terminal.keepwell(*path, "--when", f"on {EVE_OF} at 18:00", "--yes", **BOT)).said()
    assert moved.startswith("Rescheduled:\ncheck the canary (pending)\n  ")
    assert f"day {EVE_OF}, 18:00 Europe/Berlin, in " in moved
    shown = (await terminal.keepwell("intentions", "show", there["id"], **BOT)).said()
    assert shown == moved.removeprefix("Rescheduled:\n")
    assert f"  intention {there['id']}\n" in shown
    again = await terminal.keepwell(*path, "--every", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "--json", **BOT)
    # On the minute, at whichever second that was said.
    assert again.json["intention"]["told"].startswith("every day at 09:00, Europe/Berlin; next: ")


async def test_one_is_given_up_and_stays_in_the_list_of_those(terminal: Terminal, world: World) -> None:
    there = await made(terminal, "--in", "P1D")
    path = ("intentions", "cancel", there["id"])
    (await terminal.keepwell(*path, **EVE)).refused(4, "no such intention within reach")
    assert "(cancelled: given_up)" in (await terminal.keepwell(*path, "--text", "No need.", **BOT)).said()
    (await terminal.keepwell(*path, **BOT)).refused(5, "nothing comes of the intention any more")
    assert (await terminal.keepwell("intentions", "list", **BOT)).said() == "No intentions.\n"
    [gone] = await listed(terminal, "--state", "cancelled", "--state", "expired")
    assert gone["id"] == there["id"]
    (await terminal.keepwell("intentions", "show", "x", **BOT)).refused(2, "take one from keepwell intent")


async def test_one_is_set_for_another_and_handed_over(terminal: Terminal, world: World) -> None:
    theirs = await made(terminal, "--in", "P1D", "--for", "agent:ops-agent", **SAM)
    assert "of agent:ops-agent, set by human:sam" in (await terminal.keepwell("intentions", **BOT)).said()
    over = ("intentions", "hand-over", theirs["id"], "--to", "human:dana")
    (await terminal.keepwell(*over, **BOT)).refused(3)
    handed = (await terminal.keepwell(*over, **SAM)).said()
    assert "of human:dana, set by human:sam" in handed
    assert await listed(terminal) == []
    [seen] = await listed(terminal, *HERE, "--limit", "1", **SAM)
    assert seen["id"] == theirs["id"]
    (await terminal.keepwell("intentions", *HERE, **BOT)).refused(3, "assign")


async def test_a_list_goes_on_where_its_page_ended(terminal: Terminal, world: World) -> None:
    first, second = [(await made(terminal, "--in", delay))["id"] for delay in ("P1D", "P2D")]
    said = (await terminal.keepwell("intentions", "--limit", "1", **BOT)).said()
    assert f"There may be more: --cursor {second}\n" in said
    [rest] = await listed(terminal, "--cursor", second)
    assert rest["id"] == first
    unknown = str(uuid4())
    (await terminal.keepwell("intentions", "--cursor", unknown, **BOT)).refused(2, "--cursor: ")


async def test_a_promise_waits_for_a_yes(terminal: Terminal, world: World) -> None:
    said = event(
        type="message",
        text=f"I'll check the canary on {EVE_OF} at 18:00.",
        occurred_at=datetime.now(UTC).isoformat(),
    )
    await world.digest(await world.publish(world.agent, said, event(type="activity_completed")))
    [proposed] = await listed(terminal)
    shown = (await terminal.keepwell("intentions", **BOT)).said()
    assert "check the canary (proposed)\n" in shown
    assert f"  next: keepwell intentions confirm {proposed['id']}, or cancel\n" in shown
    confirm = ("intentions", "confirm", proposed["id"])
    assert "(pending: confirmed)" in (await terminal.keepwell(*confirm, **BOT)).said()
    (await terminal.keepwell(*confirm, **BOT)).refused(5, "nothing to confirm")


async def test_what_somebody_wrote_cannot_steer_the_terminal(terminal: Terminal, desk: Desk) -> None:
    await desk.intend(action="[red]stop[/red]\x1b[2J\x9b1m", at=far())
    await desk.intend(on={"entity": "a\x1b]0;x"})
    said = (await terminal.keepwell("intentions", **BOT)).said()
    assert "[red]stop[/red]\ufffd[2J\ufffd1m (pending)" in said
    assert "a\ufffd]0;x" in said
