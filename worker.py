"""The worker's process: settings, client, worker, and the end when it is asked to end. Wiring only."""

import asyncio
import signal
import sys
import time
from datetime import timedelta

from models.errors import KeepwellError
from runtime import addresses
from runtime.embedder import opened_embedder
from runtime.language_model import language_model
from runtime.logs import configure_logs
from runtime.masking import masking_key
from runtime.policy_file import load_policy
from runtime.settings import load_settings
from runtime.temporal import connect
from runtime.worker import running_worker


async def serve() -> None:
    """Work until SIGTERM or SIGINT; steps in flight are finished."""
    settings = load_settings()
    shipped = load_policy(settings.policy)
    model = language_model(settings)
    where = addresses.find(settings)
    client = await connect(where.temporal_address, settings.temporal_namespace)
    asked_to_end = asyncio.Event()
    for ending in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(ending, asked_to_end.set)
    async with (
        opened_embedder(settings) as embedder,
        running_worker(
            where.database_url,
            client,
            shipped,
            task_queue=settings.task_queue,
            quiet_seconds=settings.quiet_seconds,
            sealing_key=masking_key(settings),
            traces_kept_for=timedelta(days=settings.trace_days),
            reflect_every=timedelta(hours=settings.reflect_hours),
            model=model,
            embedder=embedder,
            webhook_hosts=settings.webhook_allowed_hosts,
            signal_targets=settings.signal_targets,
        ),
    ):
        await asked_to_end.wait()


def main() -> int:
    """Run the worker; the exit code."""
    configure_logs()
    try:
        asyncio.run(serve())
    except KeepwellError as error:
        sys.stderr.write(f"keepwell worker: {error}\n")
        return 1
    finally:
        # The Temporal core's threads need a moment, or the process may abort while it ends.
        time.sleep(0.3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
