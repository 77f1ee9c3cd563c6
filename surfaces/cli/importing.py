"""Commands that bring in what happened elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from runtime.up import DEFAULT_TENANT
from surfaces.cli import render
from surfaces.cli.progress import showing_progress
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    JsonOption,
    RolesOption,
    TenantOption,
    command,
    principal,
    service,
)
from surfaces.importing.jsonlines import import_events
from surfaces.importing.locomo import import_locomo

group = typer.Typer(no_args_is_help=True, help="Bring in events from files.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="import")


@group.command("locomo")
@command
async def locomo(
    file: Annotated[Path, typer.Argument(help="The public locomo10.json.")],
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Import LoCoMo conversations: sessions as activities, turns as events. Twice adds nothing."""
    async with service() as opened:
        with showing_progress("importing", quiet=as_json) as on_progress:
            report = await import_locomo(opened, tenant, file, on_progress)
    render.import_report(report, as_json=as_json)


@group.command("events")
@command
async def events(
    file: Annotated[
        Path, typer.Argument(help="JSON lines; a line may say its actor. - reads standard input.")
    ],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Import events of any number of actors, one JSON object a line."""
    async with service() as opened:
        with showing_progress("importing", quiet=as_json) as on_progress:
            report = await import_events(
                opened, principal(tenant, actor, role), file, actors_allowed=True, on_progress=on_progress
            )
    render.import_report(report, as_json=as_json)
