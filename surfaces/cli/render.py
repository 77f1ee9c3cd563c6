"""Answers for people: tables and short lines. Colour comes by itself on a terminal and nowhere else."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from rich.table import Column, Table
from rich.text import Text

from models.api_keys import ApiKey
from models.conditions import ConfirmationState
from models.controls import Switch
from models.explanation import Explanation
from models.history import FactLife
from models.messages import ConfirmationOutcome
from models.policy_proposal import PolicyChange
from models.recall import Advice, Conflict, RecallAnswer, Without
from models.reconciliation import Disposition
from models.statements import Decided
from store.policies import Applied
from store.words import Words
from surfaces.cli.session import console, print_json
from surfaces.importing.report import ImportReport

_TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters that turn the direction of what follows, so that it reads as something else."""
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160), *_TURNING) if code not in {9, 10}}


def verbatim(text: str) -> Text:
    """`text` as it is: never read as markup, and not able to steer the terminal."""
    return Text(text.translate(_CONTROLS))


def folding(*columns: str) -> Table:
    """A table that folds what is too long for the terminal; an id with a gap in it would be of no use."""
    return Table(*(Column(name, overflow="fold") for name in columns))


MOST_IDS_SHOWN = 10
MOST_NAMED = 3
MOST_QUOTED = 500
"""Characters of an event's words."""


