"""The HTTP server's process: `python -m surfaces.http`."""

import asyncio
import sys
import time

from models.errors import KeepwellError
from runtime.logs import configure_logs
from runtime.settings import load_settings
from surfaces.http.serving import serve


def main() -> int:
    """Serve; the exit code."""
    configure_logs()
    try:
        asyncio.run(serve(load_settings()))
    except KeepwellError as error:
        sys.stderr.write(f"keepwell http: {error}\n")
        return 1
    finally:
        # The Temporal core's threads need a moment, or the process may abort while it ends.
        time.sleep(0.3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
