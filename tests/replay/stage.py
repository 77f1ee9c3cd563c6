"""A stage for recordings: the service with a worker behind it, and ways to hold it up at the right moment."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from models.candidates import Proposal
from models.episodes import Outline
from models.errors import Unavailable
from models.events import StoredEvent
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from providers.narrators import TemplateNarrator
from providers.protocols import Embedder, Vector
from providers.rule_extractor import RuleExtractor
from runtime.reembedding import reembed_with
from runtime.service import Service
from store import outbox, vectors
from store.engine import Database
from store.policies import Policies
from tests.replay.branches import CANARY
from tests.world import MASKER, WEBHOOK_HOSTS, World, event
from workflows import ids

QUEUE = "recording"
SUGGEST_CONTINUE_AS_NEW_AT = 120
"""Events of a history after which Temporal suggests to continue as new; far fewer than its own figure."""
POLL_SECONDS = 0.05
SERVER = {"id": f"cloud-instance:{CANARY}", "name": f"bench-{CANARY}"}


class StumblingNarrator(TemplateNarrator):
    """Fails at its first try on an activity that is listed, with an error that is full of content."""

    def __init__(self) -> None:
        self.stumbles: set[UUID] = set()

    async def narrate(self, outline: Outline, events: Sequence[StoredEvent]) -> str:
        if events[0].activity_id in self.stumbles:
            self.stumbles.remove(events[0].activity_id)
            raise RuntimeError(f"cannot tell of {CANARY}: {events[0].text}")
        return await super().narrate(outline, events)


class InterruptedExtractor(RuleExtractor):
    """While it reads an activity that is listed, further events of that activity are published."""

    def __init__(self) -> None:
        self.interruptions: dict[UUID, list[dict[str, Any]]] = {}
        self.stage: Stage | None = None

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        waiting = self.interruptions.get(events[0].activity_id)
        if waiting:
            assert self.stage is not None
            await self.stage.world.publish(self.stage.lead, waiting.pop(0))
            await self.stage.delivered()
        return await super().propose(events, attributes)


class OneDirection:
    """An embedder to which everything is alike; what vectors say is nothing that a history could hold."""

    model = "one-direction"
    dimension = 3
    floor = 0.0
    remote = False

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [[1.0, 0.0, 0.0] for _ in texts]


class _HeldSteps(ActivityInboundInterceptor):
    def __init__(self, following: ActivityInboundInterceptor, hold: "HoldAnswers") -> None:
        super().__init__(following)
        self._hold = hold

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        if self._hold.failing == activity.info().activity_type:
            self._hold.failing = None
            raise ApplicationError("it cannot be done", type="invalid_input", non_retryable=True)
        answer = await super().execute_activity(input)
        if self._hold.step == activity.info().activity_type:
            self._hold.holds.set()
            await self._hold.go.wait()
        return answer


class HoldAnswers(Interceptor):
    """Holds the answer of a step back: what it did is committed, and its workflow has not heard of it.

    The step that is `failing` fails for good, once.
    """

    def __init__(self) -> None:
        self.step: str | None = None
        self.failing: str | None = None
        self.holds = asyncio.Event()
        self.go = asyncio.Event()

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        return _HeldSteps(next, self)

    @contextmanager
    def after(self, step: str) -> Iterator[None]:
        """Hold the answers of `step` back until the block ends."""
        self.step = step
        self.holds.clear()
        self.go.clear()
        try:
            yield
        finally:
            self.step = None
            self.go.set()


class Stage:
    """The service, a tenant for the branch that is being played, and the database as its owner sees it."""

    def __init__(
        self,
        client: Client,
        database: Database,
        owner: AsyncEngine,
        policy: Policy,
        narrator: StumblingNarrator,
        extractor: InterruptedExtractor,
        answers: HoldAnswers,
    ) -> None:
        self.client = client
        self.narrator = narrator
        self.extractor = extractor
        self.answers = answers
        extractor.stage = self
        self._database = database
        self._owner = owner
        self._policies = Policies(database, policy)
        self._service = Service(
            database, self._policies, client, masker=MASKER, task_queue=QUEUE, webhook_hosts=WEBHOOK_HOSTS
        )
        self._next_tenant()

    def _next_tenant(self) -> None:
        self.world = World(self._service, self._database, f"tenant-{uuid4().hex[:12]}")
        self.lead = self.world.principal(f"lead-{CANARY}", PrincipalKind.HUMAN, "infra_lead")
        self.other_lead = self.world.principal(f"other-{CANARY}", PrincipalKind.HUMAN, "infra_lead")

    async def empty(self) -> None:
        """Go on with a new tenant."""
        self._next_tenant()
        await self._service.add_tenant(self.world.principal("setup"))

    @property
    def tenant_id(self) -> UUID:
        """The tenant of this branch."""
        return self.lead.tenant_id

    async def say(self, words: str, days: float, who: Principal | None = None, **fields: Any) -> UUID:
        """Publish one correction in an activity of its own, wait until it is digested; the event's id."""
        [receipt] = await self.world.publish(who or self.lead, self.correction(words, days, **fields))
        await self.world.digest([receipt])
        return receipt.event_id

    def correction(self, words: str, days: float, **fields: Any) -> dict[str, Any]:
        """A correction about the server."""
        return event(
            days,
            **{
                "activity_id": f"act-{CANARY}-{days}",
                "type": "correction",
                "text": words,
                "entities": [SERVER],
                **fields,
            },
        )

    async def store_confirmation(self, who: Principal, fact_id: UUID, event_id: UUID) -> None:
        """Store a confirmation as a service does that cannot reach Temporal: only a look will find it."""
        service = Service(self._database, self._policies, None, masker=MASKER, task_queue=QUEUE)
        with suppress(Unavailable):
            await service.confirm(who, fact_id, event_id)

    async def only(self, table: str, column: str) -> UUID:
        """The one value of `column` among the tenant's rows."""
        return (await self.all_of(table, column))[0]

    async def all_of(self, table: str, column: str) -> list[Any]:
        """Different values of `column` among the tenant's rows, oldest first."""
        query = text(
            f"SELECT {column} FROM {table} WHERE tenant_id = :tenant AND {column} IS NOT NULL"
            f" GROUP BY {column} ORDER BY min(ctid)"
        )
        async with self._owner.connect() as connection:
            return list((await connection.execute(query, {"tenant": self.tenant_id})).scalars())

    async def delivered(self) -> None:
        """Return once the outbox is empty."""
        while True:
            async with self._owner.connect() as connection:
                if (await connection.execute(text("SELECT count(*) FROM outbox"))).scalar_one() == 0:
                    return
            await asyncio.sleep(POLL_SECONDS)

    async def hand_over(self, kind: outbox.Kind, subject: UUID) -> None:
        """Have a workflow look, through the outbox, and wait until it has been told."""
        async with self._database.transaction(self.tenant_id) as work:
            await outbox.put(work, kind, [subject])
        await self.delivered()

    @asynccontextmanager
    async def key_held(self, key_id: UUID) -> AsyncGenerator[AsyncConnection]:
        """Hold the lock of a fact key, so that a step that decides on it waits."""
        query = text("SELECT FROM fact_keys WHERE tenant_id = :tenant AND id = :id FOR UPDATE")
        async with self._owner.begin() as connection:
            await connection.execute(query, {"tenant": self.tenant_id, "id": key_id})
            yield connection

    async def reembed(self, embedder: Embedder | None, *, tenants_at_once: int = 50) -> str:
        """Have all vectors be those of this embedder, or none be there; the id of the workflow that did it."""
        queue = f"{QUEUE}-reembed"
        await reembed_with(
            self._database.url, self.client, embedder, task_queue=queue, tenants_at_once=tenants_at_once
        )
        async with self._database.transaction(self.tenant_id) as work:
            space = await vectors.serving(work)
        return ids.reembedding(None if space is None else space.id)

    async def at_a_step(self, workflow_id: str) -> None:
        """Return once a step of the workflow has been handed to the worker."""
        handle = self.client.get_workflow_handle(workflow_id)
        while not (await handle.describe()).raw_description.pending_activities:
            await asyncio.sleep(POLL_SECONDS)

    async def at_rest(self, workflow_id: str) -> None:
        """Return once the workflow waits for something that is not ours to give."""
        handle = self.client.get_workflow_handle(workflow_id)
        while True:
            raw = (await handle.describe()).raw_description
            if not raw.HasField("pending_workflow_task") and not raw.pending_activities:
                return
            await asyncio.sleep(POLL_SECONDS)
