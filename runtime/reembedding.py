"""Reembed: vectors of the configured model for everything, while those of the old one serve.

The process that asks for it does the work, as it alone is sure to have the new embedder: the worker has the old one
until it is started anew.
"""

from uuid import UUID

from temporalio.client import Client, WorkflowFailureError
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ActivityError
from temporalio.worker import Worker

from activities.reembedding import TENANTS_AT_ONCE, ReembeddingSteps
from models.errors import InvalidInput, Unavailable
from models.messages import Reembedded, ReembeddingInput
from providers.protocols import Embedder
from runtime import addresses
from runtime.embedder import opened_embedder
from runtime.settings import Settings
from runtime.temporal import connect
from store import tenants, vectors
from store.engine import Database, Role
from store.vectors import SpaceState
from workflows import ids
from workflows.reembedding import Reembedding
from workflows.search_attributes import SUMMARIES, Process, at_start

_NO_TENANT = UUID(int=0)


async def reembed(settings: Settings) -> Reembedded:
    """Have all vectors be those of the embedder that the settings name, or none be there.

    Cut off, it goes on where it was when it is called again. Raises `Unavailable` and `InvalidInput`.
    """
    where = addresses.find(settings)
    client = await connect(where.temporal_address, settings.temporal_namespace)
    async with opened_embedder(settings) as embedder:
        return await reembed_with(
            where.database_url, client, embedder, task_queue=f"{settings.task_queue}-reembed"
        )


async def reembed_with(
    database_url: str,
    client: Client,
    embedder: Embedder | None,
    *,
    task_queue: str,
    tenants_at_once: int = TENANTS_AT_ONCE,
) -> Reembedded:
    """The same with what it needs at hand."""
    async with (
        Database(database_url, pool_size=2) as database,
        Database(database_url, Role.RELAY, pool_size=1) as relay,
    ):
        space_id = await _space_for(database, embedder)
        if space_id is not None:
            await _try_refused_again(database, relay, space_id)
        steps = ReembeddingSteps(database, relay, embedder, tenants_at_once=tenants_at_once)
        made = [steps.fill_space, steps.serve_space, steps.clear_spaces]
        async with Worker(client, task_queue=task_queue, activities=made):
            running = await client.start_workflow(
                Reembedding.run,
                ReembeddingInput(space_id=space_id),
                id=ids.reembedding(space_id),
                task_queue=task_queue,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                search_attributes=at_start(None, Process.REEMBEDDING),
                static_summary=SUMMARIES[Process.REEMBEDDING],
            )
            try:
                return await running.result()
            except WorkflowFailureError as failed:
                raise _told(failed) from None


def _told(failed: WorkflowFailureError) -> Unavailable:
    """What a step said of itself; its errors quote nothing."""
    cause = failed.cause.cause if isinstance(failed.cause, ActivityError) else failed.cause
    return Unavailable(f"not all was embedded: {cause}; run keepwell reembed again")


async def _try_refused_again(database: Database, relay: Database, space_id: UUID) -> None:
    """A text may have been refused by an endpoint that was half up, or set up for shorter ones."""
    async with relay.relay() as listing:
        known = await tenants.every(listing)
    for tenant_id in known:
        async with database.transaction(tenant_id) as work:
            await vectors.try_again(work, space_id)


async def _space_for(database: Database, embedder: Embedder | None) -> UUID | None:
    """The space of the embedder's model, begun where there is none; None where no embedder is configured."""
    if embedder is None:
        return None
    async with database.transaction(_NO_TENANT) as work:
        state = SpaceState.SERVING if await vectors.serving(work) is None else SpaceState.BUILDING
        await vectors.begin_space(work, embedder.model, embedder.dimension, state)
        for space in await vectors.spaces(work):
            if (space.model, space.dimension) == (embedder.model, embedder.dimension):
                return space.id
    raise InvalidInput("another process has just begun a space; run it again", field="KEEPWELL_EMBEDDER")
