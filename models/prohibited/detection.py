"""Which prohibited kinds a text holds."""

from models.contracts import Prohibited
from models.prohibited.letters import one_form, words_of
from models.prohibited.spaced import kinds_in_words
from models.prohibited.unspaced import kinds_in_characters


def prohibited_in(text: str) -> frozenset[Prohibited]:
    """The kinds that `text` holds by the declared terms of any language, alike in any case, width and spacing.

    | said | kinds |
    | --- | --- |
    | a term that tells by itself ("is diabetic") | its own |
    | a term with a thing joined to it ("the diabetes dataset") | none |
    | a term that tells of a person alone, a word for a person close by ("my blood type") | its own |
    | the same without one ("the blood type field") | none |
    | a term within a phrase that is declared innocent ("allergic to meetings") | none |
    | that somebody has, is or did it *not* ("she is not pregnant") | as if they had: that tells as much |
    """
    words = words_of(one_form(text))
    return frozenset(kinds_in_words(words) | kinds_in_characters("".join(words)))
