"""Cursors of lists that are read page by page: opaque to whoever sends them back, refused where they are not ours."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from models.errors import InvalidInput

T = TypeVar("T")


def cursor_of(parts: Sequence[str]) -> str:
    """The cursor that holds `parts`."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def read_cursor(cursor: str, read: Callable[[Any], T]) -> T:
    """What `read` makes of the parts of a cursor; raises `InvalidInput` where it cannot make anything of them."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return read(json.loads(base64.urlsafe_b64decode(padded)))
    except (ValueError, TypeError, AttributeError, RecursionError) as unreadable:
        raise InvalidInput(
            "is not a cursor of ours; send the `next` of a page as it is", field="cursor"
        ) from unreadable
