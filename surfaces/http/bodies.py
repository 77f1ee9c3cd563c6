"""Read a request's body: JSON in UTF-8, into a model of ours. What cannot be read is said, and never quoted.

The framework's own reading is not used: it answers invalid UTF-8 and lone surrogates in ways of its own, and
events are read by capture itself.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeVar, cast

from fastapi import Request
from pydantic import BaseModel, ValidationError

from models.errors import InvalidInput, KeepwellError
from models.events import first_error
from surfaces.http.limits import MAX_CALL_BYTES, too_large
from surfaces.strict_json import parse_json

M = TypeVar("M", bound=BaseModel)
_KEY = "idempotency-key"
_PLAIN_KEY = re.compile(r"[!-~]{1,200}")


class UnsupportedMediaType(KeepwellError):
    """The body is not JSON; send it as application/json."""

    code = "unsupported_media_type"
    http_status = 415


async def json_of(request: Request, most: int = MAX_CALL_BYTES) -> Any:
    """The body as a JSON value; raises `UnsupportedMediaType`, `TooLarge` beyond `most` bytes, or `InvalidInput`."""
    media_type = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise UnsupportedMediaType("send JSON, with Content-Type: application/json")
    body = await request.body()
    if len(body) > most:
        raise too_large(most)
    if not body:
        raise InvalidInput("no body; send a JSON object")
    return parse_json(body)


async def read(request: Request, model: type[M]) -> M:
    """The body as a model; raises `InvalidInput` naming the field, besides what `json_of` raises."""
    return validated(await json_of(request), model)


async def read_once(request: Request, model: type[M]) -> M:
    """The body of a word that counts once, as `read` gives it, with the key of `with_key`. Raises as both do."""
    return validated(with_key(request, await json_of(request)), model)


def validated(value: Any, model: type[M]) -> M:
    """`value` as a model; raises `InvalidInput` naming the field."""
    try:
        return model.model_validate(value)
    except ValidationError as invalid:
        raise first_error(invalid) from None


def with_key(request: Request, value: Any) -> Any:
    """A body with the `Idempotency-Key` of its request, where one was sent.

    Raises `InvalidInput` for several keys, for one that is no plain text, and where header and body differ.
    """
    keys = request.headers.getlist(_KEY)
    if not keys or not isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    key = keys[0]
    if len(keys) > 1 or not _PLAIN_KEY.fullmatch(key):
        raise InvalidInput("send one key of 1 to 200 visible ASCII characters", field="Idempotency-Key")
    body = cast("dict[str, Any]", value)
    named = body.get("idempotency_key")
    if named is not None and named != key:
        raise InvalidInput(
            "differs from the header Idempotency-Key; send one of them", field="idempotency_key"
        )
    return {**body, "idempotency_key": key}


def without_key(request: Request) -> None:
    """Raise `InvalidInput` for an `Idempotency-Key` where none is read: it would promise what nobody keeps."""
    if _KEY in request.headers:
        raise InvalidInput("give each event of a batch a key of its own", field="Idempotency-Key")


def events_of(value: Any) -> Sequence[object]:
    """The events of a batch, unread; raises `InvalidInput`."""
    body = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if body.keys() != {"events"} or not isinstance(body["events"], list):
        raise InvalidInput('send {"events": [ … ]} and nothing beside it', field="events")
    return cast("list[object]", body["events"])
