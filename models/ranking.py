"""How likely it is that a record helps: what words say and what likeness says, and for passages what stands around.

The two are on scales of their own, so that each is brought to 0 to 1 among what was found before they are weighed;
fusing ranks in place of scores does worse than words alone. Restrictions and evidence go before any score: see
`models.recall`.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple
from uuid import UUID

ADJACENT = 0.25
"""The part of its score that a passage gives to the ones right before and after it: an answer needs its question."""

TWO_AWAY = 0.1
"""The part that it gives to the ones after these."""


class Scores(NamedTuple):
    """Every term of a score.

    `words` is BM25 of the shared words, `coverage` the part of the query's words that it has (the telling ones
    counting for more) and `likeness` the cosine, None where there is no vector to compare; `fused` is what they come to
    among all that was found, from 0 to 1, and `neighbours` what adjacent passages add to it.
    """

    words: float
    coverage: float
    likeness: float | None
    fused: float
    neighbours: float = 0.0

    @property
    def total(self) -> float:
        """What to rank by."""
        return self.fused + self.neighbours


class Measured(NamedTuple):
    """A record as it was found; see `Scores`.

    `before` and `after` are passages next to it in its episode, the nearest first.
    """

    id: UUID
    words: float
    coverage: float
    likeness: float | None
    before: Sequence[UUID] = ()
    after: Sequence[UUID] = ()


def scores(found: Sequence[Measured]) -> dict[UUID, Scores]:
    """The scores of all that was found, one kind of record at a time.

    | a record | its likeness counts as |
    | --- | --- |
    | has a vector | where its cosine lies between the least and the greatest of those found |
    | has none, and others do | the mean of those of the others |
    | nothing found has one | nothing: words alone count |

    Words count from 0, which is a record that shares none, and both count the same. Sums are taken in the order of ids,
    so that the same records have the same scores in whatever order they were found.
    """
    found = sorted(found, key=lambda each: each.id)
    most = max((each.words for each in found), default=0.0)
    known = [each.likeness for each in found if each.likeness is not None]
    least, span = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    alike = [0.0 if span == 0 else (likeness - least) / span for likeness in known]
    mean = sum(alike) / len(alike) if alike else 0.0
    fused: dict[UUID, float] = {}
    for each in found:
        by_words = 0.0 if most == 0 else each.words / most
        by_likeness = mean if each.likeness is None or span == 0 else (each.likeness - least) / span
        fused[each.id] = (by_words + by_likeness) / 2 if known else by_words
    gained = _from_neighbours(found, fused)
    return {
        each.id: Scores(
            words=each.words,
            coverage=each.coverage,
            likeness=each.likeness,
            fused=fused[each.id],
            neighbours=gained.get(each.id, 0.0),
        )
        for each in found
    }


def _from_neighbours(found: Sequence[Measured], fused: Mapping[UUID, float]) -> dict[UUID, float]:
    """What each passage gets from those next to it. What a few of them are next to tells of the others as well."""
    parts: dict[frozenset[UUID], float] = {}
    for each in found:
        row = [*reversed(each.before), each.id, *each.after]
        for (here, one), (there, other) in combinations(enumerate(row), 2):
            if there - here <= 2 and one in fused and other in fused:
                parts[frozenset((one, other))] = ADJACENT if there - here == 1 else TWO_AWAY
    gained: dict[UUID, float] = {}
    for pair, part in parts.items():
        one, other = pair
        gained[one] = gained.get(one, 0.0) + part * fused[other]
        gained[other] = gained.get(other, 0.0) + part * fused[one]
    return gained
