"""How an error looks on the wire."""

from keepwell.types.wire import Answer


class Problem(Answer):
    """What went wrong (RFC 9457). `code` is stable; `retryable` says whether the same call may succeed later."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    retryable: bool
    request_id: str
    field: str | None = None
    position: int | None = None
