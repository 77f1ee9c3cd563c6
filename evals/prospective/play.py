"""Play runs through the service, side by side, each in a tenant of its own, and see what comes into the inbox.

Each ends with a witness: an intention set last and cued last. What happened before was looked at before, so that when
the witness has come whatever was silent until then stays silent.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from capture.inbox import Due
from evals.prospective.score import Judged, scored
from evals.prospective.scripts import SEED, Run, Step, latest_instant, told
from models.errors import Unavailable
from models.intention_changes import AcknowledgementGiven, Cancellation, Rescheduling, Snooze, Take
from models.intentions import NewIntention
from models.principals import Principal, PrincipalKind
from models.statements import Statement, Withdrawal
from runtime.service import Service
from store import occurrences
from store.listen import Listener

AT_ONCE = 16
"""Runs side by side; the long ones wait most of the time."""
PATIENCE_SECONDS = 90.0
LOOK_SECONDS = 0.5
"""How often an inbox is looked into though nothing was heard: what was put off comes without a word."""
_WITNESS = "witness"


class Bell:
    """Rings for every reader when something has come into some inbox."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    async def hear(self, listener: Listener) -> None:
        """Ring each time that something is heard, until cancelled."""
        while True:
            await listener.wait(LOOK_SECONDS)
            rung, self._rung = self._rung, asyncio.Event()
            rung.set()

    async def wait(self) -> None:
        """Wait for the next ring."""
        await self._rung.wait()


@asynccontextmanager
async def ringing(database_url: str) -> AsyncGenerator[Bell]:
    """A bell for as long as the context lasts."""
    bell = Bell()
    async with Listener(database_url, occurrences.CHANNEL) as listener:
        hearing = asyncio.create_task(bell.hear(listener))
        try:
            yield bell
        finally:
            hearing.cancel()
            with suppress(asyncio.CancelledError):
                await hearing


