"""How words are compared and searched: one analyser for rows and queries.

Comparison form: NFKC, case folded, hyphens and apostrophes of one kind, white space collapsed. Search terms: the
comparison form split into words; an identifier (`gpu-bench-01`, `refund_threshold`, `v1.2.0`) is kept whole
and given in parts as well; words are stemmed by Snowball's rules for their language (`models.languages`); runs of
Chinese, Japanese, Korean and Thai characters become overlapping pairs.
"""

import re
import unicodedata
from collections import Counter

from models.languages import is_stop_word, language_of, stems

_HYPHENS = re.compile("[‐‑‒–—―−]")
_APOSTROPHES = re.compile("[’ʼ＇]")
_STREAM_SAFE_MARKS = 30
_LONG_RUN = re.compile(r"[^\x00-\u02ff]{31,}")
# Vowel signs and other marks belong to their letter: without them a Hindi word falls apart into consonants.
# Python's \w leaves them out. Variation selectors stay outside, as they only choose a picture.
_MARKS = "".join(
    chr(code)
    for code in range(0x300, 0x1F000)
    if unicodedata.category(chr(code)) in {"Mn", "Mc"} and not 0xFE00 <= code <= 0xFE0F
)
_TOKEN = re.compile(rf"[^\W_](?:[\w{_MARKS}.\-/:@#]*(?:[^\W_]|[{_MARKS}]))?")
_PART = re.compile(rf"(?:[^\W\d_][{_MARKS}]*)+|\d+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
MAX_TERM_LENGTH = 100
LONGEST_PHRASE = 4
"""Words of a name that is looked for in a text; few things are called by more."""


def fold(text: str) -> str:
    """`text` in NFKC and case folded, with one hyphen and one apostrophe, its white space as it was.

    Normalised twice, as case folding can undo the normal form ("İ" folds to "i" and a combining dot, which
    is kept: Turkish İstanbul and istanbul stay two keys, each of them stable). A run of combining marks is
    cut to the 30 that Unicode calls stream-safe (UAX #15), as normalising takes the square of its length.
    """
    if text.isascii():
        return text.casefold()
    safe = _LONG_RUN.sub(lambda run: _stream_safe(run.group()), text)
    # Two searches that seldom find anything are several times as fast as one translation of every character.
    joined = _APOSTROPHES.sub("'", _HYPHENS.sub("-", unicodedata.normalize("NFKC", safe)))
    return unicodedata.normalize("NFKC", joined.casefold())


def _stream_safe(run: str) -> str:
    """A run of characters beyond Latin with at most 30 combining marks in a row."""
    kept: list[str] = []
    marks = 0
    for character in run:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _STREAM_SAFE_MARKS:
            kept.append(character)
    return "".join(kept)


def normalise(text: str) -> str:
    """The comparison form of `text`: folded, single spaces, the punctuation around words off."""
    words = (word.strip(".,;:!?\"'()[]{}“”‘’。、，！？") for word in fold(text).split())
    return " ".join(word for word in words if word)


def terms(text: str) -> Counter[str]:
    """Search terms of `text` with their frequencies. Empty for a text of stop words alone."""
    tokens = [match.group() for match in _TOKEN.finditer(fold(text))]
    language = language_of(tokens)
    found: Counter[str] = Counter()
    for token in tokens:
        found.update(_token_terms(token, language))
    return found


def _token_terms(token: str, language: str) -> list[str]:
    if not token.isascii() and _UNSPACED.search(token):
        return _unspaced_terms(token, language)
    parts = _PART.findall(token)
    whole = [token[:MAX_TERM_LENGTH]] if len(parts) > 1 else []
    words = [word for word in (parts if whole else [token]) if not is_stop_word(word, language)]
    return [*whole, *(stem[:MAX_TERM_LENGTH] for word in words for stem in stems(word, language))]


def _unspaced_terms(token: str, language: str) -> list[str]:
    found: list[str] = []
    for run in _UNSPACED.findall(token):
        found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    for rest in _UNSPACED.sub(" ", token).split():
        found.extend(_token_terms(rest, language))
    return found


def phrases(text: str, most: int) -> list[str]:
    """Runs of up to four words of `text`, in comparison form, that could be the name of something.

    Of a long text these are the runs of its first `most` words and of its last. A run of function words alone names
    nothing.
    """
    words = normalise(text).split()
    parts = [words] if len(words) <= 2 * most else [words[:most], words[-most:]]
    found: dict[str, None] = {}
    for part in parts:
        telling = [bool(terms(word)) for word in part]
        for length in range(1, LONGEST_PHRASE + 1):
            for start in range(len(part) - length + 1):
                if any(telling[start : start + length]):
                    found.setdefault(" ".join(part[start : start + length]))
    return list(found)


def identifiers(text: str) -> list[str]:
    """Words of `text` that look like a name of a thing: they mix letters with digits or joining marks.

    Each is in comparison form, in order of first appearance. These are what is looked up exactly as
    entity names; an ordinary word is not, or every sentence would name something.
    """
    found: dict[str, None] = {}
    folded = normalise(text)
    for match in _TOKEN.finditer(folded):
        token = match.group()
        if len(_PART.findall(token)) > 1 and not token.replace(".", "").replace("-", "").isdigit():
            found.setdefault(token)
    return list(found)
