"""Commands about procedures: list, show, apply and export them as files, go back to an earlier version, reflect."""

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from models.errors import Conflict, InvalidInput, NotFound
from models.principals import Principal
from models.procedure_queries import ProcedureQuery
from models.proposals import NewProposal, Rollback
from models.statements import Withdrawal
from runtime.procedure_file import ProcedureFile, read_procedure, written_procedure
from runtime.service import Service
from runtime.up import DEFAULT_TENANT
from runtime.yaml_document import Unreadable
from store.procedures import Listed
from surfaces.cli.memory import identity
from surfaces.cli.render import folding, verbatim, where
from surfaces.cli.session import (
    DEFAULT_ACTOR,
    NO_ROLES,
    ActorOption,
    JsonOption,
    RolesOption,
    TenantOption,
    command,
    console,
    pairs_of,
    principal,
    print_json,
    service,
)
from surfaces.cli.statements import read
from surfaces.http import playing

group = typer.Typer(no_args_is_help=True, help="Playbooks: as files, and as they are in force.")

ProcedureArgument = Annotated[str, typer.Argument(help="Name or id, as keepwell procedures list shows them.")]
WithinOption = Annotated[
    list[str],
    typer.Option(
        "--scope", metavar="DIMENSION=VALUE", help="Only there; may be repeated. Else all in reach."
    ),
]
_AT_A_TIME = 200


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.add_typer(group, name="procedures")


