"""Explain: the exact step of the read path that kept or dropped one record."""

from uuid import UUID

from models.errors import NotFound
from models.explanation import Explanation, Placing, yielded_to
from models.explanation import explain as walk
from models.principals import Principal
from models.readers import readable_by
from models.recall import RecalledFact, RecalledPassage, RecallRequest
from models.scope import Scope
from models.verbs import Verb
from recall.likeness import QueryEmbedder
from recall.recall import authorised_scope, consider, instant_of
from store import episodes, facts, persons
from store.engine import Database
from store.policies import Policies

_UNKNOWN = "no such record; take an id from recall or history"


class Explain:
    """Answers why, and why not, for any record that the principal may know of."""

    def __init__(self, database: Database, policies: Policies, embedder: QueryEmbedder) -> None:
        self._database = database
        self._policies = policies
        self._embedder = embedder

    async def explain(self, principal: Principal, record_id: UUID, request: RecallRequest) -> Explanation:
        """Why `record_id`, a fact or an episode, is or is not in the answer to `request`.

        Raises `NotFound` for a record that is not there, lies in a scope that the principal does not reach, or
        is one that they may not read; all look the same.
        """
        policy = await self._policies.of(principal.tenant_id)
        scope = authorised_scope(policy, principal, request)
        as_of = instant_of(request)
        readable = readable_by(policy, principal)
        alike = await self._embedder.of(principal.tenant_id, request)
        async with self._database.transaction(principal.tenant_id) as work:
            fact = await facts.seen(work, record_id, readable)
            episode = await episodes.seen(work, record_id, readable) if fact is None else None
            if fact is not None:
                lies_in = Scope(fact.scope)
            elif episode is not None:
                lies_in = episode.scope
            else:
                raise NotFound(_UNKNOWN)
            if not policy.may_know(principal, Verb.RECALL, lies_in):
                raise NotFound(_UNKNOWN)
            about = await persons.about(work, policy, [record_id])
            considered = await consider(work, policy, principal, scope, request, as_of, alike=alike)
        placings = [Placing(rank, item) for rank, item in considered.places if _is_of(item, record_id)]
        has_readers = fact is None or fact.attribute in policy.known_names
        off = record_id in about and about[record_id].switched_off
        yields_to = yielded_to(record_id, considered.disagreements)
        return walk(
            record_id,
            fact,
            lies_in.covers(scope),
            has_readers,
            placings,
            considered.answer,
            switched_off=off,
            yields_to=yields_to,
            below_floor=bool(placings) and considered.below.issuperset(each.item.id for each in placings),
        )


def _is_of(item: RecalledFact | RecalledPassage, record_id: UUID) -> bool:
    return item.id == record_id or (isinstance(item, RecalledPassage) and item.episode_id == record_id)
