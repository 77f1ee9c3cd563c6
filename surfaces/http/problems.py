"""Errors as problems (RFC 9457), and the number by which a request is found in the log.

A problem says what to do next. It never quotes what was sent.
"""

import json
import math
import re
import time
from collections.abc import Mapping
from http import HTTPMethod, HTTPStatus
from typing import Any
from uuid import uuid4

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from models.complaints import complained
from models.errors import InvalidInput, KeepwellError, TooManyRequests, Unauthenticated
from surfaces.http.answers import Problem
from surfaces.http.limits import MAX_BODY_BYTES, too_large

MEDIA_TYPE = "application/problem+json"
REQUEST_ID = "x-request-id"
_METHODS = frozenset(HTTPMethod)
_PLAIN_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_OF_THE_FRAMEWORK = {
    404: ("not_found", "no such route; see /openapi.json"),
    405: ("method_not_allowed", "this route has other methods; see /openapi.json"),
}

log = structlog.get_logger("keepwell.http")


class Fault(KeepwellError):
    """A fault of Keepwell's own; the log has it under the request's id."""

    code = "internal_error"
    http_status = 500


def install(app: FastAPI) -> None:
    """Answer every error of the application with a problem."""
    app.add_exception_handler(KeepwellError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid_parameter)
    app.add_exception_handler(HTTPException, _of_the_framework)


def problem(request_id: str, error: KeepwellError) -> Response:
    """The answer to a request that came to an error of ours."""
    headers: dict[str, str] = {}
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    if error.retryable:
        wait = error.retry_after if isinstance(error, TooManyRequests) else 1.0
        headers["Retry-After"] = str(max(1, math.ceil(wait)))
    return told(
        error.http_status,
        error.code,
        error.message,
        request_id,
        retryable=error.retryable,
        field=error.field,
        position=error.position,
        headers=headers,
    )


def told(
    status: int,
    code: str,
    detail: str,
    request_id: str,
    *,
    retryable: bool,
    field: str | None = None,
    position: int | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """A problem as an answer."""
    said = Problem(
        type=f"urn:keepwell:problem:{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        code=code,
        retryable=retryable,
        request_id=request_id,
        field=field,
        position=position,
    )
    body = json.dumps(said.model_dump(exclude_none=True))
    return Response(body, status, headers, media_type=MEDIA_TYPE)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, KeepwellError)
    return problem(request.state.request_id, error)


async def _invalid_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    complaint: dict[str, Any] = error.errors()[0]
    message = complained(str(complaint["type"]), str(complaint["msg"]))
    return problem(request.state.request_id, InvalidInput(message, field=str(complaint["loc"][-1])))


async def _of_the_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = error.status_code
    code, detail = _OF_THE_FRAMEWORK.get(status, ("invalid_request", HTTPStatus(status).phrase))
    headers = dict(error.headers or {})
    return told(status, code, detail, request.state.request_id, retryable=False, headers=headers)


class Requests:
    """Gives every request an id and its body an end, logs it without content, and answers a fault with a problem."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        sent = headers.get(REQUEST_ID.encode(), b"").decode("latin-1")
        request_id = sent if _PLAIN_ID.fullmatch(sent) else uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        began = time.monotonic()
        status = 0

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                message = {
                    **message,
                    "headers": [*message["headers"], (REQUEST_ID.encode(), request_id.encode())],
                }
            await send(message)

        try:
            if _declared(headers) > MAX_BODY_BYTES:
                await problem(request_id, too_large(MAX_BODY_BYTES))(scope, receive, with_id)
            else:
                await self._app(scope, _with_end(receive), with_id)
        except Exception as fault:
            # A traceback may quote content, so that only the type is kept.
            log.error("fault", error=type(fault).__name__, request_id=request_id)  # noqa: TRY400
            if not status:
                answer = problem(
                    request_id, Fault(f"a fault of Keepwell's own; the log has it as {request_id}")
                )
                await answer(scope, receive, with_id)
        finally:
            route = scope.get("route")
            log.info(
                "request",
                method=scope["method"] if scope["method"] in _METHODS else None,
                route=getattr(route, "path", None),
                status=status,
                milliseconds=round((time.monotonic() - began) * 1_000, 1),
                request_id=request_id,
            )


def _declared(headers: Mapping[bytes, bytes]) -> int:
    """How large a request says that its body is; 0 where it does not say."""
    said = headers.get(b"content-length", b"")
    return int(said) if said.isdigit() else 0


def _with_end(receive: Receive) -> Receive:
    """`receive`, which raises `TooLarge` once a body turns out larger than it may be."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY_BYTES:
            raise too_large(MAX_BODY_BYTES)
        return message

    return bounded
