"""A worker of somebody's own, for an agent of their own."""

from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker

from tests.client import their_agent


@asynccontextmanager
async def worker(client: Client, *interceptors: Interceptor) -> AsyncGenerator[str]:
    """Somebody's own worker, on a task queue of its own."""
    queue = f"theirs-{uuid4().hex[:8]}"
    with ThreadPoolExecutor(2) as threads:
        async with Worker(
            client,
            task_queue=queue,
            workflows=their_agent.WORKFLOWS,
            activities=their_agent.ACTIVITIES,
            activity_executor=threads,
            interceptors=interceptors,
        ):
            yield queue


async def outcome(client: Client, queue: str, run: Any, *args: Any, name: str | None = None) -> Any:
    """What a workflow of theirs comes to."""
    return await client.execute_workflow(
        run,
        args=args,
        id=name or f"theirs-{uuid4().hex}",
        task_queue=queue,
        run_timeout=timedelta(seconds=60),
    )
