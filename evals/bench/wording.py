"""Text as an operations team might write it, from a seed: a few words everywhere, most of them seldom.

Words are drawn by Zipf's law, as in natural language, over verbs and nouns of the trade, and a long run of names
that occur a few times each. So an ordinary query finds some records and a query of common words most of them.
"""

import random
from itertools import accumulate
from pathlib import Path

WORDS = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split()
"""Words of the trade, the most frequent first."""
EVERYWHERE = WORDS[:8]
FREQUENT = WORDS[10:110]
FILLERS = (
    "the",
    "and",
    "of",
    "to",
    "in",
    "a",
    "is",
    "for",
    "with",
    "on",
    "that",
    "it",
    "was",
    "as",
    "by",
    "from",
    "at",
    "we",
    "this",
    "after",
    "before",
    "until",
    "not",
)
NAMES = 5_000
_SYLLABLES = (
    "ba",
    "ko",
    "lin",
    "ver",
    "tas",
    "mor",
    "el",
    "fen",
    "dra",
    "shu",
    "pel",
    "qui",
    "ros",
    "tam",
    "wex",
    "yor",
    "zan",
    "gil",
    "hap",
    "jun",
)
HOSTS = 400


class Wording:
    """Draws words, sentences and queries; the same seed gives the same text."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        names = [self._name() for _ in range(NAMES)]
        self._words = [*WORDS, *names]
        self._seldom = self._words[len(FREQUENT) + 10 :]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))
        self._hosts = list(accumulate(1 / (rank + 5) for rank in range(HOSTS)))

    def words(self, count: int) -> list[str]:
        """Words that say something, by Zipf's law."""
        return self.draw.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self, count: int) -> str:
        """`count` words that say something, with the small words that go between."""
        text: list[str] = []
        for word in self.words(count):
            text += [self.draw.choice(FILLERS), word] if self.draw.random() < 0.7 else [word]
        return f"{' '.join(text).capitalize()}."

    def host(self) -> int:
        """The number of a machine; some are spoken of far more often than others."""
        return self.draw.choices(range(HOSTS), cum_weights=self._hosts)[0]

    def usual_query(self) -> str:
        """Three or four words, as a question to the memory has them: one frequent, the others seldom."""
        rare = self.draw.choices(self._seldom, k=2)
        return " ".join([*self.draw.choices(FREQUENT, k=self.draw.choice((1, 2))), *rare])

    def _name(self) -> str:
        return "".join(self.draw.choices(_SYLLABLES, k=self.draw.choice((2, 3, 3))))


def worst_query() -> str:
    """The words that occur in the most records."""
    return " ".join(EVERYWHERE)


def host_id(number: int) -> str:
    """The canonical id of a machine."""
    return f"host:i-{number:05d}"


def host_name(number: int) -> str:
    """What people call it."""
    return f"gpu-node-{number:03d}"


def workspace(number: int) -> str:
    """The name of a workspace."""
    return f"workspace-{number}"
