"""Commands that state something and wait for the verdict: remember, correct, retract, promote."""

from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from models.errors import Unavailable
from models.events import first_error
from models.statements import Correction, Decided, Promotion, Stated, Statement, Withdrawal
from runtime.up import DEFAULT_TENANT
from surfaces.cli import render
from surfaces.cli.memory import FACTS, identity
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    REFUSED,
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

S = TypeVar("S", bound=BaseModel)

FactArgument = Annotated[str, typer.Argument(help="Id of the fact, as remember and recall show it.")]
ValueArgument = Annotated[str, typer.Argument(help="What holds.")]
EndsWhenOption = Annotated[
    str | None,
    typer.Option("--ends-when", help="The condition, in words, that ends it once it is confirmed."),
]
ExpiresOption = Annotated[
    str | None,
    typer.Option("--expires", metavar="INSTANT", help="From then on it does not hold in any case."),
]
TextOption = Annotated[str | None, typer.Option("--text", help="How it was said, in a sentence.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for function in (remember, correct, retract, promote):
        app.command()(function)


@command
async def remember(
    attribute: Annotated[
        str, typer.Argument(help="What is said of the thing; the policy declares which there are.")
    ],
    value: ValueArgument,
    scope: ScopeOption,
    entity: Annotated[
        str | None,
        typer.Option("--entity", help="Of which thing, by name or canonical id; else of the scope."),
    ] = None,
    ends_when: EndsWhenOption = None,
    expires: ExpiresOption = None,
    text: TextOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """State a fact and wait for the verdict. Exit code 1 when it does not govern."""
    said = {"scope": scope_of(scope), "attribute": attribute, "entity": entity, "value": value}
    statement = read(Statement, {**said, "ends_when": ends_when, "expires_at": expires, "text": text})
    async with service(temporal=True) as opened:
        stated = await opened.remember(principal(tenant, actor, role), statement)
    tell(stated, as_json, well=stated.governs)


@command
async def correct(
    fact: FactArgument,
    value: ValueArgument,
    ends_when: EndsWhenOption = None,
    expires: ExpiresOption = None,
    text: TextOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """State other terms for a fact in force. Exit code 1 when they do not govern."""
    terms = {"value": value, "ends_when": ends_when, "expires_at": expires, "text": text}
    correction = read(Correction, terms)
    async with service(temporal=True) as opened:
        stated = await opened.correct(
            principal(tenant, actor, role), identity(fact, "fact", FACTS), correction
        )
    tell(stated, as_json, well=stated.governs)


@command
async def retract(
    fact: FactArgument,
    reason: Annotated[str, typer.Argument(help="Why it is taken back.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Take back a fact in force. Exit code 1 when the fact stays."""
    withdrawal = read(Withdrawal, {"text": reason})
    async with service(temporal=True) as opened:
        stated = await opened.retract(
            principal(tenant, actor, role), identity(fact, "fact", FACTS), withdrawal
        )
    well = stated.decided is not None and stated.decided.verdict == "retract"
    tell(stated, as_json, well=well)


@command
async def promote(
    fact: FactArgument,
    scope: ScopeOption,
    text: TextOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Let a validated fact hold in a wider scope as well. Exit code 1 when it does not govern there."""
    promotion = read(Promotion, {"scope": scope_of(scope), "text": text})
    async with service(temporal=True) as opened:
        stated = await opened.promote(
            principal(tenant, actor, role), identity(fact, "fact", FACTS), promotion
        )
    tell(stated, as_json, well=stated.governs)


def read(kind: type[S], said: dict[str, Any]) -> S:
    """A statement from the options of a command; raises `InvalidInput` naming the one that does not fit."""
    try:
        return kind.model_validate({name: value for name, value in said.items() if value is not None})
    except ValidationError as invalid:
        raise first_error(invalid) from None


def tell(stated: Stated, as_json: bool, *, well: bool) -> None:
    """What came of a statement. Exits with 1 where it is not `well`; raises `Unavailable` while nobody has decided."""
    if stated.decided is None:
        raise Unavailable("the statement is stored and will be decided once Temporal and a worker answer")
    if as_json:
        print_json({"governs": stated.governs, **told(stated.decided)})
    else:
        render.stated(stated.decided, governs=stated.governs)
    if not well:
        raise typer.Exit(REFUSED)


def told(decided: Decided) -> dict[str, Any]:
    """A decision for programs, with what it comes to and what its reason means."""
    return {
        **decided._asdict(),
        "disposition": decided.disposition,
        "gate": decided.gate,
        "meaning": decided.meaning,
    }
