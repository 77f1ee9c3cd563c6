"""Prohibited kinds of content: which special categories of personal data a text speaks of.

A memory class names the kinds that it refuses; a candidate whose words hold one of them is discarded. What counts
is declared, language by language, in the files of `terms`: nothing here learns, guesses or remembers. They are a
part of this code that is easier to read as data, loaded once with it and never again.

What it must never do: keep a text or a part of it, or say more about it than the kinds that it holds.
"""

from models.prohibited.detection import prohibited_in

__all__ = ["prohibited_in"]
