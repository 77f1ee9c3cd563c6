"""Commands of a reviewer: list what is held or disputed, accept it, reject it."""

from typing import Annotated, Any

import typer

from models.errors import InvalidInput
from models.reviews import Acceptance
from models.statements import Withdrawal
from runtime.up import DEFAULT_TENANT
from surfaces.cli import dossier, playbook_reviews
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
from surfaces.cli.statements import EndsWhenOption, ExpiresOption, read, tell
from surfaces.http import playing, telling

group = typer.Typer(no_args_is_help=True, help="Settle what is held, disputed or proposed.")

ClaimArgument = Annotated[str, typer.Argument(help="Id of what waits, as keepwell review list shows it.")]
WithinOption = Annotated[
    list[str],
    typer.Option(
        "--scope", metavar="DIMENSION=VALUE", help="Only there; may be repeated. Else all in reach."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    playbook_reviews.add_to(group)
    app.add_typer(group, name="review")


@group.command("list")
@command
async def waiting(
    scope: WithinOption = [],
    cursor: CursorOption = None,
    limit: PageOption = 50,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List what waits for a reviewer: facts, with the evidence on both sides, and proposals for procedures."""
    within = {} if scope == ["{}"] else pairs_of(scope, "--scope")
    who = principal(tenant, actor, role)
    async with service() as opened:
        page = await opened.review_queue(who, within, cursor, limit)
        proposed = await playbook_reviews.waiting_proposals(opened, who, within) if cursor is None else ()
    if as_json:
        told = telling.reviews(page).model_dump(mode="json")
        proposals = [playing.proposal(each).model_dump(mode="json") for each in proposed]
        print_json({**told, "proposals": proposals})
        return
    if page.items or page.next is not None or not proposed:
        dossier.queue(page)
    playbook_reviews.queue(proposed)


@group.command("accept")
@command
async def accept(
    claim: ClaimArgument,
    value: Annotated[
        str | None, typer.Option("--value", help="What holds, in place of what the claim says.")
    ] = None,
    ends_when: EndsWhenOption = None,
    expires: ExpiresOption = None,
    entity: Annotated[
        str | None,
        typer.Option(
            "--entity", help="What it is about, by canonical id, where a name means several things."
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="Why, in a sentence.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Say what a claim says, with your own right. Exit code 1 when it does not govern then."""
    if value is None and (ends_when is not None or expires is not None):
        raise InvalidInput("other terms are given whole; say the value as well", field="--value")
    said: dict[str, Any] = {"entity": entity, "text": text}
    if value is not None:
        said["terms"] = {"value": value, "ends_when": ends_when, "expires_at": expires}
    acceptance = read(Acceptance, said)
    async with service(temporal=True) as opened:
        stated = await opened.accept(
            principal(tenant, actor, role), identity(claim, "claim", "keepwell review list"), acceptance
        )
    tell(stated, as_json, well=stated.governs)


@group.command("reject")
@command
async def reject(
    claim: ClaimArgument,
    reason: Annotated[str, typer.Argument(help="Why it is rejected.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Close a claim, or a proposal for a procedure. Exit code 1 when a claim was settled in the meantime."""
    rejection = read(Withdrawal, {"text": reason})
    who, of = principal(tenant, actor, role), identity(claim, "claim", "keepwell review list")
    async with service(temporal=True) as opened:
        if await playbook_reviews.rejected(opened, who, of, reason):
            return
        stated = await opened.reject(who, of, rejection)
    tell(stated, as_json, well=stated.decided is not None and stated.decided.verdict == "retract")
