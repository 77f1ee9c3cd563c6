"""Recall: what should influence the next decision, in order and within a budget."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from models.contracts import RecallPriority
from models.controls import catalogue
from models.entities import canonical_ids, is_canonical, name_key
from models.errors import InvalidInput
from models.events import aware
from models.policy import Policy
from models.principals import Principal
from models.readers import recalled_for
from models.recall import (
    RecallAnswer,
    RecalledFact,
    RecalledPassage,
    RecallRequest,
    fit,
    found_by_words,
    ranked_claims,
    ranked_facts,
    ranked_passages,
    with_claims,
)
from models.scope import Scope, parse_scope
from models.text import identifiers, terms
from models.verbs import Verb
from recall.tokens import count_tokens
from store import claims
from store import recall as queries
from store.engine import Database
from store.policies import Policies
from store.recall import Search
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

CANDIDATES_FOR_EACH_PLACE = 4
"""How many records the keyword search brings up for each place in the answer."""


class Candidates(NamedTuple):
    """All that was found, in order, before limit and budget."""

    facts: Sequence[RecalledFact]
    passages: Sequence[RecalledPassage]


class Recall:
    """Answers recalls for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def recall(self, principal: Principal, request: RecallRequest) -> RecallAnswer:
        """Bring back what applies.

        Raises `NotPermitted` for a scope that the principal does not reach and `NotFound` for a tenant that
        nobody has made: a misspelt one must not look like an empty memory.
        """
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        scope = authorised_scope(policy, principal, request)
        as_of = instant_of(request)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            found = await candidates(work, policy, principal, scope, request, as_of, present)
            claimed = (
                await _claims(work, policy, principal, scope, request, as_of) if request.unverified else ()
            )
        answer = fit(found.facts, found.passages, request, as_of, count_tokens)
        return with_claims(answer, claimed, request, count_tokens)


def authorised_scope(policy: Policy, principal: Principal, request: RecallRequest) -> Scope:
    """The scope of the request, every dimension of it authorised."""
    scope = parse_scope(request.scope, policy.dimensions)
    policy.require(principal, Verb.RECALL, scope)
    return scope


async def candidates(
    work: UnitOfWork,
    policy: Policy,
    principal: Principal,
    scope: Scope,
    request: RecallRequest,
    as_of: datetime,
    present: Collection[str] | None = None,
) -> Candidates:
    """Everything eligible that entities, standing instructions and keywords bring up, ranked.

    `present` are the attributes of which the tenant has memories, None where nobody has looked.
    """
    found = await queries.find(work, _search(policy, principal, scope, request, as_of, present))
    return Candidates(ranked_facts(found.facts), ranked_passages(found.passages))


async def _claims(
    work: UnitOfWork,
    policy: Policy,
    principal: Principal,
    scope: Scope,
    request: RecallRequest,
    as_of: datetime,
) -> Sequence[RecalledFact]:
    """The open claims that entities, scope-wide attributes and shared words bring up, ranked."""
    search = _search(policy, principal, scope, request, as_of, None)
    looked_at = [found_by_words(claim, search.terms) for claim in await claims.newest(work, search)]
    return ranked_claims([claim for claim in looked_at if claim.reasons])


def _search(
    policy: Policy,
    principal: Principal,
    scope: Scope,
    request: RecallRequest,
    as_of: datetime,
    present: Collection[str] | None,
) -> Search:
    mentions = [*request.entities, *canonical_ids(request.query), *identifiers(request.query)]
    asked: dict[str, list[str]] = {}
    for entity in request.entities:
        asked.setdefault(entity if is_canonical(entity) else name_key(entity), []).append(entity)
    return Search(
        scope_keys=scope.sub_scope_keys(),
        as_of=as_of,
        canonicals=[mention for mention in mentions if is_canonical(mention)],
        name_keys=[name_key(mention) for mention in mentions if not is_canonical(mention)],
        asked=asked,
        terms=list(terms(request.query)),
        restrictions=policy.recalled_as(RecallPriority.RESTRICTION),
        standing=policy.recalled_as(RecallPriority.INSTRUCTION),
        readable=recalled_for(policy, principal, present),
        known=catalogue(policy),
        most=request.limit * CANDIDATES_FOR_EACH_PLACE,
    )


def instant_of(request: RecallRequest) -> datetime:
    """The instant for which the request asks; raises `InvalidInput` for a naive one."""
    if request.as_of is None:
        return datetime.now(UTC)
    try:
        return aware(request.as_of)
    except ValueError as naive:
        raise InvalidInput(str(naive), field="as_of") from None
