"""Hold outcomes against labels: which outcome is the one that a label wants, and which nobody wants. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evals.write.cases import Case, Expected
from evals.write.outcomes import Content, Disposition, Outcome, Played, words_of
from models.text import normalise


class Pair(NamedTuple):
    """A label with the outcome that fulfils it, None where none does."""

    expected: Expected
    scope: Mapping[str, str]
    outcome: Outcome | None

    @property
    def decided_so(self) -> bool:
        """Whether it came by a verdict that the label accepts."""
        wanted = self.expected.verdict
        return self.outcome is not None and (not wanted or self.outcome.verdict in wanted)

    @property
    def placed_so(self) -> bool:
        """Whether its record has the scope of the label."""
        content = None if self.outcome is None else self.outcome.content
        return content is not None and dict(content.scope) == dict(self.scope)


class Judged(NamedTuple):
    """A played case against its labels: a pair for each label, and the outcomes that no label wants."""

    case: Case
    played: Played
    pairs: tuple[Pair, ...]
    unwanted: tuple[Outcome, ...]


def judged(case: Case, played: Played) -> Judged:
    """Pair every label with at most one outcome, each outcome with at most one label.

    | the label wants | it is fulfilled by |
    | --- | --- |
    | persist, quarantine | an outcome of that disposition that says the same, by any verdict and in any scope |
    | discard | an outcome that is discarded and of the same attribute |

    Of several that would do, the one by an accepted verdict is taken.
    """
    left = list(played.outcomes)
    pairs: list[Pair] = []
    for expected in case.expected:
        fitting = [each for each in left if fulfils(expected, each)]
        chosen = min(fitting, key=lambda each: each.verdict not in expected.verdict, default=None)
        if chosen is not None:
            left.remove(chosen)
        pairs.append(Pair(expected, case.scope_of(expected), chosen))
    return Judged(case, played, tuple(pairs), tuple(left))


def fulfils(expected: Expected, outcome: Outcome) -> bool:
    """Whether an outcome is of the label's disposition and attribute, and says what the label says."""
    if outcome.disposition is not expected.disposition or outcome.attribute != expected.attribute:
        return False
    if expected.disposition is Disposition.DISCARD:
        return True
    if outcome.content is None:
        # A claim about a name that means several things has no record of its own to compare.
        return expected.disposition is Disposition.QUARANTINE
    return is_about(expected, outcome.content) and _says(expected, outcome)


def is_about(expected: Expected, content: Content) -> bool:
    """Whether a record is about the thing that the label names, by its name or by its canonical id."""
    if expected.entity is None:
        return not content.entities
    known = {normalise(name) for name in content.entities}
    return any(normalise(name) in known for name in expected.entity)


def _says(expected: Expected, outcome: Outcome) -> bool:
    """Whether value and end are those of the label. What is taken back has no end of its own."""
    content = outcome.content
    assert content is not None
    values = {normalise(each) for each in expected.value}
    if (values and normalise(content.value) not in values) or not _holds(content.value, *expected.words):
        return False
    if outcome.verdict in {"retract", "retire"}:
        return True
    if (expected.ends_when is None) != (content.ends_when is None):
        return False
    ends = _holds(content.ends_when, expected.ends_when) and expected.expires_at == content.expires_at
    return ends and expected.valid_from in {None, content.valid_from}


def _holds(text: str | None, *wanted: str | None) -> bool:
    """Whether every word that is wanted is among those of `text`."""
    return all(words_of(each) <= words_of(text) for each in wanted)


def same_thing(expected: Expected, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of the label's attribute and thing, whatever they say and however they were decided."""
    return [
        each
        for each in outcomes
        if each.attribute == expected.attribute and (each.content is None or is_about(expected, each.content))
    ]
