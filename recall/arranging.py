"""Put what a recall brought up in order: the floor, the ranks, who disagrees, what belongs together.

Nothing is read here, so that it can be done again once a reranker has looked at the best of it.
"""

from collections.abc import Sequence

from models.budget import Item, units
from models.conflicts import disagreements
from models.facts import Status
from models.fallback import unmet
from models.floor import facts_above, passages_above
from models.policy import Policy
from models.recall import ranked_facts, ranked_passages
from models.reranking import in_place
from recall.considered import Brought, Gathered


def arrange(policy: Policy, brought: Brought, before: Sequence[Item] = ()) -> Gathered:
    """Take the decisions from the floor up to what belongs together.

    Of what was ranked `before`, what no reranker moves keeps its rank.
    """
    found, search = brought.found, brought.search
    floor, words = policy.relevance_floor, len(search.terms)
    facts_told = facts_above(found.facts, search.restrictions, words, floor)
    passages_told = passages_above(found.passages, words, floor)
    facts_in_order = in_place(ranked_facts(facts_told), before, search.restrictions)
    ranked = [*facts_in_order, *ranked_passages(passages_told)]
    above = {item.id for item in ranked}
    below = [item for item in (*found.facts, *found.passages) if item.id not in above]
    conflicts = disagreements(found.sides, policy.settling, among=above)
    together = units(ranked, conflicts, (*found.partners, *found.facts))
    gone = frozenset(side.id for conflict in conflicts for side in conflict.yielding)
    facts = (*found.facts, *found.partners)
    governing = [fact for fact in facts if fact.status is Status.ACTIVE and fact.id not in gone]
    return Gathered(
        brought=brought,
        disagreements=conflicts,
        ranked=ranked,
        below=below,
        together=together,
        gone=gone,
        unmet=unmet(policy, brought.needs, governing),
    )
