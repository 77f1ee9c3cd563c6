"""The figures of the fixed store, for us and for the plain baselines. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from evals.read.baselines import Rank
from evals.read.fixed.cases import Cases, Query, Record, Stated
from evals.read.fixed.play import ENDED, LIMIT, Asked
from evals.read.measures import NOTHING, Share, found
from models.explanation import Step
from models.facts import Fact, Status, status_at
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope

FIRST = 5
_RESTRICTIONS = frozenset({"lifecycle_policy", "change_policy", "operating_rule"})
_FILTERS = frozenset({Step.SCOPE.value, Step.READERS.value, Step.STATUS.value})
_STANDING = "standing_instruction"


class Answered(NamedTuple):
    """What one contender shows for a question; `dropped` is None for whoever filters nothing.

    `missing`, `told` and `dropped` are as in `Asked`.
    `required` are the restrictions and standing instructions that have to come; `stale` and `beyond` those shown that
    did not govern at the instant, and those that whoever asks must not see there.
    """

    query: Query
    shown: tuple[str, ...]
    missing: frozenset[str]
    told: frozenset[str]
    dropped: Mapping[str, str] | None
    required: frozenset[str]
    stale: frozenset[str]
    beyond: frozenset[str]


class Judge:
    """Holds what is shown against the labels. `facts` are the stated records as they are stored."""

    def __init__(self, cases: Cases, facts: Mapping[str, Fact], policy: Policy) -> None:
        self._cases = cases
        self._facts = facts
        self._policy = policy

    def ours(self, asked: Asked) -> Answered:
        """Our own answer."""
        return self._judged(asked, asked.shown, asked.missing, asked.told, asked.dropped)

    def plain(self, asked: Asked, ranks: Mapping[str, Rank], most: int | None = LIMIT) -> Answered:
        """What a plain store of the asker's tenant shows for the same question."""
        shown = tuple(ranks[asked.query.tenant](asked.query.ask))[:most]
        return self._judged(asked, shown, frozenset(), frozenset(), None)

    def _judged(
        self,
        asked: Asked,
        shown: Sequence[str],
        missing: frozenset[str],
        told: frozenset[str],
        dropped: Mapping[str, str] | None,
    ) -> Answered:
        query = asked.query
        return Answered(
            query=query,
            shown=tuple(shown),
            missing=missing,
            told=told,
            dropped=dropped,
            required=query.restrictions | self._always(query, asked.as_of),
            stale=frozenset(
                name
                for name in shown
                if name in self._facts and status_at(self._facts[name], asked.as_of) is not Status.ACTIVE
            ),
            beyond=frozenset(name for name in shown if not self._is_within_reach(query, name)),
        )

    def _always(self, query: Query, as_of: datetime) -> frozenset[str]:
        """Standing instructions, and restrictions on a scope as a whole, that hold there at that instant."""
        return frozenset(
            name
            for name, record in self._cases.records.items()
            if isinstance(record, Stated)
            and (
                record.attribute == _STANDING or (record.attribute in _RESTRICTIONS and record.entity is None)
            )
            and self._is_within_reach(query, name)
            and status_at(self._facts[name], as_of) is Status.ACTIVE
        )

    def _is_within_reach(self, query: Query, name: str) -> bool:
        """Whether a record is of the tenant and scope of a question, and its class read by whoever asks."""
        record = self._cases.records.get(name.removesuffix(ENDED))
        if (
            record is None
            or record.tenant != query.tenant
            or not Scope(record.scope).covers(Scope(query.scope))
        ):
            return False
        voice = self._cases.cast[query.by]
        asker = Principal(tenant=query.tenant, subject=query.by, kind=voice.kind, roles=voice.roles)
        return not isinstance(record, Stated) or record.attribute in self._policy.readable(asker)


def eligible_recall(answered: Answered) -> Share:
    """Expected records that no filter keeps out ÷ expected records."""
    if answered.dropped is None:
        return NOTHING
    kept_out = sum(step in _FILTERS for step in answered.dropped.values())
    return Share(len(answered.query.expect) - kept_out, len(answered.query.expect))


def recall_of_first(answered: Answered) -> Share:
    """Expected records among the first five ÷ expected records."""
    return found(answered.query.expect, answered.shown[:FIRST])


def recall(answered: Answered) -> Share:
    """Expected records that are shown ÷ expected records."""
    return found(answered.query.expect, answered.shown)


def precision(answered: Answered) -> Share:
    """Shown records that were expected or have to come ÷ all shown, but for those that may come."""
    right = answered.query.expect | answered.required
    judged = [name for name in answered.shown if name in right or name not in answered.query.also]
    return Share(sum(name in right for name in judged), len(judged))


def stale_rate(answered: Answered) -> Share:
    """Shown records that did not govern at the instant ÷ all shown."""
    return Share(len(answered.stale), len(answered.shown))


def scope_violations(answered: Answered) -> Share:
    """Shown records of another tenant, another scope, or a class whose reader the asker is not ÷ all shown."""
    return Share(len(answered.beyond), len(answered.shown))


def conflict_partners(answered: Answered) -> Share:
    """Conflicts shown or told whole ÷ conflicts of which anything is shown; what is named as missing is told."""
    touched = [each for each in answered.query.conflicts if each.intersection(answered.shown)]
    return Share(
        sum(each <= answered.told.union(answered.shown, answered.missing) for each in touched), len(touched)
    )


def dropped_restrictions(answered: Answered) -> Share:
    """Restrictions and standing instructions that have to come and are neither shown nor said to be left out."""
    dropped = answered.required - set(answered.shown) - answered.missing
    return Share(len(dropped), len(answered.required))


def texts_by_tenant(records: Mapping[str, Record]) -> dict[str, dict[str, str]]:
    """What a plain store keeps of each tenant: everything that was said."""
    kept: dict[str, dict[str, str]] = {}
    for name, record in records.items():
        kept.setdefault(record.tenant, {})[name] = record.words
    return kept
