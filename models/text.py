"""How words are compared and searched: one analyser for rows and queries.

Comparison form: NFKC, case folded, hyphen look-alikes made one, white space collapsed. Search terms: the
comparison form split into words; an identifier (`gpu-bench-01`, `refund_threshold`, `v1.2.0`) is kept whole
and given in parts as well; words are stemmed by Snowball's English rules; runs of Chinese, Japanese, Korean
and Thai characters become overlapping pairs.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

import snowballstemmer

_HYPHENS = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
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

# fmt: off
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "i", "if", "in", "into", "is", "it", "its", "me",
    "my", "of", "on", "or", "our", "she", "so", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "to", "too", "us", "was", "we", "were", "what", "when", "where", "which",
    "who", "whom", "why", "will", "with", "would", "you", "your",
})
# fmt: on
"""English words too common to find anything by. "not", "no" and "never" are kept: they carry the meaning."""


def normalise(text: str) -> str:
    """The comparison form of `text`: NFKC, case folded, one hyphen, single spaces, outer punctuation off.

    Applied twice, as case folding can undo the normal form ("İ" folds to "i" and a combining dot, which is
    kept: Turkish İstanbul and istanbul stay two keys, each of them stable).
    """
    folded = unicodedata.normalize("NFKC", text).translate(_HYPHENS).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    words = (word.strip(".,;:!?\"'()[]{}“”‘’。、，！？") for word in folded.split())
    return " ".join(word for word in words if word)


@lru_cache(maxsize=1)
def _stemmer() -> "snowballstemmer.stemmer":  # pyright: ignore
    return snowballstemmer.stemmer("english")  # pyright: ignore


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))  # pyright: ignore


def terms(text: str) -> Counter[str]:
    """Search terms of `text` with their frequencies. Empty for a text of stop words alone."""
    found: Counter[str] = Counter()
    folded = unicodedata.normalize("NFKC", text).translate(_HYPHENS).casefold()
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", folded)):
        found.update(_token_terms(match.group()))
    return found


def _token_terms(token: str) -> list[str]:
    if _UNSPACED.search(token):
        return _unspaced_terms(token)
    parts = _PART.findall(token)
    if len(parts) <= 1:
        return [] if token in STOP_WORDS else [_stem(token)[:MAX_TERM_LENGTH]]
    kept = [_stem(part)[:MAX_TERM_LENGTH] for part in parts if part not in STOP_WORDS]
    return [token[:MAX_TERM_LENGTH], *kept]


def _unspaced_terms(token: str) -> list[str]:
    found: list[str] = []
    for run in _UNSPACED.findall(token):
        found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    for rest in _UNSPACED.sub(" ", token).split():
        found.extend(_token_terms(rest))
    return found


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
