"""Weigh what was found: every term of every record's place, by the policy's weights."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from models.policy import Policy
from models.ranking import Scores
from models.recall import RecalledFact, RecalledPassage
from models.scope import Scope
from models.scoring import (
    HALF_LIFE,
    Standards,
    Terms,
    Weights,
    importance,
    score,
    sensitivity,
    staleness,
    uncertainty,
)
from models.scoring import strength as strength_of
from models.time_words import Window, temporal_fit
from store.recalled import Found

R = TypeVar("R", RecalledFact, RecalledPassage)


class Basis(NamedTuple):
    """What records are weighed by: the policy, the instant and time that are asked about, and how deep scopes lie.

    `depths` says of each scope that applies how much of the request's scope it names, from 0 to 1.
    """

    weights: Weights
    standards: Mapping[str, Standards]
    as_of: datetime
    window: Window | None
    depths: Mapping[UUID, float]


def basis_of(policy: Policy, scope: Scope, as_of: datetime, window: Window | None) -> Basis:
    """The basis for one request."""
    whole = max(1, len(scope))
    depths = {sub.key: len(sub) / whole for sub in scope.sub_scopes()}
    return Basis(policy.ranking, policy.standards, as_of, window, depths)


def weigh(found: Found, basis: Basis) -> Found:
    """`found` with the terms and the score of each fact and passage."""
    return found._replace(
        facts=[_fact(fact, found, basis) for fact in found.facts],
        passages=[_passage(passage, found, basis) for passage in found.passages],
    )


def _fact(fact: RecalledFact, found: Found, basis: Basis) -> RecalledFact:
    standards = basis.standards.get(fact.attribute, Standards())
    terms = Terms(
        **_relevance(found.scores[fact.id]),
        entity=float(fact.in_play),
        temporal=temporal_fit(fact.valid_from, basis.window),
        task=basis.depths.get(found.scopes[fact.id], 0.0),
        importance=importance(standards.priority),
        authority=strength_of(fact.authority),
        help=found.help.get(fact.id, 0.0),
        staleness=staleness(fact.valid_from, basis.as_of, standards.half_life),
        uncertainty=uncertainty(fact.standing),
        sensitivity=sensitivity(standards.sensitivity),
    )
    return _weighed(fact, terms, basis)


def _passage(passage: RecalledPassage, found: Found, basis: Basis) -> RecalledPassage:
    terms = Terms(
        **_relevance(found.scores[passage.id]),
        temporal=temporal_fit(passage.occurred_at, basis.window),
        task=basis.depths.get(found.scopes[passage.id], 0.0),
        help=found.help.get(passage.id, 0.0),
        staleness=staleness(passage.occurred_at, basis.as_of, HALF_LIFE),
    )
    return _weighed(passage, terms, basis)


def _relevance(scores: Scores) -> dict[str, Any]:
    return {
        "words": scores.words,
        "coverage": scores.coverage,
        "likeness": scores.likeness,
        "neighbours": scores.neighbours,
        "relevance": scores.total,
    }


def _weighed(record: R, terms: Terms, basis: Basis) -> R:
    return record.model_copy(update={"terms": terms, "score": score(terms, basis.weights)})
