"""Which rules a word is stemmed by: those of its script, and for Latin letters those of the language of its text.

Nothing is guessed from one word. A text in Latin letters is taken to be in another language than English when it has
at least two different function words of that language, and more than of any other, English included; its words
are then found by their stems in that language and by their English ones, so that a question of two words without a
function word still finds it. The function words are the commonest articles, pronouns, prepositions and conjunctions of
each language; those that are as common in another of these languages count for both.
"""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

import snowballstemmer

ENGLISH = "english"

_FUNCTION_WORDS = {
    ENGLISH: """a an and are as at be been but by can did do does for from had has have he her his i if in into is it
        its me my of on or our she so than that the their them then there these they this to too us was we were what
        when where which who whom why will with would you your""",
    "catalan": "el la els les un una i o de del dels que és amb per en no són aquest aquesta però com més ha",
    "danish": "den det de en et og er til af på med for ikke som jeg vi har var der om fra hvis men kan skal blev",
    "dutch": "de het een en van is op te dat die niet zijn voor met aan er ook maar om bij naar als wordt deze heeft",
    "finnish": "ja on ei se että oli mutta kun hän ovat niin kuin myös tai joka mitä sen tämä ole jos",
    "french": "le la les un une des du et est dans que qui pour pas sur avec au aux ce cette il elle nous vous sont",
    "german": """der die das den dem des ein eine einen einem und ist nicht mit von zu auf für im wird sind auch es bei
        aus nach wenn oder vor bis wir ich sich""",
    "hungarian": "a az és hogy nem egy is van de ez azt volt csak meg mint ha vagy már még kell",
    "indonesian": "yang dan di dari untuk dengan pada ini itu tidak adalah akan ke dalam atau juga oleh sudah",
    "italian": "il lo la gli le un una di che è e per non con del della nel sono alla dei si più anche ma come questo",
    "norwegian": "den det de en et og er til av på med for ikke som jeg vi har var om fra hvis men kan skal ble",
    "polish": "i w na z że się nie jest do to po o jak ale za od przez dla są był przed czy tylko",
    "portuguese": "o a os as um uma de do da dos das que e é em no na não com para por se mais são ao foi como mas",
    "romanian": "și de la în cu pe nu este un o care sunt din că pentru mai a fost dar sau după",
    "spanish": "el la los las un una de del que y es en no con para por se su al más lo como pero son está fue cuando",
    "swedish": "den det de en ett och är till av på med för inte som jag vi har var om från men kan ska efter",
    "turkish": "ve bir bu için ile değil de da olarak var çok daha ama gibi sonra ne kadar o veya",
}
_WORDS = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
STOP_WORDS = _WORDS[ENGLISH]
"""English words too common to find anything by. "not", "no" and "never" are not among them: they carry the meaning."""

_NEGATIONS = frozenset(
    "no non not nicht ne pas não nu nie nem niet ikke inte ei tidak değil never sin ohne senza".split()  # noqa: SIM905
)
"""What turns a sentence round is searched for in every language."""

_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _WORDS.items():
    for _word in _words:
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)

_LEAST = 2
_SCRIPTS = (
    (re.compile("[\u0400-\u052f]"), "russian"),
    (re.compile("[\u0370-\u03ff]"), "greek"),
    (re.compile("[\u0600-\u06ff]"), "arabic"),
    (re.compile("[\u0900-\u097f]"), "hindi"),
    (re.compile("[\u0530-\u058f]"), "armenian"),
    (re.compile("[\u0b80-\u0bff]"), "tamil"),
    (re.compile("[\u0590-\u05ff]"), "yiddish"),
)


def language_of(words: Collection[str]) -> str:
    """The language of a text in Latin letters, of which these are the folded words. English where nothing tells."""
    counts: dict[str, int] = {}
    for word in set(words):
        for language in _LANGUAGES_OF.get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    ranked = sorted(counts.items(), key=lambda each: -each[1])
    if not ranked or ranked[0][1] < _LEAST or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return ENGLISH
    return ranked[0][0]


def is_stop_word(word: str, language: str) -> bool:
    """Whether a folded word finds nothing in a text of this language."""
    if word in STOP_WORDS and language == ENGLISH:
        return True
    return word in _WORDS[language] and word not in _NEGATIONS


@lru_cache(maxsize=200_000)
def stems(word: str, language: str) -> tuple[str, ...]:
    """The forms by which a folded word of a text in this language is found."""
    if word.isascii() and language == ENGLISH:
        return (_stemmed(word, ENGLISH),)
    by_script = next((script for letters, script in _SCRIPTS if letters.search(word)), None)
    if by_script is not None:
        return (_stemmed(word, by_script),)
    return tuple(dict.fromkeys((_stemmed(word, ENGLISH), _stemmed(word, language))))


# The library has no types.
_stemmers: dict[str, Any] = {}


def _stemmed(word: str, language: str) -> str:
    if language not in _stemmers:
        _stemmers[language] = snowballstemmer.stemmer(language)  # pyright: ignore[reportUnknownMemberType]
    return str(_stemmers[language].stemWord(word))
