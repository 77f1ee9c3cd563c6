"""Why a record is, or is not, in an answer: each step of the read path in order, up to the one that dropped it.

Of an answer that was given before, its trace tells; nothing that was recorded since then counts.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.conflicts import Disagreement
from models.contracts import Precedence
from models.facts import Fact, Status, status_at
from models.recall import Reason, RecallAnswer, RecalledFact, RecalledPassage, most_in_play
from models.traces import Entry, Fate, Trace


class Step(StrEnum):
    """The steps of the read path, in order."""

    SCOPE = "scope"
    READERS = "readers"
    STATUS = "status"
    CANDIDATE = "candidate"
    RELEVANCE = "relevance"
    CONFLICT = "conflict"
    LIMIT = "limit"
    BUDGET = "budget"


class Check(BaseModel):
    """One step: passed or not, and what was seen. `detail` holds ids, enums and instants, no content."""

    model_config = ConfigDict(frozen=True)

    step: Step
    passed: bool
    detail: str


class Explanation(BaseModel):
    """All steps that a record went through. `dropped_at` is None for a record that is in the answer."""

    model_config = ConfigDict(frozen=True)

    record_id: UUID
    as_of: datetime
    checks: tuple[Check, ...]

    @property
    def included(self) -> bool:
        """Whether the record is in the answer."""
        return self.dropped_at is None

    @property
    def dropped_at(self) -> Step | None:
        """The exact step that dropped it."""
        return next((check.step for check in self.checks if not check.passed), None)


class Placing(NamedTuple):
    """A record among what was found: its rank from 1, None for one that came in as a conflict partner alone."""

    rank: int | None
    item: RecalledFact | RecalledPassage


class Yielding(NamedTuple):
    """To which memory one gives way, and by which rule of its class."""

    to: UUID
    rule: Precedence


def yielded_to(record_id: UUID, conflicts: Iterable[Disagreement]) -> Yielding | None:
    """To what the record gives way in one of these disagreements; None where it does not."""
    for conflict in conflicts:
        if record_id in conflict.settled_by:
            winner = next((side for side in conflict.standing if not side.disputed), conflict.standing[0])
            return Yielding(winner.id, conflict.settled_by[record_id])
    return None


def explain(
    record_id: UUID,
    fact: Fact | None,
    in_scope: bool,
    has_readers: bool,
    placings: Sequence[Placing],
    answer: RecallAnswer,
    *,
    switched_off: bool = False,
    unknown_before: datetime | None = None,
    yields_to: Yielding | None = None,
    below_floor: bool = False,
    crowded: bool = False,
) -> Explanation:
    """Walk the steps for one record.

    `fact` is None for an episode, which is active as long as it is there; `placings` are those of the fact,
    or of the episode's passages: the best one counts. Whoever asks may see the record, so that it has no
    readers only where no class declares its attribute any more. `switched_off` says that the person whom it is about
    has switched its class off, `unknown_before` when it was recorded where that is later than what the request takes as
    known, `yields_to` that its class settles a disagreement against it; `below_floor` that nothing of it came up to the
    relevance floor, and `crowded` that more is about what is in play than comes for that alone.
    """
    checks = [Check(step=Step.SCOPE, passed=in_scope, detail=_scope_detail(in_scope))]
    if in_scope:
        checks.append(Check(step=Step.READERS, passed=has_readers, detail=_readers_detail(has_readers)))
    if checks[-1].passed and unknown_before is not None:
        checks.append(_unknown_check(unknown_before))
    elif checks[-1].passed:
        checks.append(_status_check(fact, answer.as_of, switched_off=switched_off))
    if checks[-1].passed:
        checks.append(_candidate_check(placings, crowded=crowded))
    if checks[-1].passed and placings:
        detail = _relevance_detail(below_floor=below_floor)
        checks.append(Check(step=Step.RELEVANCE, passed=not below_floor, detail=detail))
    if checks[-1].passed and placings and yields_to is not None:
        detail = f"gives way to {yields_to.to} by {yields_to.rule.value}"
        checks.append(Check(step=Step.CONFLICT, passed=False, detail=detail))
    elif checks[-1].passed and placings:
        checks.append(Check(step=Step.CONFLICT, passed=True, detail=_conflict_detail(record_id, answer)))
    if checks[-1].passed and in_scope:
        checks.extend(_place_checks(placings, answer))
    return Explanation(record_id=record_id, as_of=answer.as_of, checks=tuple(checks))


def explain_entries(record_id: UUID, trace: Trace, entries: Sequence[Entry]) -> Explanation:
    """Why a record that a past recall found was, or was not, in its answer.

    `entries` are those of the fact, or of the episode's passages: that which came furthest counts.
    """
    best = max(entries, key=lambda entry: (_FATES.index(entry.fate), -(entry.rank or 0)))
    asked, reasons = trace.asked, ", ".join(reason.value for reason in best.reasons)
    governed = f"{Status.ACTIVE.value} at {asked.as_of.isoformat()}"
    status = "the other side of a conflict" if Reason.PARTNER in best.reasons else governed
    place = "brought in by a conflict" if best.rank is None else f"rank {best.rank}"
    checks = [
        Check(step=Step.SCOPE, passed=True, detail=_scope_detail(True)),
        Check(step=Step.READERS, passed=True, detail=_readers_detail(True)),
        Check(step=Step.STATUS, passed=True, detail=status),
        Check(step=Step.CANDIDATE, passed=True, detail=f"{reasons}; score {best.score:.3f}"),
    ]
    # Each of the steps that follow, by the fate of what it dropped, with what is seen where it drops and where not.
    followed = {
        Fate.BELOW_FLOOR: (
            Step.RELEVANCE,
            _relevance_detail(below_floor=True),
            _relevance_detail(below_floor=False),
        ),
        Fate.YIELDED: (Step.CONFLICT, "its class settled a conflict against it", _NO_CONFLICT),
        Fate.BEYOND_LIMIT: (Step.LIMIT, _no_place(best, f"{place} of at most {asked.limit} places"), place),
        Fate.OVER_BUDGET: (
            Step.BUDGET,
            f"does not fit into the tokens that are left of {asked.budget_tokens}",
            f"{trace.tokens} tokens used in all",
        ),
    }
    fell = Fate.BEYOND_LIMIT if best.fate is Fate.REPEATS else best.fate
    for fate, (step, dropped, passed) in followed.items():
        checks.append(Check(step=step, passed=fate is not fell, detail=dropped if fate is fell else passed))
        if fate is fell:
            break
    return Explanation(record_id=record_id, as_of=asked.as_of, checks=tuple(checks))


def _no_place(entry: Entry, beyond: str) -> str:
    return "repeats another passage, which has the place" if entry.fate is Fate.REPEATS else beyond


_FATES = (Fate.BELOW_FLOOR, Fate.YIELDED, Fate.REPEATS, Fate.BEYOND_LIMIT, Fate.OVER_BUDGET, Fate.SELECTED)
"""The fates in the order of the steps: the later, the further a record came."""

_NO_CONFLICT = "gives way to nothing"


def _relevance_detail(*, below_floor: bool) -> str:
    return "too little like the query" if below_floor else "near enough to the query, or not by likeness"


def explain_not_found(
    record_id: UUID,
    trace: Trace,
    fact: Fact | None,
    recorded_at: datetime,
    *,
    in_scope: bool,
    readable: bool,
    switched_off: bool,
    shares_words: bool,
) -> Explanation:
    """Why a past recall did not find a record.

    `fact` is the fact as it was known then, None for an episode; `readable` says whether whoever asked was among the
    readers, and `shares_words` whether the record has words of the question.
    """
    as_of = trace.asked.as_of
    checks = [Check(step=Step.SCOPE, passed=in_scope, detail=_scope_detail(in_scope))]
    if in_scope:
        detail = (
            _readers_detail(True) if readable else "whoever asked was not among the readers of its class then"
        )
        checks.append(Check(step=Step.READERS, passed=readable, detail=detail))
    if checks[-1].passed and recorded_at > known_at(trace):
        checks.append(_unknown_check(recorded_at))
    elif checks[-1].passed:
        checks.append(_status_check(fact, as_of, switched_off=switched_off))
    if checks[-1].passed:
        checks.append(Check(step=Step.CANDIDATE, passed=False, detail=_not_found(trace, shares_words)))
    return Explanation(record_id=record_id, as_of=as_of, checks=tuple(checks))


def known_at(trace: Trace) -> datetime:
    """The instant after which nothing that was recorded had any part in the answer."""
    asked = trace.asked.known_at
    return trace.recorded_at if asked is None else min(asked, trace.recorded_at)


def _not_found(trace: Trace, shares_words: bool) -> str:
    if not trace.triggers:
        return "nothing called for the recall, so that words were not searched"
    if shares_words:
        return "shares words with the question, and enough others fit it better"
    in_play = sum(Reason.ENTITY_IN_PLAY in entry.reasons for entry in trace.entries)
    return _unlike(crowded=in_play >= most_in_play(trace.asked.limit))


def _unlike(*, crowded: bool) -> str:
    """Why nothing brought a record up; `crowded` as in `explain`."""
    if crowded:
        return "not like the query, and not among the first of those that are about what is in play"
    return "nothing in the request names its entity or is like it"


def _scope_detail(in_scope: bool) -> str:
    if in_scope:
        return "every dimension of its scope has the same value in the request"
    return "its scope names a dimension or value that the request does not"


def _readers_detail(has_readers: bool) -> str:
    if has_readers:
        return "whoever asks is among the readers of its class"
    return "no class of the policy declares its attribute, so that it has no readers"


def _unknown_check(recorded_at: datetime) -> Check:
    return Check(step=Step.STATUS, passed=False, detail=f"not known before {recorded_at.isoformat()}")


def _status_check(fact: Fact | None, as_of: datetime, *, switched_off: bool) -> Check:
    if fact is None:
        return Check(step=Step.STATUS, passed=True, detail=Status.ACTIVE.value)
    status = status_at(fact, as_of)
    if switched_off:
        detail = f"{status.value}, and switched off by the person whom it is about"
        return Check(step=Step.STATUS, passed=False, detail=detail)
    return Check(step=Step.STATUS, passed=status is Status.ACTIVE, detail=_status_detail(fact, status))


def _status_detail(fact: Fact, status: Status) -> str:
    match status:
        case Status.NOT_YET_VALID:
            return f"{status.value} before {fact.valid_from.isoformat()}"
        case Status.EXPIRED if fact.terms.expires_at is not None:
            return f"{status.value} since {fact.terms.expires_at.isoformat()}"
        case Status.RETIRED | Status.SUPERSEDED | Status.RETRACTED if fact.ended_at is not None:
            return f"{status.value} since {fact.ended_at.isoformat()}"
        case Status.QUARANTINED | Status.DISPUTED:
            against = f", challenges {fact.challenges}" if fact.challenges else ""
            how = "held unverified" if status is Status.QUARANTINED else "a stronger source says otherwise"
            return f"{status.value}: {how}{against}"
        case _:
            return status.value


def _candidate_check(placings: Sequence[Placing], *, crowded: bool) -> Check:
    if not placings:
        return Check(step=Step.CANDIDATE, passed=False, detail=_unlike(crowded=crowded))
    reasons = dict.fromkeys(reason.value for placing in placings for reason in placing.item.reasons)
    best = max((placing.item for placing in placings), key=lambda item: item.score)
    return Check(step=Step.CANDIDATE, passed=True, detail=f"{', '.join(reasons)}; {_terms(best)}")


def _terms(item: RecalledFact | RecalledPassage) -> str:
    """The score and every term of it that is not nought, for a person."""
    told = item.terms.model_dump(exclude_none=True)
    parts = ", ".join(f"{name} {value:.3f}" for name, value in told.items() if value)
    return f"score {item.score:.3f}: {parts}" if parts else f"score {item.score:.3f}"


def _conflict_detail(record_id: UUID, answer: RecallAnswer) -> str:
    for conflict in answer.conflicts:
        if conflict.unsettled and record_id in conflict.members:
            return f"one of {len(conflict.members)} that disagree; they come whole or not at all"
    return _NO_CONFLICT


def _place_checks(placings: Sequence[Placing], answer: RecallAnswer) -> list[Check]:
    included = {item.id for item in (*answer.facts, *answer.passages)}
    best = min((placing.rank for placing in placings if placing.rank is not None), default=None)
    place = "brought in by a conflict" if best is None else f"rank {best}"
    if any(placing.item.id in included for placing in placings):
        return [
            Check(step=Step.LIMIT, passed=True, detail=place),
            Check(step=Step.BUDGET, passed=True, detail=f"{answer.tokens} tokens used in all"),
        ]
    had_a_place = any(placing.item.id in answer.over_budget for placing in placings)
    limit = Check(step=Step.LIMIT, passed=had_a_place, detail=f"{place} of at most {answer.limit} places")
    if not had_a_place:
        return [limit]
    return [limit, Check(step=Step.BUDGET, passed=False, detail="does not fit into the tokens that are left")]
