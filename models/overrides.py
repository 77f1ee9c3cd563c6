"""Which recalled facts a live observation bears on, and how: it confirms them, or says otherwise."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from models.contracts import Cardinality
from models.errors import InvalidInput
from models.events import CLOCK_SKEW
from models.observations import LiveObservation, Observed
from models.policy import Declared, Policy
from models.recall import RecalledFact
from models.text import fold
from models.values import Canonical, ValueType, canonical

_FIELD = "observations"


class Seen(NamedTuple):
    """An observation with what the policy declares of its attribute, and its value as values are compared."""

    told: LiveObservation
    declared: Declared
    said: Canonical


def seen(
    policy: Policy, observations: Iterable[LiveObservation], as_of: datetime, zone: str | None = None
) -> list[Seen]:
    """The observations as the policy reads them, written as in the IANA zone `zone`.

    Raises `InvalidInput` for an attribute that no class declares, and for what was seen after the instant asked about.
    """
    found: list[Seen] = []
    for told in observations:
        declared = policy.declared(told.attribute)
        if declared is None:
            raise InvalidInput(
                "names an attribute that no class of the policy declares; see the policy for those there are",
                field=_FIELD,
            )
        if told.observed_at > as_of + CLOCK_SKEW:
            raise InvalidInput(
                "lies after the instant of the request; tell what had been seen by then", field=_FIELD
            )
        said = canonical(told.value, declared.attribute, zone=zone, at=told.observed_at)
        found.append(Seen(told, declared, said))
    return found


def marked(
    facts: Iterable[RecalledFact], observations: Sequence[Seen], policy: Policy, said: Mapping[UUID, str]
) -> list[RecalledFact]:
    """`facts` with the marks of the latest observation of the same attribute of the same thing.

    | the fact | marked |
    | --- | --- |
    | nothing was observed of it, or it holds only since the observation | not |
    | has the value that was observed, in whatever spelling | `confirmed_at` |
    | is told in the same words, and one of the two cannot be read for want of a zone | `confirmed_at` |
    | has another value, of an attribute that has one at a time | `overridden_by` |
    | has another value, of an attribute that may have several | not |

    `said` has values as they are compared, for facts of which they are known; of others they are read anew.
    """
    return [_marked(fact, observations, policy, said) for fact in facts]


def _marked(
    fact: RecalledFact, observations: Sequence[Seen], policy: Policy, said: Mapping[UUID, str]
) -> RecalledFact:
    declared = policy.declared(fact.attribute)
    of_it = [
        each
        for each in observations
        if declared is not None
        and each.declared.name == declared.name
        and _is_of(fact, each.told.entity)
        and each.told.observed_at >= fact.valid_from
    ]
    if declared is None:
        return fact
    value = said.get(fact.id) or canonical(fact.value, declared.attribute, at=fact.valid_from).key
    if declared.attribute.cardinality is Cardinality.MANY:
        of_it = [each for each in of_it if _agree(fact, value, each)]
    latest = max(of_it, key=lambda each: each.told.observed_at, default=None)
    if latest is None:
        return fact
    if _agree(fact, value, latest):
        return fact.model_copy(update={"confirmed_at": latest.told.observed_at})
    observed = Observed(value=latest.told.value, observed_at=latest.told.observed_at)
    return fact.model_copy(update={"overridden_by": observed})


def _agree(fact: RecalledFact, value: str, observed: Seen) -> bool:
    """Whether what was observed is what the fact says; `value` is that as it is compared."""
    spec, said = observed.declared.attribute, observed.said
    if value == said.key:
        return True
    both_read = said.read and (spec.type is ValueType.TEXT or value.startswith(f"{spec.type.value}:"))
    return not both_read and fold(fact.value).split() == fold(observed.told.value).split()


def _is_of(fact: RecalledFact, entity: str | None) -> bool:
    if entity is None:
        return fact.canonical is None and fact.entity is None
    return entity in fact.about
