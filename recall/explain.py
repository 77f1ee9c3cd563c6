"""Explain: the exact step of the read path that kept or dropped one record."""

from uuid import UUID

from models.errors import NotFound
from models.explanation import Explanation, Placing
from models.explanation import explain as walk
from models.policy import Policy
from models.principals import Principal
from models.recall import RecalledFact, RecalledPassage, RecallRequest, fit
from models.scope import Scope
from models.verbs import Verb
from recall.recall import Recall, instant_of
from recall.tokens import count_tokens
from store import episodes, facts
from store.engine import Database


class Explain:
    """Answers why, and why not, for any record that the principal may know of."""

    def __init__(self, database: Database, policy: Policy, recall: Recall) -> None:
        self._database = database
        self._policy = policy
        self._recall = recall

    async def explain(self, principal: Principal, record_id: UUID, request: RecallRequest) -> Explanation:
        """Why `record_id`, a fact or an episode, is or is not in the answer to `request`.

        Raises `NotFound` for a record that is not there or lies in a scope that the principal does not
        reach; the two look the same.
        """
        scope = self._recall.authorised_scope(principal, request)
        as_of = instant_of(request)
        async with self._database.transaction(principal.tenant_id) as work:
            fact = await facts.get(work, record_id)
            episode = await episodes.get(work, record_id) if fact is None else None
            if fact is not None:
                self._require_known(principal, Scope(fact.scope))
                in_scope = Scope(fact.scope).covers(scope)
            elif episode is not None:
                self._require_known(principal, episode.scope)
                in_scope = episode.scope.covers(scope)
            else:
                raise NotFound("no such record; take an id from recall or history")
            found = await self._recall.candidates(work, scope, request, as_of)
        answer = fit(found.facts, found.passages, request, as_of, count_tokens)
        ranked: list[RecalledFact | RecalledPassage] = [*found.facts, *found.passages]
        placings = [
            Placing(rank, item) for rank, item in enumerate(ranked, start=1) if _is_of(item, record_id)
        ]
        return walk(record_id, fact, in_scope, placings, answer)

    def _require_known(self, principal: Principal, scope: Scope) -> None:
        if not self._policy.may_know(principal, Verb.RECALL, scope):
            raise NotFound("no such record; take an id from recall or history")


def _is_of(item: RecalledFact | RecalledPassage, record_id: UUID) -> bool:
    return item.id == record_id or (isinstance(item, RecalledPassage) and item.episode_id == record_id)
