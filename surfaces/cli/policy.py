"""Commands about a tenant's policy: show, check, apply, log. They speak as the operator, whose own process this is."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic_core import to_jsonable_python

from models.policy_proposal import PolicyChange
from models.principals import Principal
from runtime.policy_changes import PolicyRead
from runtime.policy_check import checked_policy, content_of, proposed
from runtime.settings import SHIPPED_POLICY, load_settings
from runtime.up import DEFAULT_TENANT
from store.policies import FRESH_SECONDS, Applied
from surfaces.cli import render
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    JsonOption,
    TenantOption,
    command,
    console,
    principal,
    print_json,
    service,
)

group = typer.Typer(no_args_is_help=True, help="Show, check and change the policy of a tenant.")
_ADMIN = ["admin"]

# Unlike the shared options it reads no variable: whoever an operator otherwise speaks as, this is theirs to do.
RoleOption = Annotated[
    list[str],
    typer.Option(
        "--role", help="The role to speak in, where the policy of the tenant calls admin otherwise."
    ),
]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A policy, as YAML.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="policy")


def administrator(tenant: str, roles: list[str]) -> Principal:
    """The operator, in the role that changes policies."""
    return principal(tenant, DEFAULT_ACTOR, roles or _ADMIN)


@group.command("show")
@command
async def show(
    version: Annotated[
        int | None,
        typer.Option("--version", min=1, help="A version of before, as keepwell policy log has them."),
    ] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Print the policy in force as YAML that apply takes; standard output has the policy alone."""
    who = administrator(tenant, role)
    async with service() as opened:
        read = await (
            opened.policy_in_force(who) if version is None else opened.policy_of_version(who, version)
        )
    if as_json:
        print_json(read._asdict())
        return
    sys.stderr.write(f"{_named(read)}\n")
    sys.stdout.write(f"{(read.content or '').rstrip()}\n")


def _named(read: PolicyRead) -> str:
    if read.version == 0:
        return f"The tenant has no policy of its own: this is {_started_with()}, without its comments."
    return f"Version {read.version}, digest {read.digest[:12]}."


def _started_with() -> str:
    """Which policy counts for a tenant that has none of its own."""
    if load_settings().policy == SHIPPED_POLICY:
        return "the shipped one"
    return "the one of KEEPWELL_POLICY"


@group.command("check")
@command
async def check(file: FileArgument) -> None:
    """Say whether a file is a policy that can be applied, and else what is wrong. Nothing has to run for that."""
    found = await asyncio.to_thread(checked_policy, file)
    console.print(
        f"{file} is a policy: {render.counted(len(found.roles), 'role')},"
        f" {render.counted(len(found.systems), 'system')},"
        f" {render.counted(len(found.classes), 'class', 'classes')},"
        f" {render.counted(len(found.attributes), 'attribute')}."
    )


@group.command("apply")
@command
async def apply(
    file: FileArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why; it stands in the log.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what it would do, and do nothing.")
    ] = False,
    expected: Annotated[
        int | None,
        typer.Option("--expected-version", help="Refuse where another version than this is in force by now."),
    ] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    role: RoleOption = [],
    as_json: JsonOption = False,
) -> None:
    """Make a policy the tenant's own, and tell which memories that touches and what it takes from whom."""
    new = proposed(content_of(file), reason, dry_run=dry_run, expected=expected)
    async with service() as opened:
        change = await opened.apply_policy(administrator(tenant, role), new)
    if as_json:
        print_json(told(change))
        return
    render.policy_change(change)
    if change.applied:
        console.print(
            f"Version {change.version} is applied; every process obeys it within {FRESH_SECONDS:g} s."
        )
    else:
        console.print(f"Nothing is applied; this would be version {change.version}.")


def told(change: PolicyChange) -> dict[str, Any]:
    """A change for programs, in the names and forms of the HTTP API."""
    effects = [effect._asdict() for effect in change.effects]
    grants = [lost._asdict() for lost in change.grants]
    return to_jsonable_python({**change._asdict(), "effects": effects, "grants": grants})


@group.command("log")
@command
async def log(
    tenant: TenantOption = DEFAULT_TENANT, role: RoleOption = [], as_json: JsonOption = False
) -> None:
    """List the latest changes of the policy, newest first."""
    async with service() as opened:
        found: Sequence[Applied] = await opened.policy_log(administrator(tenant, role))
    if as_json:
        print_json(to_jsonable_python([each._asdict() for each in found]))
    else:
        render.policy_log(found, _started_with())
