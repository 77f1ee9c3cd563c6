"""The step that delivers what is due to one endpoint: some of it at once, each in its own message.

What is sent is sent outside of any transaction, and written afterwards. Whoever dies in between has it sent again with
the same id: at least once, and never lost. What is sent goes to the endpoint alone: the answer has counts and instants.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from temporalio import activity
from temporalio.client import Client
from temporalio.service import RPCError

from activities.heartbeats import beating
from models.attempts import Answer, Ending, Verdict, next_attempt, told, verdict_on
from models.circuit import Circuit, after, may_send
from models.deliveries import body_of, message_id, signal_of, wakes_at
from models.endpoints import Allowed, Endpoint, EndpointKind
from models.errors import InvalidInput
from models.intentions import Fate, Intention
from models.messages import Delivered, DeliveryRef
from models.signals import signal_target
from models.webhooks import target_of
from providers.webhooks.sender import WebhookSender
from store import deliveries, endpoints, evidence, intentions
from store.deliveries import Attempted, Waiting
from store.endpoints import Known
from store.engine import Database
from store.unit_of_work import UnitOfWork

BATCH = 50
"""Messages of one step."""
AT_ONCE = 10
"""Of these so many are under way at a time."""
_SIGNAL_TIME = timedelta(seconds=10)

Clock = Callable[[], datetime]


class Ways(NamedTuple):
    """By what something leaves: webhooks, to the operator's hosts or public ones, and signals to what they allow."""

    sender: WebhookSender
    allowed: Allowed
    client: Client


class _Sent(NamedTuple):
    """A message that was sent, what came of it, and when."""

    waiting: Waiting
    answer: Answer
    at: datetime


class _Batch(NamedTuple):
    """What is to be sent to an endpoint now."""

    known: Known
    waiting: Sequence[Waiting]
    of: dict[object, Intention]


class DeliverySteps:
    """The step, with what it needs."""

    def __init__(self, database: Database, ways: Ways) -> None:
        self._database = database
        self._ways = ways

    @activity.defn(name="keepwell.deliver_batch")
    async def deliver_batch(self, ref: DeliveryRef) -> Delivered:
        """Send up to a batch of what is due at an endpoint; how many arrived, and when something is due next."""
        clock = _clock(ref.now)
        async with self._database.transaction(ref.tenant_id) as work:
            batch = await _read(work, ref, clock())
        async with beating():
            sent = [] if batch is None else await self._send_all(ref, batch, clock)
        async with self._database.transaction(ref.tenant_id) as work:
            return await _record(work, ref, sent, clock())

    async def _send_all(self, ref: DeliveryRef, batch: _Batch, clock: Clock) -> list[_Sent]:
        """Send one after another in some lines at once, until nothing is left or the endpoint is to be left alone."""
        left, sent = deque(batch.waiting), list[_Sent]()
        circuit, wanted = batch.known.endpoint.circuit, True

        async def line() -> None:
            nonlocal circuit, wanted
            while left and wanted and may_send(circuit, clock(), 1):
                waiting = left.popleft()
                intention = batch.of[waiting.occurrence.intention_id]
                answer = await self._send(ref, batch.known, waiting, intention)
                sent.append(_Sent(waiting, answer, clock()))
                wanted = wanted and verdict_on(answer) is not Verdict.SWITCH_OFF
                circuit = _after(circuit, sent[-1])

        async with asyncio.TaskGroup() as lines:
            for _ in range(min(AT_ONCE, len(left))):
                lines.create_task(line())
        return sent

    async def _send(self, ref: DeliveryRef, known: Known, waiting: Waiting, intention: Intention) -> Answer:
        occurrence, address = waiting.occurrence, known.endpoint.address
        if known.endpoint.kind is EndpointKind.WORKFLOW:
            try:
                workflow_id, signal = signal_target(address, ref.tenant_id, self._ways.allowed.signals)
            except InvalidInput:
                # The operator allows it no more.
                return Answer(Ending.NOT_ALLOWED)
            to = self._ways.client.get_workflow_handle(workflow_id)
            try:
                await to.signal(signal, signal_of(ref.tenant_id, occurrence), rpc_timeout=_SIGNAL_TIME)
            except RPCError:
                return Answer(Ending.NO_WORKFLOW)
            return Answer(Ending.SIGNALLED)
        try:
            target = target_of(address, self._ways.allowed.hosts)
        except InvalidInput:
            # The operator allows the host no more.
            return Answer(Ending.NOT_PUBLIC)
        body = body_of(occurrence, intention)
        return await self._ways.sender.send(
            target, message_id(occurrence), datetime.now(UTC), body, known.secrets
        )


