"""`keepwell context`: what would go into the prompt of a model call."""

from typing import Annotated

import typer
from pydantic import ValidationError

from models.context import DEFAULT_ANSWER_TOKENS, DEFAULT_CONTEXT_TOKENS, ContextRequest
from models.events import first_error
from runtime.up import DEFAULT_TENANT
from surfaces.cli.memory import ActivityOption, AsOfOption, EntityOption, LimitOption, instant_from
from surfaces.cli.render import console, counted
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
    print_json,
    scope_of,
    service,
)


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(context)


@command
async def context(
    subtask: Annotated[str, typer.Argument(help="What is to be done next.")] = "",
    scope: ScopeOption = [],
    goal: Annotated[str, typer.Option("--goal", help="What the work is for.")] = "",
    observation: Annotated[str, typer.Option("--observation", help="What was seen last.")] = "",
    entity: EntityOption = [],
    activity: ActivityOption = None,
    as_of: AsOfOption = None,
    budget: Annotated[
        int, typer.Option("--budget", min=1, help="Tokens for the context and the model's answer.")
    ] = DEFAULT_CONTEXT_TOKENS,
    answer: Annotated[
        int, typer.Option("--answer", min=0, help="Of these, tokens that are left for the answer.")
    ] = DEFAULT_ANSWER_TOKENS,
    limit: LimitOption = 10,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Put the context of one model call together and print it, to be put into a prompt as it is."""
    try:
        asked = ContextRequest(
            scope=scope_of(scope),
            goal=goal,
            subtask=subtask,
            observation=observation,
            entities=tuple(entity),
            activity_id=activity,
            as_of=instant_from(as_of),
            budget_tokens=budget,
            answer_tokens=answer,
            limit=limit,
        )
    except ValidationError as invalid:
        raise first_error(invalid) from None
    async with service() as opened:
        found = await opened.context(principal(tenant, actor, role), asked)
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    typer.echo(found.text)
    parts = ", ".join(f"{section.name.value} {section.tokens}" for section in found.sections)
    left_out = counted(found.left_out + found.session_left_out, "record")
    console.print(f"[dim]{found.tokens} tokens ({parts}); {left_out} left out; {found.advice.value}[/]")
