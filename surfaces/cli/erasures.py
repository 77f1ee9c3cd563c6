"""Commands about forgetting: ask, look at plans, confirm, follow, hold, and check the proof."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import typer

from models.erasure.erasures import ErasureBasis, ErasureState, NewErasure, PlanConfirmation
from models.erasure.holds import NewHold
from models.errors import InvalidInput
from runtime.up import DEFAULT_TENANT
from surfaces.cli.render import counted, folding, verbatim
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    JsonOption,
    RolesOption,
    TenantOption,
    command,
    console,
    principal,
    print_json,
    scope_of,
    service,
)
from surfaces.cli.statements import read
from surfaces.http import erasing
from surfaces.http.answers import ErasureTold

group = typer.Typer(no_args_is_help=True, help="What is to be forgotten: plans, how they go, and receipts.")
held = typer.Typer(no_args_is_help=True, help="Legal holds: what must not be erased for now.")

KIND = "record, event, activity, entity, person, scope, class or tenant."
KindArgument = Annotated[str, typer.Argument(help=f"What is named: {KIND}", metavar="KIND")]
NameArgument = Annotated[
    str | None,
    typer.Argument(help="The id, name or subject of it; none for scope and tenant.", metavar="NAME"),
]
ScopeOption = Annotated[
    list[str] | None, typer.Option("--scope", help="dimension=value, for activity, entity and scope.")
]
OlderOption = Annotated[
    str | None,
    typer.Option("--older-than", help="For class: how long ago, such as P90D.", metavar="DURATION"),
]
IdArgument = Annotated[UUID, typer.Argument(help="Id of the erasure.", metavar="ID")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("forget")(forget)
    app.command("verify-log")(verify_log)
    app.add_typer(group, name="erasures")
    app.add_typer(held, name="holds")


@command
async def forget(
    kind: KindArgument,
    name: NameArgument = None,
    scope: ScopeOption = None,
    older_than: OlderOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan it, and erase nothing yet.")] = False,
    basis: Annotated[ErasureBasis, typer.Option("--basis", help="Why.")] = ErasureBasis.REQUEST,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Ask that something be erased with all that was made of it. keepwell erasures show ID tells how it goes."""
    new = read(
        NewErasure,
        {"target": _target(kind, name, scope, older_than), "basis": basis.value, "dry_run": dry_run},
    )
    async with service() as opened:
        asked = await opened.erasures.ask(principal(tenant, actor, role), new)
    _tell(erasing.without_receipt(asked), as_json=as_json)


