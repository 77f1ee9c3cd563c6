"""The form in which a text and the declared terms are compared: one spelling for what differs in form alone.

On top of `models.text.fold`: marks that only show how a word is read aloud, or how it is set, are left out
(zero-width characters, Arabic vowel signs, the Hindi nukta), and letters that stand for each other are one
(Russian "ё" and "е", the forms of the Arabic alef). Other accents stay, as they can make another word.
"""

import re

from models.text import fold

_STANDS_FOR = {"ё": "е", "آ": "ا", "أ": "ا", "إ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ک": "ك", "ی": "ي"}
# Left out: soft hyphen; the dot that case folding leaves of a Turkish "İ"; Arabic vowel signs and the stretched
# line; nukta; zero-width characters and marks of direction.
_CHANGED = re.compile(
    "[\u00ad\u0307\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u200b-\u200f\u202a-\u202e\u2060\ufeff"
    + "".join(_STANDS_FOR)
    + "]"
)

# Latin, Cyrillic, Arabic and Devanagari with its vowel signs, which belong to their letters. An identifier with
# underscores is one word, so that the names of tables and flags are not read as prose.
_LETTERS = (
    "0-9_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\u0400-\u0481\u048a-\u052f"
    "\u0620-\u064a\u0660-\u0669\u066e-\u06d3\u06d5-\u06dc\u06ee-\u06fc\u0900-\u0963\u0966-\u096f\u0971-\u097f"
)
WORD = re.compile(rf"[{_LETTERS}]+|[^\W{_LETTERS}]+")
"""A word in the form in which it is compared; where another script begins, so does another word."""
_WORD_IN_ASCII = re.compile(r"[0-9_a-z]+")


def words_of(form: str) -> list[str]:
    """The words of a text that is in one form."""
    return (_WORD_IN_ASCII if form.isascii() else WORD).findall(form)


def one_form(text: str) -> str:
    """`text` in the form in which it is compared, its spaces and punctuation as they were."""
    folded = fold(text)
    if folded.isascii():
        return folded
    return _CHANGED.sub(lambda letter: _STANDS_FOR.get(letter.group(), ""), folded)
