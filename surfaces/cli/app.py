"""The commands, gathered."""

import typer

from surfaces.cli import importing, keys, memory, stack, statements

app = typer.Typer(
    name="keepwell",
    help="Durable memory for AI agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

for add in (stack.add_to, memory.add_to, statements.add_to, importing.add_to, keys.add_to):
    add(app)