@group.command("list")
@command
async def listed(
    scope: WithinOption = [],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """List procedures, with the version that is in force."""
    async with service() as opened:
        found = await _every(opened, principal(tenant, actor, role), pairs_of(scope, "--scope"))
    if as_json:
        print_json([playing.procedure(each).model_dump(mode="json") for each in found])
        return
    table = folding("name", "where", "in force", "on trial", "id")
    for each in found:
        numbers = (each.current, each.trial)
        shown = ["-" if version is None else f"v{version.number}" for version in numbers]
        name, scoped = verbatim(each.procedure.name), verbatim(where(each.procedure.scope))
        table.add_row(name, scoped, *shown, str(each.procedure.id))
    console.print(table if found else "No procedures.")


@group.command("show")
@command
async def show(
    procedure: ProcedureArgument,
    version: Annotated[
        int | None, typer.Option("--version", help="That version; else the one in force.")
    ] = None,
    scope: WithinOption = [],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Show what a procedure says, as the file that it is kept in."""
    async with service() as opened:
        who = principal(tenant, actor, role)
        there = await _named(opened, who, procedure, pairs_of(scope, "--scope"))
        found = await opened.playbooks.one(who, there.procedure.id)
    if as_json:
        print_json(playing.read(found).model_dump(mode="json"))
        return
    wanted = found.listed.current and found.listed.current.number if version is None else version
    shown = next((each for each in found.versions if each.number == wanted), None)
    if shown is None:
        known = ", ".join(f"v{each.number} {each.status}" for each in found.versions) or "none yet"
        raise NotFound(f"no such version is in force; give --version, of: {known}")
    by = ", ".join(f"{each.by.subject} as {each.role}" for each in shown.approved)
    console.print(verbatim(f"# version {shown.number}, {shown.status}; approved by {by}"))
    of = found.procedure
    console.print(verbatim(written_procedure(of.name, of.class_name, of.scope, shown.content)), end="")


@group.command("apply")
@command
async def apply(
    paths: Annotated[list[Path], typer.Argument(help="Files, or folders of files, in YAML.")],
    because: Annotated[str | None, typer.Option("--because", help="Why, in a sentence.")] = None,
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Propose what files say and is not in force. A reviewer decides on it: keepwell review list."""
    files = [(path, _read(path)) for path in _files(paths)]
    async with service() as opened:
        who = principal(tenant, actor, role)
        there = {
            (each.procedure.name, where(each.procedure.scope)): each for each in await _every(opened, who, {})
        }
        for path, said in files:
            known = there.get((said.procedure, where(said.scope)))
            current = None if known is None else known.current
            if current is not None and current.content == said.content:
                console.print(verbatim(f"{path}: nothing to do, version {current.number} says so"))
                continue
            new = read(
                NewProposal,
                {
                    "scope": said.scope,
                    "procedure": said.procedure,
                    "class_name": said.class_name,
                    "content": said.content,
                    "base": None if current is None else current.number,
                    "because": because,
                },
            )
            proposed = await opened.procedures.propose(who, new)
            console.print(verbatim(f"{path}: proposed, {proposed.proposal_id}"))


@group.command("export")
@command
async def export(
    folder: Annotated[Path, typer.Argument(help="Where the files go, such as a folder of a Git repository.")],
    scope: WithinOption = [],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Write every procedure in force to a file of its own. Applied again there is nothing to do."""
    async with service() as opened:
        found = await _every(opened, principal(tenant, actor, role), pairs_of(scope, "--scope"))
    written = 0
    for each in found:
        if each.current is None:
            continue
        of = each.procedure
        path = folder / _folder_of(of.scope) / f"{of.name}.yaml"
        _require_ours(path, of.name, of.scope)
        told = written_procedure(of.name, of.class_name, of.scope, each.current.content)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(told, encoding="utf-8", newline="\n")
        except OSError as refused:
            raise InvalidInput(f"{folder}: cannot be written to; name a folder of yours") from refused
        written += 1
    console.print(f"{written} written to {folder}", markup=False)


@group.command("rollback")
@command
async def rollback(
    procedure: ProcedureArgument,
    to: Annotated[int, typer.Option("--to", min=1, help="The version that it is to say again.")],
    because: Annotated[str, typer.Option("--because", help="Why, in a sentence.")],
    scope: WithinOption = [],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Have a procedure say again what it said in an earlier version, at once, as a version of its own."""
    said = read(Rollback, {"to": to, "because": because})
    async with service() as opened:
        who = principal(tenant, actor, role)
        there = await _named(opened, who, procedure, pairs_of(scope, "--scope"))
        done = await opened.procedures.roll_back(who, there.procedure.id, said)
    console.print(f"version {done.number} is in force, and says what version {to} said")


@group.command("reflect")
@command
async def reflect(
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
    as_json: JsonOption = False,
) -> None:
    """Read what is new in experience, and propose what recurs, now."""
    async with service(temporal=True) as opened:
        found = await opened.deciding.reflect(principal(tenant, actor, role))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        console.print(f"{found.read} episodes read; {found.found} recur, {found.proposed} proposed")
        console.print(f"{found.widened} facts proposed for wider scopes; {found.lapsed} at their end")


@group.command("retract")
@command
async def retract(
    episode: Annotated[str, typer.Argument(help="Id of the episode.")],
    reason: Annotated[str, typer.Argument(help="Why it is not to be relied on.")],
    tenant: TenantOption = DEFAULT_TENANT,
    actor: ActorOption = DEFAULT_ACTOR,
    role: RolesOption = NO_ROLES,
) -> None:
    """Retract an episode: nobody recalls it, and what rests on it is reviewed, or suspended."""
    said = read(Withdrawal, {"text": reason})
    async with service() as opened:
        of = identity(episode, "episode", "keepwell recall")
        await opened.retractions.retract(principal(tenant, actor, role), of, said)
    console.print(f"episode {of} is retracted")


async def _every(opened: Service, who: Principal, scope: dict[str, str]) -> list[Listed]:
    found: list[Listed] = []
    after = None
    while True:
        page = await opened.playbooks.page(who, ProcedureQuery(scope=scope, after=after, limit=_AT_A_TIME))
        found += page.procedures
        after = page.next
        if after is None:
            return found


async def _named(opened: Service, who: Principal, name: str, scope: dict[str, str]) -> Listed:
    """The procedure of this name or id; raises `NotFound`, and `InvalidInput` where several have the name."""
    found = [
        each
        for each in await _every(opened, who, scope)
        if name in (each.procedure.name, str(each.procedure.id))
    ]
    if not found:
        raise NotFound("no such procedure within reach; keepwell procedures list shows those that there are")
    if len(found) > 1:
        raise InvalidInput("several procedures have this name; say which with --scope, or give its id")
    return found[0]


def _files(paths: list[Path]) -> list[Path]:
    found = [each for path in paths for each in (sorted(path.rglob("*.yaml")) if path.is_dir() else [path])]
    if not found:
        raise InvalidInput("there is no file ending in .yaml there")
    return found


def _read(path: Path) -> ProcedureFile:
    try:
        return read_procedure(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as unreadable:
        raise InvalidInput(f"{path}: cannot be read; give a YAML file") from unreadable
    except Unreadable as wrong:
        raise InvalidInput(f"{path}:{wrong.line}: {wrong.message}") from None


def _folder_of(scope: dict[str, str]) -> Path:
    """A folder for each dimension of a scope, by names that every file system takes."""
    parts = [
        quote(f"{name}={value}", safe="= -_").replace(".", "%2E") for name, value in sorted(scope.items())
    ]
    return Path(*(parts or ["tenant"]))


def _require_ours(path: Path, name: str, scope: dict[str, str]) -> None:
    """Raise `Conflict` for a file that is there and is not that of this procedure."""
    if not path.exists():
        return
    try:
        there = _read(path)
    except InvalidInput:
        there = None
    if there is None or (there.procedure, there.scope) != (name, scope):
        raise Conflict(f"{path} is there and is another file; move it, or export elsewhere")
