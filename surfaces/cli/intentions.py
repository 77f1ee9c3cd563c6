"""Commands about what is to be done later: intentions list, set, show, confirm, cancel, reschedule, hand-over."""

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import typer
from typer.core import TyperGroup

from capture.intentions import Set
from models.errors import InvalidInput
from models.intention_changes import Cancellation, Confirmation, HandOver, Rescheduling
from models.intentions import Becomes, IntentionQuery, NewIntention, State
from models.principals import Principal
from runtime.service import Service
from runtime.up import DEFAULT_TENANT
from surfaces.cli import agenda
from surfaces.cli.memory import identity
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    CursorOption,
    JsonOption,
    PageOption,
    RolesOption,
    ScopeOption,
    TenantOption,
    command,
    console,
    principal,
    print_json,
    scope_of,
    service,
    speaker,
)
from surfaces.cli.statements import read
from surfaces.cli.timing import (
    AfterOption,
    AtOption,
    EveryOption,
    ExceptOption,
    StartsOption,
    Times,
    WordsOption,
    YesOption,
    ZoneOption,
    in_options,
    require_yes,
)
from surfaces.http import intending
from surfaces.strict_json import parse_json


class _ListUnlessSaid(TyperGroup):
    """A group that lists where no command is named; the options of the list are then its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        lists = not args or (args[0].startswith("-") and args[0] != "--help")
        return super().parse_args(ctx, ["list", *args] if lists else args)


group = typer.Typer(cls=_ListUnlessSaid, help="What is to be done later, and when. Without a command: list.")

IntentionArgument = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the intention, as keepwell intentions shows it.")
]
OfOption = Annotated[
    list[str],
    typer.Option(
        "--scope", metavar="DIMENSION=VALUE", help="Of everybody there; may be repeated. Else one's own."
    ),
]
StateOption = Annotated[
    list[State],
    typer.Option("--state", help="In this state; may be repeated. Else what is still to come."),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="intentions")


@group.command("list")
@command
async def every(
    scope: OfOption = [],
    state: StateOption = [],
    cursor: CursorOption = None,
    limit: PageOption = 50,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List intentions with when they come next, the latest set first."""
    asked: dict[str, Any] = {
        "scope": scope_of(scope) if scope else None,
        "states": tuple(state) or None,
        "before": None if cursor is None else identity(cursor, "--cursor", "the page before"),
        "limit": limit,
    }
    with in_options():
        query = read(IntentionQuery, asked)
        async with service() as opened:
            page = await opened.agenda.page(principal(tenant, actor, role), query)
    if as_json:
        print_json(intending.page(page).model_dump(mode="json"))
    else:
        agenda.page(page)


