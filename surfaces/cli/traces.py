"""Commands about answers that were given: list recalls, show how one came about, and what memory was good for."""

from typing import Annotated

import typer
from pydantic import ValidationError

from models.attribution import AttributionQuery
from models.events import first_error
from models.recall import Advice
from models.traces import TraceQuery
from models.triggers import Trigger
from runtime.up import DEFAULT_TENANT
from surfaces.cli import findings
from surfaces.cli.memory import identity
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    CursorOption,
    JsonOption,
    PageOption,
    RolesOption,
    TenantOption,
    command,
    pairs_of,
    principal,
    print_json,
    service,
)
from surfaces.http import telling
from surfaces.http.answers import TracePage

TRACES = "keepwell traces, or the answer to a recall"
"""What shows the ids of traces."""


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for function in (traces, trace, funnel):
        app.command()(function)


@command
async def traces(
    record: Annotated[
        str | None, typer.Option("--record", help="Only recalls that found this fact or passage.")
    ] = None,
    trigger: Annotated[
        Trigger | None, typer.Option("--trigger", help="Only recalls that this called for.")
    ] = None,
    advice: Annotated[
        Advice | None, typer.Option("--advice", help="Only recalls whose answer advised this.")
    ] = None,
    cursor: CursorOption = None,
    limit: PageOption = 50,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List recalls, newest first: your own, or everybody's for a role that reads the whole tenant."""
    query = TraceQuery(
        record_id=None if record is None else identity(record, "--record"),
        trigger=trigger,
        advice=advice,
        cursor=cursor,
        limit=limit,
    )
    async with service() as opened:
        page = await opened.traces(principal(tenant, actor, role), query)
    if as_json:
        print_json(TracePage.model_validate(page).model_dump(mode="json"))
    else:
        findings.recalls(page)


@command
async def trace(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="Id of a trace.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Show how an answer came about: each decision, and what became of every record that was found."""
    async with service() as opened:
        seen = await opened.trace(principal(tenant, actor, role), identity(identifier, "ID", TRACES))
    if as_json:
        print_json(telling.trace(seen).model_dump(mode="json"))
    else:
        findings.trace(seen)


@command
async def funnel(
    scope: Annotated[
        list[str],
        typer.Option("--scope", metavar="DIMENSION=VALUE", help="Only there and within; may be repeated."),
    ] = [],
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="INSTANT", help="From then on; 30 days back, unless given."),
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="INSTANT", help="Before then; now.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Show what memory was good for: how many records came how far, what triggers brought, and paired runs."""
    try:
        query = AttributionQuery.model_validate(
            {"scope": pairs_of(scope, "--scope"), "since": since, "until": until}
        )
    except ValidationError as invalid:
        raise first_error(invalid) from None
    async with service() as opened:
        found = await opened.attribution(principal(tenant, actor, role), query)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        findings.attribution(found)
