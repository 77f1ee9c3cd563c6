"""Intentions and what comes of them, as people read it: what each waits for, in full and in its zone.

What somebody has written is never read as markup and cannot steer the terminal.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.text import Text

from capture.inbox import Due
from models.firing import MOST_SKIPPED
from models.intention_words import rule_told, told, trigger_told
from models.intentions import AtInstant, Fate, Intention, Life, Occurrence, Owner, Recurring
from recall.agenda import AgendaPage, Planned
from surfaces.cli.render import counted, verbatim, where
from surfaces.cli.session import console


def page(found: AgendaPage) -> None:
    """One page of intentions; what to ask for the next one."""
    if not found.planned and found.next is None:
        console.print("No intentions.")
    for each in found.planned:
        intention(each)
    if found.next is not None:
        console.print(f"[dim]There may be more: --cursor {found.next}[/]")


def intention(planned: Planned) -> None:
    """One intention: what is to be done, what it waits for, when it comes next, where, and whose it is."""
    there, now = planned.intention, datetime.now(UTC)
    reason = "" if there.reason is None else f": {there.reason}"
    console.print(Text.assemble((verbatim(there.action).plain, "bold"), f" ({planned.life.value}{reason})"))
    console.print(Text.assemble("  ", verbatim(_waits_for(there, now))))
    for at in planned.coming:
        if not isinstance(there.trigger, AtInstant) or at != there.trigger.at:
            console.print(f"  next: {told(at, zone_of(there), now)}")
    for name, bound in (("not before", there.not_before), ("deadline", there.deadline)):
        if bound is not None:
            console.print(f"  {name} {told(bound, there.timezone, now)}")
    goes_to = "" if there.endpoint_id is None else f", goes to endpoint {there.endpoint_id}"
    console.print(Text.assemble("  in ", verbatim(where(there.scope)), ", ", _whose(there), goes_to))
    if there.premises:
        console.print(f"  rests on {', '.join(f'fact {each}' for each in there.premises)}", style="dim")
    console.print(f"  [dim]intention {there.id}[/]")
    if planned.life is Life.PROPOSED:
        console.print(f"  next: keepwell intentions confirm {there.id}, or cancel")


def zone_of(there: Intention) -> str:
    """The zone in which the instants of an intention are told."""
    match there.trigger:
        case Recurring(recurrence=recurrence):
            return recurrence.timezone
        case _:
            return there.timezone


def _waits_for(there: Intention, now: datetime) -> str:
    """What it waits for. Of a recurrence the rule alone: when it comes next its bounds have a say in."""
    match there.trigger:
        case Recurring(recurrence=recurrence):
            return f"{rule_told(recurrence)}, {recurrence.timezone}"
        case _:
            return trigger_told(there.trigger, there.timezone, now)


def _whose(there: Intention) -> Text:
    set_by = Owner(subject=there.set_by.subject, kind=there.set_by.kind)
    by = "" if set_by == there.owner else f", set by {_named(set_by)}"
    return verbatim(f"of {_named(there.owner)}{by}")


def _named(who: Owner) -> str:
    return f"{who.kind.value}:{who.subject}"


def occurrences(there: Intention, came: Sequence[Occurrence]) -> None:
    """What came of an intention, the latest first."""
    now = datetime.now(UTC)
    for each in came:
        outcome = "" if each.outcome is None else f", {each.outcome}"
        at_least = "at least " if each.skipped >= MOST_SKIPPED else ""
        skipped = f", and {at_least}{each.skipped:,} after it" if each.skipped else ""
        handed = f", handed out {counted(each.leases, 'time')}" if each.leases else ""
        console.print(
            Text.assemble(
                f"{told(each.due_at, zone_of(there), now)}: ",
                (each.fate.value, _COLOURS.get(each.fate, "")),
                f"{outcome}{skipped}{handed}",
            )
        )
        said = "" if each.event_id is None else f" · event {each.event_id}"
        console.print(f"  [dim]occurrence {each.id}{said}[/]")


_COLOURS = {Fate.DUE: "yellow", Fate.MISSED: "red", Fate.DEAD_LETTERED: "red", Fate.EXPIRED: "red"}


def handed_out(taken: Sequence[Due]) -> None:
    """What was taken from an inbox, and what to say of it until when."""
    if not taken:
        console.print("Nothing is due.")
    now = datetime.now(UTC)
    for each in taken:
        there, came = each.intention, each.occurrence
        again = "" if came.leases == 1 else f", handed out {counted(came.leases, 'time')} by now"
        console.print(verbatim(there.action), style="bold")
        console.print(f"  due {told(came.due_at, zone_of(there), now)}{again}")
        console.print(Text.assemble("  in ", verbatim(where(there.scope)), ", ", _whose(there)))
        for name, value in there.data.items():
            console.print(Text.assemble("  ", verbatim(f"{name} = {value}")))
        console.print(f"  [dim]occurrence {came.id} · lease {each.lease} · intention {there.id}[/]")
        seconds = (came.available_at - now).total_seconds()
        console.print(
            f"  next: keepwell inbox ack {came.id}, or snooze; else it comes again in {seconds:.0f} s"
        )