def counted(number: int, one: str, several: str | None = None) -> str:
    """`number` with its noun."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def where(scope: Mapping[str, str]) -> str:
    """A scope in one line."""
    return ", ".join(f"{name}={value}" for name, value in sorted(scope.items())) or "the whole tenant"


def quoted(text: str) -> Text:
    """What somebody said, cut where it goes on and on."""
    return verbatim(f'"{text}"' if len(text) <= MOST_QUOTED else f'"{text[:MOST_QUOTED]}…"')


def _procedure(found: RecallAnswer) -> None:
    """The playbook that fits, whole, or that it has no room."""
    if found.procedure_over_budget is not None:
        console.print(
            f"A procedure fits and has no room: version {found.procedure_over_budget}; allow more tokens."
        )
    if found.procedure is None:
        return
    there = found.procedure
    console.print(verbatim(f"{there.name}, version {there.version}: {there.trigger.intent}"))
    for condition in there.preconditions:
        console.print(verbatim(f"  first: {condition}"))
    for number, step in enumerate(there.steps, 1):
        console.print(verbatim(f"  {number}. {step.do}"))
        console.print(verbatim(f"     check: {step.verify}"))
    console.print(f"  [dim]procedure {there.procedure_id} · {there.status.value}[/]")


def answer(found: RecallAnswer) -> None:
    """Facts first, what must be heeded on top; then the passages that tell how it came."""
    playbook = found.procedure or found.procedure_over_budget
    if not (found.facts or found.passages or found.session or found.intentions or playbook):
        console.print("Nothing that applies.")
    _procedure(found)
    for fact in found.facts:
        mark = ("must heed ", "bold red") if fact.required else ""
        # Of a thing the line says the name by itself; what holds of no thing holds of the scope.
        about = "" if fact.entity else "this scope: "
        console.print(Text.assemble(mark, about, verbatim(fact.text)))
        console.print(
            f"  [dim]fact {fact.id} · {', '.join(fact.reasons)} · {counted(len(fact.sources), 'source')}[/]"
        )
    for passage in found.passages:
        console.print(Text.assemble(f"{passage.occurred_at:%Y-%m-%d} ", verbatim(passage.text)))
        console.print(f"  [dim]episode {passage.episode_id} · {', '.join(passage.reasons)}[/]")
    for said in found.session:
        console.print(Text.assemble(("Just now ", "cyan"), verbatim(said.line)))
        console.print(f"  [dim]event {said.id} · nothing is made of it yet[/]")
    for due in found.intentions:
        console.print(Text.assemble(("Your own ", "cyan"), verbatim(due.line)))
        console.print(f"  [dim]occurrence {due.id} · {due.fate}[/]")
    for claim in found.unverified:
        # The line says by itself that it is unverified.
        console.print(Text.assemble((f"{claim.status.value} ", "yellow"), verbatim(claim.text)))
        console.print(f"  [dim]claim {claim.id} · {', '.join(claim.reasons)} · not in force[/]")
    for conflict in found.conflicts:
        _conflict(conflict)
    for need in found.unmet:
        console.print(
            f"[yellow]Nothing governs {need.attribute}[/]: {_INSTEAD[need.fallback]}{need.system or ''}."
        )
    if found.missing:
        remedy = "Narrow the request" if found.advice is Advice.NARROW else "Ask with a larger budget"
        console.print(
            f"[bold red]{remedy}[/]: {len(found.missing)} that must be heeded do not fit into the budget."
        )
    _lacking(found.without)
    console.print(
        f"[dim]{found.tokens} tokens; {found.left_out} left out; as of {found.as_of.isoformat()}[/]"
    )


def _lacking(without: Iterable[Without]) -> None:
    for each in without:
        if each in _LACKING:
            console.print(_LACKING[each])


_LACKING = {
    Without.LIKENESS: "[yellow]By words alone[/]: the embedder could not help; keepwell doctor says more.",
    Without.RERANKING: "[yellow]In recall's own order[/]: the reranker could not help; keepwell doctor says more.",
}

_INSTEAD = {"ask": "ask a person", "abstain": "do not go by memory", "system_of_record": "ask "}


def _conflict(conflict: Conflict) -> None:
    """One line for a disagreement, and one for each challenger, which is not in force."""
    of = verbatim(f"{conflict.attribute} of {conflict.entity or 'this scope'}")
    if not conflict.unsettled:
        rules = ", ".join(conflict.settled_by)
        console.print(Text.assemble("Settled by ", rules, ": ", of, f", {len(conflict.yielded)} gave way"))
        return
    asks = verbatim(conflict.question) if conflict.question else of
    left = "" if conflict.carried else " (its records do not fit)"
    console.print(Text.assemble(("In conflict ", "bold yellow"), asks, left))
    for challenger in conflict.challengers:
        console.print(Text.assemble("  ", verbatim(challenger.text)))
        console.print(f"  [dim]claim {challenger.id} · not in force[/]")


def stated(decided: Decided, *, governs: bool) -> None:
    """The verdict, why, and the ids to go on with."""
    console.print(f"{decided.verdict.value}: {decided.reason}. {_STANDS[governs]}")
    if not governs and decided.meaning is not None:
        console.print(f"  {decided.meaning}", markup=False)
    if decided.fact_id is not None:
        console.print(f"  [dim]fact {decided.fact_id}[/]")
    if decided.target_id is not None:
        console.print(f"  [dim]concerns {decided.target_id}[/]")
    console.print(f"  [dim]event {decided.event_id}[/]")
    if not governs and decided.disposition is not Disposition.PERSIST:
        console.print(f"  next: keepwell why {decided.event_id}")
        if decided.disposition is Disposition.QUARANTINE:
            console.print("        keepwell review list, for whoever may review it")


_STANDS = {True: "It governs.", False: "It does not govern."}


def explanation(explained: Explanation) -> None:
    """Each step of the read path with what was seen there."""
    table = folding("step", "", "what was seen")
    for check in explained.checks:
        table.add_row(check.step.value, "yes" if check.passed else "[red]no[/]", verbatim(check.detail))
    console.print(table)
    dropped = explained.dropped_at
    console.print("It is in the answer." if dropped is None else f"It was dropped at: {dropped.value}.")


def history(lives: Sequence[FactLife], said: Mapping[UUID, Words]) -> None:
    """Every fact with its changes and confirmations, in order of validity, and what was said at each."""
    if not lives:
        console.print("No facts.")
    for life in lives:
        fact = life.fact
        until = f" until {fact.terms.ends_when}" if fact.terms.ends_when else ""
        console.print(
            Text.assemble(
                (verbatim(fact.subject.label).plain, "bold"),
                f" {fact.attribute} = ",
                verbatim(fact.terms.value + until),
                (f" ({life.status.value}, fact {fact.id})", "dim"),
            )
        )
        console.print(Text.assemble("  in ", verbatim(where(fact.scope))))
        table = folding("when", "change", "rule", "by", "event", "said")
        for change in life.changes:
            role = f" as {change.actor_role}" if change.actor_role else ""
            table.add_row(
                f"{change.effective_at:%Y-%m-%d %H:%M}",
                f"{change.from_status or 'nothing'} → {change.to_status}",
                f"{change.rule}: {change.reason}",
                verbatim(change.actor + role),
                str(change.event_id or ""),
                _said(said, change.event_id),
            )
        for claimed in life.confirmations:
            table.add_row(
                f"{claimed.recorded_at:%Y-%m-%d %H:%M}",
                f"end confirmed: {claimed.state.value}",
                claimed.reason or "",
                verbatim(claimed.subject),
                str(claimed.event_id),
                _said(said, claimed.event_id),
            )
        console.print(table)


def _said(said: Mapping[UUID, Words], event_id: UUID | None) -> Text:
    words = None if event_id is None else said.get(event_id)
    return Text("") if words is None or words.text is None else quoted(words.text)


def outcome(confirmed: ConfirmationOutcome) -> None:
    """One line."""
    if confirmed.state is ConfirmationState.REFUSED:
        console.print(f"Refused: {confirmed.reason}. The confirmation is kept as a claim.")
    else:
        console.print(f"Accepted: {confirmed.reason}. The fact is retired.")


def import_report(report: ImportReport, *, as_json: bool) -> None:
    """What an import came to."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console.print(
        f"{counted(report.events, 'event')}: {report.new} new, {report.duplicates} known already, in "
        f"{counted(len(report.activities), 'activity', 'activities')}; {report.seconds:.1f} s."
    )
    if report.masked:
        kinds = ", ".join(kind.replace("_", " ") for kind in report.masked)
        console.print(f"Masked before it was stored: {kinds}. What a secret was is kept nowhere.")
    for event_id in report.event_ids[:MOST_IDS_SHOWN]:
        console.print(f"  [dim]event {event_id}[/]")
    if len(report.event_ids) > MOST_IDS_SHOWN:
        console.print(f"  [dim]and {len(report.event_ids) - MOST_IDS_SHOWN} more; --json has them all[/]")


