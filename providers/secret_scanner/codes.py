"""Codes and phrases that have a shape of their own: one-time codes, PINs, recovery codes, seeds, word lists."""

import re
from collections.abc import Iterator

from providers.secret_scanner.lexicon import Reading, lexicon
from providers.secret_scanner.values import Stands

_STARTS = r"[\"'`*_「『“]{0,3}"
_ENDS = r"(?![0-9A-Za-z_])(?![.,:/\-][0-9])(?!%)"
_CODE = re.compile(
    rf"{_STARTS}(?P<code>(?:[A-Z]{{1,3}}-)?(?:\d{{3}}[ -]\d{{3}}|\d{{4}}[ -]\d{{4}}|\d{{4,8}})){_ENDS}"
)
_LETTERED = re.compile(
    rf"{_STARTS}(?P<code>(?=[A-Z\-]*\d)(?=[\d\-]*[A-Z])[A-Z0-9]{{3,10}}(?:-[A-Z0-9]{{3,6}}){{0,2}}){_ENDS}"
)
_PIN = re.compile(rf"{_STARTS}(?P<code>\d{{3,6}}){_ENDS}")
_BEFORE = re.compile(
    r"(?<![0-9A-Za-z_.,:/#-])((?:[A-Z]{1,3}-)?(?:\d{4,8}|\d{3}[ -]\d{3}))"
    r"(?:[ \t]+(?:is|as|ist|als|est|comme|es|como|é|è|come|jest|это|як|—|-)[ \t]+(?:[^\s\d]{1,20}[ \t]+){0,4}"
    r"|[ \t]*(?:是|は|为|為|은|는)[^\d\n\x00]{0,12})$"
)
_CLAUSE = re.compile(
    r"[ \t]+(?:that|which|you|they|we|he|she|i|it)\b[^\d\n\x00.;:]{0,40}?[ \t](?:is|was)[ \t]+", re.IGNORECASE
)
_LEADS = re.compile(
    r"[^\n\x00:]{0,40}?:|[ \t]+(?:are|is|sind|sont|son|são|sono)\b|[ \t]*(?:是|は|为|은|는)|[ \t]+"
)
_NEXT_CODE = re.compile(
    r"[\s,;•*|\"'`\[\-]*(?:\d{1,2}[.)][ \t]+)?"
    r"(?P<code>[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){1,4}|[A-Za-z0-9]{6,24}|\d{4}[ ]\d{4})(?![A-Za-z0-9_])"
)
_MOST_CODES = 64
_SEED = re.compile(
    r"[\"'`]{0,2}(?P<seed>[A-Z2-7]{4}(?:[ \-]?[A-Z2-7]{4}){3,}={0,6}|[a-z2-7]{4}(?: [a-z2-7]{4}){3,})(?![A-Za-z0-9])"
)
_NUMBERED = r"(?:\d{1,2}[.)][ \t]?)?[^\W\d_]{2,12}"
_PHRASE = re.compile(rf"[\"'`“「]{{0,2}}(?P<words>{_NUMBERED}(?:[ ,\-]{{1,2}}{_NUMBERED}){{3,47}})")
_PAIR = re.compile(r"[\"'`]?[^\s\x00/:|,;\"'`]{1,64}[\"'`]?[ \t]{0,2}[/:|,][ \t]{0,2}(?=[^\s\x00/])")


def is_code(text: str, reading: Reading) -> bool:
    """Whether a text as a whole is a one-time code or a PIN."""
    return code_at(text, 0, reading, lettered=True) == (0, len(text))


def code_at(plain: str, at: int, reading: Reading, *, lettered: bool) -> tuple[int, int] | None:
    """The code that begins at `at`; with `lettered` also one of letters and digits."""
    if reading is Reading.PIN:
        found = _PIN.match(plain, at)
    else:
        found = _CODE.match(plain, at) or (_LETTERED.match(plain, at) if lettered else None)
    if found is None:
        return None
    start, end = found.span("code")
    return None if lexicon().units.match(plain[end : end + 24].lower()) else (start, end)


def code_before(plain: str, noun: int) -> tuple[int, int] | None:
    """The code that stands before its noun: "123456 is your verification code"."""
    first = max(noun - 80, 0)
    found = _BEFORE.search(plain[first:noun])
    return None if found is None else (first + found.start(1), first + found.end(1))


def code_after_clause(plain: str, at: int) -> tuple[int, int] | None:
    """The code after its noun and a clause about it, at `at`: "the code that they sent me is 123456"."""
    clause = _CLAUSE.match(plain, at)
    return None if clause is None else code_at(plain, clause.end(), Reading.CODE, lettered=False)


def pin_at(plain: str, at: int, noun: str, stands: Stands) -> tuple[int, int] | None:
    """The PIN that begins at `at`. A chip's pins are written small, and an Indian PIN code has six digits."""
    span = code_at(plain, at, Reading.PIN, lettered=False)
    if span is None:
        return None
    digits = span[1] - span[0]
    if noun == "pin" and (stands is Stands.BESIDE or digits < 4):
        return None
    return span if digits < 6 or (stands is not Stands.BESIDE and "code" not in noun.lower()) else None


def recovery_codes(plain: str, at: int) -> Iterator[tuple[int, int]]:
    """Each of the recovery codes that are listed after `at`."""
    leads = _LEADS.match(plain, at)
    at = at if leads is None else leads.end()
    for _ in range(_MOST_CODES):
        found = _NEXT_CODE.match(plain, at)
        if found is None or not is_recovery_code(found["code"]):
            return
        yield found.span("code")
        at = found.end()


def is_recovery_code(text: str) -> bool:
    """Whether a text is like a code that was made by chance, and no word."""
    return _NEXT_CODE.fullmatch(text) is not None and any(map(str.isdigit, text))


def seed_at(plain: str, at: int) -> tuple[int, int] | None:
    """The seed of an authenticator, in base 32, that begins at `at`."""
    found = _SEED.match(plain, at)
    return None if found is None else found.span("seed")


def phrase_at(plain: str, at: int, stands: Stands) -> tuple[int, int] | None:
    """The word list that begins at `at`: four words or more, of which next to none makes a sentence."""
    found = _PHRASE.match(plain, at)
    if found is None or stands is Stands.BESIDE:
        return None
    words = found["words"].lower().replace(",", " ").replace("-", " ").split()
    ordinary = sum(word in lexicon().function_words for word in words)
    return found.span("words") if ordinary <= len(words) // 12 else None


def pair_at(plain: str, at: int, stands: Stands) -> int | None:
    """Where the password of "name/password" begins. Beside its noun a pair has no blank in it."""
    found = _PAIR.match(plain, at)
    if found is None or (stands is Stands.BESIDE and found.group()[-1] not in "/:"):
        return None
    return found.end()
