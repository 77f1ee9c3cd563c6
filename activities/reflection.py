"""Steps of reflection: read what episodes teach, and propose what recurs. Each can be tried again at any time."""

from datetime import UTC, datetime

from temporalio import activity

from activities.heartbeats import beating
from capture.reflecting import reflect
from models.experiences import experience_of
from models.messages import ExperiencesRead, Reflected, ReflectionLook, TenantMessage
from store import events, experiences
from store.engine import Database
from store.policies import Policies

AT_ONCE = 200
"""Episodes that one step reads."""
MOST = 20_000
"""The latest so many episodes of the time that is looked at are reflected on."""


class ReflectionSteps:
    """The steps, with what they need."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    @activity.defn(name="keepwell.read_experiences")
    async def read(self, ref: TenantMessage) -> ExperiencesRead:
        """Read some episodes that are new, or were built anew; what one teaches follows from its events alone."""
        async with beating(), self._database.transaction(ref.tenant_id) as work:
            unread = await experiences.unread(work, AT_ONCE)
            found = [
                (each, experience_of(each.episode_id, await events.of_activity(work, each.activity_id)))
                for each in unread
            ]
            await experiences.write(work, found)
        return ExperiencesRead(read=len(unread), more=len(unread) == AT_ONCE)

    @activity.defn(name="keepwell.reflect")
    async def reflect(self, ref: ReflectionLook) -> Reflected:
        """Propose what recurs, by the policy's classes of procedures; nothing without any."""
        policy = await self._policies.of(ref.tenant_id)
        if not policy.procedures:
            return Reflected()
        now = max(ref.now, datetime.now(UTC))
        within = max(rules.recurrence.within for rules in policy.procedures.values())
        async with beating(), self._database.transaction(ref.tenant_id) as work:
            recent = await experiences.since(work, now - within, MOST)
            found = await reflect(work, policy, recent, now)
        return Reflected(found=found.found, proposed=found.proposed)
