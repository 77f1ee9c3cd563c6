"""Whether what stands after a noun is its secret: "the password is hunter2" holds one, "is required" does not.

| the value is | a password is | a key is |
| --- | --- | --- |
| assigned (`password: …`), alone under a name | no placeholder, no "required", no prose | mixed, or long |
| joined ("das Passwort lautet …") | what has digits, signs or many capitals, or is quoted | of eight at least |
| told ("the password is …") | the same, or the last word of a sentence if it is no adjective | the same |
| beside ("pwd hunter2") | letters with digits, or with signs | of twelve at least |
"""

import re
from enum import StrEnum

from providers.secret_scanner.lexicon import Lexicon, lexicon
from providers.secret_scanner.reading import Value


class Stands(StrEnum):
    """How a value stands to its noun."""

    ASSIGNED = "assigned"
    JOINED = "joined"
    TOLD = "told"
    BESIDE = "beside"


_LEAST_OF_KEYS = {Stands.ASSIGNED: 6, Stands.JOINED: 8, Stands.TOLD: 8, Stands.BESIDE: 12}
_PATH_PARTS = re.compile(r"[/\\._\-~:]+")
_KEY_PARTS = re.compile(r"[-_./:]")
_WORD_OR_NUMBER = re.compile(r"[A-Z]?[a-z]+\d{0,3}|[A-Z]+\d{0,3}|\d{1,4}|v\d+")
_STANDARD = re.compile(r"[A-Z]{2,6}[a-z]?[-#]?\d{1,5}(?:-.*)?")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_HASH = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|[0-9a-f]{7,12}")
_MAIL = re.compile(r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+")
_WORDS = re.compile(r"[^\W\d_]+(?:['\-][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff]")
_CASE_CHANGES = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_ENDS = re.compile(r"[ \t]*(?:[.!,;)\n\r\x00]|$)")
_ADJECTIVE = re.compile(r".*(?:ed|ing|able|ible|ful|less|ous|ive|ent|ant|al|ic|ly|ary|ory)")
_SIGNS = frozenset("!@#$%^&*+=~?|")
_BRACKETS = frozenset("[](){}<>")


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a secret would, or says where to find it."""
    return lexicon().placeholders.fullmatch(text) is not None


def is_password(value: Value, stands: Stands, *, doubtful: bool = False) -> bool:
    """Whether a value is the password that its noun introduces. After a `doubtful` noun it has to look like one."""
    text = value.text
    if not _may_be_secret(value, stands) or (doubtful and not (_mixes(text) or _is_signed(text))):
        return False
    match stands:
        case Stands.ASSIGNED:
            return _is_assigned_password(value)
        case Stands.JOINED | Stands.TOLD:
            return _looks_chosen(value) or (stands is Stands.TOLD and _is_last_word(value))
        case Stands.BESIDE:
            if doubtful or _STANDARD.fullmatch(text) or len(text) < 5:
                return False
            lettered = any(map(str.isalpha, text))
            return (_is_signed(text) and lettered) or (len(text) >= 6 and (_mixes(text) or text.isdigit()))


def is_key(value: Value, stands: Stands, *, weak: bool) -> bool:
    """Whether a value is the key or token that its noun introduces; a `weak` noun means more than keys."""
    text = value.text
    if not _may_be_secret(value, stands) or " " in text or text.isdigit() or _MAIL.fullmatch(text):
        return False
    parts = _KEY_PARTS.split(text)
    # "my-tls-cert-2" is a name; "hunter2" may be one as well, where nothing assigns it.
    named = all(map(_WORD_OR_NUMBER.fullmatch, parts)) and (len(parts) > 1 or stands is not Stands.ASSIGNED)
    if named and not _is_long_and_mixed(text):
        return False
    if weak and (_UUID.fullmatch(text) or (stands is Stands.BESIDE and _HASH.fullmatch(text))):
        return False
    return len(text) >= _LEAST_OF_KEYS[stands] and (_mixes(text) or _is_long_and_mixed(text))


def is_told_first(value: Value) -> bool:
    """Whether a value that stands before its noun is a password: no number, name of a thing, digest or address."""
    text = value.text
    other = any(shape.fullmatch(text) for shape in (_UUID, _HASH, _MAIL, _STANDARD))
    return not (text.isdigit() or other or is_name(text)) and is_password(value, Stands.BESIDE)


def is_name(text: str) -> bool:
    """Whether a text is put together like the name of a thing: "bench-01", "my-tls-cert-2"."""
    parts = _KEY_PARTS.split(text)
    return len(parts) > 1 and all(map(_WORD_OR_NUMBER.fullmatch, parts))


def _may_be_secret(value: Value, stands: Stands) -> bool:
    """Whether a value is no placeholder, code, word, path or measure."""
    text, words = value.text, lexicon()
    if len(text) < 3 or is_placeholder(text) or _is_path(text):
        return False
    if stands is Stands.ASSIGNED and not value.quoted and words.code.fullmatch(text):
        return False
    if _is_known(text.lower().strip("!."), words):
        return False
    return not (text[0].isdigit() and len(text) <= 5 and words.units.match(value.follows))


def _is_known(word: str, words: Lexicon) -> bool:
    return word in words.not_values or words.is_noun(word)


def _is_path(text: str) -> bool:
    """Whether a text is a path made of words: the base 64 of a key has slashes too."""
    has_slash = "/" in text or "\\" in text
    return has_slash and all(map(_WORD_OR_NUMBER.fullmatch, filter(None, _PATH_PARTS.split(text))))


def _is_assigned_password(value: Value) -> bool:
    text, words = value.text, lexicon()
    if text.isdigit():
        return len(text) >= 4
    if " " in text:
        return words.prose.search(text.lower()) is None
    if value.quoted or _WORDS.fullmatch(text) is None:
        return True
    # Where words are not apart, letters alone are as likely a sentence.
    return (
        len(text) >= 4 and _UNSPACED.match(text) is None and words.prose_follows.match(value.follows) is None
    )


def _looks_chosen(value: Value) -> bool:
    """Whether nobody would take a value for a word of the sentence."""
    text = value.text
    if len(text) < 4:
        return False
    signed = text.isdigit() or _mixes(text) or _is_signed(text) or _changes_case(text)
    return signed or (value.quoted and lexicon().prose.search(text.lower()) is None)


def _is_last_word(value: Value) -> bool:
    """Whether a plain word ends its sentence and does not say how the password is."""
    text = value.text.lower().rstrip("!?")
    plain = len(text) >= 5 and text.isascii() and text.isalpha()
    return plain and _ENDS.match(value.follows) is not None and _ADJECTIVE.fullmatch(text) is None


def _mixes(text: str) -> bool:
    return any(map(str.isalpha, text)) and any(map(str.isdigit, text))


def _is_signed(text: str) -> bool:
    return not _SIGNS.isdisjoint(text.rstrip("!?")) and any(map(str.isalnum, text))


def _changes_case(text: str) -> bool:
    """Whether capitals stand as no name has them (PostgreSQL changes twice, GitHub three times), or brackets within."""
    letters = "".join(filter(str.isalpha, text))
    return len(_CASE_CHANGES.findall(letters)) >= 4 or not _BRACKETS.isdisjoint(text[1:-1])


def _is_long_and_mixed(text: str) -> bool:
    return len(text) >= 20 and _changes_case(text) and any(len(part) >= 16 for part in _KEY_PARTS.split(text))
