"""How names are compared, whoever spelt them: as the service does it. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from keepwell.types.events import EntityMention

MAX_ID = 300
"""How long a name or an id can be for the service."""
UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""The characters of scripts that put no spaces between words, as the inside of a regular expression's set."""
_MAX_WORDS_CHARACTERS = 20_000
_ONE_FORM = {**dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"), **dict.fromkeys(map(ord, "’ʼ＇"), "'")}
_AROUND = ".,;:!?\"'()[]{}“”‘’。、，！？"
_UNSPACED = re.compile(f"[{UNSPACED}]")


def keys_of(mention: EntityMention) -> tuple[str, ...]:
    """What a mention is compared by: its id as it is, its name in comparison form."""
    return tuple(key for key in (mention.id, mention.name and folded(mention.name)) if key)


@lru_cache(maxsize=10_000)
def folded(name: str) -> str:
    """`name` in the form in which names are compared: NFKC, case folded, one kind of hyphen and of apostrophe, single
    spaces, and no punctuation around words."""
    return _normal(name[:MAX_ID]) or " ".join(_fold(name[:MAX_ID]).split())


def look_ups(mentions: Iterable[EntityMention]) -> list[str]:
    """What to look up of these: ids and names both, as a person may have spoken of a thing by its name alone."""
    words = (word for mention in mentions for word in (mention.id, mention.name) if word)
    return list(dict.fromkeys(words))


def distinct(mentions: Iterable[EntityMention]) -> list[EntityMention]:
    """Each thing once, in order: a mere name goes where another mention has it together with an id."""
    kept: dict[tuple[str, ...], EntityMention] = {}
    paired: set[str] = set()
    for mention in mentions:
        keys = keys_of(mention)
        if keys:
            kept.setdefault(keys, mention)
        if len(keys) == 2:
            paired.update(keys)
    return [mention for keys, mention in kept.items() if len(keys) == 2 or keys[0] not in paired]


def spoken_in(words: str, mentions: Iterable[EntityMention]) -> list[EntityMention]:
    """Those of `mentions` whose name or id stands in `words` as words of its own: `billing`, but not `billing-api`."""
    said = _normal(words[:_MAX_WORDS_CHARACTERS])
    return [mention for mention in mentions if any(_stands_in(said, folded(key)) for key in keys_of(mention))]


def _stands_in(said: str, key: str) -> bool:
    # The search for characters is quick and answers most; where scripts have no spaces, it is all there is.
    if key not in said:
        return False
    before = "" if _UNSPACED.match(key[0]) else r"(?<!\w)(?<!\w[-.@])"
    after = "" if _UNSPACED.match(key[-1]) else r"(?!\w)(?![-.@]\w)"
    return re.search(f"{before}{re.escape(key)}{after}", said) is not None


def _normal(text: str) -> str:
    # Word by word, as normalising takes the square of the length of a run of combining marks.
    words = (_fold(word[:MAX_ID]).strip(_AROUND) for word in text.split())
    return " ".join(word for word in words if word)


def _fold(text: str) -> str:
    if text.isascii():
        return text.casefold()
    # Normalised twice, as case folding can undo the normal form.
    normal = unicodedata.normalize("NFKC", text).translate(_ONE_FORM).casefold()
    return unicodedata.normalize("NFKC", normal)
