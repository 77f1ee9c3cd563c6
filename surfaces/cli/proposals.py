"""Commands about what models propose: extractions lists what they were asked, redo reads events again.

They speak as the operator, whose own process this is.
"""

from collections import Counter
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import typer
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python
from rich.text import Text

from models.entities import name_told
from models.errors import InvalidInput
from models.events import aware, first_error, written_out
from models.extractions import Extraction, Fallback, State
from models.redo import Change, Difference, Line
from runtime.opening import opened_redo
from runtime.redo import Range, Shown
from runtime.settings import load_settings
from runtime.up import DEFAULT_TENANT
from surfaces.cli.keys import administrator
from surfaces.cli.memory import identity
from surfaces.cli.render import counted, folding, verbatim
from surfaces.cli.session import JsonOption, TenantOption, command, console, print_json, service

redo = typer.Typer(help="Read events again after a model, a prompt or the rules have changed.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command()(extractions)
    app.add_typer(redo, name="redo")


@command
async def extractions(
    state: Annotated[State | None, typer.Option("--state", help="In this state alone.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="How many to list.")] = 50,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """List what models were asked, newest first: how it ended, and what it took. None where rules do all the work."""
    async with service() as opened:
        found = await opened.extractions(administrator(tenant), state, limit)
    if as_json:
        print_json([_told(each) for each in found])
        return
    if not found:
        console.print("No extractions.")
        return
    listed = folding("when", "activity", "purpose", "events", "model", "prompt", "state", "tokens")
    for each in found:
        listed.add_row(
            f"{each.recorded_at:%Y-%m-%d %H:%M}",
            str(each.activity_id),
            each.purpose.value,
            f"{each.first_seq}-{each.last_seq}",
            verbatim(each.model or "rules"),
            each.prompt or "",
            _state(each),
            f"{each.usage.tokens:,}",
        )
    console.print(listed)


def _told(extraction: Extraction) -> dict[str, Any]:
    told = {**extraction._asdict(), "usage": extraction.usage._asdict()}
    digest = extraction.input_digest
    return to_jsonable_python({**told, "input_digest": None if digest is None else digest.hex()})


def _state(extraction: Extraction) -> str:
    if extraction.reason is None:
        return extraction.state.value
    return f"{extraction.state.value}: {_why(Fallback(extraction.reason, extraction.attempts))}"


def _why(fallback: Fallback) -> str:
    after = f" after {fallback.attempts} attempts" if fallback.attempts > 1 else ""
    return f"{fallback.fault.value}{after}"


@redo.callback(invoke_without_command=True)
@command
async def propose(
    context: typer.Context,
    since: Annotated[
        str | None, typer.Option("--since", metavar="INSTANT", help="First instant of record.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="INSTANT", help="The instant after it.")
    ] = None,
    activity: Annotated[
        str | None,
        typer.Option("--activity", metavar="ID", help="One activity, as keepwell extractions has it."),
    ] = None,
    fell_back_only: Annotated[
        bool, typer.Option("--fell-back-only", help="Only what a model was asked about and was no help with.")
    ] = False,
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Read the events that were recorded in a range again, and show what that would change. It applies nothing."""
    if context.invoked_subcommand is not None:
        return
    wanted = Range(
        _instant(since, "--since"),
        _instant(until, "--until"),
        None if activity is None else identity(activity, "--activity", "keepwell extractions"),
        fell_back_only,
    )
    async with opened_redo(load_settings()) as opened:
        shown = await opened.propose(administrator(tenant), wanted)
    if as_json:
        print_json(
            {"redo_id": shown.redo_id, "activities": [_difference(each) for each in shown.differences]}
        )
    else:
        _show(shown, tenant)


def _difference(difference: Difference) -> dict[str, Any]:
    fallback = None if difference.fallback is None else difference.fallback._asdict()
    lines = [line._asdict() for line in difference.lines]
    return to_jsonable_python({**difference._asdict(), "fallback": fallback, "lines": lines})


def _instant(written: str | None, field: str) -> datetime:
    if written is None:
        raise InvalidInput("is missing; give the range of record, such as 2026-03-02T00:00:00Z", field=field)
    try:
        return aware(TypeAdapter(datetime).validate_python(written_out(written)))
    except ValidationError as invalid:
        raise InvalidInput(first_error(invalid).message, field=field) from None
    except ValueError as unclear:
        raise InvalidInput(str(unclear), field=field) from None


def _show(shown: Shown, tenant: str) -> None:
    if not shown.differences:
        console.print("No events that a pass has seen were recorded in this range.")
        return
    found = Counter(line.change for each in shown.differences for line in each.lines)
    for difference in shown.differences:
        _show_activity(difference)
    told = ", ".join(f"{found[change]} {_TITLES[change]}" for change in Change if found[change])
    console.print(
        f"{counted(len(shown.differences), 'activity', 'activities')}: {told or 'nothing proposed'}."
    )
    if found[Change.NEW] or found[Change.REFUSED]:
        named = "" if tenant == DEFAULT_TENANT else f" --tenant {tenant}"
        console.print("Nothing is applied yet. Make candidates of exactly this with:")
        console.print(f"  keepwell redo apply {shown.redo_id}{named}")


_TITLES = {
    Change.NEW: "new",
    Change.REFUSED: "refused",
    Change.SAME: "the same",
    Change.OTHER_WORDS: "in other words",
    Change.GONE: "no longer proposed",
}


def _show_activity(difference: Difference) -> None:
    console.print(f"[bold]activity {difference.activity_id}[/]")
    if difference.fallback is not None:
        console.print(f"  [bold red]Read by rule alone[/]: {_why(difference.fallback)}.")
    lines = [line for line in difference.lines if line.change is not Change.SAME]
    if not lines:
        return
    listed = folding("", "what", "event", "proposed by", "there")
    for line in lines:
        listed.add_row(
            _TITLES[line.change], _what(line), str(line.event_id), verbatim(line.extractor), _there(line)
        )
    console.print(listed)


def _what(line: Line) -> Text:
    about = "this scope" if line.mention is None else name_told(line.mention)
    says = line.kind.value if line.value is None else line.value
    until = "" if line.ends_when is None else f" until {line.ends_when}"
    hunch = " (a hunch)" if line.hedged else ""
    return verbatim(f"{about} {line.attribute} = {says}{until}{hunch}")


def _there(line: Line) -> str:
    if line.candidate_id is None:
        return line.reason or ""
    return f"{line.verdict or 'undecided'}, candidate {line.candidate_id}"


@redo.command("apply")
@command
async def apply(
    redo_id: Annotated[str, typer.Argument(metavar="REDO", help="The id that keepwell redo has printed.")],
    tenant: TenantOption = DEFAULT_TENANT,
    as_json: JsonOption = False,
) -> None:
    """Make candidates of exactly what a redo has proposed. What is decided stays decided."""
    wanted: UUID = identity(redo_id, "REDO", "keepwell redo, which prints it whole")
    async with opened_redo(load_settings()) as opened:
        applied = await opened.apply(administrator(tenant), wanted)
    if as_json:
        print_json(applied._asdict())
        return
    new, refused = counted(applied.candidates, "new candidate"), f"{applied.refused} refused"
    where = counted(applied.activities, "activity", "activities")
    keys = counted(applied.handed_over, "fact key")
    console.print(f"{new} and {refused} in {where}; {keys} handed to reconciliation.")
