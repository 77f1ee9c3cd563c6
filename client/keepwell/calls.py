"""What the calls of the client have in common: a request from its fields, a key of its own, an id in a path."""

from collections.abc import Mapping
from datetime import datetime
from datetime import timezone as zones
from types import MappingProxyType
from typing import Any, TypeVar, cast
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


def request_from(
    shape: type[R], given: object, fields: Mapping[str, Any], *, like: str, plain: str | None = None
) -> R:
    """The request as it was given: ready, as a mapping of its fields, or as fields, of which None means unsaid.

    A mere text is the field `plain`, where the call has one; `like` is an example of the call. Raises `InvalidInput`.
    """
    said = {name: value for name, value in fields.items() if value is not None}
    if isinstance(given, str) and plain is not None:
        if plain in said:
            raise invalid_input("is there twice; give it once", field=plain)
        said[plain] = given
    elif given is not None:
        if said:
            raise invalid_input(f"give either a {shape.__name__} or its fields, such as {like}")
        if isinstance(given, shape):
            return given
        if not isinstance(given, Mapping):
            raise invalid_input(
                f"what was given is neither a {shape.__name__} nor a mapping of its fields; "
                f"give the fields by name, such as {like}"
            )
        mapping = cast("Mapping[str, Any]", given)
        said = {name: value for name, value in mapping.items() if value is not None}
    try:
        return shape.model_validate(said)
    except ValidationError as invalid:
        raise refused_unsent(invalid) from None


def event_from(given: object, fields: Mapping[str, Any] = MappingProxyType({})) -> NewEvent:
    """An event as `request_from` reads it; one that does not say when it happened has happened now."""
    if given is None:
        fields = _happened(fields)
    elif isinstance(given, Mapping):
        given = _happened(cast("Mapping[str, Any]", given))
    return request_from(
        NewEvent, given, fields, like='publish(type="note", activity_id="…", scope={…}, text="…")'
    )


def _happened(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {**fields, "occurred_at": fields.get("occurred_at") or datetime.now(zones.utc)}


def with_key(request: Keyed) -> Keyed:
    """The request under an idempotency key, so that it takes effect once however often it is sent."""
    if request.idempotency_key is not None:
        return request
    return request.model_copy(update={"idempotency_key": uuid4().hex})


def id_in_path(value: UUID | str) -> str:
    """An id as it goes into a path; raises `InvalidInput` for what is none, which could name another path."""
    try:
        return str(value if isinstance(value, UUID) else UUID(value))
    except (ValueError, AttributeError, TypeError):
        raise invalid_input("is no id; an id is a UUID", field="id") from None


def as_of_parameter(as_of: datetime | None) -> dict[str, str]:
    """The query parameter for an instant, none for now. Raises `InvalidInput` for a naive one."""
    if as_of is None:
        return {}
    try:
        return {"as_of": _INSTANT.validate_python(as_of).isoformat()}
    except ValidationError as invalid:
        raise refused_unsent(invalid) from None
