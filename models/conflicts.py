"""Disagreements among what is eligible: who contradicts whom, what settles it, and what stays open.

Two memories disagree when they give a single-valued attribute of one thing different values, each from a scope that
applies to the request; or when one of them is disputed by a challenger that nobody has settled. A disagreement that
the class does not settle goes into the context whole or not at all, and is told either way.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from models.authority import Authority
from models.contracts import Precedence
from models.scope import Scope


class Side(NamedTuple):
    """One memory of a single-valued attribute. `thing` is the entity's id, None for the scope as a whole.

    `value` is canonical, as values are compared. A challenger is `disputed`: it governs nothing, and stands open
    against what does until a person settles it.
    """

    id: UUID
    thing: UUID | None
    attribute: str
    value: str
    scope: Scope
    authority: Authority
    valid_from: datetime
    disputed: bool = False


class Disagreement(NamedTuple):
    """Sides that do not say the same: `standing` are those that nothing settles, `yielding` gave way to one of them.

    `settled_by` says by which rule each of `yielding` gave way. It is unsettled while those standing still disagree.
    """

    attribute: str
    thing: UUID | None
    standing: tuple[Side, ...]
    yielding: tuple[Side, ...]
    settled_by: Mapping[UUID, Precedence]

    @property
    def unsettled(self) -> bool:
        """Whether those standing still disagree."""
        return len({side.value for side in self.standing}) > 1


class Settling(NamedTuple):
    """How a class settles disagreements: by the first of `precedence` that tells two sides apart.

    With `binding`, which restrictions are, no rule lets a narrower scope override the word of a stronger source.
    """

    precedence: tuple[Precedence, ...] = ()
    binding: bool = False


def disagreements(
    sides: Iterable[Side], settling: Mapping[str, Settling], among: Collection[UUID] | None = None
) -> list[Disagreement]:
    """All disagreements among `sides` in which one of `among` takes part, None for all, in a stable order."""

    def place(side: Side) -> tuple[str, str]:
        return str(side.thing or ""), side.attribute

    found: list[Disagreement] = []
    ordered = sorted(sides, key=lambda side: (place(side), side.valid_from, side.id))
    for (_, attribute), members in groupby(ordered, key=place):
        group = list(members)
        concerns = among is None or any(side.id in among for side in group)
        if concerns and len({side.value for side in group}) > 1:
            found.append(_settled(attribute, group, settling.get(attribute, Settling())))
    return found


def _settled(attribute: str, group: Sequence[Side], settling: Settling) -> Disagreement:
    """Who gives way to whom. A side gives way only to one that gives way to nobody, so that somebody is left."""
    settles = {
        (winner.id, loser.id): rule
        for winner in group
        for loser in group
        if (rule := _overrides(winner, loser, settling)) is not None
    }
    beaten = {loser for _, loser in settles}
    settled_by = {
        loser.id: rule
        for loser in group
        for winner in group
        if winner.id not in beaten and (rule := settles.get((winner.id, loser.id))) is not None
    }
    standing = tuple(side for side in group if side.id not in settled_by)
    yielding = tuple(side for side in group if side.id in settled_by)
    return Disagreement(attribute, group[0].thing, standing, yielding, settled_by)


def _overrides(one: Side, other: Side, settling: Settling) -> Precedence | None:
    """By which rule `one` overrides `other`, None where it does not.

    | the two | |
    | --- | --- |
    | say the same, or one of them is a challenger | neither overrides the other |
    | are told apart by no rule of the class | neither |
    | are told apart, first, by a rule that favours the other | the other overrides |
    | are told apart, first, by a rule that favours `one` | by that rule |
    | are told apart in favour of a narrower scope with a weaker source, and the class binds | not by that rule |
    """
    if one.value == other.value or one.disputed or other.disputed:
        return None
    for rule in settling.precedence:
        favour = _FAVOURS[rule](one, other)
        favoured, against = (one, other) if favour > 0 else (other, one)
        usurps = _narrower(favoured, against) > 0 and favoured.authority < against.authority
        if favour and not (settling.binding and usurps):
            return rule if favour > 0 else None
    return None


def _narrower(one: Side, other: Side) -> int:
    if one.scope == other.scope:
        return 0
    return int(other.scope.covers(one.scope)) - int(one.scope.covers(other.scope))


def _stronger(one: Side, other: Side) -> int:
    return int(one.authority) - int(other.authority)


def _later(one: Side, other: Side) -> int:
    return int(one.valid_from > other.valid_from) - int(one.valid_from < other.valid_from)


_FAVOURS: Mapping[Precedence, Callable[[Side, Side], int]] = {
    Precedence.NARROWER_SCOPE: _narrower,
    Precedence.STRONGER_SOURCE: _stronger,
    Precedence.LATER_START: _later,
}
"""Above zero where a rule favours the first of two sides, below where it favours the second."""
