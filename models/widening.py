"""Which facts of narrower scopes bear out that the same holds in a wider one. Pure: facts in force, and rules.

What is found is proposed to a reviewer and governs nothing. A fact of one scope says nothing of another, however often
it is said there.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.contracts import Cardinality, MemoryClass, Widening
from models.entities import is_known_in
from models.facts import Fact
from models.scope import Scope


class Held(NamedTuple):
    """A fact in force, and the activities in which somebody permitted has said so."""

    fact: Fact
    activities: frozenset[UUID]


class Wider(NamedTuple):
    """What may hold in a wider scope: the facts of narrower ones that say so, and those that say otherwise.

    `facts` begin with the one that rests on the strongest source. `activities` are those behind all of them.
    """

    scope: Scope
    facts: tuple[Fact, ...]
    opposing: tuple[Fact, ...]
    activities: frozenset[UUID]


def wider(held: Sequence[Held], declared: MemoryClass, cardinality: Cardinality) -> list[Wider]:
    """What facts of one attribute and thing bear out, the narrowest wider scope first.

    | in force | comes to |
    | --- | --- |
    | the same in `scopes` narrower scopes, said in `activities` activities | it may hold in the scope above them |
    | the same in fewer, or said in fewer | nothing |
    | the same, up to a date or a condition | nothing |
    | something in the wider scope, or one wider still, for the attribute's one value | nothing: that governs there |
    | the same value there, where the attribute takes many | nothing |
    | another value in more than the share `counter` of those scopes, for the attribute's one value | nothing |
    | the same, of which a narrower wider scope has as much | nothing more: that one first |
    """
    rules = declared.widen
    if rules is None:
        return []
    found: list[Wider] = []
    for scope in _scopes_above(held, declared, rules):
        below = [each for each in held if _is_below(each.fact, scope, rules)]
        above = [each.fact for each in held if Scope(each.fact.scope).covers(scope)]
        for value in sorted({each.fact.canonical for each in below}):
            if any(cardinality is Cardinality.ONE or fact.canonical == value for fact in above):
                continue
            same = [each for each in below if each.fact.canonical == value and not _is_limited(each.fact)]
            others = (
                []
                if cardinality is Cardinality.MANY
                else [each for each in below if each.fact.canonical != value]
            )
            one = _borne_out(scope, same, [each.fact for each in others], rules)
            if one is not None and not any(_has_all(there, one) for there in found):
                found.append(one)
    return found


def _scopes_above(held: Sequence[Held], declared: MemoryClass, rules: Widening) -> list[Scope]:
    """Scopes that leave out of these facts' what the rules let them, and that their class has; the narrowest first."""
    found = {
        scope
        for each in held
        for scope in Scope(each.fact.scope).sub_scopes()
        if len(each.fact.scope) - len(scope) > 0
        and each.fact.scope.keys() - scope.keys() <= rules.over
        and declared.fits(scope)
    }
    return sorted(found, key=lambda scope: (-len(scope), str(scope.key)))


def _borne_out(scope: Scope, same: Sequence[Held], opposing: Sequence[Fact], rules: Widening) -> Wider | None:
    known = [
        each
        for each in same
        if each.fact.subject.canonical is None or is_known_in(scope, each.fact.subject.canonical)
    ]
    scopes = {Scope(each.fact.scope) for each in known}
    activities = frozenset(activity for each in known for activity in each.activities)
    against = len({Scope(fact.scope) for fact in opposing})
    if len(scopes) < rules.scopes or len(activities) < rules.activities:
        return None
    if against > rules.counter * (len(scopes) + against):
        return None
    strongest = sorted(known, key=lambda each: (-each.fact.authority, each.fact.recorded_at, each.fact.id))
    return Wider(scope, tuple(each.fact for each in strongest), tuple(opposing), activities)


def _is_below(fact: Fact, scope: Scope, rules: Widening) -> bool:
    """Whether the scope is the fact's own but for dimensions that the rules let it leave out."""
    left_out = fact.scope.keys() - scope.keys()
    return scope.covers(Scope(fact.scope)) and bool(left_out) and left_out <= rules.over


def _is_limited(fact: Fact) -> bool:
    """Whether it ends by what its own scope says, which nobody has said of another."""
    return fact.terms.expires_at is not None or fact.terms.ends_when is not None


def _has_all(there: Wider, one: Wider) -> bool:
    return one.scope.covers(there.scope) and {each.id for each in there.facts} >= {
        each.id for each in one.facts
    }
