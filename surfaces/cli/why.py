"""The command that says why: what became of an event, how a fact came to be what it is, what a claim waits for."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import typer

from models.errors import NotFound
from models.history import FactLife
from models.principals import Principal
from runtime.service import Service
from runtime.up import DEFAULT_TENANT
from store.lineage import Node
from store.words import Words
from surfaces.cli import dossier
from surfaces.cli.memory import events_of, identity, with_words
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    JsonOption,
    RolesOption,
    TenantOption,
    command,
    principal,
    print_json,
    service,
)
from surfaces.http import telling


def add_to(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command()(why)


@command
async def why(
    record: Annotated[str, typer.Argument(metavar="ID", help="Id of an event, a fact, or what waits.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Say what was decided and why: on what an event proposed, on a fact all its life, on a claim so far."""
    asking, wanted = (
        principal(tenant, actor, role),
        identity(record, "ID", "recall, history, publish or review list"),
    )
    async with service() as opened:
        [event] = await opened.verdicts_of(asking, [wanted]) or [None]
        waits = await opened.waiting_for_review(asking, wanted) if event is None else None
        life = await _life_of(opened, asking, wanted) if event is None else None
        said = await opened.said_in(asking, [wanted] if life is None else events_of([life]))
        parents = [] if life is None else await _parents_of(opened, asking, life)
    if event is None and waits is None and life is None:
        raise NotFound("no such event, fact or claim within reach; check the id, the tenant and the roles")
    if as_json:
        words = said.get(wanted)
        text = None if words is None else words.text
        found = {
            "event": event and {**telling.event_verdict(event).model_dump(mode="json"), "text": text},
            "fact": life and {**_told(life, said), "made_from": [str(parent.id) for parent in parents]},
            "waits": waits and telling.review(waits).model_dump(mode="json"),
        }
        print_json({name: told for name, told in found.items() if told is not None})
        return
    if event is not None:
        dossier.event(event, said.get(wanted))
    if life is not None:
        dossier.life(life, said, parents)
    if waits is not None:
        dossier.waits(waits)


async def _life_of(opened: Service, asking: Principal, wanted: UUID) -> FactLife | None:
    try:
        lives = await opened.history_of_fact(asking, wanted)
    except NotFound:
        return None
    return next(life for life in lives if life.fact.id == wanted)


async def _parents_of(opened: Service, asking: Principal, life: FactLife) -> list[Node]:
    """The facts and claims from which a fact was made, as far as they are within reach."""
    try:
        lineage = await opened.lineage(asking, life.fact.id)
    except NotFound:
        return []
    return [node for node in lineage.nodes if (node.kind, node.distance) == ("fact", -1)]


def _told(life: FactLife, said: Mapping[UUID, Words]) -> Mapping[str, Any]:
    """A life for programs, each change with what its reason means and the words of its event."""
    [told] = telling.history([life]).model_dump(mode="json")["lives"]
    for change, each in zip(life.changes, told["changes"], strict=True):
        each["meaning"] = change.meaning
    return with_words(told, said)
