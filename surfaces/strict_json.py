"""Read one JSON text, refusing what Python's reader lets pass: a key given twice, NaN, endless nesting.

No message quotes the text.
"""

import json
import re
from typing import NoReturn

from models.errors import InvalidInput

_UTF8_MARK = b"\xef\xbb\xbf"
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")


class _Refused(ValueError):
    """What the reader's hooks found: an error of ours on its way through the reader."""

    def __init__(self, error: InvalidInput) -> None:
        super().__init__()
        self.error = error


def without_mark(data: bytes) -> bytes:
    """`data` without the UTF-8 byte order mark that some editors put at the start of a file."""
    return data.removeprefix(_UTF8_MARK)


def parse_json(data: bytes) -> object:
    """The value of a JSON text in UTF-8.

    Raises `InvalidInput` with the 1-based line within `data` as its position, where the reader knows it.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as invalid:
        line = data.count(b"\n", 0, invalid.start) + 1
        column = invalid.start - data.rfind(b"\n", 0, invalid.start)
        raise InvalidInput(
            f"not UTF-8 at byte {column}; save the file as UTF-8", position=line, unit="line"
        ) from None
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except _Refused as refused:
        raise refused.error from None
    except json.JSONDecodeError as malformed:
        what = malformed.msg.rstrip(": ").lower()
        raise InvalidInput(
            f"not JSON at column {malformed.colno}: {what}", position=malformed.lineno, unit="line"
        ) from None
    except RecursionError:
        raise InvalidInput("nested too deeply to be read; flatten it") from None
    except ValueError:
        raise InvalidInput("holds a number with too many digits; send it as a string") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        field = twice if _PLAIN_KEY.fullmatch(twice) else None
        raise _Refused(InvalidInput("a key is given twice in one object; keep one of them", field=field))
    return made


def _constant(name: str) -> NoReturn:
    raise _Refused(InvalidInput(f"{name} is no JSON number; send null or a string"))
