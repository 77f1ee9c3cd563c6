"""One worker is kept running: one that cannot start is an error, one that dies is replaced."""

import asyncio
from pathlib import Path
from uuid import uuid4

import psutil
import pytest
from temporalio.client import Client

from runtime.addresses import Addresses
from runtime.embedded.errors import ChildExited
from runtime.supervisor import supervised_worker
from tests.surfaces.terminal import SECONDS, living


async def test_a_worker_that_cannot_start_is_an_error_with_its_reason(client: Client, tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    half = {"KEEPWELL_TEMPORAL_ADDRESS": "127.0.0.1:1"}
    with pytest.raises(
        ChildExited, match="worker ended with code 1: keepwell worker: set both or neither"
    ) as ended:
        async with supervised_worker(client, "nobody", log, half):
            pytest.fail("it cannot have started")
    assert str(ended.value).endswith(f"see {log}")


async def test_a_worker_that_dies_is_replaced_until_it_is_stopped(
    client: Client, addresses: Addresses, tmp_path: Path
) -> None:
    queue = f"supervised-{uuid4().hex[:8]}"
    environment = {
        "KEEPWELL_DATABASE_URL": addresses.database_url,
        "KEEPWELL_TEMPORAL_ADDRESS": addresses.temporal_address,
        "KEEPWELL_TASK_QUEUE": queue,
    }
    async with supervised_worker(client, queue, tmp_path / "worker.log", environment) as worker:
        await worker.wait_ready()
        first = psutil.Process(worker.pid)
        first.kill()
        async with asyncio.timeout(SECONDS):
            while worker.pid == first.pid:
                await asyncio.sleep(0.02)
            await worker.wait_ready()
        second = psutil.Process(worker.pid)
        assert living([first, second]) == [second]
    assert living([second]) == []
