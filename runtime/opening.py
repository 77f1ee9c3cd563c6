"""Open the service, its keys, or redos, for one process: settings, policy, a pool, and Temporal where it is needed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from capture.proposing import Proposers
from providers.rule_extractor import RuleExtractor
from runtime.addresses import Addresses, find
from runtime.authentication.keys import ApiKeys
from runtime.embedder import opened_embedder
from runtime.language_model import language_model
from runtime.masking import masker_of
from runtime.policy_file import load_policy
from runtime.redo import Redo
from runtime.reranker import opened_reranker
from runtime.service import Service
from runtime.settings import Settings
from runtime.temporal import connect
from store.engine import Database
from store.policies import Policies


@asynccontextmanager
async def opened_service(
    settings: Settings, *, temporal: bool = False, where: Addresses | None = None
) -> AsyncGenerator[Service]:
    """The service over the servers that the settings lead to; Temporal is connected only when asked for."""
    shipped = load_policy(settings.policy)
    servers = where or find(settings)
    client = None
    if temporal:
        client = await connect(servers.temporal_address, settings.temporal_namespace)
    async with (
        Database(servers.database_url) as database,
        opened_embedder(settings) as embedder,
        opened_reranker(settings) as reranker,
    ):
        yield Service(
            database,
            Policies(database, shipped),
            client,
            masker=masker_of(settings),
            task_queue=settings.task_queue,
            embedder=embedder,
            reranker=reranker,
            webhook_hosts=settings.webhook_allowed_hosts,
            signal_targets=settings.signal_targets,
        )


@asynccontextmanager
async def opened_keys(settings: Settings, *, where: Addresses | None = None) -> AsyncGenerator[ApiKeys]:
    """The API keys of the servers that the settings lead to."""
    shipped = load_policy(settings.policy)
    servers = where or find(settings)
    async with Database(servers.database_url, pool_size=1) as database:
        yield ApiKeys(database, Policies(database, shipped))


@asynccontextmanager
async def opened_redo(settings: Settings) -> AsyncGenerator[Redo]:
    """Redos over the servers that the settings lead to, with the extractor that they configure."""
    shipped = load_policy(settings.policy)
    model = language_model(settings)
    async with Database(find(settings).database_url, pool_size=2) as database:
        models = None if model is None else model.on(database)
        yield Redo(database, Policies(database, shipped), Proposers(RuleExtractor(), models))
