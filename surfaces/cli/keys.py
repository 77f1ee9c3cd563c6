"""Commands about API keys: create, list, revoke. They speak as the operator, whose own process this is."""

import sys
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from models.api_keys import ApiKey, NewApiKey
from models.errors import Conflict
from models.events import first_error
from models.principals import Principal
from models.verbs import Verb
from runtime.authentication.keys import TRUSTED_SECONDS
from runtime.up import DEFAULT_TENANT
from surfaces.cli import render
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    JsonOption,
    TenantOption,
    command,
    console,
    keys,
    pairs_of,
    principal,
    print_json,
    speaker,
)

group = typer.Typer(no_args_is_help=True, help="Make, list and revoke API keys.")

# Unlike the shared options these read no variable: who speaks here is not whom a key speaks for.
HolderOption = Annotated[
    str,
    typer.Option("--as", metavar="KIND:NAME", help="Whom the key speaks for: human, agent or system."),
]
HeldOption = Annotated[
    list[str],
    typer.Option(
        "--role",
        help="A role that it speaks in; may be repeated. A system that the policy declares may do without.",
    ),
]
WithinOption = Annotated[
    list[str],
    typer.Option(
        "--within", metavar="DIMENSION=VALUE", help="Narrow it to a scope; may be repeated. Else any scope."
    ),
]
OnlyOption = Annotated[
    list[Verb], typer.Option("--only", help="Narrow it to a verb; may be repeated. Else all of its roles.")
]
ExpiresOption = Annotated[
    str | None, typer.Option("--expires", metavar="INSTANT", help="When it ends. Else when it is revoked.")
]
ReplaceOption = Annotated[
    bool, typer.Option("--replace", help="Where a key of this name is in force, revoke it and make this one.")
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="keys")


def administrator(tenant: str) -> Principal:
    """The operator, in the role that makes keys."""
    return principal(tenant, DEFAULT_ACTOR, ["admin"])


def told(key: ApiKey) -> dict[str, Any]:
    """A key for programs, in the names and forms of the HTTP API."""
    only = None if key.only is None else sorted(key.only)
    return to_jsonable_python({**key._asdict(), "only": only})


def new_key(
    name: str, holder: str, roles: list[str], within: list[str], only: list[Verb], expires: str | None
) -> NewApiKey:
    """The key that the options ask for; raises `InvalidInput`."""
    kind, subject = speaker(holder)
    wanted: dict[str, Any] = {
        "name": name,
        "subject": subject,
        "kind": kind,
        "roles": roles,
        "within": pairs_of(within, "--within"),
        "only": only or None,
        "expires_at": expires,
    }
    try:
        return NewApiKey.model_validate(wanted)
    except ValidationError as invalid:
        raise first_error(invalid) from None


def identity_of(key: str) -> UUID | None:
    """The id that `key` is, or None where it is a name."""
    try:
        return UUID(key)
    except ValueError:
        return None


@group.command("create")
@command
async def create(
    name: Annotated[str, typer.Argument(help="What to call it; two keys in force have different names.")],
    holder: HolderOption,
    role: HeldOption = [],
    within: WithinOption = [],
    only: OnlyOption = [],
    expires: ExpiresOption = None,
    replace: ReplaceOption = False,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Make a key and print it, this once: standard output has the key alone, as in KEY=$(keepwell keys create …)."""
    new = new_key(name, holder, role, within, only, expires)
    async with keys() as opened:
        try:
            made, token = await opened.make(administrator(tenant), new, replace=replace)
        except Conflict as taken:
            raise Conflict(
                "a key of this name is in force; --replace revokes it and makes this one, or choose another name",
                field=taken.field,
            ) from None
    if as_json:
        print_json({"key": told(made), "token": token})
        return
    in_roles = f" as {', '.join(made.roles)}" if made.roles else ""
    sys.stderr.write(
        f"Key {made.id} of tenant {tenant} speaks for {made.kind}:{made.subject}{in_roles}. It is shown this once.\n"
    )
    sys.stdout.write(f"{token}\n")


@group.command("list")
@command
async def every(tenant: TenantOption = DEFAULT_TENANT, as_json: JsonOption = False) -> None:
    """List the keys of a tenant, oldest first, those that have ended included."""
    async with keys() as opened:
        found = await opened.every(administrator(tenant))
    if as_json:
        print_json([told(key) for key in found])
    else:
        render.keys(found, datetime.now(UTC))


@group.command("revoke")
@command
async def revoke(
    key: Annotated[
        str, typer.Argument(metavar="NAME|ID", help="Name or id of the key, as keepwell keys list has them.")
    ],
    tenant: TenantOption = DEFAULT_TENANT,
) -> None:
    """End a key, by its name or its id. Ended again by its id, it keeps its first end."""
    async with keys() as opened:
        identity = identity_of(key)
        if identity is None:
            identity = await opened.revoke_named(administrator(tenant), key)
        else:
            await opened.revoke(administrator(tenant), identity)
    console.print(f"Key {identity} is revoked; a server that runs refuses it within {TRUSTED_SECONDS:g} s.")
