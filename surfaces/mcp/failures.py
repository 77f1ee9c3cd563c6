"""What a model is told when a call fails: a code and what to do next, never content, and nothing of our own faults."""

import logging
from collections.abc import Generator
from contextlib import contextmanager

import structlog
from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from models.errors import KeepwellError
from models.events import scrub
from surfaces.http.problems import Fault

log = structlog.get_logger("keepwell.mcp")


def told(fault: Exception, request_id: str) -> KeepwellError:
    """The error to tell: ours as it is; of anything else the log has the type, as its text may quote content."""
    if isinstance(fault, KeepwellError):
        return fault
    log.error("fault", error=type(fault).__name__, request_id=request_id)
    return Fault(f"a fault of Keepwell's own; the log has it as {request_id}")


def tool_error(error: KeepwellError) -> CallToolResult:
    """A tool's answer that is an error: a model reads it and can do better."""
    return CallToolResult(content=[TextContent(type="text", text=_line(error))], is_error=True)


def protocol_error(error: KeepwellError) -> MCPError:
    """The error of a request that is no tool's."""
    code = INVALID_PARAMS if error.http_status < 500 else INTERNAL_ERROR
    return MCPError(code, _line(error), {"code": error.code, "retryable": error.retryable})


def _line(error: KeepwellError) -> str:
    later = " (the same call may succeed later)" if error.retryable else ""
    # A field's name is the caller's and may hold what UTF-8 cannot carry.
    return scrub(f"{error.code}: {error}{later}")


class _WithoutContent(logging.Handler):
    """Tells where in the SDK a line was logged, and of which type an error was: its words may quote a message."""

    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[0] if record.exc_info else None
        log.warning(
            "sdk", module=record.name, line=record.lineno, error=None if kind is None else kind.__name__
        )


@contextmanager
def sdk_without_content() -> Generator[None]:
    """Keep what the SDK logs, from warnings on, free of content."""
    sdk, handler = logging.getLogger("mcp"), _WithoutContent(logging.WARNING)
    sdk.addHandler(handler)
    sdk.propagate = False
    try:
        yield
    finally:
        sdk.removeHandler(handler)
        sdk.propagate = not sdk.handlers
