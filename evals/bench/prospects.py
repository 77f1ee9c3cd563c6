"""Thousands of intentions of one tenant, written past the service, and the readers of its inboxes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from evals.bench.stage import Stage
from models.errors import KeepwellError, Unavailable
from models.intention_changes import Take
from models.intentions import NewIntention, Owner
from models.principals import Principal, PrincipalKind
from store import occurrences
from store.listen import Listener

OWNERS = 5
SCOPE = {"workspace": "bench"}
LEASE_SECONDS = 3_600.0
PATIENCE_SECONDS = 150.0
_LOOK_SECONDS = 0.2

_COLUMNS = (
    "tenant_id, scope_key, scope, event_id, set_by, set_by_kind, set_by_roles, owner_kind, action, data, not_before,"
    " deadline, grace, timezone, endpoint_id, premises, state, reason"
)
_COPY = f"""
    INSERT INTO intentions ({_COLUMNS}, id, owner, trigger, next_at)
    SELECT {_COLUMNS}, md5(id::text || $2::text || n)::uuid, 'agent-' || n % {OWNERS},
        jsonb_build_object('kind', 'instant', 'at', to_jsonb($3::timestamptz + n * $4::interval)),
        $3::timestamptz + n * $4::interval
    FROM intentions, generate_series(1, $5::integer) AS n WHERE id = $1
"""
_COUNTED = """
    SELECT count(*) AS times, count(DISTINCT o.intention_id) AS those FROM occurrences o WHERE o.tenant_id = $1
"""


class Plan(NamedTuple):
    """So many intentions, due from an instant on with so much time between each and the next."""

    number: int
    first: datetime
    apart: timedelta = timedelta(0)


async def plan(stage: Stage, tenant: str, *plans: Plan) -> Principal:
    """A tenant with these plans, the earliest first. One of them is set by the service, so that the timer is, too."""
    lead = Principal(tenant=tenant, subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
    await stage.service.add_tenant(lead)
    said = {"action": "check the canary", "scope": SCOPE, "at": plans[0].first.isoformat()}
    new = NewIntention.model_validate({**said, "owner": Owner(subject="agent-0").model_dump()})
    made = await stage.service.intentions.intend(lead, new)
    async with stage.bare() as owner:
        async with owner.transaction():
            # Past every trigger, as lineage for each would take longer than what is measured.
            await owner.execute("SET LOCAL session_replication_role = replica")
            for number, each in enumerate(plans):
                count = each.number - (number == 0)
                await owner.execute(_COPY, made.intention_id, str(number), each.first, each.apart, count)
        await owner.execute("ANALYZE intentions")
    return lead


class Taken(NamedTuple):
    """One that came into an inbox: when it was due, when it fired, when it was first taken, and how often it was."""

    due_at: datetime
    fired_at: datetime
    at: datetime
    times: int

    @property
    def fired_late(self) -> float:
        """Seconds from when it was due until it fired."""
        return (self.fired_at - self.due_at).total_seconds()

    @property
    def late(self) -> float:
        """Seconds from when it was due until it was in a reader's hands."""
        return (self.at - self.due_at).total_seconds()


class Readers:
    """One reader for each owner, who take whatever comes as soon as it does, and lay it aside."""

    def __init__(self, stage: Stage, tenant: str, lease_seconds: float) -> None:
        self._stage = stage
        self._tenant = tenant
        self._take = Take(limit=100, lease_seconds=lease_seconds)
        self.taken: dict[UUID, Taken] = {}

    async def read(self, number: int) -> None:
        """Read one inbox until cancelled. What does not answer is asked again."""
        agent = Principal(
            tenant=self._tenant, subject=f"agent-{number}", kind=PrincipalKind.AGENT, roles=("agent",)
        )
        while True:
            with suppress(KeepwellError, OSError):
                async with Listener(self._stage.database_url, occurrences.CHANNEL) as heard:
                    while True:
                        if not await self._take_some(agent):
                            await heard.wait(_LOOK_SECONDS)
            await asyncio.sleep(_LOOK_SECONDS)

    async def _take_some(self, agent: Principal) -> bool:
        found = await self._stage.service.inbox.take(agent, self._take)
        at = datetime.now(UTC)
        for due in found:
            one = due.occurrence
            there = self.taken.get(one.intention_id, Taken(one.due_at, one.fired_at, at, 0))
            self.taken[one.intention_id] = there._replace(times=there.times + 1)
        return bool(found)

    async def all(self, count: int) -> list[Taken]:
        """All of them, once they are there. Raises `Unavailable` where they do not come."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while len(self.taken) < count:
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            raise Unavailable(f"{len(self.taken)} of {count} came within {PATIENCE_SECONDS:g} s") from None
        return list(self.taken.values())


@asynccontextmanager
async def reading(
    stage: Stage, lead: Principal, lease_seconds: float = LEASE_SECONDS
) -> AsyncGenerator[Readers]:
    """Readers at work for as long as the context lasts."""
    readers = Readers(stage, lead.tenant, lease_seconds)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(readers.read(number)) for number in range(OWNERS)]
        yield readers
        for task in tasks:
            task.cancel()


async def require_once(stage: Stage, lead: Principal, count: int, taken: Sequence[Taken] = ()) -> None:
    """Raise unless so many have fired, each once; and those that were taken, taken once."""
    async with stage.bare() as owner:
        row: Any = await owner.fetchrow(_COUNTED, lead.tenant_id)
    if (row["times"], row["those"]) != (count, count):
        raise Unavailable(
            f"{row['times']} occurrences of {row['those']} intentions, where {count} were due once"
        )
    if twice := sum(each.times > 1 for each in taken):
        raise Unavailable(f"{twice} were handed out twice under a lease that held")
