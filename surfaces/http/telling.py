"""Tell internal records in the shapes of the wire, where these differ in more than the type.

Nothing is decided here and nothing is read.
"""

from collections.abc import Sequence

from models.facts import Fact, Status
from models.history import FactLife
from models.news import (
    IntentionTold,
    ProposalTold,
    Told,
    TransitionTold,
    VerdictTold,
    VersionTold,
)
from models.reconciliation import Verdict
from models.reviews import ReviewItem, Waiting
from models.statements import Decided, EventVerdict, Stated
from models.traces import Trace
from recall.memories import FactRead, Lineage, Memory, Page
from recall.reviews import ReviewPage
from store.episodes import Episode
from surfaces.http import answers

_STATUS = {
    Waiting.HELD: Status.QUARANTINED,
    Waiting.DISPUTED: Status.DISPUTED,
    Waiting.DOUBTED: Status.ACTIVE,
}
"""The status of the fact that waits."""


def decision(decided: Decided) -> answers.DecisionMade:
    return answers.DecisionMade(
        kind=decided.kind,
        attribute=decided.attribute,
        disposition=decided.disposition,
        gate=decided.gate,
        verdict=decided.verdict,
        reason=decided.reason,
        meaning=decided.meaning,
        memory_id=decided.fact_id,
        concerns=decided.target_id,
        recorded_at=decided.recorded_at,
    )


def event_verdict(told: EventVerdict) -> answers.EventVerdictTold:
    return answers.EventVerdictTold(
        event_id=told.event_id,
        activity=told.activity_id,
        stage=told.stage,
        episode_id=told.episode_id,
        decisions=[decision(each) for each in told.decisions],
    )


def statement(stated: Stated) -> answers.StatementOutcome:
    """A statement that restated a fact is told as that fact."""
    decided = stated.decided
    restated = decided is not None and decided.verdict is Verdict.RESTATE
    made = None if decided is None else decided.target_id if restated else decided.fact_id
    return answers.StatementOutcome(
        event_id=stated.event_id,
        activity=stated.activity_id,
        duplicate=stated.duplicate,
        verdict="pending" if decided is None else decided.verdict,
        reason=None if decided is None else decided.reason,
        governs=stated.governs,
        memory_id=made,
        concerns=None if decided is None else decided.target_id,
    )


def fact(read: Fact, status: Status, *, switched_off: bool = False) -> answers.FactTold:
    """Without the terms as a part of their own."""
    said = {**dict(read), **dict(read.terms), "valid_from": read.valid_from}
    told = {"entity": read.subject, "status": status, "switched_off": switched_off}
    return answers.FactTold.model_validate({**said, **told})


def episode(read: Episode) -> answers.EpisodeTold:
    """With the activity's name as its publisher gave it."""
    named = {"activity": read.activity_id, "activity_id": read.activity, "scope": dict(read.scope)}
    return answers.EpisodeTold.model_validate({**read._asdict(), **named})


def memory(read: Memory) -> answers.FactTold | answers.EpisodeTold:
    if isinstance(read, FactRead):
        return fact(read.fact, read.status, switched_off=read.switched_off)
    return episode(read)


def page(read: Page) -> answers.MemoryPage:
    return answers.MemoryPage(
        memories=[memory(each) for each in read.memories], next=read.next, as_of=read.as_of
    )


def history(lives: Sequence[FactLife]) -> answers.HistoryTold:
    told = [
        {**dict(life), "fact": fact(life.fact, life.status, switched_off=life.switched_off)} for life in lives
    ]
    return answers.HistoryTold.model_validate({"lives": told})


def reviews(read: ReviewPage) -> answers.ReviewPage:
    return answers.ReviewPage(reviews=[review(each) for each in read.items], next=read.next)


def review(item: ReviewItem) -> answers.ReviewTold:
    """A claim and what it challenges are told as facts, each with its status."""
    unnamed, challenged = item.unnamed, item.challenged
    nameless = None if unnamed is None else {**unnamed._asdict(), **dict(unnamed.terms)}
    told = {
        **item._asdict(),
        "gate": item.gate,
        "meaning": item.meaning,
        "claim": item.claim and fact(item.claim, _STATUS[item.waiting]),
        "unnamed": nameless,
        "challenged": challenged and fact(challenged, item.challenged_status or Status.ACTIVE),
        "mismatches": item.mismatches and item.mismatches._asdict(),
    }
    return answers.ReviewTold.model_validate(told)


def lineage(walked: Lineage) -> answers.LineageTold:
    edges = [answers.LineageEdge(child=child, parent=parent) for child, parent in walked.edges]
    return answers.LineageTold.model_validate({**walked._asdict(), "edges": edges})


def news(told: Told) -> tuple[str, answers.Answer]:
    """The name of an event of the stream, and what it tells."""
    match told:
        case VerdictTold():
            memory = {"memory_id": told.fact_id, "concerns": told.target_id}
            return "verdict", answers.VerdictNews.model_validate({**told._asdict(), **memory})
        case TransitionTold():
            memory = {"memory_id": told.record_id}
            return "transition", answers.TransitionNews.model_validate({**told._asdict(), **memory})
        case IntentionTold():
            return "intention", answers.IntentionNews.model_validate(told._asdict())
        case ProposalTold():
            return "proposal", answers.ProposalNews.model_validate(told._asdict())
        case VersionTold():
            return "procedure", answers.VersionNews.model_validate(told._asdict())


def trace(found: Trace) -> answers.TraceTold:
    return answers.TraceTold.model_validate(found.model_dump())
