"""Secrets in what a caller tells: each becomes `[masked:<kind>:<digest>]` before anything is stored.

This file replaces what a finder sights; it knows no format of any secret and reads no key. The strings of one
event, the names in its data among them, are laid out as one text, so that a name gives context to its value, a
secret is found wherever it stands, and the finder is asked once.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

from models.errors import InvalidInput
from models.sightings import Named, SecretFinder, SecretKind, Sighting, merged

Digest = Callable[[SecretKind, str], str]
"""What tells repeated sightings apart: a few hex digits for a secret of a kind."""

LITERAL = frozenset({"scope", "activity_id", "idempotency_key"})
"""Fields that are compared to the letter: a secret in one is refused, since nobody could ask for it masked."""
_READ_ELSEWHERE = frozenset({"type", "occurred_at", "timezone", "attribute", "expires_at", "valid_from"})
"""Fields that are no free text: what they may hold is checked against a list or a format."""

_MASK = re.compile(r"\[masked:[a-z_]{1,40}:[0-9a-f]{10}\]")
# An extractor may take the brackets off, as it does with those around a name.
_HELD = re.compile(r"masked:[a-z_]{1,40}:[0-9a-f]{10}")
# What an object calls the name and the value of a pair that it stands for, in any case.
_NAMES = frozenset(
    {
        *(
            "name",
            "key",
            "k",
            "field",
            "fieldname",
            "fieldid",
            "variable",
            "varname",
            "var",
            "param",
            "parameter",
        ),
        *(
            "property",
            "prop",
            "header",
            "setting",
            "option",
            "label",
            "keyname",
            "envvar",
            "argument",
            "arg",
            "flag",
        ),
    }
)
_VALUES = frozenset(
    {"value", "val", "v", "data", "content", "default", "defaultvalue", "currentvalue", "newvalue"}
)
_JOINTS = str.maketrans("", "", " _-")
_MOST_ABOVE = 4
"""So many names above a value give it context."""
_NUL = "\x00"
_APART = f"\n{_NUL}\n"
_PASSES = 4
_MOST_REPEATED = 50
"""So many secrets of one event are looked for once more, so that the time it takes grows with the text alone."""


class Masked(NamedTuple):
    """Fields without secrets, and the kinds that were masked in them, sorted."""

    fields: dict[str, Any]
    kinds: tuple[str, ...]


def holds_mask(text: str) -> bool:
    """Whether a secret was masked in `text`, or in what `text` was taken from."""
    return "masked:" in text and _HELD.search(text) is not None


def mask_text(text: str, finder: SecretFinder, digest: Digest) -> str:
    """`text` with every secret masked."""
    [masked], _ = _masked([_Piece(text, ())], finder, digest)
    return masked


def mask_fields(fields: Mapping[str, Any], finder: SecretFinder, digest: Digest) -> Masked:
    """`fields` with every secret masked, in values and names at any depth. Masked again it stays as it is.

    | a secret in | becomes |
    | --- | --- |
    | a text, an item, a name within a field | a mask in its place |
    | a number | a text that is the mask |
    | a scope value, `activity_id`, `idempotency_key` | `InvalidInput`, which names the field and quotes nothing |
    | a field that is no free text | looked for elsewhere |

    Raises `InvalidInput` also where two names of one object are the same once they are masked.
    """
    pieces = list(_pieces_of_fields(fields))
    texts, kinds = _masked(pieces, finder, digest)
    for piece, text in zip(pieces, texts, strict=True):
        if piece.literal is not None and piece.text != text:
            raise InvalidInput(
                "holds what reads like a credential or a personal number; it is compared to the letter and cannot "
                "be masked, so send another name for it",
                field=piece.literal,
            )
    return Masked(_rebuilt_fields(fields, iter(texts)), tuple(sorted(kinds)))


class _Piece(NamedTuple):
    """A string within the fields; `glue` follows it in the layout.

    `under` are the names of the value that it is, the nearest first; none for what is a name itself.
    """

    text: str
    under: tuple[str, ...]
    glue: str = _APART
    literal: str | None = None


def _pieces_of_fields(fields: Mapping[str, Any]) -> Iterator[_Piece]:
    for name, value in fields.items():
        if name in LITERAL:
            for piece in _pieces(value, (name,)):
                yield piece._replace(literal=name)
            continue
        yield _name_of(name, value)
        if name not in _READ_ELSEWHERE:
            yield from _pieces(value, (name,))


def _name_of(name: str, value: Any) -> _Piece:
    """A name before its value. The first name within an object is no value of the name of that object."""
    return _Piece(name, (), _APART if isinstance(value, dict) else ": ")


def _rebuilt_fields(fields: Mapping[str, Any], texts: Iterator[str]) -> dict[str, Any]:
    rebuilt: dict[str, Any] = {}
    for name, value in fields.items():
        if name in LITERAL:
            rebuilt[name] = _rebuilt(value, texts)
        else:
            told = next(texts)
            rebuilt[told] = value if name in _READ_ELSEWHERE else _rebuilt(value, texts)
    return rebuilt


def _pieces(value: Any, under: tuple[str, ...]) -> Iterator[_Piece]:
    """The strings and numbers of a JSON value, in the order in which `_rebuilt` takes them."""
    if isinstance(value, str):
        yield _Piece(value, under)
    elif isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        stands_for = _name_told(told)
        for name, inner in told.items():
            yield _name_of(name, inner)
            nearest = stands_for if stands_for and _plain(name) in _VALUES else name
            yield from _pieces(inner, (nearest, *under[: _MOST_ABOVE - 1]))
    elif isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        if items:
            yield from _pieces(items[0], under)
        for before, item in pairwise(items):
            flag = isinstance(before, str) and before.startswith("-")
            yield from _pieces(item, (before,) if flag else under)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield _Piece(_digits(value), under)


def _digits(number: float) -> str:
    """A number as it would be typed, without the ".0" of a whole one; nothing for one that nobody types."""
    if isinstance(number, float):
        if not number.is_integer():  # nor are infinity and what is no number
            text = repr(number)
            return text if text.replace(".", "").lstrip("-").isdigit() else ""
        number = int(number)
    return str(number) if number.bit_length() <= 256 else ""


def _name_told(told: Mapping[str, Any]) -> str | None:
    """The name of an object that is a pair, such as `{"name": "DB_PASSWORD", "value": …}` or `{"K": …, "V": …}`."""
    named = (told[name] for name in told if _plain(name) in _NAMES)
    return next((each for each in named if isinstance(each, str)), None)


def _plain(name: str) -> str:
    return name.lower().translate(_JOINTS)


def _rebuilt(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, dict):
        told = cast("dict[str, Any]", value)
        rebuilt = {next(texts): _rebuilt(inner, texts) for inner in told.values()}
        if len(rebuilt) < len(told):
            raise InvalidInput("two names of one object are the same secret in two spellings; rename one")
        return rebuilt
    if isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        return [_rebuilt(item, texts) for item in items]
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = next(texts)
        return text if "[" in text else value
    return value


def _masked(pieces: Sequence[_Piece], finder: SecretFinder, digest: Digest) -> tuple[list[str], set[str]]:
    """The texts of the pieces, masked, and the kinds.

    What was masked no longer hides what stands beside it, so that the finder is asked again until it finds
    nothing: a masked text stays as it is. Few texts need a third look; the bound is for those made to.
    """
    texts = [piece.text for piece in pieces]
    kinds: set[str] = set()
    for _ in range(_PASSES):
        blank = [_blanked(text) for text in texts]
        starts, named = _layout(pieces, blank)
        document = "".join(text + piece.glue for text, piece in zip(blank, pieces, strict=True))
        found = merged(finder.find(document, named))
        spans = list(_spans(merged([*found, *_repeated(document, found)]), starts, blank))
        if not spans:
            break
        for index, found in spans:
            texts[index] = _replaced(texts[index], found, digest)
            kinds.update(kind.value for kind, _, _ in found)
    return texts, kinds


def _repeated(document: str, found: Sequence[Sighting]) -> Iterator[Sighting]:
    """Where secrets that were found stand once more, without the words that gave them away.

    Of short ones and plain words nobody can tell that the second is not another thing.
    """
    distinct = {document[start:end]: kind for kind, start, end in found}
    for secret, kind in list(distinct.items())[:_MOST_REPEATED]:
        if len(secret) < 6 or secret.isalpha() or (len(secret) < 8 and secret.isdigit()) or _NUL in secret:
            continue
        at = document.find(secret)
        while at >= 0:
            yield Sighting(kind, at, at + len(secret))
            at = document.find(secret, at + len(secret))


def _layout(pieces: Sequence[_Piece], texts: Sequence[str]) -> tuple[list[int], list[Named]]:
    """Where each piece begins in the document, and the values that stand under a name."""
    starts: list[int] = []
    named: list[Named] = []
    at = 0
    for piece, text in zip(pieces, texts, strict=True):
        starts.append(at)
        if piece.under:
            named.append(Named(piece.under[0], at, at + len(text), piece.under[1:]))
        at += len(text) + len(piece.glue)
    return starts, named


def _blanked(text: str) -> str:
    """`text` with its masks made NUL: what is masked is no secret, and gives context to none."""
    if "[masked:" not in text:
        return text
    return _MASK.sub(lambda mask: _NUL * len(mask.group()), text)


def _spans(
    sightings: Sequence[Sighting], starts: Sequence[int], texts: Sequence[str]
) -> Iterator[tuple[int, list[Sighting]]]:
    """For each piece that holds part of a secret: its index and the parts, counted from its own beginning."""
    parts: dict[int, list[Sighting]] = {}
    for kind, start, end in sightings:
        index = max(bisect_right(starts, start) - 1, 0)
        while index < len(starts) and starts[index] < end:
            text, offset = texts[index], starts[index]
            first, last = max(start - offset, 0), min(end - offset, len(text))
            if first < last:
                parts.setdefault(index, []).extend(_unmasked(kind, text, first, last))
            index += 1
    return iter([(index, found) for index, found in parts.items() if found])


def _unmasked(kind: SecretKind, text: str, start: int, end: int) -> Iterator[Sighting]:
    """What of a secret is not masked yet. Beside a mask, punctuation alone is no part of a secret."""
    whole = _NUL not in text[start:end]
    for run in re.finditer(r"[^\x00]+", text[start:end]):
        if (whole and run.group().strip()) or any(map(str.isalnum, run.group())):
            yield Sighting(kind, start + run.start(), start + run.end())


def _replaced(text: str, found: Sequence[Sighting], digest: Digest) -> str:
    kept: list[str] = []
    at = 0
    for kind, start, end in found:
        kept += text[at:start], f"[masked:{kind.value}:{digest(kind, text[start:end])}]"
        at = end
    return "".join([*kept, text[at:]])
