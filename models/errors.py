"""The one tree of errors, translated at the edges.

A message names the field and the remedy in one line. It never quotes memory content: errors travel into
logs and workflow histories.
"""

from typing import ClassVar


class KeepwellError(Exception):
    """Base of every error that a caller of Keepwell can meet.

    `code` is stable and meant for programs, `http_status` is what an HTTP surface answers, and `retryable`
    says whether the same call may succeed later without being changed.
    """

    code: ClassVar[str] = "keepwell_error"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, field: str | None = None, position: int | None = None, unit: str = "item"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.position = position
        self.unit = unit

    def __str__(self) -> str:
        """The line that a person reads: where, then what and the remedy."""
        where = "" if self.position is None else f"{self.unit} {self.position}: "
        name = "" if self.field is None else f"{self.field}: "
        return f"{where}{name}{self.message}"

    def at(self, position: int, unit: str = "item") -> "KeepwellError":
        """The same error, said of the item of a batch, or of the `unit`, at `position` (from 1)."""
        return type(self)(self.message, field=self.field, position=position, unit=unit)


class InvalidInput(KeepwellError):
    """The call is malformed; change the named field and send it again."""

    code = "invalid_input"
    http_status = 422


class TooLarge(KeepwellError):
    """The item is larger than the limit; keep the content in its own store and send a reference."""

    code = "too_large"
    http_status = 413


class Unauthenticated(KeepwellError):
    """Nobody can tell who is calling; send a key or a token that is valid."""

    code = "unauthenticated"
    http_status = 401


class NotPermitted(KeepwellError):
    """The principal lacks the grant; ask for the role that the policy names."""

    code = "not_permitted"
    http_status = 403


class NotFound(KeepwellError):
    """No such record in this tenant."""

    code = "not_found"
    http_status = 404


class Conflict(KeepwellError):
    """The call contradicts what is already stored."""

    code = "conflict"
    http_status = 409


class Unavailable(KeepwellError):
    """A server that Keepwell needs does not answer; try again."""

    code = "unavailable"
    http_status = 503
    retryable = True


class TooManyRequests(KeepwellError):
    """The principal calls more often than the limit; wait and send it again."""

    code = "too_many_requests"
    http_status = 429
    retryable = True

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which the call may succeed."""


class PolicyInvalid(KeepwellError):
    """The policy file cannot be used; mend the named line."""

    code = "policy_invalid"
    http_status = 500
