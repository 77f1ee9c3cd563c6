"""What of all that was found fits into an answer, and what the caller is to do about the rest.

A restriction on an entity in play is never left out silently: when it does not fit, the answer says so. An open
conflict goes in whole or not at all.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from models.conflicts import Disagreement
from models.due import DUE_SHARE
from models.facts import Status
from models.procedure_choice import PROCEDURE_SHARE
from models.recall import (
    Advice,
    Conflict,
    RecallAnswer,
    RecalledFact,
    RecalledPassage,
    RecallRequest,
    Unmet,
)
from models.sessions import NO_SESSION, SESSION_SHARE, Session

Item = RecalledFact | RecalledPassage
CountTokens = Callable[[str], int]


class Unit(NamedTuple):
    """What is taken together: one record, or all sides of an open conflict."""

    items: tuple[Item, ...]

    @property
    def required(self) -> bool:
        """Whether it must not be left out."""
        return any(item.required for item in self.items)


class Fitted(NamedTuple):
    """What was taken, in order; `over_budget` had a place and no room, `missing` are the required ones of those.

    `too_large` says that one of these would not fit into the whole budget.
    """

    taken: tuple[Item, ...]
    missing: tuple[UUID, ...]
    over_budget: tuple[UUID, ...]
    tokens: int
    too_large: bool


def units(
    items: Iterable[Item], conflicts: Iterable[Disagreement], sides: Iterable[RecalledFact]
) -> list[Unit]:
    """`items` in order; each unsettled conflict whole where its first member stands, nothing that gives way.

    In the place of what gives way stands what it gives way to: what was found of a thing is never told by silence.
    `sides` are records that no search brought up and that belong to a conflict.
    """
    items = list(items)
    known = {item.id: item for item in (*sides, *items)}
    conflict_of = {
        side.id: conflict for conflict in conflicts for side in (*conflict.standing, *conflict.yielding)
    }
    gone = {side.id for conflict in conflict_of.values() for side in conflict.yielding}
    placed: set[UUID] = set()
    found: list[Unit] = []
    for item in items:
        conflict = conflict_of.get(item.id)
        if conflict is not None and (conflict.unsettled or item.id in gone):
            members = tuple(known[side.id] for side in conflict.standing if side.id not in placed)
        else:
            members = () if item.id in placed else (item,)
        placed.update(member.id for member in members)
        found.extend([Unit(members)] if members else [])
    return found


def fit(found: Sequence[Unit], budget: int, limit: int, count_tokens: CountTokens) -> Fitted:
    """Take units in order while they fit; required ones beyond `limit` still count, beyond the budget not.

    A unit that does not fit is passed over and a smaller one after it may still be taken, except that no optional
    one is taken once a required one was left out: then the answer is to narrow the request. A conflict that has a
    place for one of its members has one for all.
    """
    left = budget
    taken: list[Item] = []
    missing: list[UUID] = []
    over_budget: list[UUID] = []
    too_large = False
    for unit in found:
        if len(taken) >= limit and not unit.required:
            continue
        cost = sum(count_tokens(item.text) for item in unit.items)
        if cost > left or (missing and not unit.required):
            over_budget.extend(item.id for item in unit.items)
            if unit.required:
                missing.extend(item.id for item in unit.items if item.required)
                too_large = too_large or cost > budget
            continue
        left -= cost
        taken.extend(unit.items)
    return Fitted(tuple(taken), tuple(missing), tuple(over_budget), budget - left, too_large)


def room_for_session(found: Iterable[Unit], budget: int, count_tokens: CountTokens) -> int:
    """Tokens that a session may take: its share, and no more than all that must be heeded leaves."""
    return _room(found, budget, SESSION_SHARE, count_tokens)


def room_for_due(found: Iterable[Unit], budget: int, count_tokens: CountTokens) -> int:
    """Tokens that what is due may take: its share, and no more than all that must be heeded leaves."""
    return _room(found, budget, DUE_SHARE, count_tokens)


def room_for_procedure(found: Iterable[Unit], budget: int, count_tokens: CountTokens) -> int:
    """Tokens that a procedure may take, which comes whole or not at all: its share, beside all that must be heeded."""
    return _room(found, budget, PROCEDURE_SHARE, count_tokens)


def _room(found: Iterable[Unit], budget: int, share: float, count_tokens: CountTokens) -> int:
    bound = sum(count_tokens(item.text) for unit in found if unit.required for item in unit.items)
    return max(0, min(int(budget * share), budget - bound))


def answered(
    fitted: Fitted,
    found: Iterable[UUID],
    conflicts: Sequence[Conflict],
    unmet: Sequence[Unmet],
    request: RecallRequest,
    as_of: datetime,
    session: Session = NO_SESSION,
) -> RecallAnswer:
    """The answer; `found` are the records that there were to choose from."""
    facts = tuple(item for item in fitted.taken if isinstance(item, RecalledFact))
    governing = tuple(fact for fact in facts if fact.status is Status.ACTIVE)
    passages = tuple(item for item in fitted.taken if isinstance(item, RecalledPassage))
    return RecallAnswer(
        facts=governing,
        passages=passages,
        advice=advice(fitted, conflicts, unmet),
        missing=fitted.missing,
        over_budget=fitted.over_budget,
        tokens=fitted.tokens + session.tokens,
        limit=request.limit,
        left_out=len(set(found).difference(item.id for item in fitted.taken)),
        as_of=as_of,
        conflicts=tuple(conflicts),
        unmet=tuple(unmet),
        session=session.events,
    )


def advice(fitted: Fitted, conflicts: Iterable[Conflict], unmet: Sequence[Unmet]) -> Advice:
    """What to do with the answer; see `Advice` for the table. A `question` is there where a conflict concerns it."""
    if fitted.too_large:
        return Advice.DEFER
    if fitted.missing:
        return Advice.NARROW
    if unmet or any(conflict.question for conflict in conflicts):
        return Advice.ABSTAIN
    return Advice.USE


def told(conflict: Disagreement, known: dict[UUID, RecalledFact], taken: Iterable[UUID]) -> Conflict:
    """A disagreement as the answer has it, with a question where it is open and concerns the decision."""
    members = [known[side.id] for side in conflict.standing]
    asks = conflict.unsettled and any(member.concerns for member in members)
    entity = members[0].entity
    carried = set(taken).issuperset(member.id for member in members)
    return Conflict(
        entity=entity,
        attribute=conflict.attribute,
        members=tuple(member.id for member in members),
        yielded=tuple(side.id for side in conflict.yielding),
        settled_by=tuple(dict.fromkeys(conflict.settled_by.values())),
        unsettled=conflict.unsettled,
        carried=carried,
        question=_question(entity, conflict.attribute, members) if asks else None,
        challengers=tuple(member for member in members if carried and member.status is not Status.ACTIVE),
    )


def _question(entity: str | None, attribute: str, members: Sequence[RecalledFact]) -> str:
    values = " or ".join(dict.fromkeys(" ".join(member.value.split()) for member in members))
    return f"Which holds for {attribute} of {entity or 'this scope'}: {values}?"


def with_claims(
    answer: RecallAnswer, claims: Sequence[RecalledFact], request: RecallRequest, count_tokens: CountTokens
) -> RecallAnswer:
    """The answer with claims in order, at most `limit`, in what is left of the budget after all that governs.

    Where a required fact was left out there is no room for a claim.
    """
    if answer.missing:
        return answer
    tokens = answer.tokens
    taken: list[RecalledFact] = []
    for claim in claims:
        if len(taken) == request.limit:
            break
        cost = count_tokens(claim.text)
        if tokens + cost <= request.budget_tokens:
            taken.append(claim)
            tokens += cost
    return answer.model_copy(update={"unverified": tuple(taken), "tokens": tokens})
