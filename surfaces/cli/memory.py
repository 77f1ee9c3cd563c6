"""Commands about memory: publish, recall, explain, history, confirm."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from pydantic import ValidationError

from models.conditions import ConfirmationState
from models.errors import InvalidInput, Unavailable
from models.events import first_error
from models.history import FactLife
from models.recall import RecallRequest
from runtime.up import DEFAULT_TENANT
from store.words import Words
from surfaces.cli import render
from surfaces.cli.progress import showing_progress
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
from surfaces.importing.jsonlines import import_events

QueryArgument = Annotated[str, typer.Argument(help="What the next decision is about.")]
EntityOption = Annotated[
    list[str], typer.Option("--entity", help="A name or canonical id in play; may be repeated.")
]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="INSTANT", help="Ask for that instant instead of now.")
]
BudgetOption = Annotated[int, typer.Option("--budget", min=1, help="Tokens that the answer may take.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=100, help="Items that it may have.")]
FACTS = "remember, recall or history"
"""What shows the ids of facts."""
ActivityOption = Annotated[
    str | None, typer.Option("--activity", help="The running activity: what was said in it comes as well.")
]
UnverifiedOption = Annotated[
    bool, typer.Option("--unverified", help="Show claims that wait for a reviewer as well, apart.")
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for function in (publish, recall, explain, history, confirm):
        app.command()(function)


def identity(value: str, field: str, source: str = "recall, history or publish") -> UUID:
    """An id from the command line; `source` says where whoever has none finds it."""
    try:
        return UUID(value)
    except ValueError:
        raise InvalidInput(f"is not an id; take one from {source}", field=field) from None


def instant_from(as_of: str | None) -> datetime | None:
    """The instant that an option names, None for now."""
    try:
        return None if as_of is None else datetime.fromisoformat(as_of)
    except ValueError:
        raise InvalidInput(
            "write an instant with an offset, as 2026-03-02T09:00:00+01:00", field="--as-of"
        ) from None


def request(
    query: str,
    scope: list[str],
    entities: list[str],
    as_of: str | None,
    budget: int,
    limit: int,
    *,
    unverified: bool = False,
    activity: str | None = None,
) -> RecallRequest:
    """A recall request from the options of a command."""
    try:
        return RecallRequest(
            scope=scope_of(scope),
            query=query,
            entities=tuple(entities),
            as_of=instant_from(as_of),
            budget_tokens=budget,
            limit=limit,
            unverified=unverified,
            activity_id=activity,
        )
    except ValidationError as invalid:
        raise first_error(invalid) from None


@command
async def publish(
    file: Annotated[Path, typer.Argument(help="JSON lines, an event a line; - reads standard input.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Publish events, one JSON object a line. Nothing is stored when a line is wrong."""
    async with service() as opened:
        with showing_progress("publishing", quiet=as_json) as on_progress:
            report = await import_events(
                opened, principal(tenant, actor, role), file, actors_allowed=False, on_progress=on_progress
            )
    render.import_report(report, as_json=as_json)


@command
async def recall(
    query: QueryArgument = "",
    scope: ScopeOption = [],
    entity: EntityOption = [],
    as_of: AsOfOption = None,
    budget: BudgetOption = 2_000,
    limit: LimitOption = 10,
    unverified: UnverifiedOption = False,
    activity: ActivityOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Bring back what should influence the next decision."""
    asked = request(query, scope, entity, as_of, budget, limit, unverified=unverified, activity=activity)
    async with service() as opened:
        answer = await opened.recall(principal(tenant, actor, role), asked)
    if as_json:
        print_json(answer.model_dump(mode="json"))
    else:
        render.answer(answer)


@command
async def explain(
    record: Annotated[str, typer.Argument(help="Id of a fact or an episode.")],
    query: QueryArgument = "",
    scope: ScopeOption = [],
    entity: EntityOption = [],
    as_of: AsOfOption = None,
    budget: BudgetOption = 2_000,
    limit: LimitOption = 10,
    trace: Annotated[
        str | None, typer.Option("--trace", metavar="ID", help="Of that past recall, in place of a new one.")
    ] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Say why a record is, or is not, in the answer to a recall: the exact step that dropped it."""
    if trace is not None and (query or scope or entity or as_of):
        raise InvalidInput(
            "says what was asked; leave out the query and the options of a recall", field="--trace"
        )
    asking, wanted = principal(tenant, actor, role), identity(record, "record")
    async with service() as opened:
        if trace is not None:
            past = identity(trace, "--trace", "keepwell traces, or the answer to a recall")
            explained = await opened.explain_trace(asking, past, wanted)
        else:
            asked = request(query, scope, entity, as_of, budget, limit)
            explained = await opened.explain(asking, wanted, asked)
    if as_json:
        print_json({**explained.model_dump(mode="json"), "dropped_at": explained.dropped_at})
    else:
        render.explanation(explained)


@command
async def history(
    fact: Annotated[str | None, typer.Argument(help="Id of a fact.")] = None,
    scope: ScopeOption = [],
    entity: Annotated[str | None, typer.Option("--entity", help="A name or canonical id instead.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Tell the whole life of a fact and its kin, or of all facts about an entity."""
    if (fact is None) == (entity is None):
        raise InvalidInput("give the id of a fact, or --entity and --scope")
    asking = principal(tenant, actor, role)
    async with service() as opened:
        if fact is not None:
            lives = await opened.history_of_fact(asking, identity(fact, "fact", FACTS))
        else:
            lives = await opened.history_of_entity(asking, scope_of(scope), entity or "")
        said = await opened.said_in(asking, events_of(lives))
    if as_json:
        print_json([with_words(life.model_dump(mode="json"), said) for life in lives])
    else:
        render.history(lives, said)


def events_of(lives: Sequence[FactLife]) -> list[UUID]:
    """The events at which something was said about facts in the course of their lives."""
    changed = {change.event_id for life in lives for change in life.changes if change.event_id is not None}
    return sorted(changed | {claimed.event_id for life in lives for claimed in life.confirmations})


def with_words(told: dict[str, Any], said: Mapping[UUID, Words]) -> dict[str, Any]:
    """A life for programs, each change and confirmation with the `text` of its event, None where that is not told."""
    for each in (*told["changes"], *told["confirmations"]):
        words = None if each["event_id"] is None else said.get(UUID(each["event_id"]))
        each["text"] = None if words is None else words.text
    return told


@command
async def confirm(
    fact: Annotated[str, typer.Argument(help="Id of the fact whose end has come.")],
    evidence: Annotated[str, typer.Option("--evidence", help="Id of the published event that shows it.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Confirm that the condition which ends a fact is met. Exit code 1 when the confirmation is refused."""
    async with service(temporal=True) as opened:
        outcome = await opened.confirm(
            principal(tenant, actor, role),
            identity(fact, "fact", FACTS),
            identity(evidence, "--evidence", "publish, which prints those of events"),
        )
    if outcome.state is ConfirmationState.PENDING:
        raise Unavailable("the confirmation is stored and will be decided once Temporal and a worker answer")
    if as_json:
        print_json(outcome.model_dump(mode="json"))
    else:
        render.outcome(outcome)
    if outcome.state is ConfirmationState.REFUSED:
        raise typer.Exit(REFUSED)
