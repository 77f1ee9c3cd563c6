"""Commands of a reviewer of procedures: see what is proposed with the evidence beside each change, and decide on it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.text import Text

from models.errors import InvalidInput, NotFound, NotPermitted, Unavailable
from models.principals import Principal
from models.procedure_changes import Change, ChangeKind
from models.procedure_queries import ProposalQuery
from models.procedures import ProcedureStep
from models.proposals import MEANINGS, Ground, NewDecision, refusal_of
from recall.procedures import ProposalRead
from runtime.procedure_file import read_procedure
from runtime.service import Service
from runtime.up import DEFAULT_TENANT
from runtime.yaml_document import Unreadable
from store.proposals import Listed
from surfaces.cli.memory import identity
from surfaces.cli.render import counted, verbatim, where
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
from surfaces.cli.statements import read
from surfaces.http import playing

ProposalArgument = Annotated[str, typer.Argument(help="Id of a proposal, as keepwell review list shows it.")]
RevisionOption = Annotated[
    int | None,
    typer.Option("--revision", min=1, help="The revision that you have seen, as review show tells it."),
]
_SIGNS = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "-", ChangeKind.CHANGED: "~", ChangeKind.MOVED: ">"}
_MOST = 200
_MOST_EPISODES = 20


def add_to(group: typer.Typer) -> None:
    """Add these commands to those of a reviewer."""
    for name, function in (("show", show), ("approve", approve), ("ask", ask), ("try", try_out)):
        group.command(name)(function)


async def waiting_proposals(opened: Service, who: Principal, scope: dict[str, str]) -> Sequence[Listed]:
    """The proposals that wait, the oldest first; none for who has nothing to do with procedures."""
    try:
        page = await opened.playbooks.proposals(who, ProposalQuery(scope=scope, limit=_MOST))
    except NotPermitted:
        return ()
    return page.proposals


def queue(found: Sequence[Listed]) -> None:
    """What is proposed and waits."""
    for proposal, procedure in found:
        base = "a new one" if proposal.base is None else f"of version {proposal.base}"
        console.print(verbatim(f"{procedure.name} in {where(procedure.scope)}: {proposal.origin}, {base}"))
        lapses = "" if proposal.lapses_at is None else f", lapses {proposal.lapses_at:%Y-%m-%d %H:%M}"
        console.print(
            f"  [dim]proposal {proposal.id} · {proposal.state} · revision {proposal.revision}{lapses}[/]"
        )


@command
async def show(
    proposal: ProposalArgument,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Show what a proposal changes, with the evidence for and against beside each change."""
    async with service() as opened:
        found = await opened.playbooks.proposal(principal(tenant, actor, role), _id_of(proposal))
    if as_json:
        print_json(playing.read_proposal(found).model_dump(mode="json"))
    else:
        _tell(found)


