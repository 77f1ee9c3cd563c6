"""What a plain store would bring back, to hold recall against: the best by words, the nearest by meaning, all of it.

None of them knows scope, status or readers. They rank the same texts, in the same unit as the board.
"""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from operator import mul
from typing import NamedTuple

from models.text import terms

K1 = 1.5
B = 0.75

Rank = Callable[[str], Sequence[str]]
"""The ids of everything that shares anything with a query, the best first."""

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
"""One vector for each text."""


class _Posting(NamedTuple):
    place: int
    frequency: int


def by_words(texts: Mapping[str, str]) -> Rank:
    """BM25 in the form of Lucene (no negative weights), over the terms that Keepwell itself searches by."""
    names = list(texts)
    counted = [terms(text) for text in texts.values()]
    lengths = [sum(each.values()) for each in counted]
    mean = sum(lengths) / max(len(lengths), 1) or 1
    postings: dict[str, list[_Posting]] = {}
    for place, each in enumerate(counted):
        for term, frequency in each.items():
            postings.setdefault(term, []).append(_Posting(place, frequency))

    def rank(query: str) -> list[str]:
        scores: Counter[int] = Counter()
        for term in terms(query):
            listed = postings.get(term, [])
            weight = math.log(1 + (len(names) - len(listed) + 0.5) / (len(listed) + 0.5))
            for place, frequency in listed:
                dampened = frequency + K1 * (1 - B + B * lengths[place] / mean)
                scores[place] += weight * frequency * (K1 + 1) / dampened  # pyright: ignore[reportArgumentType]
        return [names[place] for place, _ in scores.most_common()]

    return rank


async def by_meaning(texts: Mapping[str, str], queries: Collection[str], embed: Embed) -> Rank:
    """Everything, by the inner product of its vector with that of one of `queries`. Vectors are of length one."""
    names, asked = list(texts), list(dict.fromkeys(queries))
    vectors = await embed(list(texts.values()))
    wanted = dict(zip(asked, await embed(asked), strict=True))

    def rank(query: str) -> list[str]:
        near = [sum(map(mul, wanted[query], vector)) for vector in vectors]
        return [names[place] for place in sorted(range(len(names)), key=lambda place: -near[place])]

    return rank


def unfiltered(texts: Mapping[str, str]) -> Rank:
    """All that is there, in the order in which it was said, whatever is asked."""
    names = list(texts)
    return lambda _: names
