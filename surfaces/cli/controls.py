"""Commands about what is held of a person: the export of all of it, and what they have switched off."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from models.controls import SwitchState
from models.errors import InvalidInput
from models.principals import Principal
from runtime.up import DEFAULT_TENANT
from surfaces.cli import render
from surfaces.cli.keys import administrator
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
    service,
)


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for function in (export, switches, switch):
        app.command()(function)


@command
async def export(
    subject: Annotated[
        str | None,
        typer.Option("--subject", help="Of whom; else of whoever --as names. Takes an administrator."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to; else to standard output.")
    ] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Export all that is held of a person, as one JSON document with provenance. A file is for its owner alone."""
    async with service() as opened:
        document = await opened.export_of(_asking(tenant, actor, role, subject), subject)
    counts: dict[str, int] = json.loads(document)["counts"]
    if not any(counts.values()):
        sys.stderr.write(
            "keepwell: nothing is held of this subject; it is compared to the letter, as keys and tokens have it\n"
        )
    if out is None:
        sys.stdout.write(document.decode())
        return
    await asyncio.to_thread(_write, out, document)
    held = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    console.print(f"{len(document):,} bytes: {held or 'nothing'}.")


def _asking(tenant: str, actor: str, roles: list[str], subject: str | None) -> Principal:
    """Whoever `--as` names; of somebody else the operator asks as the administrator, as this is their own process."""
    if subject is not None and actor == DEFAULT_ACTOR and not roles:
        return administrator(tenant)
    return principal(tenant, actor, roles)


def _write(path: Path, document: bytes) -> None:
    """Write what nobody else should read; raises `InvalidInput` where that cannot be.

    A file that is there is replaced, as it may be one that others can read, or have open by now. Where the path is
    a device or a pipe, the document goes into it.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(document)
        else:
            _replace(path, document)
    except OSError as failed:
        raise InvalidInput(
            f"cannot be written ({failed.strerror}); name another file", field="--out"
        ) from None


def _replace(path: Path, document: bytes) -> None:
    """Put the document at `path` as a whole, by way of a file beside it that only its owner can read."""
    handle, name = tempfile.mkstemp(prefix=".keepwell-", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(document)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


@command
async def switches(
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List the classes of memory that a person can switch off for themselves, and how they have each."""
    async with service() as opened:
        found = await opened.switches_of(principal(tenant, actor, role))
    if as_json:
        print_json([each._asdict() for each in found])
    else:
        render.switches(found)


@command
async def switch(
    state: Annotated[
        SwitchState, typer.Argument(help="off: no memories of the class are held of you; on: they are.")
    ],
    class_name: Annotated[
        str, typer.Argument(metavar="CLASS", help="A class, as keepwell switches has them.")
    ],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Switch a class of memory off or on for oneself. Nothing is deleted: switched on, what is there comes back."""
    who = principal(tenant, actor, role)
    async with service() as opened:
        turn = opened.switch_off if state is SwitchState.OFF else opened.switch_on
        switched = await turn(who, class_name)
    if as_json:
        print_json(switched._asdict())
    else:
        render.switches([switched])
