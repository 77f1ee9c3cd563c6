"""The form in which a text and the declared terms are compared: one spelling for what differs in form alone.

On top of `models.text.fold`: marks that only show how a word is read aloud, or how it is set, are left out
(zero-width characters, Arabic vowel signs, the Hindi nukta), and letters that stand for each other are one
(Russian "ё" and "е", the forms of the Arabic alef). Other accents stay, as they can make another word. A word of two
scripts is read in one, where the letters of the other look like its own ("cаncer" with a Cyrillic "а").
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

# Letters of Cyrillic and Greek, and the Latin ones that they look like in small or in capitals.
_LOOKS_LATIN = str.maketrans("авеікмнорстухјѕһԁԛԝүѵαβεικνορτυχ", "abeikmhopctyxjshdqwyvabeikvoptux")
_LOOKS_CYRILLIC = str.maketrans("abceikmhoptxyjs", "авсеікмнортхујѕ")
_NOT_LATIN = re.compile("[\u0370-\u052f]")
_LATIN = re.compile("[a-z\u00df-\u024f]")
_LATIN_OR_NOT = re.compile("[a-z\u00df-\u024f\u0370-\u052f]+")

# Latin, Cyrillic, Arabic and Devanagari with its vowel signs, which belong to their letters. An identifier with
# underscores is one word, so that the names of tables and flags are not read as prose; but see `words_of`.
_LETTERS = (
    "0-9_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\u0400-\u0481\u048a-\u052f"
    "\u0620-\u064a\u0660-\u0669\u066e-\u06d3\u06d5-\u06dc\u06ee-\u06fc\u0900-\u0963\u0966-\u096f\u0971-\u097f"
)
WORD = re.compile(rf"[{_LETTERS}]+|[^\W{_LETTERS}]+")
"""A word in the form in which it is compared; where another script begins, so does another word."""
_WORD_IN_ASCII = re.compile(r"[0-9_a-z]+")
_LETTERS_WITH_DOTS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){1,7}[^\W\d_](?![^\W_])")
_SPEAKERS = (
    "i|im|he|she|we|they|ich|er|sie|wir|je|il|elle|nous|yo|él|ella|eu|ele|ela|io|lui|lei|ik|hij|zij|"
    "ja|ona|я|он|она|мы"
)
_SENTENCE = re.compile(rf"(?<!\w)_*(?:{_SPEAKERS})(?:_+[^\W_]+){{2,}}")


def words_of(form: str) -> list[str]:
    """The words of a text that is in one form.

    | written | words |
    | --- | --- |
    | `h.i.v. positive` | hiv, positive |
    | `hiv_positive` | the name of a field, one word |
    | `i_am_diabetic` | i, am, diabetic: names of fields begin with no such word |
    """
    if "." in form:
        form = _LETTERS_WITH_DOTS.sub(lambda letters: letters.group().replace(".", ""), form)
    if "_" in form:
        form = _SENTENCE.sub(lambda words: words.group().replace("_", " "), form)
    return (_WORD_IN_ASCII if form.isascii() else WORD).findall(form)


def one_form(text: str) -> str:
    """`text` in the form in which it is compared, its spaces and punctuation as they were."""
    folded = fold(text)
    if folded.isascii():
        return folded
    changed = _CHANGED.sub(lambda letter: _STANDS_FOR.get(letter.group(), ""), folded)
    if _NOT_LATIN.search(changed) is None:
        return changed
    return _LATIN_OR_NOT.sub(lambda word: _of_one_script(word.group()), changed)


def _of_one_script(word: str) -> str:
    """A word of two scripts in the one whose letters the others look like; any other word as it is.

    Where either would do, the script of most of its letters is the word's.
    """
    own = len(_LATIN.findall(word))
    if not own:
        return word
    latin, cyrillic = word.translate(_LOOKS_LATIN), word.translate(_LOOKS_CYRILLIC)
    is_cyrillic = _LATIN.search(cyrillic) is None
    if _NOT_LATIN.search(latin) is None and not (is_cyrillic and own * 2 < len(word)):
        return latin
    return cyrillic if is_cyrillic else word
