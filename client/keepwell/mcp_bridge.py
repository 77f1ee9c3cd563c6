"""`keepwell-mcp`: an MCP server on stdin and stdout, for hosts that only start programs.

It passes each message on to the service's `/mcp`, with the key from KEEPWELL_API_KEY and the address from
KEEPWELL_URL, and each answer back. Standard output carries the protocol and nothing else; what keeps it from
working is one line on standard error and exit code 1. It ends when its input ends.
"""

import asyncio
import logging
import os
import signal
import sys

from keepwell.client import DEFAULT_URL, Keepwell
from keepwell.errors import KeepwellError


def main() -> None:
    """The command; its exit code is 0 when the input has ended, and 1 when it cannot work."""
    # Nothing is lost by ending at once, and a thread that waits for input cannot be told to end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The SDK's log lines quote messages, which hold content.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    wrong = asyncio.run(_serve())
    if wrong is not None:
        print(f"keepwell-mcp: {wrong}", file=sys.stderr)  # noqa: T201 - it is what a person reads
        sys.exit(1)


async def _serve() -> str | None:
    """Serve until the input ends; what is wrong where that cannot begin."""
    try:
        from keepwell.mcp_pump import pump  # noqa: PLC0415 - what is missing is said in a line of its own
    except ImportError:
        return "the MCP SDK is missing or too old; install it with: pip install 'keepwell[mcp]'"
    try:
        async with Keepwell() as memory:
            await memory.principal()
    except KeepwellError as error:
        return str(error)
    address = os.environ.get("KEEPWELL_URL") or DEFAULT_URL
    await pump(f"{address.strip().rstrip('/')}/mcp", os.environ["KEEPWELL_API_KEY"].strip())
    return None