@group.command("list")
@command
async def every(
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List the latest erasures."""
    async with service() as opened:
        told = erasing.page(await opened.erased.page(principal(tenant, actor, role), None, 50))
    if as_json:
        print_json(told.model_dump(mode="json"))
        return
    if not told.erasures:
        console.print("No erasures.")
        return
    table = folding("id", "what", "state", "asked by", "records")
    for each in told.erasures:
        total = "-" if each.plan is None else f"{each.plan.total:,}"
        table.add_row(str(each.id), each.target, each.state.value, verbatim(each.asked_by), total)
    console.print(table)


@group.command("show")
@command
async def show(
    erasure_id: IdArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Show how an erasure stands, with its plan, and its receipt once it is done."""
    async with service() as opened:
        found = await opened.erased.one(principal(tenant, actor, role), erasure_id)
    _tell(erasing.erasure(found), as_json=as_json)


@group.command("confirm")
@command
async def confirm(
    erasure_id: IdArgument,
    digest: Annotated[str, typer.Option("--digest", help="Of the plan, as show prints it.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Confirm the plan of an erasure: what was looked at is what is done."""
    who = principal(tenant, actor, role)
    async with service() as opened:
        await opened.erasures.confirm(who, erasure_id, read(PlanConfirmation, {"digest": digest}))
        found = await opened.erased.one(who, erasure_id)
    _tell(erasing.erasure(found), as_json=as_json)


@group.command("withdraw")
@command
async def withdraw(
    erasure_id: IdArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Call an erasure off that has not begun."""
    who = principal(tenant, actor, role)
    async with service() as opened:
        await opened.erasures.withdraw(who, erasure_id)
        found = await opened.erased.one(who, erasure_id)
    _tell(erasing.erasure(found), as_json=as_json)


@held.command("add")
@command
async def hold(
    kind: KindArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why it must stay.")],
    name: NameArgument = None,
    scope: ScopeOption = None,
    until: Annotated[str | None, typer.Option("--until", help="An instant; else until released.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Forbid that something be erased."""
    new = read(NewHold, {"target": _target(kind, name, scope, None), "reason": reason, "until": until})
    async with service() as opened:
        made = await opened.erasures.hold(principal(tenant, actor, role), new.target, new.reason, new.until)
    console.print(f"held, {made}")


@held.command("list")
@command
async def holds(
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List all legal holds, those that are over as well."""
    async with service() as opened:
        told = erasing.holds(await opened.erased.holds(principal(tenant, actor, role)))
    if as_json:
        print_json(told.model_dump(mode="json"))
        return
    if not told.holds:
        console.print("No holds.")
        return
    table = folding("id", "what", "reason", "owner", "until")
    for each in told.holds:
        ends = "released" if each.released_at is not None else _day(each.until) or "released by somebody"
        table.add_row(str(each.id), each.target.kind, verbatim(each.reason), verbatim(each.owner), ends)
    console.print(table)


@held.command("release")
@command
async def release(
    hold_id: Annotated[UUID, typer.Argument(help="Id of the hold.", metavar="ID")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """End a legal hold: what it has stopped goes on."""
    async with service() as opened:
        await opened.erasures.release(principal(tenant, actor, role), hold_id)
    console.print("released")


@command
async def verify_log(
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Check that every receipt of an erasure is as it was written, and follows the one before it."""
    async with service() as opened:
        told = erasing.checked(await opened.erased.faults(principal(tenant, actor, role)))
    if as_json:
        print_json(told.model_dump(mode="json"))
    else:
        for each in told.faults:
            console.print(f"receipt {each.number}: {each.fault}")
        console.print("The log holds together." if told.holds else "The log was tampered with.")
    if not told.holds:
        raise typer.Exit(1)


def _target(kind: str, name: str | None, scope: list[str] | None, older_than: str | None) -> dict[str, Any]:
    """What a command line names, as a request says it."""
    where: dict[str, Any] = {"scope": dict(scope_of(scope))} if scope else {}
    named = {
        "record": "id",
        "event": "id",
        "activity": "activity_id",
        "entity": "entity",
        "person": "subject",
        "class": "class_name",
    }
    if kind not in named and kind not in {"scope", "tenant"}:
        raise InvalidInput(f"is none of {KIND.rstrip('.')}", field="KIND")
    if kind in named and name is None:
        raise InvalidInput(f"is missing: say which {kind}", field="NAME")
    told = {} if name is None else {named.get(kind, "name"): name}
    since = {} if older_than is None else {"older_than": older_than}
    return {"kind": kind, **told, **where, **since}


def _tell(told: ErasureTold, *, as_json: bool) -> None:
    if as_json:
        print_json(told.model_dump(mode="json"))
        return
    console.print(f"erasure {told.id}: {told.target}, {told.state.value}")
    if told.plan is not None:
        console.print(f"  plan {told.plan.digest}")
        for line in told.plan.lines:
            named = ", named" if line.named else ""
            records = counted(line.records, line.kind.value)
            console.print(f"  {line.disposition.value}: {records}{named}")
        for hold_id in told.plan.holds:
            console.print(f"  held by {hold_id}")
    if told.state is ErasureState.PLANNED:
        console.print(f"  waits: keepwell erasures confirm {told.id} --digest …")
    for where, number in sorted(told.found.items()):
        console.print(f"  still found in {where}: {number}")
    if told.receipt is not None:
        rows = ", ".join(f"{number} in {table}" for table, number in sorted(told.receipt.rows.items()))
        console.print(f"  receipt {told.receipt.number}: {rows}")
        for where, number in sorted(told.receipt.left_here.items()):
            console.print(f"  the same words stand in {counted(number, 'row')} of {where}")


def _day(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
