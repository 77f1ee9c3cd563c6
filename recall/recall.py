"""Recall: what should influence the next decision, in order and within a budget.

Eight decisions on one path, each a function of its own, and each in the trace: what called for it (`called_for`), the
authorised scopes (`authorised_scope`), what is eligible (`eligibility`), who disagrees (`disagreements`), what to look
for (`query_of`), in which order (`ranked_facts`, `ranked_passages`), what belongs together (`units`), and what fits
(`fit`). It never waits on a workflow.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from models.anchors import window_by
from models.budget import (
    Fitted,
    answered,
    fit,
    room_for_due,
    room_for_procedure,
    room_for_session,
    told,
    with_claims,
)
from models.contracts import RecallPriority
from models.controls import catalogue
from models.due import NOTHING_DUE, Due, due_within
from models.entities import canonical_ids, canonical_key, cues_of, is_canonical, name_key
from models.fallback import needed
from models.overrides import marked, seen
from models.policy import Declared, Policy
from models.principals import Principal
from models.procedure_choice import NO_PROCEDURE, Carried
from models.readers import Readable, recalled_for
from models.recall import (
    RecallAnswer,
    RecalledFact,
    RecallRequest,
    Without,
    found_by_words,
    most_in_play,
    ranked_claims,
)
from models.sessions import Session, SessionEvent, session_within
from models.text import identifiers, phrases, terms
from models.time_words import Window, window_of
from models.triggers import Trigger, called_for, told_with
from recall.arranging import arrange
from recall.considered import Brought, Considered, Gathered
from recall.doubting import keep_mismatches
from recall.due import due_of
from recall.inquiry import Inquiries, Inquiry, with_offset
from recall.likeness import Mask
from recall.playbook import playbook_for
from recall.rechecking import rechecked
from recall.reranking import SecondLook
from recall.tokens import count_tokens
from recall.tracing import decisions_of, entries_of, trace_of
from recall.weighing import basis_of, weigh
from store import claims, sessions, traces
from store import recall as queries
from store.recalled import Found, Search
from store.unit_of_work import UnitOfWork

PHRASES = 150
"""Of how many words at the beginning of a query, and at its end, each run is looked up as the name of a thing."""

CANDIDATES_FOR_EACH_PLACE = 4
"""How many records words bring up for each place in the answer, and likeness as many again."""


class Query(NamedTuple):
    """What to look for: things by id and by name, each as the request calls it, and words."""

    canonicals: list[str]
    name_keys: list[str]
    asked: Mapping[str, Sequence[str]]
    terms: list[str]


class Recall:
    """Answers recalls for any principal, and keeps a trace of each."""

    def __init__(self, inquiries: Inquiries, second_look: SecondLook, mask: Mask) -> None:
        self._inquiries = inquiries
        self._second_look = second_look
        self._mask = mask

    async def recall(self, principal: Principal, request: RecallRequest) -> RecallAnswer:
        """Bring back what applies.

        Raises as `Inquiries.begun` does, and `InvalidInput` for a need that no class declares.
        """
        async with self._inquiries.begun(principal, request) as (work, inquiry):
            gathered = await gather(work, inquiry)
            found: Sequence[RecalledFact] | None = None
            if request.unverified:
                found = await inquiry.deadline.search(work, lambda: _claims(work, gathered.search))
            if not self._second_look.is_wanted(inquiry, gathered):
                return await self._told(work, inquiry, gathered, found)
        gathered = await self._second_look.at(inquiry, gathered)
        async with self._inquiries.resumed(inquiry) as work:
            gathered, left = await rechecked(work, inquiry, gathered, found or ())
            return await self._told(work, inquiry, gathered, None if found is None else left)

    async def _told(
        self, work: UnitOfWork, inquiry: Inquiry, gathered: Gathered, found: Sequence[RecalledFact] | None
    ) -> RecallAnswer:
        considered = weighed_up(inquiry, gathered)
        answer = considered.answer
        if inquiry.request.unverified:
            answer = (
                answer.model_copy(update={"without": (*answer.without, Without.CLAIMS)})
                if found is None
                else with_claims(answer, found, inquiry.request, count_tokens)
            )
        trace_id = await traces.add(work, trace_of(self._mask, inquiry, considered))
        await keep_mismatches(work, inquiry, considered, trace_id)
        return answer.model_copy(update={"trace_id": trace_id})


async def consider(work: UnitOfWork, inquiry: Inquiry) -> Considered:
    """Take the decisions for one request, and say how each came out."""
    return weighed_up(inquiry, await gather(work, inquiry))


def weighed_up(inquiry: Inquiry, gathered: Gathered) -> Considered:
    """Take the last decision, what fits, and say how each came out."""
    request = inquiry.request
    due, budget = NOTHING_DUE, request.budget_tokens
    if gathered.due:
        due = due_within(gathered.due, room_for_due(gathered.together, budget, count_tokens), count_tokens)
        budget -= due.tokens
    playbook = NO_PROCEDURE
    if gathered.playbook is not None:
        cost = count_tokens(gathered.playbook.text)
        if cost <= room_for_procedure(gathered.together, budget, count_tokens):
            playbook = Carried(gathered.playbook, cost)
            budget -= cost
    room = room_for_session(gathered.together, budget, count_tokens)
    session = session_within(gathered.waiting, room, count_tokens)
    fitted = fit(gathered.together, budget - session.tokens, request.limit, count_tokens)
    return decided(inquiry, gathered, fitted, session, due, playbook)


async def gather(work: UnitOfWork, inquiry: Inquiry) -> Gathered:
    """Take the decisions up to what belongs together: all but the budget."""
    policy, principal, request, as_of = inquiry.policy, inquiry.principal, inquiry.request, inquiry.as_of
    deadline = inquiry.deadline
    needs = needed(policy, request.needs)
    observed = seen(policy, request.observations, as_of, request.timezone)
    triggers = called_for(request.triggers)
    readable = eligibility(policy, principal, inquiry.present)
    query = query_of(request, triggers)
    search = _search(inquiry, readable, query, needs)

    without = [*inquiry.alike.without]
    brought = await deadline.search(work, lambda: queries.find(work, search)) if triggers else None
    if brought is None:
        without.extend([Without.SEARCH] if triggers else [])
        search = search._replace(terms=[], likeness=None)
        brought = await queries.find(work, search)
    window = _window(request, as_of, brought) if triggers else None
    found = weigh(brought, basis_of(policy, inquiry.scope, as_of, window))
    found = found._replace(
        facts=marked(found.facts, observed, policy, found.said),
        partners=marked(found.partners, observed, policy, found.said),
    )
    waiting: Sequence[SessionEvent] | None = ()
    if request.activity_id is not None:
        sitting = sessions.Sitting(
            request.activity_id, search.scope_keys, principal, as_of, search.known_at, readable, search.known
        )
        waiting = await deadline.search(work, lambda: sessions.waiting(work, sitting))
        without.extend([Without.SESSION] if waiting is None else [])

    # However late it is: what is due is to be done now, and nothing else of the answer says so.
    due = await due_of(work, inquiry)
    told_of = told_with(triggers, bool(due))
    playbook = await playbook_for(work, inquiry)
    brought_up = Brought(
        search, readable, told_of, needs, found, waiting or (), tuple(without), due, playbook
    )
    return arrange(policy, brought_up)


def _window(request: RecallRequest, as_of: datetime, brought: Found) -> Window | None:
    """The part of time that the query names: by the calendar, or by something of which what was found tells."""
    zone = request.timezone or "UTC"
    by_calendar = window_of(request.query, as_of, zone)
    return by_calendar or window_by(request.query, brought.facts, brought.passages, zone)


def decided(
    inquiry: Inquiry,
    gathered: Gathered,
    fitted: Fitted,
    session: Session,
    due: Due,
    playbook: Carried = NO_PROCEDURE,
) -> Considered:
    """What came of it all, once it is known what fits. `playbook` has none where the one that was found does not."""
    found, conflicts = gathered.found, gathered.disagreements
    facts = {fact.id: fact for fact in (*found.facts, *found.partners)}
    taken = {item.id for item in fitted.taken}
    answer = answered(
        fitted,
        (item.id for item in gathered.ranked if item.id not in gathered.gone),
        [told(conflict, facts, taken) for conflict in conflicts],
        gathered.unmet,
        inquiry.request,
        inquiry.as_of,
        session,
    )
    answer = answer.model_copy(
        update={
            "triggers": gathered.triggers,
            "without": gathered.without,
            "intentions": due.intentions,
            "procedure": playbook.procedure,
            "procedure_over_budget": (
                gathered.playbook.id if gathered.playbook is not None and playbook.procedure is None else None
            ),
            "tokens": answer.tokens + due.tokens + playbook.tokens,
        }
    )
    sides = {side.id for conflict in conflicts for side in (*conflict.standing, *conflict.yielding)}
    partners = [partner for partner in found.partners if partner.id in sides]
    places = [*enumerate(gathered.ranked, start=1), *((None, item) for item in (*partners, *gathered.below))]
    below_floor = frozenset(item.id for item in gathered.below if item.id not in taken)
    entries = entries_of(places, gathered.gone, answer, taken, below_floor)
    decisions = decisions_of(gathered, inquiry.request, answer, session)
    return Considered(answer, places, below_floor, conflicts, entries, decisions, gathered.search)


def eligibility(policy: Policy, principal: Principal, present: Collection[str] | None) -> Readable:
    """Of which attributes the principal may be brought memories; status and scope are conditions of the query."""
    return recalled_for(policy, principal, present)


def query_of(request: RecallRequest, triggers: Collection[Trigger]) -> Query:
    """What to look for. Without anything that called for the recall, only what is in play: no words."""
    observed = [each.entity for each in request.observations if each.entity is not None]
    own = [*request.entities, *(entity for entity in observed if entity not in request.entities)]
    named = phrases(request.query, PHRASES)
    mentions = [*own, *canonical_ids(request.query), *identifiers(request.query), *named]
    canonicals = [canonical_key(mention) for mention in mentions if is_canonical(mention)]
    asked: dict[str, list[str]] = {}
    for entity in own:
        asked.setdefault(canonical_key(entity) if is_canonical(entity) else name_key(entity), []).append(
            entity
        )
    return Query(
        canonicals=[*canonicals, *cues_of(canonicals, named)],
        name_keys=list(dict.fromkeys(name_key(each) for each in mentions if not is_canonical(each))),
        asked=asked,
        terms=list(terms(request.query)) if triggers else [],
    )


def _search(inquiry: Inquiry, readable: Readable, query: Query, needs: Sequence[Declared]) -> Search:
    policy, request = inquiry.policy, inquiry.request
    return Search(
        scope_keys=inquiry.scope.sub_scope_keys(),
        as_of=inquiry.as_of,
        known_at=None if request.known_at is None else with_offset(request.known_at, "known_at"),
        canonicals=query.canonicals,
        name_keys=query.name_keys,
        asked=query.asked,
        terms=query.terms,
        restrictions=policy.recalled_as(RecallPriority.RESTRICTION),
        standing=policy.recalled_as(RecallPriority.INSTRUCTION),
        readable=readable,
        known=catalogue(policy),
        single=policy.single_valued,
        needed=policy.names_of(each.name for each in needs),
        most_in_play=most_in_play(request.limit),
        most=request.limit * CANDIDATES_FOR_EACH_PLACE,
        places=request.limit,
        likeness=inquiry.alike.likeness,
    )


async def _claims(work: UnitOfWork, search: Search) -> Sequence[RecalledFact]:
    """The open claims that entities, scope-wide attributes and shared words bring up, ranked."""
    looked_at = [found_by_words(claim, search.terms) for claim in await claims.newest(work, search)]
    return ranked_claims([claim for claim in looked_at if claim.reasons])
