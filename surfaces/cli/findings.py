"""Traces and attribution for people: what was found and what became of it, with the denominator of each share."""

from rich.text import Text

from models.attribution import Attribution, Funnel, PairedEffect
from models.traces import Trace
from recall.traces import TracePage
from surfaces.cli.render import counted, folding, quoted, verbatim, where
from surfaces.cli.session import console


def recalls(page: TracePage) -> None:
    """Each recall with who asked what, where, what called for it and what its answer advised."""
    if not page.traces:
        console.print("No recalls.")
    else:
        table = folding("trace", "when", "by", "in", "asked", "called for by", "advice")
        for each in page.traces:
            table.add_row(
                str(each.id),
                f"{each.recorded_at:%Y-%m-%d %H:%M}",
                verbatim(f"{each.asked.kind}:{each.asked.subject}"),
                verbatim(where(each.asked.scope)),
                quoted(each.asked.query),
                ", ".join(trigger.value for trigger in each.triggers),
                each.advice.value,
            )
        console.print(table)
    if page.next is not None:
        console.print(f"[dim]More: --cursor {page.next}[/]")


def trace(found: Trace) -> None:
    """The question, the decisions in order, and the records by rank."""
    console.print(
        Text.assemble(verbatim(f"{found.asked.kind}:{found.asked.subject} asked "), quoted(found.asked.query))
    )
    console.print(
        Text.assemble("  in ", verbatim(where(found.asked.scope)), f", as of {found.asked.as_of.isoformat()}")
    )
    table = folding("decision", "what it came to")
    for decision in found.decisions:
        told = ", ".join(f"{name} {_plain(value)}" for name, value in decision.saw.items())
        table.add_row(decision.name.value, verbatim(told))
    console.print(table)
    table = folding("rank", "record", "kind", "score", "found by", "fate")
    for entry in found.entries:
        table.add_row(
            "" if entry.rank is None else str(entry.rank),
            str(entry.id),
            entry.kind,
            f"{entry.score:.3f}",
            ", ".join(reason.value for reason in entry.reasons),
            entry.fate.value,
        )
    console.print(table)
    console.print(f"[dim]{found.tokens} tokens; advice: {found.advice.value}[/]")


def _plain(value: int | bool | str | tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) or "nothing" if isinstance(value, tuple) else str(value)


def attribution(found: Attribution) -> None:
    """The funnel of each kind of record, the triggers, and the effect in paired runs."""
    console.print(
        Text.assemble(
            f"{counted(found.recalls, 'recall')} in ",
            verbatim(where(found.scope)),
            f" from {found.since:%Y-%m-%d %H:%M} to {found.until:%Y-%m-%d %H:%M}, ",
            f"{found.reported:,} of them reported on.",
        )
    )
    for each in found.funnels:
        _funnel(each)
    fired = [use for use in found.triggers if use.fired]
    if fired:
        table = folding("trigger", "fired", "reported on", "used something", "records used, of those seen")
        for use in fired:
            share = f"{use.used:,} of {use.reported:,}"
            seen = f"{use.records_used:,} of {use.exposed:,}"
            table.add_row(use.trigger.value, f"{use.fired:,}", f"{use.reported:,}", share, seen)
        console.print(table)
    _pairs(found.pairs)


def _funnel(found: Funnel) -> None:
    table = folding(f"{found.kind}s", "records", "lost before it")
    for stage in found.stages:
        lost = [f"{each.records:,} {each.loss.value}" for each in found.losses if each.before is stage.stage]
        table.add_row(stage.stage.value, f"{stage.records:,}", ", ".join(lost))
    console.print(table)


def _pairs(found: PairedEffect) -> None:
    if not found.complete:
        console.print("Whether memory helped nobody can say: no pair of runs has both outcomes.")
        return
    console.print(
        f"Of {counted(found.complete, 'pair')} of runs with both outcomes: {found.rescue:,} rescued by memory, "
        f"{found.regret:,} regretted, {found.unchanged:,} unchanged."
    )