async def play(service: Service, database_url: str, runs: Sequence[Run]) -> list[Judged]:
    """What came of each run, in their order."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(run: Run, bell: Bell) -> Judged:
        async with room:
            return await _Player(service, run, bell).play()

    async with ringing(database_url) as bell, asyncio.TaskGroup() as group:
        playing = [group.create_task(one(run, bell)) for run in runs]
    return [each.result() for each in playing]


class _Player:
    """One run: who acts in it, what was set and stated, and what came."""

    def __init__(self, service: Service, run: Run, bell: Bell) -> None:
        self._service = service
        self._run = run
        self._bell = bell
        tenant = f"prospective-{uuid4().hex[:12]}"
        roles = run.setting.roles
        self._agent = Principal(tenant=tenant, subject="ops-agent", kind=PrincipalKind.AGENT, roles=roles)
        lead = ("infra_lead",) if {"agent", "developer"} & set(roles) else ("operator",)
        self._lead = Principal(tenant=tenant, subject="dana", kind=PrincipalKind.HUMAN, roles=lead)
        self._draw = random.Random(f"{SEED} {run.id}")
        self._names: dict[UUID, str] = {}
        self._set: dict[str, UUID] = {}
        self._past: dict[str, datetime] = {}
        self._facts: dict[str, str] = {}
        self._came: Counter[str] = Counter()
        self._held: dict[str, Due] = {}
        self._to_put_off = {step.name for step in run.steps if step.do == "snooze"}
        self._seen: set[UUID] = set()
        self._fired_late: list[float] = []
        self._taken_late: list[float] = []
        self._does: Mapping[str, Callable[[Step], Awaitable[None]]] = {
            "set": self._set_one,
            "meanwhile": self._meanwhile,
            "say": self._say_so,
            "state": self._state,
            "retract": self._retract,
            "cancel": self._cancel,
            "reschedule": self._reschedule,
            "snooze": self._snooze,
            "await": self._await_it,
            "past": self._get_past,
            "settled": self._settle,
        }

    async def play(self) -> Judged:
        """Play all steps and the witness; what came of it."""
        await self._service.add_tenant(self._agent)
        reading = asyncio.create_task(self._read())
        try:
            for step in self._run.steps:
                await self._does[step.do](step)
            await self._hear_witness()
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        await self._take()
        del self._came[_WITNESS]
        return Judged(
            self._run.id,
            scored({**dict.fromkeys(self._set, 0), **self._run.fires}, self._came),
            self._run.kinds,
            self._run.near,
            self._fired_late,
            self._taken_late,
        )

    async def _set_one(self, step: Step) -> None:
        now = _now()
        # A recurrence counts in whole seconds.
        now = now.replace(microsecond=0) if "every" in step.said else now
        whole = {"scope": self._run.setting.scope, **told(step.said, now, self._facts)}
        if (latest := latest_instant(step.said, now)) is not None:
            self._past[step.name] = latest
        made = await self._service.intentions.intend(self._agent, NewIntention.model_validate(whole))
        self._set[step.name] = made.intention_id
        self._names[made.intention_id] = step.name

    async def _meanwhile(self, step: Step) -> None:
        for _ in range(step.events[0]):
            await self._distract()

    async def _say_so(self, step: Step) -> None:
        await self._say(step.event)

    async def _retract(self, step: Step) -> None:
        await self._service.retract(self._lead, UUID(self._facts[step.name]), Withdrawal(text="no more"))

    async def _cancel(self, step: Step) -> None:
        await self._service.intentions.cancel(self._agent, self._set[step.name], Cancellation())

    async def _reschedule(self, step: Step) -> None:
        said = Rescheduling.model_validate(told(step.said, _now(), {}))
        await self._service.intentions.reschedule(self._agent, self._set[step.name], said)

    async def _await_it(self, step: Step) -> None:
        await self._await(step.name, step.times)

    async def _get_past(self, step: Step) -> None:
        await asyncio.sleep((self._past[step.name] - _now()).total_seconds() + 0.05)

    async def _settle(self, _: Step) -> None:
        await self._hear_witness()

    async def _say(self, event: Mapping[str, object]) -> None:
        whole = {"activity_id": self._run.id, "occurred_at": _now().isoformat(), **event}
        await self._service.publish(self._lead, [whole])

    async def _distract(self) -> None:
        setting, draw = self._run.setting, self._draw
        data = {setting.field: draw.choice(setting.unrelated)} if draw.random() < 0.4 else {}
        kind = draw.choice(("note", "message", "tool_result", "observation"))
        await self._say(
            {"type": kind, "scope": setting.scope, "text": draw.choice(setting.distractors), "data": data}
        )

    async def _state(self, step: Step) -> None:
        fact = self._run.setting.fact
        said = {"scope": self._run.setting.scope, "attribute": fact.attribute, "value": step.value}
        whole = {**said, **({} if fact.entity is None else {"entity": fact.entity})}
        stated = await self._service.remember(self._lead, Statement.model_validate(whole))
        assert stated.decided is not None, f"{self._run.id}: {step.name} was not decided"
        assert stated.decided.fact_id is not None, f"{self._run.id}: {step.name} makes no fact"
        self._facts[step.name] = str(stated.decided.fact_id)

    async def _snooze(self, step: Step) -> None:
        await self._await(step.name, 1)
        self._to_put_off.discard(step.name)
        due = self._held.get(step.name)
        if due is not None:
            said = Snooze.model_validate({**step.said, "lease": due.lease})
            await self._service.inbox.snooze(self._agent, due.occurrence.id, said)

    async def _hear_witness(self) -> None:
        """Set an intention, and have what it waits for happen; return when it has come."""
        name = f"{_WITNESS}-{uuid4().hex[:8]}"
        scope = self._run.setting.scope
        cue = {"conditions": [{"field": "data.ticket", "value": name}]}
        new = NewIntention.model_validate({"action": "Say that all is over", "scope": scope, "on": cue})
        made = await self._service.intentions.intend(self._agent, new)
        self._names[made.intention_id] = _WITNESS
        before = self._came[_WITNESS]
        await self._say({"type": "note", "scope": scope, "data": {"ticket": name}})
        await self._await(_WITNESS, before + 1)
        if self._came[_WITNESS] == before:
            raise Unavailable(
                f"{self._run.id}: no witness after {PATIENCE_SECONDS:g} s, so nothing can be said of it"
            )

    async def _await(self, name: str, times: int) -> None:
        """Wait until an intention has come so often. One that does not is missed, which the score says."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                while self._came[name] < times:
                    await self._bell.wait()
                    await asyncio.sleep(0)

    async def _read(self) -> None:
        while True:
            await self._take()
            await self._bell.wait()

    async def _take(self) -> None:
        for due in await self._service.inbox.take(self._agent, Take(limit=100)):
            name = self._names.get(due.intention.id)
            # It may come before the call that sets it has returned; whatever is set has a name by then.
            while name is None:
                await asyncio.sleep(0.01)
                name = self._names.get(due.intention.id)
            if due.occurrence.id not in self._seen and name != _WITNESS:
                self._seen.add(due.occurrence.id)
                late = due.occurrence.fired_at - due.occurrence.due_at
                self._fired_late.append(max(0.0, late.total_seconds()))
                self._taken_late.append((_now() - due.occurrence.due_at) / timedelta(seconds=1))
            if name in self._to_put_off:
                self._held[name] = due
            else:
                said = AcknowledgementGiven(lease=due.lease)
                await self._service.inbox.acknowledge(self._agent, due.occurrence.id, said)
            # What has come is dealt with by then, so that no step of the script takes it back meanwhile.
            self._came[name] += 1


def _now() -> datetime:
    return datetime.now(UTC)
