"""The commands, gathered."""

from importlib.metadata import version
from typing import Annotated

import typer

from surfaces.cli import (
    context,
    controls,
    endpoints,
    erasures,
    importing,
    inbox,
    intentions,
    keys,
    memory,
    policy,
    procedures,
    proposals,
    reviews,
    stack,
    statements,
    traces,
    why,
)

app = typer.Typer(
    name="keepwell",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"keepwell {version('keepwell-server')}")
        raise typer.Exit


@app.callback(help="Durable memory for AI agents.")
def keepwell(
    _: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_tell_version, is_eager=True),
    ] = False,
) -> None:
    """What is asked of the command itself, whichever is called."""


for add in (
    stack.add_to,
    memory.add_to,
    context.add_to,
    statements.add_to,
    reviews.add_to,
    intentions.add_to,
    inbox.add_to,
    endpoints.add_to,
    why.add_to,
    traces.add_to,
    controls.add_to,
    importing.add_to,
    keys.add_to,
    policy.add_to,
    procedures.add_to,
    proposals.add_to,
    erasures.add_to,
):
    add(app)
