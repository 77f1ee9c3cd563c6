"""Commands about the stack: up, demo, migrate, reembed, resume, tenants, doctor."""

import asyncio
import contextlib
import logging
import shlex
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Annotated

import typer

from models.errors import InvalidInput
from runtime.doctor import examine
from runtime.embedder import embedder_told
from runtime.http_server import DEFAULT_URL
from runtime.logs import configure_logs
from runtime.reembedding import reembed as make_anew
from runtime.resume import resume as hand_over_all
from runtime.settings import Settings, load_settings
from runtime.up import DEFAULT_TENANT, Running, migrate_configured, running
from store.outbox import Kind
from surfaces.cli.session import (
    REFUSED,
    JsonOption,
    command,
    console,
    principal,
    print_json,
    service,
)
from surfaces.demo.play import play

HomeOption = Annotated[
    Path | None, typer.Option("--home", help="Folder that holds the embedded servers and their data.")
]

_UNFINISHED = {
    Kind.CONSOLIDATE: "activities to consolidate",
    Kind.RECONCILE: "fact keys with claims to decide",
    Kind.GATE: "facts that wait for a condition",
    Kind.INTEND: "tenants with intentions to come",
    Kind.DELIVER: "endpoints with something to deliver",
    Kind.PROMOTE: "proposals that wait for a reviewer",
    Kind.ERASE: "erasures under way",
}
"""What resumes, in words."""

tenants = typer.Typer(no_args_is_help=True, help="Make tenants.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for function in (up, demo, migrate, reembed, resume, doctor):
        app.command()(function)
    app.add_typer(tenants, name="tenants")


@contextlib.contextmanager
def ending_on_signals() -> Generator[asyncio.Event]:
    """An event that Ctrl-C or SIGTERM sets."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(ending, asked.set)
    try:
        yield asked
    finally:
        for ending in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(ending)


def _settings(home: Path | None) -> Settings:
    settings = load_settings()
    return settings if home is None else settings.model_copy(update={"home": home})


@command
async def up(home: HomeOption = None) -> None:
    """Start Postgres, Temporal with its Web UI, a worker and the HTTP API; Ctrl-C stops them all."""
    settings = _settings(home)
    with ending_on_signals() as asked:
        async with running(settings) as what:
            _tell(what, settings)
            await _until_asked(asked, what)
            console.print("Stopping.")


def _tell(what: Running, settings: Settings) -> None:
    console.print("[bold]Keepwell is up.[/] Ctrl-C stops it.")
    say = console.print
    say(f"  HTTP API   {what.http_url}")
    if what.http_url != DEFAULT_URL:
        say(f"             export KEEPWELL_URL={what.http_url}")
    if what.stack is not None and settings.home != Settings.model_fields["home"].default:
        # The commands of another terminal find the stack by its home, and not by the URL.
        say(f"             export KEEPWELL_HOME={shlex.quote(str(settings.home.resolve()))}")
    if what.addresses.ui_url is not None:
        say(f"  Web UI     {what.addresses.ui_url}/namespaces/{settings.temporal_namespace}/workflows")
    say(f"  Temporal   {what.addresses.temporal_address}")
    say(f"  processes  worker {what.worker.pid}, HTTP server {what.http_server.pid}")
    say(f"  logs       {settings.home / 'logs'}")
    if what.first_key is not None:
        say(f"  key        {what.first_key}")
        say(
            f"             It makes keys for the tenant {DEFAULT_TENANT} and cannot publish. It is shown this once;"
        )
        say("             another: keepwell keys create NAME --as human:NAME --role admin")
    say("  next       keepwell keys create NAME --as agent:NAME --role agent")
    say("             in another terminal: it prints the key of an agent, which publishes and recalls")


async def _until_asked(asked: asyncio.Event, what: Running) -> None:
    """Return when asked to end; raise when an embedded server ends by itself."""
    waiting = asyncio.create_task(asked.wait())
    failing = asyncio.create_task(what.wait_failure())
    await asyncio.wait({waiting, failing}, return_when=asyncio.FIRST_COMPLETED)
    for task in (waiting, failing):
        if not task.done():
            task.cancel()
    if failing.done() and not failing.cancelled():
        raise failing.result()


@command
async def demo(
    home: HomeOption = None,
    keep: Annotated[bool, typer.Option("--keep", envvar="KEEP", help="Leave the servers running.")] = False,
) -> None:
    """Play the first story from publish to retirement, and hold what came out against what must."""
    # The worker dies on purpose in this story; its supervisor need not say so beside it.
    configure_logs(logging.ERROR)
    base = _settings(home)
    if base.database_url is not None or base.temporal_address is not None:
        raise InvalidInput("the demo brings its own servers; unset KEEPWELL_DATABASE_URL and the like")
    with ending_on_signals() as asked:
        agreed = await play(base, keep=keep, asked=asked, say=console.print)
    if not agreed:
        raise typer.Exit(REFUSED)


@command
async def migrate() -> None:
    """Bring the configured database up to the revision that this code needs."""
    revision = await migrate_configured(load_settings())
    console.print(f"The database is at revision {revision}.")


@command
async def reembed() -> None:
    """Make the vectors of all memories anew with the configured embedder, while recall goes on with the old ones.

    Cut off, it goes on where it was when it is run again. It tries again what the embedder has refused. Afterwards
    start the worker and the HTTP server anew, with the same settings. With KEEPWELL_EMBEDDER=none all vectors are
    taken away.
    """
    settings = load_settings()
    done = await make_anew(settings)
    console.print(f"{done.filled:,} vectors have come; embedder: {embedder_told(settings)}.")
    console.print(
        "Start the worker and the HTTP server anew with the same settings, unless they have them already."
    )


@command
async def resume() -> None:
    """Have every promise seen to again that Postgres knows of, once Temporal's store was lost or set back.

    Safe at any time, also twice: a workflow that runs already looks once more, and nothing happens twice.
    """
    found = await hand_over_all(load_settings())
    for kind, meaning in _UNFINISHED.items():
        console.print(f"  {found[kind]:>7,} {meaning}")
    console.print("The dispatcher of a running worker hands them over.")


@tenants.command("add")
@command
async def add(name: Annotated[str, typer.Argument(help="Lower case letters, digits, . _ and -.")]) -> None:
    """Make a tenant, and say how it gets a key. Made again, it stays as it is."""
    async with service() as opened:
        new = await opened.add_tenant(principal(name, "human:operator", []))
    console.print(f"Tenant {name} {'is made' if new else 'was there already'}. A key for an agent in it:")
    console.print(f"  keepwell keys create NAME --as agent:NAME --role agent --tenant {name}")


@command
async def doctor(
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code says it.")] = False,
) -> None:
    """Look at all that Keepwell needs; exit code 1 when something is missing."""
    findings = [finding async for finding in examine(load_settings())]
    if as_json:
        print_json([finding._asdict() for finding in findings])
    elif not quiet:
        for finding in findings:
            console.print(
                f"{'[green]well[/]' if finding.well else '[red]ill [/]'}  {finding.name}: {finding.detail}"
            )
    if not all(finding.well for finding in findings):
        raise typer.Exit(REFUSED)
