"""Put a worker together: pools, providers, steps, workflows and the relays, all from the settings."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.worker import Interceptor, Worker

from activities.consolidation import ConsolidationSteps
from activities.delivering import DeliverySteps, Ways
from activities.erasure import ErasureSteps
from activities.gates import GateSteps
from activities.intentions import IntentionSteps
from activities.promotion import PromotionSteps
from activities.reconciliation import ReconciliationSteps
from activities.reflection import ReflectionSteps
from activities.workflow_runs import WorkflowRuns
from capture.proposing import Narrators, Proposers
from models.endpoints import Allowed
from models.policy import Policy
from providers.narrators import TemplateNarrator
from providers.protocols import Embedder, Extractor, Narrator
from providers.rule_extractor import RuleExtractor
from providers.sealing import Sealer
from providers.webhooks.sender import WebhookSender
from runtime.dispatcher import Dispatcher
from runtime.embedding import EmbeddingRelay, own_space
from runtime.language_model import LanguageModel
from runtime.retention import TraceRetention
from runtime.schedules import ReflectionSchedules
from store import outbox
from store.engine import Database, Role
from store.listen import Listener
from store.policies import Policies

STEPS_AT_ONCE = 10
STEPS_BESIDE_A_MODEL = 40
"""A step that waits for a model takes no connection, and must not keep those waiting that ask none."""

SHUTDOWN = timedelta(seconds=15)
"""How long a worker that is to end waits for its steps: a little longer than one may take."""

TRACES_KEPT_FOR = timedelta(days=30)
"""How long the trace of a recall is kept unless the settings say otherwise."""


def steps(
    database: Database,
    policies: Policies,
    narrator: Narrator,
    extractor: Extractor,
    model: LanguageModel | None = None,
    *,
    ways: Ways,
    eraser: Database,
    runs: WorkflowRuns,
    sealer: Sealer | None,
) -> list[Callable[..., Any]]:
    """Every step that workflows call; `ways` are those by which something leaves for an endpoint.

    `eraser` is a pool under the role that may take back what was written.
    """
    models = None if model is None else model.on(database)
    narrators, proposers = Narrators(narrator, models), Proposers(extractor, models)
    consolidation = ConsolidationSteps(database, policies, narrators, proposers)
    reconciliation = ReconciliationSteps(database, policies)
    gates = GateSteps(database, policies)
    intentions = IntentionSteps(database, policies)
    delivery = DeliverySteps(database, ways)
    promotion = PromotionSteps(database, policies)
    reflection = ReflectionSteps(database, policies, models)
    erasure = ErasureSteps(eraser, policies, narrator, runs, sealer)
    return [
        consolidation.build_episode,
        consolidation.propose_facts,
        reconciliation.reconcile,
        gates.settle_gate,
        gates.decide_confirmation,
        intentions.advance,
        delivery.deliver_batch,
        promotion.look_at_proposal,
        promotion.count_decision,
        reflection.lapse,
        reflection.read,
        reflection.reflect,
        reflection.widen,
        reflection.word,
        erasure.plan,
        erasure.fence,
        erasure.erase,
        erasure.close_runs,
        erasure.verify,
        erasure.finish,
    ]


@asynccontextmanager
async def running_worker(
    database_url: str,
    client: Client,
    shipped: Policy,
    *,
    task_queue: str,
    quiet_seconds: float,
    sealing_key: bytes | None = None,
    traces_kept_for: timedelta = TRACES_KEPT_FOR,
    reflect_every: timedelta | None = None,
    narrator: Narrator | None = None,
    extractor: Extractor | None = None,
    model: LanguageModel | None = None,
    embedder: Embedder | None = None,
    webhook_hosts: Collection[str] = (),
    signal_targets: Collection[str] = (),
    interceptors: Sequence[Interceptor] = (),
) -> AsyncGenerator[None]:
    """A worker and its relays at work for as long as the context lasts; steps in flight are finished.

    `shipped` is the policy of every tenant that has none of its own. `narrator` and `extractor` are the rules, the
    bundled ones unless given; `model` works beside them. With an `embedder` what is indexed gets its vectors; raises
    `InvalidInput` where those of another model serve. Traces are forgotten once they were kept for as long as it says,
    and without `reflect_every` experience is reflected on when somebody asks alone. Without a `sealing_key`, the same
    for all workers, what was erased is looked for by its ids alone. `webhook_hosts` and `signal_targets` are those that
    the operator has allowed by name.
    """
    narrator, extractor = narrator or TemplateNarrator(), extractor or RuleExtractor()
    async with (
        Database(database_url) as database,
        Database(database_url, Role.RELAY, pool_size=3) as relay,
        Database(database_url, Role.ERASER, pool_size=3) as eraser,
        Listener(database_url, outbox.CHANNEL) as listener,
        aclosing(WebhookSender(webhook_hosts)) as sender,
        Worker(
            client,
            task_queue=task_queue,
            activities=steps(
                database,
                Policies(database, shipped),
                narrator,
                extractor,
                model,
                ways=Ways(sender, Allowed(webhook_hosts, signal_targets), client),
                eraser=eraser,
                runs=WorkflowRuns(client),
                sealer=None if sealing_key is None else Sealer(sealing_key),
            ),
            interceptors=list(interceptors),
            max_concurrent_activities=STEPS_AT_ONCE if model is None else STEPS_BESIDE_A_MODEL,
            graceful_shutdown_timeout=SHUTDOWN,
        ),
    ):
        dispatcher = Dispatcher(relay, client, listener, task_queue=task_queue, quiet_seconds=quiet_seconds)
        retention = TraceRetention(relay, database, traces_kept_for)
        async with AsyncExitStack() as beside:
            await beside.enter_async_context(_running("dispatcher", dispatcher.run()))
            await beside.enter_async_context(_running("retention", retention.run()))
            if reflect_every is not None:
                schedules = ReflectionSchedules(relay, client, reflect_every, task_queue=task_queue)
                await beside.enter_async_context(_running("schedules", schedules.run()))
            if embedder is None:
                yield
                return
            space = await own_space(database, embedder)
            async with Listener(database_url, outbox.CHANNEL) as heard:
                embedding = EmbeddingRelay(relay, database, heard, embedder, space)
                async with _running("embedding", embedding.run()):
                    yield


@asynccontextmanager
async def _running(name: str, work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Have something run beside for as long as the context lasts."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
