"""Recall: what should influence the next decision, in order and within a budget.

Eight decisions on one path, each a function of its own, and each in the trace: what called for it (`called_for`), the
authorised scopes (`authorised_scope`), what is eligible (`eligibility`), who disagrees (`disagreements`), what to look
for (`query_of`), in which order (`ranked_facts`, `ranked_passages`), what belongs together (`units`), and what fits
(`fit`). It never waits on a workflow.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from models.budget import Item, answered, fit, told, units, with_claims
from models.conflicts import Disagreement, disagreements
from models.contracts import RecallPriority
from models.controls import catalogue
from models.entities import canonical_ids, is_canonical, name_key
from models.errors import InvalidInput
from models.events import aware
from models.facts import Status
from models.fallback import needed, unmet
from models.floor import facts_above, passages_above
from models.policy import Policy
from models.principals import Principal
from models.readers import Readable, recalled_for
from models.recall import (
    RecallAnswer,
    RecalledFact,
    RecallRequest,
    found_by_words,
    ranked_claims,
    ranked_facts,
    ranked_passages,
)
from models.scope import Scope, parse_scope
from models.text import identifiers, phrases, terms
from models.time_words import window_of
from models.traces import Asked, DecisionName, Entry, Fate
from models.traces import Decision as Traced
from models.triggers import Trigger, called_for
from models.verbs import Verb
from recall.likeness import NOTHING, Alike, Mask, QueryEmbedder
from recall.tokens import count_tokens
from recall.weighing import basis_of, weigh
from store import claims, traces
from store import recall as queries
from store.engine import Database
from store.policies import Policies
from store.recalled import Found, Search
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

PHRASES = 200
"""How many runs of words of the query are looked up as names of things."""

CANDIDATES_FOR_EACH_PLACE = 4
"""How many records words bring up for each place in the answer, and likeness as many again."""


class Query(NamedTuple):
    """What to look for: things by id and by name, each as the request calls it, and words."""

    canonicals: list[str]
    name_keys: list[str]
    asked: Mapping[str, Sequence[str]]
    terms: list[str]


Place = tuple[int | None, Item]


class Considered(NamedTuple):
    """All that was weighed for one request, and what came of it.

    `places` has each record with its rank from 1; a conflict partner that no search brought up has none, nor has what
    is `below` the relevance floor.
    """

    answer: RecallAnswer
    places: Sequence[Place]
    below: frozenset[UUID]
    disagreements: Sequence[Disagreement]
    entries: Sequence[Entry]
    decisions: Sequence[Traced]
    search: Search


class Recall:
    """Answers recalls for any principal, and keeps a trace of each."""

    def __init__(self, database: Database, policies: Policies, mask: Mask, embedder: QueryEmbedder) -> None:
        self._database = database
        self._policies = policies
        self._embedder = embedder
        self._mask = mask
        self._tenants = KnownTenants()

    async def recall(self, principal: Principal, request: RecallRequest) -> RecallAnswer:
        """Bring back what applies.

        Raises `NotPermitted` for a scope that the principal does not reach, `NotFound` for a tenant that nobody has
        made (a misspelt one must not look like an empty memory) and `InvalidInput` for a need that no class declares.
        """
        version, policy, present = await self._policies.in_force(principal.tenant_id)
        scope = authorised_scope(policy, principal, request)
        as_of = instant_of(request)
        alike = await self._embedder.of(principal.tenant_id, request)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            considered = await consider(work, policy, principal, scope, request, as_of, present, alike)
            answer = considered.answer
            if request.unverified:
                found = await _claims(work, considered.search)
                answer = with_claims(answer, found, request, count_tokens)
            asked = self._asked(principal, version, scope, request, as_of)
            what = considered.answer
            trace = traces.NewTrace(
                scope.key,
                asked,
                what.triggers,
                considered.decisions,
                considered.entries,
                what.advice,
                what.tokens,
            )
            trace_id = await traces.add(work, trace)
        return answer.model_copy(update={"trace_id": trace_id})

    def _asked(
        self, principal: Principal, version: int, scope: Scope, request: RecallRequest, as_of: datetime
    ) -> Asked:
        said = self._mask(principal.tenant_id, {"text": request.query, "entities": list(request.entities)})
        return Asked(
            subject=principal.subject,
            kind=principal.kind.value,
            roles=principal.roles,
            policy_version=version,
            scope=dict(scope),
            query=said["text"],
            entities=tuple(said["entities"]),
            as_of=as_of,
            known_at=request.known_at,
            timezone=request.timezone,
            budget_tokens=request.budget_tokens,
            limit=request.limit,
        )


async def consider(
    work: UnitOfWork,
    policy: Policy,
    principal: Principal,
    scope: Scope,
    request: RecallRequest,
    as_of: datetime,
    present: Collection[str] | None = None,
    alike: Alike = NOTHING,
) -> Considered:
    """Take the decisions for one request, and say how each came out.

    `present` are the attributes of which the tenant has memories, None where nobody has looked; `alike` is the query as
    a vector.
    """
    needs = needed(policy, request.needs)
    triggers = called_for(request.triggers)
    readable = eligibility(policy, principal, present)
    query = query_of(request, triggers)
    search = _search(policy, scope, request, as_of, readable, query, alike)

    window = window_of(request.query, as_of, request.timezone or "UTC") if triggers else None
    found = weigh(await queries.find(work, search), basis_of(policy, scope, as_of, window))

    floor, words = policy.relevance_floor, len(search.terms)
    facts_told = facts_above(found.facts, search.restrictions, words, floor)
    passages_told = passages_above(found.passages, words, floor)
    ranked = [*ranked_facts(facts_told), *ranked_passages(passages_told)]
    above = {item.id for item in ranked}
    below = [item for item in (*found.facts, *found.passages) if item.id not in above]
    conflicts = disagreements(found.sides, policy.settling, among=above)
    together = units(ranked, conflicts, (*found.partners, *found.facts))
    fitted = fit(together, request.budget_tokens, request.limit, count_tokens)

    facts = {fact.id: fact for fact in (*found.facts, *found.partners)}
    taken = {item.id for item in fitted.taken}
    gone = {side.id for conflict in conflicts for side in conflict.yielding}
    governing = [fact for fact in facts.values() if fact.status is Status.ACTIVE and fact.id not in gone]
    answer = answered(
        fitted,
        above,
        [told(conflict, facts, taken) for conflict in conflicts],
        unmet(policy, needs, governing),
        request,
        as_of,
    ).model_copy(update={"triggers": triggers, "without": alike.without})
    sides = {side.id for conflict in conflicts for side in (*conflict.standing, *conflict.yielding)}
    partners = [partner for partner in found.partners if partner.id in sides]
    places = [*enumerate(ranked, start=1), *((None, item) for item in (*partners, *below))]
    below_floor = frozenset(item.id for item in below if item.id not in taken)
    entries = _entries(places, gone, answer, taken, below_floor)
    decisions = _decisions(search, readable, request, found, conflicts, len(below), answer)
    return Considered(answer, places, below_floor, conflicts, entries, decisions, search)


def authorised_scope(policy: Policy, principal: Principal, request: RecallRequest) -> Scope:
    """The scope of the request, every dimension of it authorised."""
    scope = parse_scope(request.scope, policy.dimensions)
    policy.require(principal, Verb.RECALL, scope)
    return scope


def eligibility(policy: Policy, principal: Principal, present: Collection[str] | None) -> Readable:
    """Of which attributes the principal may be brought memories; status and scope are conditions of the query."""
    return recalled_for(policy, principal, present)


def query_of(request: RecallRequest, triggers: Collection[Trigger]) -> Query:
    """What to look for. Without anything that called for the recall, only what is in play: no words."""
    mentions = [*request.entities, *canonical_ids(request.query), *identifiers(request.query)]
    mentions += phrases(request.query, PHRASES)
    asked: dict[str, list[str]] = {}
    for entity in request.entities:
        asked.setdefault(entity if is_canonical(entity) else name_key(entity), []).append(entity)
    return Query(
        canonicals=[mention for mention in mentions if is_canonical(mention)],
        name_keys=list(dict.fromkeys(name_key(each) for each in mentions if not is_canonical(each))),
        asked=asked,
        terms=list(terms(request.query)) if triggers else [],
    )


def instant_of(request: RecallRequest) -> datetime:
    """The instant for which the request asks; raises `InvalidInput` for a naive one."""
    return datetime.now(UTC) if request.as_of is None else _aware(request.as_of, "as_of")


def _aware(instant: datetime, field: str) -> datetime:
    try:
        return aware(instant)
    except ValueError as naive:
        raise InvalidInput(str(naive), field=field) from None


def _search(
    policy: Policy,
    scope: Scope,
    request: RecallRequest,
    as_of: datetime,
    readable: Readable,
    query: Query,
    alike: Alike,
) -> Search:
    return Search(
        scope_keys=scope.sub_scope_keys(),
        as_of=as_of,
        known_at=None if request.known_at is None else _aware(request.known_at, "known_at"),
        canonicals=query.canonicals,
        name_keys=query.name_keys,
        asked=query.asked,
        terms=query.terms,
        restrictions=policy.recalled_as(RecallPriority.RESTRICTION),
        standing=policy.recalled_as(RecallPriority.INSTRUCTION),
        readable=readable,
        known=catalogue(policy),
        single=policy.single_valued,
        most=request.limit * CANDIDATES_FOR_EACH_PLACE,
        places=request.limit,
        likeness=alike.likeness,
    )


async def _claims(work: UnitOfWork, search: Search) -> Sequence[RecalledFact]:
    """The open claims that entities, scope-wide attributes and shared words bring up, ranked."""
    looked_at = [found_by_words(claim, search.terms) for claim in await claims.newest(work, search)]
    return ranked_claims([claim for claim in looked_at if claim.reasons])


def _entries(
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
        )
        for rank, item in places
    ]


def _decisions(
    search: Search,
    readable: Readable,
    request: RecallRequest,
    found: Found,
    conflicts: Sequence[Disagreement],
    below: int,
    answer: RecallAnswer,
) -> list[Traced]:
    triggers = tuple(trigger.value for trigger in answer.triggers)
    saw: dict[DecisionName, dict[str, Any]] = {
        DecisionName.TRIGGER: {"triggers": triggers, "searches": bool(triggers)},
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
        },
        DecisionName.RANK: {
            "facts": len(found.facts),
            "passages": len(found.passages),
            "below_floor": below,
        },
        DecisionName.PARTNERS: {"brought_in": len(found.partners)},
        DecisionName.BUDGET: {
            "tokens": answer.tokens,
            "of": request.budget_tokens,
            "left_out": answer.left_out,
            "advice": answer.advice.value,
        },
    }
    return [Traced(name=name, saw=said) for name, said in saw.items()]
