"""Commands about what is due: inbox take, ack, snooze. Nothing is acknowledged by itself."""

import time
from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

import typer

from capture.inbox import Due
from capture.intentions import Set
from models.errors import InvalidInput
from models.intention_changes import (
    LEASE_SECONDS,
    LONGEST_LEASE_SECONDS,
    LONGEST_WAIT_SECONDS,
    MOST_LEASED,
    AcknowledgementGiven,
    Done,
    Snooze,
    Take,
)
from models.principals import Principal
from runtime.addresses import find
from runtime.service import Service
from runtime.settings import load_settings
from runtime.up import DEFAULT_TENANT
from store import occurrences
from store.listen import Listener
from surfaces.cli import agenda
from surfaces.cli.memory import identity
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    JsonOption,
    RolesOption,
    TenantOption,
    command,
    principal,
    print_json,
    service,
)
from surfaces.cli.statements import read
from surfaces.cli.timing import AfterOption, in_options
from surfaces.http import answers, intending

group = typer.Typer(no_args_is_help=True, help="Take what is due, and say what came of it.")

_LOOK_AGAIN_SECONDS = 2.0
"""What comes again by time alone, as a lease runs out, is not told to whoever listens."""

OccurrenceArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the occurrence, as keepwell inbox take shows it.")
]
LeaseOption = Annotated[
    str | None,
    typer.Option(
        "--lease", metavar="ID", help="The lease it was taken under: refuse if it is another's by now."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="inbox")


@group.command("take")
@command
async def take(
    limit: Annotated[int, typer.Option("--limit", min=1, max=MOST_LEASED, help="How many at most.")] = 10,
    lease: Annotated[
        float,
        typer.Option(
            "--lease-seconds", min=1, max=LONGEST_LEASE_SECONDS, help="How long there is to acknowledge it."
        ),
    ] = LEASE_SECONDS,
    wait: Annotated[
        float, typer.Option("--wait", min=0, max=LONGEST_WAIT_SECONDS, help="Seconds to wait for something.")
    ] = 0.0,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Take what is due, the oldest first. What is not acknowledged within the lease comes again."""
    with in_options():
        asked = read(Take, {"limit": limit, "lease_seconds": lease, "wait_seconds": wait})
        async with service() as opened:
            taken = await _taken(opened, principal(tenant, actor, role), asked)
    if as_json:
        print_json(answers.InboxTaken(due=[intending.due(each) for each in taken]).model_dump(mode="json"))
    else:
        agenda.handed_out(taken)


@group.command("ack")
@command
async def acknowledge(
    occurrence: OccurrenceArgument,
    outcome: Annotated[Done, typer.Option("--outcome", help="What came of it.")] = Done.DONE,
    text: Annotated[str | None, typer.Option("--text", help="The same in a sentence.")] = None,
    lease: LeaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Say that something due was done, failed or was not needed. It never comes again."""
    who, wanted = principal(tenant, actor, role), _identity(occurrence)
    given = read(AcknowledgementGiven, {"outcome": outcome, "text": text, "lease": _lease(lease)})
    async with service() as opened:
        await _tell(opened, who, await opened.inbox.acknowledge(who, wanted, given), as_json=as_json)


@group.command("snooze")
@command
async def snooze(
    occurrence: OccurrenceArgument,
    after: AfterOption = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="INSTANT", help="At an instant with an offset.")
    ] = None,
    lease: LeaseOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Put something due off: it comes again later."""
    if (after is None) == (until is None):
        raise InvalidInput("say until when, in one way: --in or --until")
    who, wanted = principal(tenant, actor, role), _identity(occurrence)
    said: dict[str, Any] = {"after": after, "until": until, "lease": _lease(lease)}
    with in_options():
        put_off = read(Snooze, said)
    async with service() as opened:
        await _tell(opened, who, await opened.inbox.snooze(who, wanted, put_off), as_json=as_json)


def _identity(occurrence: str) -> UUID:
    return identity(occurrence, "occurrence", "keepwell inbox take")


def _lease(written: str | None) -> UUID | None:
    return None if written is None else identity(written, "--lease", "keepwell inbox take")


async def _taken(opened: Service, who: Principal, asked: Take) -> Sequence[Due]:
    """What is due; where nothing is, it is waited for as long as is asked for."""
    patience = time.monotonic() + asked.wait_seconds
    found = await opened.inbox.take(who, asked)
    if found or not asked.wait_seconds:
        return found
    async with Listener(find(load_settings()).database_url, occurrences.CHANNEL) as heard:
        while not found and (left := patience - time.monotonic()) > 0:
            await heard.wait(min(left, _LOOK_AGAIN_SECONDS))
            found = await opened.inbox.take(who, asked)
    return found


async def _tell(opened: Service, who: Principal, said: Set, *, as_json: bool) -> None:
    """The intention of something due, as it stands after a word on it, with all that came of it."""
    planned, came = await opened.agenda.one(who, said.intention_id)
    if as_json:
        print_json(intending.read(planned, came).model_dump(mode="json"))
        return
    agenda.intention(planned)
    agenda.occurrences(planned.intention, came)
