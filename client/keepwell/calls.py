"""What the calls of the client have in common: a request from its fields, a key of its own, an id in a path."""

from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID, uuid4

from pydantic import TypeAdapter, ValidationError

from keepwell.errors import invalid_input, refused_unsent
from keepwell.transport import Transport
from keepwell.types import NewEvent, Request
from keepwell.types.statements import Spoken
from keepwell.types.wire import Instant

R = TypeVar("R", bound=Request)
Keyed = TypeVar("Keyed", bound=NewEvent | Spoken)

_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


class Calls:
    """Base of the groups of calls."""

    _transport: Transport


def request_from(shape: type[R], ready: R | None, fields: dict[str, Any]) -> R:
    """The request as it was given: ready, or as fields, of which None means unsaid. Raises `InvalidInput`."""
    said = {name: value for name, value in fields.items() if value is not None}
    if ready is not None:
        if said:
            raise TypeError(f"give either a {shape.__name__} or its fields")
        return ready
    try:
        return shape(**said)
    except ValidationError as invalid:
        raise refused_unsent(invalid) from None


def with_key(request: Keyed) -> Keyed:
    """The request under an idempotency key, so that it takes effect once however often it is sent."""
    if request.idempotency_key is not None:
        return request
    return request.model_copy(update={"idempotency_key": uuid4().hex})


def id_in_path(value: UUID | str) -> str:
    """An id as it goes into a path; raises `InvalidInput` for what is none, which could name another path."""
    try:
        return str(value if isinstance(value, UUID) else UUID(value))
    except (ValueError, AttributeError):
        raise invalid_input("is no id; an id is a UUID", field="id") from None


def as_of_parameter(as_of: datetime | None) -> dict[str, str]:
    """The query parameter for an instant, none for now. Raises `InvalidInput` for a naive one."""
    if as_of is None:
        return {}
    try:
        return {"as_of": _INSTANT.validate_python(as_of).isoformat()}
    except ValidationError as invalid:
        raise refused_unsent(invalid) from None
