"""Reading what came back over HTTP: an answer in its shape, or the error that it stands for.

Whatever stands between client and service may answer in its place, with a page of its own. That is told apart
from an answer of the service and is never taken for one.
"""

import math
from collections.abc import Callable
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx2
from pydantic import ValidationError

from keepwell.errors import ApiError, ServerFault, error_for
from keepwell.types import Problem

T = TypeVar("T")

_FOREIGN_CODES = {
    413: "too_large",
    429: "too_many_requests",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
}
"""What a proxy's own answer stands for. Its 404 says nothing of a memory, and its 403 nothing of a grant."""


def answer_in(response: httpx2.Response, shape: Callable[[bytes], T]) -> T:
    """The answer in `response`, read as `shape`; raises `ServerFault` for what is none."""
    try:
        return shape(response.content)
    except ValidationError as unread:
        complaint = unread.errors(include_url=False, include_input=False, include_context=False)[0]
        if complaint["type"] == "json_invalid":
            raise foreign(response) from None
        where = ".".join(str(part) for part in complaint["loc"]) or "its top"
        detail = f"an answer that this version of the client cannot read, at {where}; update the client"
        raise ServerFault(_problem(response, detail, "not_understood")) from None


def error_in(response: httpx2.Response) -> ApiError:
    """The error that `response` stands for."""
    try:
        problem = Problem.model_validate_json(response.content)
    except ValidationError:
        return foreign(response)
    return error_for(problem, _retry_after(response))


def foreign(response: httpx2.Response) -> ApiError:
    """The error for an answer that the service did not give."""
    kind = response.headers.get("content-type", "nothing").partition(";")[0].strip()
    detail = (
        f"{response.status_code} with {kind}, which is no answer of Keepwell; "
        "check KEEPWELL_URL and what stands between"
    )
    code = _FOREIGN_CODES.get(response.status_code)
    if code is None:
        return ServerFault(_problem(response, detail, "not_understood"))
    return error_for(_problem(response, detail, code), _retry_after(response))


def _problem(response: httpx2.Response, detail: str, code: str) -> Problem:
    return Problem(
        type="about:blank",
        title="Not understood",
        status=response.status_code,
        detail=detail,
        code=code,
        retryable=code in {"too_many_requests", "unavailable"},
        request_id=response.headers.get("x-request-id", ""),
    )


def _retry_after(response: httpx2.Response) -> float | None:
    """Seconds from now, where the answer says so in seconds or as a date."""
    said = response.headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            at = parsedate_to_datetime(said)
        except ValueError:
            return None
        at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
        seconds = (at - datetime.now(timezone.utc)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
