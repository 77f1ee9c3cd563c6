"""The one tree of errors that a caller of this client can meet.

A message says what to do next. It never quotes what was sent or received, and never the API key: errors travel
into logs, into prompts and into workflow histories.
"""

import re

from pydantic import ValidationError

from keepwell.types.problem import Problem

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")


class KeepwellError(Exception):
    """Base of them all.

    `code` is stable and meant for programs; `retryable` says whether the same call may succeed later without
    being changed. `status` is the HTTP status where there was an answer, `request_id` names the call in the
    service's logs, `field` and `position` (from 1) say which part of what was sent is meant.
    """

    code: str = "keepwell_error"
    retryable: bool = False
    status: int | None = None
    field: str | None = None
    position: int | None = None
    request_id: str | None = None


class ApiError(KeepwellError):
    """The service answered with an error; `problem` is the answer. Its subclasses go by the code."""

    def __init__(self, problem: Problem, retry_after: float | None = None) -> None:
        super().__init__(problem, retry_after)
        self.problem = problem
        self.retry_after = retry_after
        self.code = problem.code
        self.retryable = problem.retryable
        self.status = problem.status
        self.field = problem.field
        self.position = problem.position
        self.request_id = problem.request_id or None

    def __str__(self) -> str:
        where = "" if self.position is None else f"item {self.position}: "
        name = "" if self.field is None else f"{self.field}: "
        request = "" if self.request_id is None else f", request {self.request_id}"
        return f"{where}{name}{self.problem.detail} ({self.code}{request})"


class InvalidInput(ApiError):
    """The call is malformed; change the named field. Without a `request_id` it was not sent at all."""


class TooLarge(ApiError):
    """What was sent is larger than the limit; keep the content in its own store and send a reference."""


class Unauthenticated(ApiError):
    """The key or token is missing, unknown, expired or revoked."""


class NotPermitted(ApiError):
    """The caller lacks the grant; ask for the role that the policy names."""


class NotFound(ApiError):
    """No such record in this tenant, or none within reach."""


class Conflict(ApiError):
    """The call contradicts what is already stored."""


class TooManyRequests(ApiError):
    """More calls than the limit; `retry_after` says after how many seconds to send it again."""


class Unavailable(ApiError):
    """The service, or a server that it needs, does not answer; try again."""


class ServerFault(ApiError):
    """The service failed, or what answered is not the service."""


class ConnectionLost(KeepwellError):
    """No answer came. `may_have_happened` says whether the call may have taken effect all the same."""

    code = "connection_lost"
    retryable = True

    def __init__(self, message: str, may_have_happened: bool, request_id: str | None = None) -> None:
        super().__init__(message, may_have_happened, request_id)
        self.message = message
        self.may_have_happened = may_have_happened
        self.request_id = request_id

    def __str__(self) -> str:
        effect = "it may have taken effect" if self.may_have_happened else "nothing was done"
        return f"{self.message}; {effect}; check that it runs (keepwell up) and KEEPWELL_URL"


class BufferFull(KeepwellError):
    """The event was turned away: as many as the buffer may hold wait for the service already."""

    code = "buffer_full"
    retryable = True


class NotDurableYet(KeepwellError):
    """The time is over and the event still waits. It stays in the buffer and will be sent."""

    code = "not_durable_yet"
    retryable = True


class ClientClosed(KeepwellError):
    """The client was closed; make another."""

    code = "client_closed"


class ConfigurationInvalid(KeepwellError):
    """The client cannot be made like this; the message names what to set."""

    code = "configuration_invalid"


_BY_CODE: dict[str, type[ApiError]] = {
    "invalid_input": InvalidInput,
    "too_large": TooLarge,
    "unauthenticated": Unauthenticated,
    "not_permitted": NotPermitted,
    "not_found": NotFound,
    "conflict": Conflict,
    "too_many_requests": TooManyRequests,
    "unavailable": Unavailable,
}


def error_for(problem: Problem, retry_after: float | None = None) -> ApiError:
    """The error that stands for `problem`. A code that this client does not know goes by the status."""
    known = _BY_CODE.get(problem.code)
    if known is None:
        known = ServerFault if problem.status >= 500 else ApiError
    return known(problem, retry_after)


def refused_unsent(invalid: ValidationError) -> InvalidInput:
    """The error for what was refused before it was sent, in the words of the service, without the value.

    A field that nobody knows is named first: one that is missing may have been meant by it.
    """
    complaints = invalid.errors(include_url=False, include_input=False, include_context=False)
    complaint = next((each for each in complaints if each["type"] == "extra_forbidden"), complaints[0])
    detail = _complained(complaint["type"], complaint["msg"])
    if complaint["type"] == "extra_forbidden" and invalid.title == "NewEvent":
        detail += " or put it into data"
    return invalid_input(detail, field=".".join(_plain(part) for part in complaint["loc"]) or None)


_SAYS = {
    "extra_forbidden": "unknown field; remove it",
    "missing": "is missing; add it",
    "uuid_parsing": "is no UUID; send an id as it was answered",
    "uuid_type": "is no UUID; send an id as it was answered",
    "model_type": "is not an object; send {…}",
    "dict_type": "is not an object; send {…}",
    "string_pattern_mismatch": "is not written as it has to be; see the reference of this call",
}


def _complained(kind: str, message: str) -> str:
    """What to say for a complaint of pydantic's of this kind."""
    if kind in {"literal_error", "enum"}:
        return message.replace("Input should be", "is unknown; it is one of", 1)
    return _SAYS.get(kind, message.removeprefix("Value error, "))


def _plain(part: int | str) -> str:
    """A part of a field's place. What is no plain name may be content that came in the place of one."""
    return str(part) if isinstance(part, int) or _PLAIN_NAME.fullmatch(part) else "…"


def invalid_input(detail: str, field: str | None = None) -> InvalidInput:
    """The error for input that cannot be sent."""
    return InvalidInput(
        Problem(
            type="about:blank",
            title="Unprocessable Content",
            status=422,
            detail=detail,
            code="invalid_input",
            retryable=False,
            request_id="",
            field=field,
        )
    )
