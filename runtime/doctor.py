"""Look at everything that Keepwell needs, and say what is missing and what to do about it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NamedTuple

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.service import RPCError, RPCStatusCode

from models.errors import KeepwellError, NotFound, Unavailable
from recall.likeness import PATIENCE_SECONDS
from runtime import addresses
from runtime.embedder import embedder_told, opened_embedder
from runtime.embedding import require_match, waiting_told
from runtime.http_server import require_ready
from runtime.language_model import language_model, told_of
from runtime.policy_file import load_policy
from runtime.readiness import behind, no_worker, pollers
from runtime.reranker import opened_reranker, reranker_told
from runtime.settings import Settings
from runtime.temporal import connect
from store.engine import Database, Role
from store.migrate import newest_revision

_HERE = "in this shell"
"""Of what the settings say: a worker that runs has read its own when it started."""


class Finding(NamedTuple):
    """One thing that was looked at. `detail` says what was seen, or what to do."""

    name: str
    well: bool
    detail: str


async def examine(settings: Settings) -> AsyncGenerator[Finding]:
    """Findings one after another; later ones that depend on a failed one are left out.

    The HTTP server is looked at where one is known: that of the embedded stack, or one on a configured port.
    """
    yield await _look("policy", lambda: _policy(settings))
    yield await _look("model", lambda: _model(settings))
    yield await _look("reranker", lambda: _reranker(settings))
    try:
        where = addresses.find(settings)
    except KeepwellError as error:
        yield Finding("servers", False, str(error))
        return
    yield Finding("servers", True, "embedded" if where.ui_url else "configured")
    postgres = await _look("postgres", lambda: _postgres(where.database_url))
    yield postgres
    if postgres.well:
        migrations = await _look("migrations", lambda: _migrations(where.database_url))
        yield migrations
        if migrations.well:
            yield await _look("vectors", lambda: _vectors(settings, where.database_url))
    at, namespace = where.temporal_address, settings.temporal_namespace
    temporal = await _look("temporal", lambda: _temporal(at, namespace))
    yield temporal
    if temporal.well:
        yield await _look("worker", lambda: _worker(at, namespace, settings.task_queue))
    url = where.http_url
    if url is not None:
        yield await _look("http", lambda: _http(url))


async def _look(name: str, at: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(name, True, await at())
    except KeepwellError as error:
        return Finding(name, False, str(error))


async def _policy(settings: Settings) -> str:
    policy = load_policy(settings.policy)
    told = ", ".join(
        f"{number} {noun if number == 1 else noun + 's'}"
        for number, noun in (
            (len(policy.roles), "role"),
            (len(policy.systems), "system"),
            (len(policy.attributes), "attribute"),
        )
    )
    return f"{_HERE}: {told}"


async def _model(settings: Settings) -> str:
    # Whether there is such a provider, and a key where it needs one, is known once the connection is built.
    await asyncio.to_thread(language_model, settings)
    return f"{_HERE}: {told_of(settings)}"


async def _reranker(settings: Settings) -> str:
    # One that is configured is asked with a word that tells nothing of anybody, as nothing else shows that it answers.
    async with opened_reranker(settings) as reranker:
        if reranker is not None:
            try:
                await asyncio.wait_for(reranker.rerank("keepwell", ["keepwell"]), PATIENCE_SECONDS)
            except TimeoutError:
                raise Unavailable(
                    f"the reranker takes longer than the {PATIENCE_SECONDS:g} seconds that a recall waits for it;"
                    " look at its server, or choose a smaller model"
                ) from None
    return f"{_HERE}: {reranker_told(settings)}"


async def _postgres(url: str) -> str:
    async with Database(url, pool_size=1) as database:
        return f"version {await database.server_version()}"


async def _migrations(url: str) -> str:
    wanted = newest_revision()
    async with Database(url, pool_size=1) as database:
        found = await database.revision()
    if found != wanted:
        raise KeepwellError(behind(found, wanted))
    return f"at revision {found}"


async def _vectors(settings: Settings, url: str) -> str:
    async with (
        opened_embedder(settings) as embedder,
        Database(url, pool_size=1) as database,
        Database(url, Role.RELAY, pool_size=1) as relay,
    ):
        await require_match(database, embedder)
        told = await waiting_told(database, relay)
    return f"{told}; embedder {_HERE}: {embedder_told(settings)}"


async def _temporal(address: str, namespace: str) -> str:
    client = await connect(address, namespace)
    try:
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=namespace))
    except RPCError as refused:
        if refused.status is RPCStatusCode.NOT_FOUND:
            raise NotFound(f"{address} has no namespace {namespace}; create it there") from refused
        raise Unavailable(f"Temporal does not answer at {address}; try again") from refused
    return f"namespace {namespace} answers"


async def _worker(address: str, namespace: str, task_queue: str) -> str:
    if not await pollers(await connect(address, namespace), task_queue):
        raise Unavailable(no_worker(task_queue))
    return f"polls {task_queue}"


async def _http(url: str) -> str:
    await require_ready(url)
    return f"ready at {url}"
