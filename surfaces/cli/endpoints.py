"""Commands about endpoints: register, list, show, rotate, disable, enable. They speak as the operator, as keys do."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from capture.endpoints import Registered
from models.circuit import CircuitState, state_of
from models.endpoints import Endpoint, EndpointKind, NewEndpoint
from models.errors import NotFound
from runtime.up import DEFAULT_TENANT
from surfaces.cli.policy import RoleOption, administrator
from surfaces.cli.render import counted, folding, verbatim
from surfaces.cli.session import JsonOption, TenantOption, command, console, print_json, service
from surfaces.cli.statements import read
from surfaces.http import answers, intending

group = typer.Typer(no_args_is_help=True, help="Keep what is due and where it goes: webhooks and signals.")

NameArgument = Annotated[
    str, typer.Argument(help="Name of the endpoint, as keepwell endpoints list shows it.")
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="endpoints")


@group.command("register")
@command
async def register(
    name: Annotated[str, typer.Argument(help="What to call it; --deliver-to of an intention names it.")],
    address: Annotated[str, typer.Argument(help="https://… of a webhook, WORKFLOW_ID#SIGNAL of a workflow.")],
    kind: Annotated[EndpointKind, typer.Option("--kind", help="How it is reached.")] = EndpointKind.WEBHOOK,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Register an endpoint. Standard output has the secret of a webhook alone, this once."""
    new = read(NewEndpoint, {"name": name, "kind": kind, "address": address})
    async with service() as opened:
        made = await opened.endpoints.register(administrator(tenant, role), new)
    _hand_out(made, "is registered", as_json=as_json)


@group.command("rotate")
@command
async def rotate(
    name: NameArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Replace the secret of a webhook, and print the new one, this once. The one before it signs as well."""
    async with service() as opened:
        made = await opened.endpoints.rotate(administrator(tenant, role), name)
    _hand_out(made, "has a new secret, and is signed for by the one before it as well", as_json=as_json)


@group.command("list")
@command
async def every(
    tenant: TenantOption = DEFAULT_TENANT, role: RoleOption = [], as_json: JsonOption = False
) -> None:
    """List the endpoints of a tenant by name, with how they stand."""
    async with service() as opened:
        found = await opened.endpoints.list(administrator(tenant, role))
    if as_json:
        listed = answers.EndpointList(endpoints=[intending.endpoint(each) for each in found])
        print_json(listed.model_dump(mode="json"))
        return
    if not found:
        console.print("No endpoints.")
        return
    table = folding("name", "kind", "address", "state", "failures")
    now = datetime.now(UTC)
    for each in found:
        table.add_row(
            verbatim(each.name),
            each.kind.value,
            verbatim(each.address),
            _stands(each, now),
            f"{each.circuit.failures:,}",
        )
    console.print(table)


@group.command("show")
@command
async def show(
    name: NameArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Show how an endpoint stands: what signs for it, what failed, and until when it is left alone."""
    async with service() as opened:
        found = await opened.endpoints.list(administrator(tenant, role))
    there = next((each for each in found if each.name == name), None)
    if there is None:
        raise NotFound("no such endpoint; keepwell endpoints list has their names", field="name")
    _tell(there, as_json=as_json)


@group.command("disable")
@command
async def disable(
    name: NameArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Switch an endpoint off: what is due for it waits."""
    async with service() as opened:
        _tell(await opened.endpoints.disable(administrator(tenant, role), name), as_json=as_json)


@group.command("enable")
@command
async def enable(
    name: NameArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Switch an endpoint on, and forget its failures: what has waited for it is sent."""
    async with service() as opened:
        _tell(await opened.endpoints.enable(administrator(tenant, role), name), as_json=as_json)


def _hand_out(made: Registered, what: str, *, as_json: bool) -> None:
    """A secret, alone on standard output; an endpoint that has none is shown."""
    if as_json:
        print_json(intending.endpoint_made(made).model_dump(mode="json"))
    elif made.secret is None:
        _tell(made.endpoint, as_json=False)
    else:
        sys.stderr.write(f"Endpoint {made.endpoint.id} {what}. The secret is shown this once.\n")
        sys.stdout.write(f"{made.secret}\n")


def _tell(there: Endpoint, *, as_json: bool) -> None:
    if as_json:
        print_json(intending.endpoint(there).model_dump(mode="json"))
        return
    console.print(verbatim(f"{there.name}: {there.kind.value} {there.address}"), style="bold")
    console.print(f"  {_stands(there, datetime.now(UTC))}")
    if there.circuit.failures:
        console.print(f"  {counted(there.circuit.failures, 'attempt')} in a row failed")
    if there.reason is not None:
        console.print(verbatim(f"  {there.reason}"))
    if there.kind is EndpointKind.WEBHOOK:
        console.print(f"  signed for by {counted(there.signed_by, 'secret')}")
    console.print(verbatim(f"  made {there.recorded_at:%Y-%m-%d %H:%M} by {there.made_by}"))
    console.print(f"  [dim]endpoint {there.id}[/]")


def _stands(there: Endpoint, now: datetime) -> str:
    """Whether messages go out to it."""
    if there.disabled_at is not None:
        return f"off since {there.disabled_at:%Y-%m-%d %H:%M}"
    match state_of(there.circuit, now):
        case CircuitState.CLOSED:
            return "on"
        case CircuitState.OPEN:
            return f"left alone until {there.circuit.open_until:%Y-%m-%d %H:%M:%S}"
        case CircuitState.HALF_OPEN:
            return "on trial: one message goes out, and decides"
