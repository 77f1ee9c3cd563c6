"""A step that fails for good does not end a tenant's timer: nobody else would look."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio import activity
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import Worker

from models.messages import Advanced, IntentionsRef, TenantMessage
from workflows.deferred_intentions import DeferredIntentions


async def test_it_is_tried_again(client: Client) -> None:
    tried = 0
    failed = asyncio.Event()

    @activity.defn(name="keepwell.advance_intentions")
    async def advance(ref: IntentionsRef) -> Advanced:
        nonlocal tried
        tried += 1
        if tried == 1:
            failed.set()
            raise ApplicationError("cannot be read", type="invalid_input", non_retryable=True)
        return Advanced(fired=0, wakes_at=None)

    queue = f"hindered-{uuid4().hex[:8]}"
    async with Worker(client, task_queue=queue, activities=[advance]), asyncio.timeout(30):
        handle = await client.start_workflow(
            DeferredIntentions.run,
            TenantMessage(tenant_id=uuid4()),
            id=f"intentions/{uuid4()}",
            task_queue=queue,
            execution_timeout=timedelta(seconds=60),
        )
        await failed.wait()
        await handle.signal("look")
        await handle.result()
    assert tried == 2


async def test_a_run_that_is_cancelled_in_the_middle_of_its_step_ends(client: Client) -> None:
    begun = asyncio.Event()

    @activity.defn(name="keepwell.advance_intentions")
    async def advance(ref: IntentionsRef) -> Advanced:
        begun.set()
        while True:
            activity.heartbeat()
            await asyncio.sleep(0.1)

    queue = f"hindered-{uuid4().hex[:8]}"
    async with Worker(client, task_queue=queue, activities=[advance]):
        handle = await client.start_workflow(
            DeferredIntentions.run,
            TenantMessage(tenant_id=uuid4()),
            id=f"intentions/{uuid4()}",
            task_queue=queue,
            execution_timeout=timedelta(seconds=60),
        )
        async with asyncio.timeout(30):
            await begun.wait()
            await handle.cancel()
            with pytest.raises(WorkflowFailureError) as ended:
                await handle.result()
    assert isinstance(ended.value.cause, CancelledError)
