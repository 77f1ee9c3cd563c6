"""A text without the characters that nobody sees, which would otherwise hide a secret: `4111<U+200B>1111`.

What is found in the shorter text is told in places of the whole one.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from models.sightings import INVISIBLE, Named, Sighting


class Visible(NamedTuple):
    """The visible part of a text, and where in the whole each of its characters stands; None where all are visible."""

    text: str
    places: Sequence[int] | None

    def named(self, named: Sequence[Named]) -> Sequence[Named]:
        """Values of the whole, in places of the visible part."""
        places = self.places
        if places is None:
            return named
        return [
            each._replace(start=bisect_left(places, each.start), end=bisect_left(places, each.end))
            for each in named
        ]

    def sightings(self, found: list[Sighting]) -> list[Sighting]:
        """Sightings in the visible part, in places of the whole: from the first to the last character of each."""
        places = self.places
        if places is None:
            return found
        return [
            Sighting(kind, places[start], places[end - 1] + 1) for kind, start, end in found if start < end
        ]


def visible(text: str) -> Visible:
    """`text` without zero-width characters, soft hyphens and marks of direction."""
    if text.isascii() or INVISIBLE.search(text) is None:
        return Visible(text, None)
    places = [at for at, letter in enumerate(text) if not INVISIBLE.match(letter)]
    return Visible("".join([text[at] for at in places]), places)
