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
    ScopeOption,
    TenantOption,
    command,
    principal,
    scope_of,
    service,
)
from surfaces.importing.jsonlines import import_events
from surfaces.importing.locomo import import_locomo
from surfaces.importing.postmortems import import_postmortems, instant_of

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


@group.command("postmortems")
@command
async def postmortems(
    folder: Annotated[Path, typer.Argument(help="A folder of .md files with YAML front matter.")],
    scope: ScopeOption,
    undated: Annotated[
        str | None, typer.Option("--undated", metavar="INSTANT", help="When, for files without any date.")
    ] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Import post-mortems, each an activity; whoever imports says the lessons they give. Twice adds nothing."""
    where = scope_of(scope)
    when = None if undated is None else instant_of(undated, "--undated")
    who = principal(tenant, actor, role)
    async with service() as opened:
        with showing_progress("importing", quiet=as_json) as on_progress:
            report = await import_postmortems(opened, who, folder, where, when, on_progress)
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