@group.command("show")
@command
async def show(
    intention: IntentionArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Show an intention, when it comes next, and what came of it."""
    wanted = _identity(intention)
    async with service() as opened:
        planned, came = await opened.agenda.one(principal(tenant, actor, role), wanted)
    if as_json:
        print_json(intending.read(planned, came).model_dump(mode="json"))
        return
    agenda.intention(planned)
    agenda.occurrences(planned.intention, came)


@group.command("set")
@command
async def intend(
    action: Annotated[str, typer.Argument(help="What is to be done.")],
    scope: ScopeOption,
    words: WordsOption = None,
    at: AtOption = None,
    after: AfterOption = None,
    every_: EveryOption = None,
    starts: StartsOption = None,
    exceptions: ExceptOption = [],
    on: Annotated[
        list[str],
        typer.Option(
            "--on",
            metavar="FIELD=VALUE",
            help="When an event says this text of its type, subject, entity or data.NAME, or with := this number, true"
            " or false. May be repeated, all must hold.",
        ),
    ] = [],
    repeats: Annotated[
        bool, typer.Option("--repeats", help="Each time that such an event comes, not once.")
    ] = False,
    becomes: Annotated[
        list[Becomes],
        typer.Option(
            "--becomes", help="When a fact becomes this; may be repeated. Name it by the next four."
        ),
    ] = [],
    fact: Annotated[str | None, typer.Option("--fact", metavar="ID", help="That fact.")] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", help="The fact of the scope with this attribute.")
    ] = None,
    entity: Annotated[str | None, typer.Option("--entity", help="And about this thing.")] = None,
    value: Annotated[str | None, typer.Option("--value", help="And with this value.")] = None,
    zone: ZoneOption = None,
    owner: Annotated[
        str | None, typer.Option("--for", metavar="KIND:NAME", help="Whose it is. Else one's own.")
    ] = None,
    not_before: Annotated[
        str | None, typer.Option("--not-before", metavar="INSTANT", help="It does not come before.")
    ] = None,
    deadline: Annotated[
        str | None, typer.Option("--deadline", metavar="INSTANT", help="It does not come from then on.")
    ] = None,
    grace: Annotated[
        str | None,
        typer.Option("--grace", metavar="DURATION", help="How late it may come, such as PT2H. Else P1D."),
    ] = None,
    premise: Annotated[
        list[str],
        typer.Option("--premise", metavar="FACT", help="A fact that it rests on, by id; may be repeated."),
    ] = [],
    deliver_to: Annotated[
        str | None, typer.Option("--deliver-to", metavar="ENDPOINT", help="Where it goes. Else the inbox.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="JSON", help="An object for the program that acts on it.")
    ] = None,
    yes: YesOption = False,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Set an intention: what is to be done, and one way to say when. Plain words are shown in full, and take a yes."""
    times = Times(words, at, after, every_, starts, exceptions, zone)
    change = _change(becomes, fact, attribute, entity, value)
    if times.given + bool(on) + (change is not None) != 1:
        raise InvalidInput("say when, in one way: --when, --at, --in, --every, --on or --becomes")
    said: dict[str, Any] = {
        "action": action,
        "scope": scope_of(scope),
        **times.said(datetime.now(UTC)),
        "on": {"conditions": [_condition(each) for each in on], "repeats": repeats} if on else None,
        "change": change,
        "owner": None if owner is None else _owner(owner, "--for"),
        "not_before": not_before,
        "deadline": deadline,
        "grace": grace,
        "premises": [identity(each, "--premise", "remember, recall or history") for each in premise],
        "deliver_to": deliver_to,
        "data": None if data is None else _json(data, "--data"),
    }
    if repeats and not on:
        raise InvalidInput("says more of --on; for what comes again by time use --every", field="--repeats")
    who = principal(tenant, actor, role)
    with in_options():
        new = read(NewIntention, said)
        async with service() as opened:
            await _confirmed(opened, who, new, yes=yes)
            await _tell(opened, who, await opened.intentions.intend(who, new), "Set:", as_json=as_json)


@group.command("confirm")
@command
async def confirm(
    intention: IntentionArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Say yes to an intention that was proposed, as it was taken from somebody's words."""
    who, wanted = principal(tenant, actor, role), _identity(intention)
    async with service() as opened:
        said = await opened.intentions.confirm(who, wanted, Confirmation())
        await _tell(opened, who, said, "Confirmed:", as_json=as_json)


@group.command("cancel")
@command
async def cancel(
    intention: IntentionArgument,
    text: Annotated[str | None, typer.Option("--text", help="Why, in a sentence.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Give an intention up. What of it is handed out and not acknowledged is taken back."""
    who, wanted = principal(tenant, actor, role), _identity(intention)
    cancellation = read(Cancellation, {"text": text})
    async with service() as opened:
        said = await opened.intentions.cancel(who, wanted, cancellation)
        await _tell(opened, who, said, "Given up:", as_json=as_json)


@group.command("reschedule")
@command
async def reschedule(
    intention: IntentionArgument,
    words: WordsOption = None,
    at: AtOption = None,
    after: AfterOption = None,
    every_: EveryOption = None,
    starts: StartsOption = None,
    exceptions: ExceptOption = [],
    zone: Annotated[
        str | None, typer.Option("--zone", metavar="ZONE", help="In whose time. Else that of the intention.")
    ] = None,
    yes: YesOption = False,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Give an intention that waits for a time another one, said as in set."""
    times = Times(words, at, after, every_, starts, exceptions, zone)
    if times.given != 1:
        raise InvalidInput("say when, in one way: --when, --at, --in or --every")
    who, wanted = principal(tenant, actor, role), _identity(intention)
    with in_options():
        other = read(Rescheduling, times.said(datetime.now(UTC)))
        async with service() as opened:
            if words is not None:
                there = (await opened.agenda.one(who, wanted))[0].intention
                seen: dict[str, Any] = {
                    "words": words,
                    "timezone": zone or there.timezone,
                    "occurred_at": other.occurred_at,
                    **there.model_dump(include={"action", "scope", "owner", "not_before", "deadline"}),
                }
                await _confirmed(opened, who, read(NewIntention, seen), yes=yes)
            said = await opened.intentions.reschedule(who, wanted, other)
            await _tell(opened, who, said, "Rescheduled:", as_json=as_json)


@group.command("hand-over")
@command
async def hand_over(
    intention: IntentionArgument,
    to: Annotated[str, typer.Option("--to", metavar="KIND:NAME", help="Whose it is from now on.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Give an intention another owner, in whose inbox it comes from now on."""
    who, wanted = principal(tenant, actor, role), _identity(intention)
    to_whom = read(HandOver, {"owner": _owner(to, "--to")})
    async with service() as opened:
        said = await opened.intentions.hand_over(who, wanted, to_whom)
        await _tell(opened, who, said, "Handed over:", as_json=as_json)


def _identity(intention: str) -> UUID:
    return identity(intention, "intention", "keepwell intentions")


def _owner(written: str, option: str) -> dict[str, Any]:
    kind, subject = speaker(written, option)
    return {"subject": subject, "kind": kind}


def _condition(written: str) -> dict[str, Any]:
    """One condition on an event. A value is text, whatever it looks like; after := it is a number or a truth value."""
    field, equals, value = written.partition("=")
    if not equals:
        raise InvalidInput("write it as FIELD=TEXT, or as FIELD:=7 or FIELD:=true", field="--on")
    if field.endswith(":"):
        return {"field": field[:-1], "value": _json(value, "--on")}
    return {"field": field, "value": value}


def _change(
    becomes: list[Becomes], fact: str | None, attribute: str | None, entity: str | None, value: str | None
) -> dict[str, Any] | None:
    """The change of a fact that is waited for, None where no option speaks of one."""
    named = {"fact_id": fact, "attribute": attribute, "entity": entity, "value": value}
    given = {name: each for name, each in named.items() if each is not None}
    if given and not becomes:
        raise InvalidInput("is missing; say what the fact becomes, such as retired", field="--becomes")
    return {"becomes": becomes, **given} if becomes else None


def _json(written: str, option: str) -> object:
    try:
        return parse_json(written.encode())
    except InvalidInput as malformed:
        raise InvalidInput(malformed.message, field=option) from None


async def _confirmed(opened: Service, who: Principal, new: NewIntention, *, yes: bool) -> None:
    """Return once it is said that the words of `new` mean what they are read as; what has none needs no yes."""
    if new.words is not None and not yes:
        seen = await opened.intentions.preview(who, new)
        await require_yes(seen, new.timezone, bounded=bool(new.not_before or new.deadline))


async def _tell(opened: Service, who: Principal, said: Set, what: str, *, as_json: bool) -> None:
    """An intention as it stands after a word on it."""
    planned, _ = await opened.agenda.one(who, said.intention_id)
    if as_json:
        print_json(intending.changed(said, planned).model_dump(mode="json"))
    else:
        console.print(what)
        agenda.intention(planned)
