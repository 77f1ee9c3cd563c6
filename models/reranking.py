"""What a second look at the best candidates changes: their relevance, and nothing else of what orders them.

What binds or restricts keeps its rank, as a reranker's scale is not that of the search.

It brings up nothing and leaves out nothing: what may be seen, what is above the floor and what binds is decided before.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar
from uuid import UUID

from models.budget import Item
from models.recall import RecalledFact, RecalledPassage
from models.scoring import Weights, score

R = TypeVar("R", RecalledFact, RecalledPassage)

MOST = 30
"""So many facts, and as many passages, are looked at again."""

FEWEST = 2
"""Fewer have no order that could change."""


def looked_at_again(
    ranked: Sequence[Item], restrictions: Collection[str], gone: Collection[UUID]
) -> list[Item]:
    """The best of `ranked`, which are in order: up to `MOST` of either kind, those that may move.

    | a record | is looked at again |
    | --- | --- |
    | must be heeded, or is of an attribute that restricts | no: it keeps its place |
    | gives way to another | no: it is not in the answer |
    | any other, while fewer than `MOST` of its kind are | yes |

    None where they are fewer than `FEWEST`.
    """
    facts: list[Item] = []
    passages: list[Item] = []
    for item in ranked:
        kind = facts if isinstance(item, RecalledFact) else passages
        if item.id not in gone and not is_exempt(item, restrictions) and len(kind) < MOST:
            kind.append(item)
    found = [*facts, *passages]
    return found if len(found) >= FEWEST else []


def is_exempt(item: Item, restrictions: Collection[str]) -> bool:
    """Whether no reranker moves it: what must be heeded, and all restrictions that were found."""
    return item.required or (isinstance(item, RecalledFact) and item.attribute in restrictions)


def in_place(
    facts: Sequence[RecalledFact], before: Sequence[Item], restrictions: Collection[str]
) -> list[RecalledFact]:
    """`facts`, which are in order, with what no reranker moves at the rank that it had `before`, facts first.

    The others take the ranks that are left. What was not ranked before is in order.
    """
    ranks = {item.id: rank for rank, item in enumerate(before) if is_exempt(item, restrictions)}
    placed = [fact for fact in facts if fact.id not in ranks]
    for fact in sorted((fact for fact in facts if fact.id in ranks), key=lambda fact: ranks[fact.id]):
        placed.insert(ranks[fact.id], fact)
    return placed


def relevances(given: Mapping[UUID, float]) -> dict[UUID, float]:
    """The scores that a reranker gave, from 0 to 1. Where one lies outside, all are logits, and are read as such."""
    if all(0 <= each <= 1 for each in given.values()):
        return dict(given)
    return {identity: _logistic(each) for identity, each in given.items()}


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, logit))))


def reranked(
    items: Sequence[R], given: Mapping[UUID, float], restrictions: Collection[str], weights: Weights
) -> list[R]:
    """Records of one kind with the relevance that a reranker gave to those in `given`, from 0 to 1.

    What it was not shown is no more relevant than the least of what it was: it was further down already.
    """
    least = min((given[item.id] for item in items if item.id in given), default=None)
    if least is None:
        return list(items)
    return [_reranked(item, given.get(item.id), least, restrictions, weights) for item in items]


def _reranked(
    item: R, told: float | None, least: float, restrictions: Collection[str], weights: Weights
) -> R:
    if told is None and is_exempt(item, restrictions):
        return item
    relevance = min(item.terms.relevance, least) if told is None else told
    terms = item.terms.model_copy(update={"relevance": relevance, "reranked": told})
    return item.model_copy(update={"terms": terms, "score": score(terms, weights)})
