"""Fill the fixed store through the service, see that it is as labelled, and ask every question."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from evals.read.fixed.cases import Cases, Query, Record, Stated, Told
from models.errors import InvalidInput, NotFound, Unavailable
from models.events import EventType
from models.explanation import Step
from models.facts import Fact, Status, status_at
from models.principals import Principal
from models.recall import RecallAnswer, RecallRequest
from models.statements import Statement, Withdrawal
from recall.memories import FactRead
from runtime.service import Service

PATIENCE_SECONDS = 150
AT_ONCE = 8
LIMIT = 10
READER = "olga"
"""An operator, who may read all of a tenant."""
ENDED = "-ended"
"""What the label of a record has behind it for the words with which it was taken back."""
_T = TypeVar("_T")
_R = TypeVar("_R")
_Said = TypeVar("_Said", Stated, Told)


class Asked(NamedTuple):
    """A question and what came back: labels in order, each once; an id where no label stands for it.

    `missing` are those that the answer says it has left out, `told` those that it tells of as sides of a conflict: as
    challengers, or as what gave way by a rule. `dropped` has the step at which an expected one fell that is not shown.
    """

    query: Query
    as_of: datetime
    shown: tuple[str, ...]
    missing: frozenset[str]
    told: frozenset[str]
    dropped: Mapping[str, str]
    milliseconds: float


class Store:
    """The fixed store in tenants of its own. `facts` has each stated record as it is stored, once it is filled."""

    def __init__(self, service: Service, cases: Cases, run: str) -> None:
        self._service = service
        self._cases = cases
        self._run = run
        self._now = datetime.now(UTC)
        self._ids: dict[str, UUID] = {}
        self.facts: Mapping[str, Fact] = {}

    async def fill(self) -> None:
        """Say everything. Raises `InvalidInput` where a record is not what its label says."""
        stated = {name: each for name, each in self._cases.records.items() if isinstance(each, Stated)}
        told = [each for each in self._cases.records.values() if isinstance(each, Told)]
        tenants = sorted({each.tenant for each in (*stated.values(), *told)})
        for tenant in tenants:
            await self._service.add_tenant(self._principal(tenant, READER))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                # Episodes say by what names things go, so they are told first.
                await self._all(self._tell, told)
                for wave in _waves(stated.values()):
                    await self._all(self._state, wave)
                for status, end in ((Status.RETIRED, self._retire), (Status.RETRACTED, self._retract)):
                    await _at_once(end, [each for each in stated.values() if each.status is status])
                for tenant in tenants:
                    await self._service.embedded(self._principal(tenant, READER))
        except TimeoutError:
            raise Unavailable(
                f"not filled after {PATIENCE_SECONDS} s; see that nothing else keeps the machine"
            ) from None
        read = await _at_once(self._read, list(stated.values()))
        self.facts = dict(zip(stated, read, strict=True))
        for name, fact in self.facts.items():
            if (status := status_at(fact, datetime.now(UTC))) is not stated[name].status:
                raise InvalidInput(
                    f"{name} is {status.value} and not {stated[name].status.value}; mend the data"
                )

    async def ask(self, query: Query) -> Asked:
        """One question, as whoever asks it would."""
        principal = self._principal(query.tenant, query.by)
        request = RecallRequest(
            scope=query.scope,
            query=query.ask,
            entities=query.entities,
            as_of=None if query.as_of is None else self._ago(query.as_of),
            budget_tokens=query.budget,
            limit=LIMIT,
        )
        started = time.perf_counter()
        answer = await self._service.recall(principal, request)
        milliseconds = 1_000 * (time.perf_counter() - started)
        names = {stored: name for name, stored in self._ids.items()}
        shown = tuple(dict.fromkeys(names.get(stored, str(stored)) for stored in _shown(answer)))
        return Asked(
            query=query,
            as_of=answer.as_of,
            shown=shown,
            missing=frozenset(names.get(stored, str(stored)) for stored in answer.missing),
            told=frozenset(names[stored] for stored in _told(answer) if stored in names),
            dropped={
                name: await self._step(principal, name, request)
                for name in sorted(query.expect.difference(shown))
            },
            milliseconds=milliseconds,
        )

    async def _step(self, principal: Principal, name: str, request: RecallRequest) -> str:
        """The step of the read path that dropped a record; what nobody may know of fell at the first."""
        try:
            return str((await self._service.explain(principal, self._ids[name], request)).dropped_at)
        except NotFound:
            return Step.SCOPE.value

    async def _all(self, say: Callable[[_Said], Awaitable[UUID]], records: Sequence[_Said]) -> None:
        said = await _at_once(say, records)
        self._ids |= {record.id: stored for record, stored in zip(records, said, strict=True)}

    async def _tell(self, record: Told) -> UUID:
        """Publish an activity and wait for its episode."""
        speaker = self._speaker(record)
        told_at = self._ago(record.ago)
        common = {"activity_id": record.id, "scope": record.scope}
        events: list[dict[str, Any]] = [
            {**common, "type": EventType.MESSAGE.value, "text": text} for text in record.turns
        ]
        events[0]["entities"] = [each.model_dump(exclude_none=True) for each in record.entities]
        events.append({**common, "type": EventType.ACTIVITY_COMPLETED.value})
        for place, event in enumerate(events):
            event["occurred_at"] = (told_at + timedelta(minutes=place)).isoformat()
        receipt = (await self._service.publish(speaker, events))[0]
        await self._service.settle(speaker, [receipt.activity_id])
        episode = await self._service.episode_of(speaker, receipt.activity_id)
        if episode is None:
            raise InvalidInput(f"{record.id} was not worth an episode; mend the data")
        return episode.id

    async def _state(self, record: Stated) -> UUID:
        statement = Statement(
            scope=record.scope,
            attribute=record.attribute,
            entity=record.entity,
            value=record.value,
            text=record.text,
            ends_when=record.ends_when,
            expires_at=None if record.expires is None else self._ago(-record.expires),
            valid_from=None if record.begins is None else self._ago(-record.begins),
            occurred_at=self._ago(record.ago),
        )
        stated = await self._service.remember(self._speaker(record), statement)
        if stated.decided is None or stated.decided.fact_id is None:
            reason = stated.decided.reason if stated.decided else "not decided in time"
            raise InvalidInput(f"{record.id} made no record ({reason}); mend the data")
        return stated.decided.fact_id

    async def _retire(self, record: Stated) -> UUID:
        shown = {
            "activity_id": f"end-{record.id}",
            "type": EventType.NOTE.value,
            "scope": record.scope,
            "occurred_at": self._ago(1).isoformat(),
            "text": "It is over.",
        }
        [receipt] = await self._service.publish(self._speaker(record), [shown])
        await self._service.confirm(self._speaker(record), self._ids[record.id], receipt.event_id)
        return receipt.event_id

    async def _retract(self, record: Stated) -> UUID:
        speaker, withdrawal = self._speaker(record), Withdrawal(text="This no longer holds.")
        stated = await self._service.retract(speaker, self._ids[record.id], withdrawal)
        # A correction is worth an episode: it can be found by its words like any other.
        await self._service.settle(speaker, [stated.activity_id])
        episode = await self._service.episode_of(speaker, stated.activity_id)
        if episode is not None:
            self._ids[record.id + ENDED] = episode.id
        return stated.event_id

    async def _read(self, record: Stated) -> Fact:
        read = await self._service.memory(self._principal(record.tenant, READER), self._ids[record.id])
        assert isinstance(read, FactRead)
        return read.fact

    def _speaker(self, record: Record) -> Principal:
        return self._principal(record.tenant, record.by)

    def _principal(self, tenant: str, name: str) -> Principal:
        voice = self._cases.cast[name]
        return Principal(tenant=f"{tenant}-{self._run}", subject=name, kind=voice.kind, roles=voice.roles)

    def _ago(self, days: float) -> datetime:
        return self._now - timedelta(days=days)


def _shown(answer: RecallAnswer) -> list[UUID]:
    """The records of an answer in order: facts, and the episodes that its passages are of."""
    return [*(fact.id for fact in answer.facts), *(passage.episode_id for passage in answer.passages)]


def _told(answer: RecallAnswer) -> list[UUID]:
    """Sides of conflicts that govern nothing here, of which the answer tells all the same."""
    return [
        stored
        for conflict in answer.conflicts
        for stored in (*conflict.yielded, *(each.id for each in conflict.challengers))
    ]


def _waves(records: Iterable[Stated]) -> list[list[Stated]]:
    """Facts in turns, each after the one that it comes after."""
    left = list(records)
    said: set[str | None] = {None}
    waves: list[list[Stated]] = []
    while left:
        wave = [each for each in left if each.after in said]
        if not wave:
            raise InvalidInput(f"{left[0].id} comes after what is never said; mend the data")
        said.update(each.id for each in wave)
        left = [each for each in left if each.id not in said]
        waves.append(wave)
    return waves


async def _at_once(call: Callable[[_T], Awaitable[_R]], each: Sequence[_T]) -> list[_R]:
    """What `call` answers to each, in their order, a few of them at a time."""
    free = asyncio.Semaphore(AT_ONCE)

    async def one(item: _T) -> _R:
        async with free:
            return await call(item)

    return list(await asyncio.gather(*map(one, each)))
