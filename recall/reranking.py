"""A second look at the best candidates by a reranker, where one is configured. No transaction is open meanwhile.

It sees what the asker may see, of that what was found and told from above the floor, and the question without secrets.
Where it fails or is late, recall goes on in its own order and says so.
"""

import asyncio

import structlog

from models.recall import Without
from models.reranking import looked_at_again, relevances, reranked
from providers.protocols import Reranker
from recall.arranging import arrange
from recall.considered import Gathered
from recall.deadline import FOR_THE_SECOND_LOOK
from recall.inquiry import Inquiry
from recall.likeness import PATIENCE_SECONDS, Mask, reason_of

log = structlog.get_logger("keepwell.recall")


class SecondLook:
    """Has candidates looked at again. `mask` takes a tenant's secrets out of what leaves this process."""

    def __init__(self, reranker: Reranker | None, mask: Mask) -> None:
        self._reranker = reranker
        self._mask = mask

    def is_wanted(self, inquiry: Inquiry, gathered: Gathered) -> bool:
        """Whether there is anything to look at again: something was searched for, and the order could change."""
        if self._reranker is None or not inquiry.request.query.strip() or not gathered.triggers:
            return False
        return bool(looked_at_again(gathered.ranked, gathered.search.restrictions, gathered.gone))

    async def at(self, inquiry: Inquiry, gathered: Gathered) -> Gathered:
        """`gathered` in the order of a second look, where that is wanted and comes within patience and deadline."""
        if self._reranker is None or not self.is_wanted(inquiry, gathered):
            return gathered
        policy, query = inquiry.policy, inquiry.request.query
        seconds = inquiry.deadline.left(FOR_THE_SECOND_LOOK)
        restrictions = gathered.search.restrictions
        items = looked_at_again(gathered.ranked, restrictions, gathered.gone)
        patience = PATIENCE_SECONDS if seconds is None else min(seconds, PATIENCE_SECONDS)
        try:
            if self._reranker.remote:
                query = str(self._mask(inquiry.principal.tenant_id, {"text": query})["text"])
            texts = [item.text for item in items]
            given = await asyncio.wait_for(self._reranker.rerank(query, texts), patience)
            told = relevances({item.id: each for item, each in zip(items, given, strict=True)})
        except Exception as failed:  # noqa: BLE001 - whatever a reranker does, recall has an order of its own
            log.warning("recall_without_reranking", reason=reason_of(failed, patience))
            without = (*gathered.without, Without.RERANKING)
            return gathered._replace(brought=gathered.brought._replace(without=without))
        found = gathered.found._replace(
            facts=reranked(gathered.found.facts, told, restrictions, policy.ranking),
            passages=reranked(gathered.found.passages, told, restrictions, policy.ranking),
        )
        brought = gathered.brought._replace(found=found, reranked=len(told))
        return arrange(policy, brought, before=gathered.ranked)
