"""The command `keepwell`: tables for people, `--json` for programs, errors in one line on standard error.

Exit codes: 0 done; 1 the answer is no (a confirmation refused, a check failed, a demo that differs); 2 bad
input; 3 not permitted; 4 not found; 5 conflict; 6 a server does not answer; 70 a fault of Keepwell's own.
"""

import sys
import time

from surfaces.cli.app import app

__all__ = ["main"]


def main() -> None:
    """Run the command, and give the Temporal core's threads the moment that they need at the end."""
    try:
        app()
    finally:
        if "temporalio" in sys.modules:
            time.sleep(0.3)
