"""What is kept of a recall: who asked what, the eight decisions, and what became of each record that was found."""

from collections.abc import Collection, Sequence
from typing import Any, Literal
from uuid import UUID

from models.budget import Item
from models.recall import RecallAnswer, RecalledFact, RecallRequest
from models.sessions import Session
from models.traces import Asked, Decision, DecisionName, Entry, Fate
from models.triggers import called_for
from recall.considered import Considered, Gathered, Place
from recall.inquiry import Inquiry
from recall.likeness import Mask
from store import traces


def trace_of(mask: Mask, inquiry: Inquiry, what: Considered) -> traces.NewTrace:
    """What is kept of a recall. What was asked is masked as what is published is."""
    principal, request = inquiry.principal, inquiry.request
    said = mask(principal.tenant_id, {"text": request.query, "entities": list(request.entities)})
    asked = Asked(
        subject=principal.subject,
        kind=principal.kind.value,
        roles=principal.roles,
        policy_version=inquiry.version,
        scope=dict(inquiry.scope),
        query=said["text"],
        entities=tuple(said["entities"]),
        as_of=inquiry.as_of,
        known_at=request.known_at,
        timezone=request.timezone,
        budget_tokens=request.budget_tokens,
        limit=request.limit,
    )
    answer = what.answer
    return traces.NewTrace(
        inquiry.scope.key, asked, answer.triggers, what.decisions, what.entries, answer.advice, answer.tokens
    )


def entries_of(
    places: Sequence[Place],
    gone: Collection[UUID],
    answer: RecallAnswer,
    taken: Collection[UUID],
    below_floor: Collection[UUID],
) -> list[Entry]:
    over_budget = set(answer.over_budget)

    def fate(item: Item) -> Fate:
        if item.id in gone:
            return Fate.YIELDED
        if item.id in taken:
            return Fate.SELECTED
        if item.id in below_floor:
            return Fate.BELOW_FLOOR
        return Fate.OVER_BUDGET if item.id in over_budget else Fate.BEYOND_LIMIT

    return [
        Entry(
            id=item.id,
            kind="fact" if isinstance(item, RecalledFact) else "passage",
            rank=rank,
            score=item.score,
            reasons=item.reasons,
            fate=fate(item),
            observed=_observed(item),
        )
        for rank, item in places
    ]


def _observed(item: Item) -> Literal["confirmed", "overrode"] | None:
    if not isinstance(item, RecalledFact):
        return None
    if item.overridden_by is not None:
        return "overrode"
    return None if item.confirmed_at is None else "confirmed"


def decisions_of(
    gathered: Gathered, request: RecallRequest, answer: RecallAnswer, session: Session
) -> list[Decision]:
    search, readable, found, conflicts = (
        gathered.search,
        gathered.brought.readable,
        gathered.found,
        gathered.disagreements,
    )
    triggers = tuple(trigger.value for trigger in answer.triggers)
    saw: dict[DecisionName, dict[str, Any]] = {
        DecisionName.TRIGGER: {"triggers": triggers, "searches": bool(called_for(request.triggers))},
        DecisionName.SCOPES: {"applying": len(search.scope_keys)},
        DecisionName.ELIGIBILITY: {
            "as_of": search.as_of.isoformat(),
            "attributes": len(readable.attributes),
            "hides": readable.hides,
        },
        DecisionName.CONFLICTS: {
            "open": sum(conflict.unsettled for conflict in conflicts),
            "settled": sum(not conflict.unsettled for conflict in conflicts),
        },
        DecisionName.QUERY: {
            "characters": len(request.query),
            "terms": len(search.terms),
            "likeness": search.likeness is not None,
            "things": len(search.canonicals) + len(search.name_keys),
            "observations": len(request.observations),
        },
        DecisionName.RANK: {
            "facts": len(found.facts),
            "passages": len(found.passages),
            "below_floor": len(gathered.below),
            "reranked": gathered.brought.reranked,
        },
        DecisionName.PARTNERS: {"brought_in": len(found.partners)},
        DecisionName.BUDGET: {
            "tokens": answer.tokens,
            "of": request.budget_tokens,
            "session": len(session.events),
            "session_left_out": session.left_out,
            "left_out": answer.left_out,
            "due": len(answer.intentions),
            "due_left_out": len(gathered.due) - len(answer.intentions),
            "procedure": "" if gathered.playbook is None else str(gathered.playbook.id),
            "procedure_left_out": answer.procedure_over_budget is not None,
            "advice": answer.advice.value,
        },
    }
    return [Decision(name=name, saw=said) for name, said in saw.items()]