@command
async def approve(
    proposal: ProposalArgument,
    revision: RevisionOption = None,
    edit: Annotated[
        Path | None, typer.Option("--edit", help="A YAML file with what is approved in its place.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Why, in a sentence.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Approve a proposal, as it stands or as edited: it is in force then, unless the class takes another reviewer."""
    said = {"choice": "approve", "reason": reason}
    await _decided(proposal, revision, said, edit, principal(tenant, actor, role))


@command
async def ask(
    proposal: ProposalArgument,
    reason: Annotated[str, typer.Argument(help="What is to be changed.")],
    revision: RevisionOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Ask for changes of a proposal."""
    said = {"choice": "request_changes", "reason": reason}
    await _decided(proposal, revision, said, None, principal(tenant, actor, role))


@command
async def try_out(
    proposal: ProposalArgument,
    agent: Annotated[
        list[str], typer.Option("--agent", help="An agent that tries it; may be repeated.")
    ] = [],
    share: Annotated[float, typer.Option("--share", min=0.0, max=1.0, help="A share of runs.")] = 0.0,
    revision: RevisionOption = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Have some try a proposal before it holds for all."""
    said = {"choice": "try", "trial": {"agents": agent, "share": share}}
    await _decided(proposal, revision, said, None, principal(tenant, actor, role))


async def rejected(opened: Service, who: Principal, identity_of: UUID, reason: str) -> bool:
    """Reject a proposal of this id, at the revision that it has; False where there is none."""
    try:
        found = await opened.playbooks.proposal(who, identity_of)
    except NotFound:
        return False
    said = {"choice": "reject", "reason": reason, "revision": found.proposal.revision}
    await _count(opened, who, identity_of, read(NewDecision, said))
    return True


async def _decided(
    proposal: str, revision: int | None, said: dict[str, Any], edit: Path | None, who: Principal
) -> None:
    of = _id_of(proposal)
    content = None if edit is None else _content(edit)
    async with service(temporal=True) as opened:
        if revision is None:
            found = await opened.playbooks.proposal(who, of)
            if not console.is_terminal:
                raise InvalidInput(
                    f"say which revision you have seen: --revision {found.proposal.revision} is the latest"
                )
            _tell(found)
            typer.confirm("Decide on this?", abort=True)
            revision = found.proposal.revision
        await _count(opened, who, of, read(NewDecision, {**said, "revision": revision, "content": content}))


async def _count(opened: Service, who: Principal, of: UUID, new: NewDecision) -> None:
    counted_as = await opened.deciding.decide(who, of, new)
    if counted_as.outcome is None:
        raise Unavailable("the decision is stored and will be counted once Temporal and a worker answer")
    refused = refusal_of(counted_as.outcome)
    if refused is not None:
        raise refused
    console.print(f"{counted_as.outcome.value}: {MEANINGS[counted_as.outcome]}")


def _content(path: Path) -> Any:
    try:
        return read_procedure(path.read_text(encoding="utf-8")).content
    except (OSError, UnicodeDecodeError) as unreadable:
        raise InvalidInput(f"{path}: cannot be read; give a YAML file", field="--edit") from unreadable
    except Unreadable as wrong:
        raise InvalidInput(f"{path}:{wrong.line}: {wrong.message}", field="--edit") from None


def _id_of(proposal: str) -> UUID:
    return identity(proposal, "proposal", "keepwell review list")


def _tell(found: ProposalRead) -> None:
    proposal, procedure = found.proposal, found.procedure
    drafters = ", ".join(each.subject for each in proposal.drafters)
    base = "nothing in force" if found.base is None else f"version {found.base.number}"
    console.print(verbatim(f"{procedure.name} in {where(procedure.scope)}, against {base}"))
    console.print(
        verbatim(f"  {proposal.origin}, by {drafters}; revision {proposal.revision}, {proposal.state}; ")
        + Text(f"approved by {len(found.approvals)} of {found.reviewers}")
    )
    if proposal.because:
        console.print(verbatim(f"  because: {proposal.because}"))
    for change in found.changes:
        _change(change, [each for each in proposal.grounds if each.change == change.what])
    if not found.changes:
        console.print("  It changes nothing: it asks whether the version may stay.")
    shown = found.episodes[:_MOST_EPISODES]
    for episode in shown:
        console.print(
            verbatim(f"  episode {episode.id} of {episode.started_at:%Y-%m-%d}: {episode.narrative}")
        )
    if len(found.episodes) > len(shown):
        console.print(f"  and {counted(len(found.episodes) - len(shown), 'episode')} more; --json has all")
    for decision in found.decisions:
        told = decision.outcome or "not counted yet"
        console.print(
            verbatim(f"  {decision.by.subject}: {decision.choice}, {told}; {decision.reason or ''}")
        )


def _change(change: Change, grounds: Sequence[Ground]) -> None:
    console.print(verbatim(f"{_SIGNS[change.kind]} {change.what}"))
    if change.before is not None and change.kind is not ChangeKind.MOVED:
        _lines("  - ", change.before)
    if change.after is not None and change.kind is not ChangeKind.MOVED:
        _lines("  + ", change.after)
    for ground in grounds:
        console.print(verbatim(f"    {ground.because}"))
        for name, ids in (("for", ground.supporting), ("against", ground.opposing)):
            if ids:
                console.print(f"    {name}: {', '.join(map(str, ids[:_MOST_EPISODES]))}", markup=False)


def _lines(sign: str, said: str | ProcedureStep) -> None:
    words = [said] if isinstance(said, str) else [said.do, f"check: {said.verify}"]
    if not isinstance(said, str) and said.because is not None:
        words.append(f"because: {said.because}")
    for line in "\n".join(words).split("\n"):
        console.print(verbatim(f"{sign}{line}"))