def switches(found: Sequence[Switch]) -> None:
    """Every class with how the person has it, and since when."""
    table = folding("class", "state", "since")
    for each in found:
        since = "" if each.since is None else f"{each.since:%Y-%m-%d %H:%M}"
        table.add_row(verbatim(each.class_name), each.state.value, since)
    console.print(table)


def keys(found: Sequence[ApiKey], now: datetime) -> None:
    """Every key with whom it speaks for, how far it reaches, and how it stands at `now`."""
    if not found:
        console.print("No keys.")
        return
    table = folding("id", "name", "speaks for", "narrowed to", "last used", "state")
    for key in found:
        roles = f" as {', '.join(key.roles)}" if key.roles else ""
        narrowed = [
            *(f"{dimension}={value}" for dimension, value in key.within.items()),
            *sorted(key.only or ()),
        ]
        table.add_row(
            str(key.id),
            verbatim(key.name),
            verbatim(f"{key.kind}:{key.subject}{roles}"),
            verbatim(", ".join(narrowed)),
            "never" if key.last_used_at is None else f"{key.last_used_at:%Y-%m-%d %H:%M}",
            _state(key, now),
        )
    console.print(table)


def policy_change(change: PolicyChange) -> None:
    """What a change of policy does to memories, and what it takes from roles."""
    if not change.effects:
        console.print("No memory is touched.")
    else:
        table = folding("what becomes of memories", "attribute", "concerns", "memories", "among them")
        for effect in change.effects:
            table.add_row(
                effect.kind.value,
                verbatim(effect.attribute),
                verbatim(", ".join(effect.concerns)),
                f"{effect.memories:,}",
                "\n".join(str(each) for each in effect.ids[:MOST_NAMED]),
            )
        console.print(table)
    for lost in change.grants:
        parts = [
            *(["everything"] if lost.gone else [verb.value for verb in lost.verbs]),
            *([] if lost.gone else [f"reach in {dimension}" for dimension in lost.scopes]),
            *(["the whole tenant"] if lost.tenant_wide and not lost.gone else []),
        ]
        console.print(Text.assemble((verbatim(lost.name).plain, "bold"), f" loses {', '.join(parts)}"))


def policy_log(found: Sequence[Applied], started_with: str) -> None:
    """Every change of a policy with who made it, when and why; where there is none, which one counts."""
    if not found:
        console.print(f"The tenant has no policy of its own; {started_with} is in force.")
        return
    table = folding("version", "when", "by", "why", "digest")
    for each in found:
        table.add_row(
            str(each.version),
            f"{each.recorded_at:%Y-%m-%d %H:%M}",
            verbatim(f"{each.applied_kind.value}:{each.applied_by}"),
            verbatim(each.reason),
            each.digest[:12],
        )
    console.print(table)


def _state(key: ApiKey, now: datetime) -> str:
    ended = min(now, key.revoked_at or now)
    if key.expires_at is not None and key.expires_at <= ended:
        return f"expired {key.expires_at:%Y-%m-%d %H:%M}"
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d %H:%M}"
    return "in force" if key.expires_at is None else f"in force until {key.expires_at:%Y-%m-%d %H:%M}"
