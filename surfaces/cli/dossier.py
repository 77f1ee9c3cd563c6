"""What was decided, and what waits for somebody to decide it, as people read it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from rich.text import Text

from models.candidates import Terms
from models.facts import Fact
from models.gates import Gate
from models.history import FactLife
from models.mismatches import Mismatches
from models.reviews import Heard, ReviewItem, Waiting
from models.statements import Decided, EventVerdict, Stage
from recall.reviews import ReviewPage
from store.lineage import Node
from store.words import Words
from surfaces.cli.render import quoted, verbatim, where
from surfaces.cli.session import console

_STAGES = {
    Stage.WAITING_FOR_CHECKPOINT: "It waits for a checkpoint of its activity.",
    Stage.WAITING_FOR_CONSOLIDATION: "It waits until its activity falls silent.",
    Stage.WAITING_FOR_DECISION: "Some of what it proposed is not decided yet.",
    Stage.SETTLED: "All that it proposed is decided.",
}
_WAITS = {
    Waiting.HELD: "is held until somebody who may accepts it",
    Waiting.DISPUTED: "is disputed until a person settles it",
    Waiting.UNNAMED: "means several things here; accept it with --entity",
    Waiting.DOUBTED: "governs, and is observed otherwise; accept it as it stands, accept it with --value, or reject it",
}


def queue(page: ReviewPage) -> None:
    """One page of what waits; what to ask for the next one."""
    if not page.items and page.next is None:
        console.print("Nothing waits.")
    for item in page.items:
        waits(item)
    if page.next is not None:
        console.print(f"[dim]There may be more: --cursor {page.next}[/]")


def waits(item: ReviewItem) -> None:
    """What waits: what it says and why it waits, who said so, what stands against it, and who cannot accept it."""
    console.print(Text.assemble(_what_waits(item), f" {_WAITS[item.waiting]}"))
    console.print(Text.assemble("  ", (f"id {item.id}", "dim"), verbatim(f" in {where(_scope_of(item))}")))
    _reason(item.gate, item.reason, item.meaning)
    lapses = "" if item.lapses_at is None else f", lapses {_minute(item.lapses_at)}"
    console.print(f"  class {item.class_name or 'unknown'}, waits since {_minute(item.recorded_at)}{lapses}")
    _said("said by", item.heard)
    if item.challenged is not None:
        status = "" if item.challenged_status is None else f"{item.challenged_status.value}, "
        console.print(
            Text.assemble(
                "  against ", _says(item.challenged), (f" ({status}fact {item.challenged.id})", "dim")
            )
        )
        _said("  said by", item.challenged_heard)
    if item.mismatches is not None:
        _against(item.mismatches)
    if item.not_by:
        console.print(
            Text.assemble("  cannot be accepted by ", verbatim(", ".join(item.not_by)), ", who said it")
        )


def _against(seen: Mismatches) -> None:
    times = f"observed otherwise on {seen.times} occasions"
    console.print(
        f"  {times}, from {_minute(seen.since)} to {_minute(seen.latest)}, by the clocks of the observers"
    )
    for trace_id in seen.traces:
        console.print(f"  [dim]in trace {trace_id}[/]")


def event(told: EventVerdict, words: Words | None) -> None:
    """How far an event has come, what was said there, and each decision on what it proposed."""
    console.print(f"Event {told.event_id}. {_STAGES[told.stage]}")
    if words is not None:
        console.print(Text.assemble("  in ", verbatim(where(words.scope))))
        _quote(words.text)
    if not told.decisions and told.stage is Stage.SETTLED:
        console.print("It proposed nothing.")
    for decided in told.decisions:
        decision(decided)


def decision(decided: Decided) -> None:
    """One decision: what it came to, by which rule and gate, what its reason means, and the facts that it concerns."""
    console.print(
        Text.assemble(
            verbatim(f"{decided.kind} of {decided.attribute}: "),
            (decided.disposition.value, "bold"),
            f" by {decided.verdict.value}",
        )
    )
    _reason(decided.gate, decided.reason, decided.meaning)
    if decided.fact_id is not None:
        console.print(f"  [dim]made fact {decided.fact_id}[/]")
    if decided.target_id is not None:
        console.print(f"  [dim]concerns fact {decided.target_id}[/]")


def life(told: FactLife, said: Mapping[UUID, Words], parents: Iterable[Node]) -> None:
    """One fact, and each change of it with the rule, what the reason means, who is behind it, and in which words."""
    fact = told.fact
    console.print(Text.assemble(_says(fact), (f" ({told.status.value}, fact {fact.id})", "dim")))
    console.print(Text.assemble("  in ", verbatim(where(fact.scope))))
    for parent in parents:
        how = "made from claim" if dict(parent.scope) == fact.scope else "promoted from fact"
        console.print(f"  {how} {parent.id}")
    for change in told.changes:
        role = f" as {change.actor_role}" if change.actor_role else ""
        console.print(
            Text.assemble(
                f"{_minute(change.effective_at)} ",
                (f"{change.from_status or 'nothing'} → {change.to_status}", "bold"),
                f" by {change.rule}, ",
                verbatim(f"{change.actor}{role}"),
            )
        )
        _reason(None, change.reason, change.meaning)
        if change.event_id is not None:
            console.print(f"  [dim]event {change.event_id}[/]")
            _quote_of(said, change.event_id)
    for claimed in told.confirmations:
        console.print(
            Text.assemble(
                f"{_minute(claimed.recorded_at)} end confirmed by ",
                verbatim(claimed.subject),
                f": {claimed.state.value}",
            )
        )
        _quote_of(said, claimed.event_id)


def _quote_of(said: Mapping[UUID, Words], event_id: UUID) -> None:
    if event_id in said:
        _quote(said[event_id].text)


def _quote(text: str | None) -> None:
    if text is not None:
        console.print(Text.assemble("  said: ", quoted(text)))


def _scope_of(item: ReviewItem) -> Mapping[str, str]:
    if item.claim is not None:
        return item.claim.scope
    assert item.unnamed is not None
    return item.unnamed.scope


def _what_waits(item: ReviewItem) -> Text:
    if item.claim is not None:
        return _says(item.claim)
    assert item.unnamed is not None
    return _terms(item.unnamed.mention, item.unnamed.attribute, item.unnamed.terms)


def _says(fact: Fact) -> Text:
    return _terms(fact.subject.label, fact.attribute, fact.terms)


def _terms(about: str, attribute: str, terms: Terms) -> Text:
    until = f" until {terms.ends_when}" if terms.ends_when else ""
    expiry = f" (expires {terms.expires_at.isoformat()})" if terms.expires_at else ""
    return Text.assemble(
        (verbatim(about).plain, "bold"), f" {attribute} = ", verbatim(f"{terms.value}{until}{expiry}")
    )


def _reason(gate: Gate | None, reason: str, meaning: str | None) -> None:
    where = "" if gate is None else f"{gate.value} gate, "
    console.print(f"  {where}{reason}" + ("" if meaning is None else f": {meaning}"), markup=False)


def _said(how: str, heard: Iterable[Heard]) -> None:
    for each in heard:
        role = f" as {each.authority_role}" if each.authority_role else ""
        console.print(
            Text.assemble(
                f"  {how} ",
                verbatim(f"{each.subject}{role}"),
                f", {each.authority.name.lower()}, {_minute(each.occurred_at)}",
                verbatim(f': "{each.text}"' if each.text else ""),
                (f" (event {each.event_id})", "dim"),
            )
        )


def _minute(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M}"
