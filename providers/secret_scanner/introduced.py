"""Secrets that a word introduces: "password: hunter2", "密码是hunter2", "DB_PASSWORD=…", "your code is 123456".

`nouns.py` says where such a word stands, `values.py` and `codes.py` what is a secret; here is what may stand between.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from models.sightings import Named, Sighting
from providers.secret_scanner import codes
from providers.secret_scanner.lexicon import Reading, lexicon
from providers.secret_scanner.nouns import FIRST_JOINING, LONGEST_NAME, NAME_CHARACTERS, Hit, Nouns
from providers.secret_scanner.reading import OPENING, Value, read_element, read_value
from providers.secret_scanner.told import set_to, told_before
from providers.secret_scanner.values import Stands, is_key, is_name, is_password, is_told_first

_CLOSED = r"""["'`*_\])}\\]{0,4}(?:[ \t]?\([^()\n\x00]{0,40}\))?["'`*_]{0,3}"""
_TYPED = r"(?:[ \t]{0,4}(?:str|String|string|text|char\[\])[ \t]{0,2}=)?"
_LINE = r"(?:\r?\n[ \t>*\-]{0,8})?"
_BETWEEN = rf"{_TYPED}[ \t*_]{{0,8}}{_LINE}"
_ASSIGNS = re.compile(
    rf"{_CLOSED}[ \t]{{0,8}}(?P<by>=>|->|:=|\?=|={{1,3}}|:(?!:)|(?<=[ \t])\|(?=[ \t])){_BETWEEN}"
)
_TAG_ENDS = re.compile(r"(?:[ \t][^<>\n\x00]{0,60})?>")
_DEFAULT = re.compile(r":?[-=]")
_BLANK = re.compile(r"[ \t]+")
_LOGIN = re.compile(r"(?:login|user|machine|LOGIN|USER)\s+(?!(?:and|or|name)\b)[^\s\x00]{1,60}\s+$")
# The argument of an option: one word after one blank, and then the next option or nothing.
_ARGUMENT = re.compile(r" \S*[^\s.](?: -|\s*$|[ \t]*[\n\x00\"'`|&;)])")
_NAME = re.compile(r"[A-Za-z][A-Za-z_.\-]{1,40}")
_WEAK = frozenset({"token", "tokens", "secret", "secrets"})
"""Nouns that mean more than keys."""

Place = tuple[int, Stands, bool]
"""Where a value may begin, how it would stand there, and whether it is one of several fields."""


class Introduced:
    """Finds what the nouns of the lexicon introduce."""

    def __init__(self) -> None:
        self._nouns = Nouns()

    def find(self, plain: str, lower: str) -> Iterator[Sighting]:
        """Secrets that are introduced within a text, given in plain form and in lower case."""
        found = self._nouns.first(plain, lower, 0)
        while found is not None:
            hit, after = found
            if hit is not None:
                for start, end in self._secrets(plain, lower, hit):
                    after = max(after, end)
                    yield Sighting(hit.noun.kind, start, end)
            found = self._nouns.first(plain, lower, after)

    def under(self, named: Named, plain: str) -> Iterator[Sighting]:
        """What stands as a whole under a name, where that is a secret."""
        noun = self._nouns.named(named.name) or self._nouns.handed_down(named.name, named.within)
        text = plain[named.start : named.end]
        if noun is None or not text.strip("\x00 "):
            return
        value = Value(text, named.start, named.end, True, "")
        match noun.reading:
            case Reading.PASSWORD | Reading.DOUBTFUL_PASSWORD | Reading.WORDS:
                doubtful = noun.reading is Reading.DOUBTFUL_PASSWORD
                sound = is_password(value, Stands.ASSIGNED, doubtful=doubtful)
            case Reading.KEY | Reading.SEED:
                sound = is_key(value, Stands.ASSIGNED, weak=False)
            case Reading.CODE | Reading.PIN:
                sound = codes.is_code(text, noun.reading)
            case Reading.CODES:
                sound = codes.is_recovery_code(text)
            case Reading.PAIR:
                # Under the noun itself stands a pair, or who it is for; under a value of it the password.
                handed_down = self._nouns.named(named.name) is None
                sound = handed_down and is_password(value, Stands.ASSIGNED, doubtful=True)
        if sound:
            yield Sighting(noun.kind, named.start, named.end)

    def _secrets(self, plain: str, lower: str, hit: Hit) -> Iterator[tuple[int, int]]:
        """The spans of what a noun introduces."""
        if hit.noun.reading is Reading.CODES:
            yield from codes.recovery_codes(plain, hit.end)
            return
        if hit.noun.reading is Reading.CODE and (before := codes.code_before(plain, hit.start)):
            yield before
        if hit.noun.reading is Reading.CODE and (after := codes.code_after_clause(plain, hit.end)):
            yield after
            return
        elsewhere = list(self._elsewhere(plain, lower, hit))
        yield from elsewhere
        if elsewhere:
            return
        element = self._element(plain, hit)
        if element is not None:
            yield element.start, element.end
            return
        for at, stands, fields in self._places(plain, lower, hit):
            span = self._read(plain, at, stands, hit, fields=fields)
            if span is not None:
                yield span
                return

    def _elsewhere(self, plain: str, lower: str, hit: Hit) -> Iterator[tuple[int, int]]:
        """Secrets that stand before the noun, or that it is set to."""
        password = hit.noun.reading is Reading.PASSWORD
        if not password and hit.noun.reading is not Reading.KEY:
            return
        head = plain[max(hit.start - LONGEST_NAME, 0) : hit.start]
        start = hit.start - len(head) + len(head.rstrip(NAME_CHARACTERS))
        before = told_before(plain, start, hit.end)
        if before is not None and (
            is_told_first(before) if password else self._is_secret(before, Stands.BESIDE, hit)
        ):
            yield before.start, before.end
        for value, stands, surely in set_to(plain, lower, start, hit.end):
            if (surely or not is_name(value.text)) and self._is_secret(value, stands, hit):
                yield value.start, value.end

    def _element(self, plain: str, hit: Hit) -> Value | None:
        """What `<password>…</password>` holds."""
        tag = _TAG_ENDS.match(plain, hit.end)
        value = None if tag is None else read_element(plain, tag.end())
        return value if value is not None and self._is_secret(value, Stands.ASSIGNED, hit) else None

    def _places(self, plain: str, lower: str, hit: Hit) -> Iterator[Place]:
        """Where the value may begin, the surest place first."""
        head = plain[max(hit.start - LONGEST_NAME, 0) : hit.start]
        before = head.rstrip(NAME_CHARACTERS)
        if before.endswith("{") and head[: len(before) - 1].endswith("$"):
            # A variable of a shell: `${DB_PASSWORD:-hunter2}` holds its default, `${DB_PASSWORD:?unset}` a message.
            default = _DEFAULT.match(plain, hit.end)
            if default is not None:
                yield default.end(), Stands.ASSIGNED, False
            return
        assigned = _ASSIGNS.match(plain, hit.end)
        if assigned is not None:
            yield assigned.end(), Stands.ASSIGNED, assigned["by"].startswith("=")
            return
        yield from self._joined(plain, lower, hit)
        blank = _BLANK.match(plain, hit.end)
        at = hit.end if blank is None else blank.end()
        if blank is not None and _is_foreign(plain[at : at + 1]):
            name = head[len(before) :]
            option = name.startswith("-") and "$" not in name and _ARGUMENT.match(plain, hit.end)
            told = option or _LOGIN.search(head)
            yield at, Stands.ASSIGNED if told else Stands.BESIDE, False
        elif blank is None and plain[at - 1] >= FIRST_JOINING and plain[at : at + 1].isascii():
            yield at, Stands.BESIDE, False

    def _joined(self, plain: str, lower: str, hit: Hit) -> Iterator[Place]:
        """Where a value is joined to the noun by a copula, or assigned to the noun and what it is for."""
        joined = self._joins.match(lower, hit.end)
        if joined is None:
            return
        at = joined.end()
        if joined["colon"] or joined["after"]:
            yield at, Stands.ASSIGNED, False
        elif joined["attached"] is None or _is_foreign(plain[at : at + 1]):
            # Other languages put adjectives that end like no English one where English has these words.
            english = lower.startswith(("pass", "pw"), hit.start) and joined.group().strip() in ("is", "was")
            yield at, Stands.TOLD if english else Stands.JOINED, False

    @cached_property
    def _joins(self) -> re.Pattern[str]:
        """What stands between a noun and a value that it is joined to, or assigned to after what it is for."""
        words = lexicon()
        word = r"[^\s\x00:=,;!?()]{0,29}[^\s\x00:=,;!?().]"
        gap = rf"(?:[ \t]+(?:{words.prepositions})(?:[ \t]+{word}){{1,6}}?)?"
        # A line may be broken before and after the copula, and a clause may stand before it.
        blank = r"(?:[ \t]+|[ \t]*\r?\n[ \t]*)"
        clause = r"(?P<clause>,[^,.;:!?\n\x00]{1,40},)?"
        further = rf"(?:[ \t]+(?:{words.spaced_copulas}|{words.further_copulas})){{0,4}}"
        spaced = rf"{clause}{blank}(?:{words.spaced_copulas}){further}(?P<after>[ \t]{{0,4}}:)?{blank}"
        particle = words.attached_copulas
        attached = rf"(?P<attached>[ \t]*(?:{particle})(?:{particle})?[ \t]*)"
        colon = rf"(?P<colon>[ \t]{{0,4}}:(?!:){_BETWEEN})"
        return re.compile(rf"[\"'`*_]{{0,3}}{gap}(?:{colon}|{spaced}|{attached})[*_]{{0,3}}")

    def _read(self, plain: str, at: int, stands: Stands, hit: Hit, *, fields: bool) -> tuple[int, int] | None:
        """The secret that begins at `at`, in the form that the noun calls for."""
        span: tuple[int, int] | None = None
        match hit.noun.reading:
            case Reading.CODE:
                # The confirmation code of a booking has letters, and is no secret.
                lettered = stands is not Stands.BESIDE and "confirm" not in hit.written.lower()
                return codes.code_at(plain, at, Reading.CODE, lettered=lettered)
            case Reading.PIN:
                return codes.pin_at(plain, at, hit.written, stands)
            case Reading.SEED:
                span = codes.seed_at(plain, at)
            case Reading.WORDS:
                span = codes.phrase_at(plain, at, stands)
            case Reading.PAIR:
                second = codes.pair_at(plain, at, stands)
                if second is None:
                    return None
                at, stands = second, Stands.JOINED
            case _:
                pass
        if span is not None:
            return span
        value = read_value(plain, at, fields=fields)
        if value is None or (
            value.follows[:1] == ":" and "\n" in plain[hit.end : at] and _NAME.fullmatch(value.text)
        ):
            return None  # The field is empty, and the next line has another.
        return (value.start, value.end) if self._is_secret(value, stands, hit) else None

    def _is_secret(self, value: Value, stands: Stands, hit: Hit) -> bool:
        reading = hit.noun.reading
        if reading in (Reading.KEY, Reading.SEED):
            return is_key(value, stands, weak=hit.written.lower() in _WEAK)
        return is_password(value, stands, doubtful=reading is Reading.DOUBTFUL_PASSWORD)


def _is_foreign(letter: str) -> bool:
    """Whether a letter may begin a value in a text without blanks: no letter of that text's own script does."""
    return letter < FIRST_JOINING or letter in OPENING