def _clock(now: datetime) -> Clock:
    """A clock that is at `now` at least, by Temporal's, which may run ahead of this machine's."""
    ahead = max(now - datetime.now(UTC), timedelta(0))
    return lambda: datetime.now(UTC) + ahead


def _after(circuit: Circuit, sent: _Sent) -> Circuit:
    verdict = verdict_on(sent.answer)
    if verdict is Verdict.SWITCH_OFF:
        return circuit
    return after(circuit, succeeded=verdict is Verdict.DELIVERED, now=sent.at)


async def _read(work: UnitOfWork, ref: DeliveryRef, now: datetime) -> _Batch | None:
    known = await endpoints.get(work, ref.endpoint_id)
    if known is None or known.endpoint.disabled_at is not None:
        return None
    most = may_send(known.endpoint.circuit, now, BATCH)
    waiting = await deliveries.due(work, ref.endpoint_id, now, most)
    of = await intentions.by_ids(work, [each.occurrence.intention_id for each in waiting])
    return _Batch(known, waiting, {**of})


async def _record(work: UnitOfWork, ref: DeliveryRef, sent: Sequence[_Sent], now: datetime) -> Delivered:
    """Write what came of what was sent."""
    held = await endpoints.hold(work, ref.endpoint_id)
    if held is None:
        return Delivered(sent=0, delivered=0, wakes_at=None)
    attempted = [became for each in sent if (became := _became(each)) is not None]
    counts = await deliveries.record(work, attempted)
    written = [each for each in attempted if each.of.id in counts]
    settled = [_declared(each) for each in written if each.fate is not Fate.DUE]
    await evidence.declare_all(work, evidence.Kind.INTENTION, settled)
    there = await _stand(work, held.endpoint, sent)
    next_at = await deliveries.next_at(work, ref.endpoint_id, now)
    return Delivered(
        sent=len(sent),
        delivered=sum(each.fate is Fate.DELIVERED for each in written),
        wakes_at=wakes_at(there.circuit, there.disabled_at, next_at),
    )


def _became(sent: _Sent) -> Attempted | None:
    """What an occurrence has become; None for one that waits as before, at an endpoint that is switched off."""
    occurrence, attempts, first_sent_at = sent.waiting
    match verdict_on(sent.answer):
        case Verdict.DELIVERED:
            return Attempted(occurrence, Fate.DELIVERED, sent.at, None)
        case Verdict.SWITCH_OFF:
            return None
        case Verdict.TRY_AGAIN:
            first_at = first_sent_at or sent.at
            again = next_attempt(
                message_id(occurrence), attempts + 1, first_at, sent.at, sent.answer.retry_after
            )
            return Attempted(occurrence, Fate.DUE if again else Fate.DEAD_LETTERED, sent.at, again)


async def _stand(work: UnitOfWork, there: Endpoint, sent: Sequence[_Sent]) -> Endpoint:
    """Write how an endpoint, which is held, stands after what was sent to it."""
    if not sent:
        return there
    circuit, disabled_at, reason = there.circuit, there.disabled_at, there.reason
    for each in sent:
        circuit = _after(circuit, each)
        verdict = verdict_on(each.answer)
        if verdict is Verdict.SWITCH_OFF:
            disabled_at = disabled_at or each.at
        if disabled_at is None or verdict is Verdict.SWITCH_OFF:
            reason = None if verdict is Verdict.DELIVERED else told(each.answer)
    return await endpoints.stand(work, there.id, circuit, disabled_at, reason)


def _declared(attempted: Attempted) -> evidence.Transition:
    arrived = attempted.fate is Fate.DELIVERED
    return evidence.Transition(
        record_id=attempted.of.intention_id,
        from_status=Fate.DUE.value,
        to_status=attempted.fate.value,
        rule="deliver" if arrived else "dead_letter",
        reason="taken_by_endpoint" if arrived else "never_taken_by_endpoint",
        actor="keepwell",
        actor_role=None,
        event_id=None,
        effective_at=attempted.at,
    )
