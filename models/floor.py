"""The relevance floor: what is merely a little like the query is noise, and an empty answer is an answer.

What binds, what is about something in play and what a fact rests on never fall below it: they come for what they are
about and not for being alike. The floor is policy.
"""

from collections.abc import Collection, Sequence

from pydantic import BaseModel, ConfigDict, Field

from models.recall import Reason, RecalledFact, RecalledPassage

_BY_LIKENESS = frozenset({Reason.KEYWORDS, Reason.LIKENESS})
_BESIDE = 0.1
"""What its neighbours have to add to a passage for it to come along with them."""

_TELLING_WORDS = 2
"""So many telling words of a long query are enough, whatever part of it they are."""


class Floor(BaseModel):
    """The least with which a record that only words or likeness brought up is told: one of the two is enough.

    Coverage is the part of the query's telling words that it has, likeness the cosine. Where facts are found about
    what the query names, others have to be nearer to come beside them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    coverage: float = Field(default=0.2, ge=0, le=1)
    likeness: float = Field(default=0.3, ge=-1, le=1)
    coverage_beside_named: float = Field(default=0.4, ge=0, le=1)
    likeness_beside_named: float = Field(default=0.4, ge=-1, le=1)
    coverage_of_passages: float = Field(default=0.08, ge=0, le=1)
    likeness_of_passages: float = Field(default=0.2, ge=-1, le=1)


def facts_above(
    facts: Sequence[RecalledFact], restrictions: Collection[str], words: int, floor: Floor
) -> list[RecalledFact]:
    """Those of `facts` that are told; the query has so many `words` that are searched for.

    `restrictions` are attributes of which nothing is left out that was found: one too many costs less than one missed.

    | a fact came for | while one about something in play was found | told |
    | --- | --- | --- |
    | what it is about, or as it binds | either | yes |
    | words or likeness alone, and restricts | either | yes |
    | words or likeness alone | no | from `coverage` or `likeness` on |
    | words or likeness alone | yes | from `coverage_beside_named` or `likeness_beside_named` on |
    """
    named = any(fact.in_play for fact in facts)
    coverage = floor.coverage_beside_named if named else floor.coverage
    likeness = floor.likeness_beside_named if named else floor.likeness
    return [
        fact
        for fact in facts
        if not _BY_LIKENESS.issuperset(fact.reasons)
        or fact.attribute in restrictions
        or _clears(fact, coverage, likeness, words)
    ]


def passages_above(passages: Sequence[RecalledPassage], words: int, floor: Floor) -> list[RecalledPassage]:
    """Those of `passages` that are told: what a fact rests on, what clears the floor, and what stands next to that."""

    def clears(passage: RecalledPassage) -> bool:
        return _clears(passage, floor.coverage_of_passages, floor.likeness_of_passages, words)

    lit = {passage.episode_id for passage in passages if clears(passage)}
    return [
        passage
        for passage in passages
        if Reason.EVIDENCE in passage.reasons
        or clears(passage)
        or (_is_beside(passage) and passage.episode_id in lit)
    ]


def _is_beside(passage: RecalledPassage) -> bool:
    return Reason.NEIGHBOUR in passage.reasons or passage.terms.neighbours >= _BESIDE


def _clears(record: RecalledFact | RecalledPassage, coverage: float, likeness: float, words: int) -> bool:
    needed = min(coverage, _TELLING_WORDS / max(words, 1))
    by_words = record.terms.words > 0 and record.terms.coverage >= needed
    return by_words or (record.terms.likeness is not None and record.terms.likeness >= likeness)
