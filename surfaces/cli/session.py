"""What every command shares: who is asking, the opened service, and how an error becomes an exit code."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from typing import Annotated, Any, ParamSpec

import typer
from pydantic import ValidationError
from rich.console import Console

from models.errors import (
    Conflict,
    InvalidInput,
    KeepwellError,
    NotFound,
    NotPermitted,
    PolicyInvalid,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from models.events import first_error
from models.principals import Principal, PrincipalKind
from runtime.authentication.keys import ApiKeys
from runtime.embedded.errors import StackError, StackInUse
from runtime.logs import configure_logs
from runtime.opening import opened_keys, opened_service
from runtime.service import Service
from runtime.settings import load_settings

P = ParamSpec("P")
REFUSED = 1
FAULT = 70
_EXIT_CODES: list[tuple[type[KeepwellError], int]] = [
    (NotPermitted, 3),
    (Unauthenticated, 3),
    (NotFound, 4),
    (Conflict, 5),
    (StackInUse, 5),
    (Unavailable, 6),
    (TooManyRequests, 6),
    (StackError, 6),
    (InvalidInput, 2),
    (TooLarge, 2),
    (PolicyInvalid, 2),
]

# Memory is shown as it is: no smiley in place of a word between colons, no colour for what looks like a number.
# What goes to a file or a pipe is not broken to the width of a terminal that is not there.
_WIDTH = None if sys.stdout.isatty() else 200
console = Console(soft_wrap=True, emoji=False, highlight=False, width=_WIDTH)


TenantOption = Annotated[
    str, typer.Option("--tenant", envvar="KEEPWELL_TENANT", help="Whose memory this is about.")
]
ActorOption = Annotated[
    str,
    typer.Option(
        "--as", envvar="KEEPWELL_AS", metavar="KIND:NAME", help="Who speaks: human, agent or system."
    ),
]
RolesOption = Annotated[
    list[str],
    typer.Option(
        "--role",
        envvar="KEEPWELL_ROLES",
        help="A role of the speaker; may be repeated. None by default, but the operator has operator.",
    ),
]
CursorOption = Annotated[str | None, typer.Option("--cursor", help="Where the page before has ended.")]
PageOption = Annotated[int, typer.Option("--limit", min=1, max=200, help="How many at most.")]
ScopeOption = Annotated[
    list[str],
    typer.Option(
        "--scope", metavar="DIMENSION=VALUE", help="Where this applies; may be repeated. {} for the tenant."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

DEFAULT_ACTOR = "human:operator"
OPERATOR = ("operator",)
NO_ROLES: list[str] = []


def principal(tenant: str, actor: str, roles: list[str]) -> Principal:
    """The speaker of a command: the operator, unless `--as` names somebody else, who then has the roles given.

    An operator's own process may say who speaks; a network surface never does.
    """
    kind, subject = speaker(actor)
    held = tuple(roles) or (OPERATOR if actor == DEFAULT_ACTOR else ())
    try:
        return Principal(tenant=tenant, subject=subject, kind=kind, roles=held)
    except ValidationError as invalid:
        raise first_error(invalid) from None


def speaker(actor: str, option: str = "--as") -> tuple[PrincipalKind, str]:
    """Kind and name of whom `option` names."""
    kind, _, subject = actor.partition(":")
    try:
        return PrincipalKind(kind), subject
    except ValueError:
        raise InvalidInput("write it as human:NAME, agent:NAME or system:NAME", field=option) from None


def scope_of(pairs: list[str]) -> dict[str, str]:
    """The scope that `--scope` options spell; raises `InvalidInput` where there is none."""
    if pairs == ["{}"]:
        return {}
    if not pairs:
        raise InvalidInput("say where, such as --scope workspace=staging", field="--scope")
    return pairs_of(pairs, "--scope")


def pairs_of(pairs: list[str], field: str) -> dict[str, str]:
    """What options of the form DIMENSION=VALUE spell."""
    if "{}" in pairs:
        raise InvalidInput(
            "{} stands alone, for the whole tenant; leave it out, or the dimensions", field=field
        )
    values: dict[str, str] = {}
    for pair in pairs:
        dimension, equals, value = pair.partition("=")
        if not equals or dimension in values:
            raise InvalidInput("write each dimension once, as DIMENSION=VALUE", field=field)
        values[dimension] = value
    return values


@asynccontextmanager
async def service(*, temporal: bool = False) -> AsyncGenerator[Service]:
    """The service that the settings lead to."""
    async with opened_service(load_settings(), temporal=temporal) as opened:
        yield opened


@asynccontextmanager
async def keys() -> AsyncGenerator[ApiKeys]:
    """The API keys that the settings lead to."""
    async with opened_keys(load_settings()) as opened:
        yield opened


def command(function: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """A command that runs `function` and turns our errors into one line and an exit code."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        configure_logs()
        try:
            asyncio.run(function(*args, **kwargs))
        except KeepwellError as error:
            sys.stderr.write(f"keepwell: {' '.join(str(error).split())}\n")
            raise typer.Exit(exit_code(error)) from None
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
        except typer.Exit:
            raise
        except Exception as fault:
            if os.environ.get("KEEPWELL_DEBUG"):
                raise
            # A message of somebody else's error may quote content, so only its type is shown.
            kind = type(fault).__name__
            sys.stderr.write(f"keepwell: a fault of Keepwell's own: {kind}; KEEPWELL_DEBUG=1 shows where\n")
            raise typer.Exit(FAULT) from None

    return run


def exit_code(error: KeepwellError) -> int:
    """The exit code for an error; see the package's docstring."""
    return next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), REFUSED)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")
