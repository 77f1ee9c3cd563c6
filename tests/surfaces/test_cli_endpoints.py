"""`keepwell endpoints`: registered with a secret that is shown once, and kept by the operator."""

import re
from datetime import UTC, datetime, timedelta

from models.circuit import Circuit
from models.ids import tenant_id
from store import endpoints
from store.engine import Database
from tests.surfaces.terminal import Ended, Terminal
from tests.world import World

HOOKS = ("register", "hooks", "https://hooks.example.org/in")
SET = ("intentions", "set", "check the canary", "--scope", "workspace=staging-cloud", "--in", "P1D")


async def of(terminal: Terminal, *arguments: str) -> Ended:
    return await terminal.keepwell("endpoints", *arguments)


def secret_of(made: Ended) -> str:
    """The secret that a command has made: all of its standard output."""
    assert made.code == 0, made.err
    assert re.fullmatch(r"whsec_\S{44}\n", made.out)
    assert made.err.endswith("The secret is shown this once.\n")
    return made.out.strip()


async def test_a_secret_is_alone_on_standard_output_and_shown_once(terminal: Terminal, world: World) -> None:
    assert (await of(terminal, "list")).said() == "No endpoints.\n"
    first = secret_of(await of(terminal, *HOOKS))
    shown = (await of(terminal, "show", "hooks")).said()
    assert shown.startswith("hooks: webhook https://hooks.example.org/in\n  on\n  signed for by 1 secret\n")
    assert secret_of(await of(terminal, "rotate", "hooks")) != first
    assert "  signed for by 2 secrets\n" in (await of(terminal, "show", "hooks")).said()
    told = await of(terminal, "list", "--json")
    assert [(each["name"], each["signed_by"]) for each in told.json["endpoints"]] == [("hooks", 2)]
    for said in (shown, told.out, (await of(terminal, "list")).said()):
        assert "whsec" not in said
    made = (await of(terminal, "register", "b", "https://b.example.org/", "--json")).json
    assert made["secret"].startswith("whsec_")


async def test_a_workflow_gets_signals_that_no_secret_signs(terminal: Terminal, world: World) -> None:
    register = ("endpoints", "register", "flow", "agent-7#intention_due", "--kind", "workflow")
    (await terminal.keepwell(*register)).refused(2, "address: no signal goes to a workflow of this id")
    allowed = {"KEEPWELL_SIGNAL_TARGETS": f"{world.tenant}:agent-"}
    made = (await terminal.keepwell(*register, **allowed)).said()
    assert made.startswith("flow: workflow agent-7#intention_due\n  on\n  made ")
    (await of(terminal, "rotate", "flow")).refused(5, "there is nothing to replace")


async def test_what_is_off_waits_until_it_is_switched_on(terminal: Terminal, world: World) -> None:
    secret_of(await of(terminal, *HOOKS))
    off = (await of(terminal, "disable", "hooks")).said()
    assert "\n  off since " in off
    assert "\n  switched off by an administrator\n" in off
    deliver = (*SET, "--deliver-to", "hooks")
    (await terminal.keepwell(*deliver)).refused(5, "--deliver-to: this endpoint is switched off")
    assert "\n  on\n" in (await of(terminal, "enable", "hooks")).said()
    identity = (await of(terminal, "show", "hooks", "--json")).json["id"]
    assert f", goes to endpoint {identity}\n" in (await terminal.keepwell(*deliver)).said()


async def test_one_that_fails_says_until_when_it_is_left_alone(
    terminal: Terminal, world: World, database: Database
) -> None:
    secret_of(await of(terminal, *HOOKS))
    tenant, until = tenant_id(world.tenant), datetime.now(UTC) + timedelta(hours=1)
    for open_until, stands in (
        (until, f"left alone until {until:%Y-%m-%d %H:%M:%S}"),
        (datetime.now(UTC), "on trial: one message goes out, and decides"),
    ):
        async with database.transaction(tenant) as work:
            [there] = await endpoints.every(work)
            await endpoints.stand(work, there.id, Circuit(6, open_until), None, "answered 500\x1b[2J")
        shown = (await of(terminal, "show", "hooks")).said()
        assert f"\n  {stands}\n  6 attempts in a row failed\n  answered 500\ufffd[2J\n" in shown
        assert stands in (await of(terminal, "list")).said()


async def test_what_cannot_be_kept_is_refused_with_the_remedy(terminal: Terminal, world: World) -> None:
    secret_of(await of(terminal, *HOOKS))
    for arguments, code, words in (
        (HOOKS, 5, "name: an endpoint has this name; choose another"),
        (("register", "a", "https://10.0.0.7/in"), 2, "address: "),
        (("register", "a", "http://hooks.example.org/in"), 2, "address: "),
        (("register", "a", "agent-7", "--kind", "workflow"), 2, "address: write it as WORKFLOW_ID#SIGNAL"),
        (("show", "a"), 4, "name: no such endpoint; keepwell endpoints list has their names"),
        (("enable", "a"), 4, "no such endpoint"),
        (("list", "--role", "operator"), 3, "administer"),
    ):
        (await of(terminal, *arguments)).refused(code, words)
    allowed = {"KEEPWELL_WEBHOOK_ALLOWED_HOSTS": "10.0.0.7:8443"}
    made = await terminal.keepwell("endpoints", "register", "a", "https://10.0.0.7:8443/in", **allowed)
    assert secret_of(made)
