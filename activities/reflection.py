"""Steps of reflection: write down what has ended, read what episodes teach, and propose what recurs or has spread.

Each can be tried again at any time.
"""

from datetime import UTC, datetime

from temporalio import activity

from activities.heartbeats import beating
from activities.lapsing import declare_lapses
from capture.proposing import Models
from capture.reflecting import reflect
from capture.widening import widen
from capture.wording import word_drafts
from models.events import living
from models.experiences import experience_of
from models.messages import Count, ExperiencesRead, Reflected, ReflectionLook, TenantMessage
from store import events, experiences, widening
from store.engine import Database
from store.policies import Policies

AT_ONCE = 200
"""Episodes that one step reads."""
MOST = 20_000
"""So many episodes, the latest, and so many facts are looked at in one reflection."""


class ReflectionSteps:
    """The steps, with what they need."""

    def __init__(self, database: Database, policies: Policies, models: Models | None = None) -> None:
        self._database = database
        self._policies = policies
        self._models = models

    @activity.defn(name="keepwell.read_experiences")
    async def read(self, ref: TenantMessage) -> ExperiencesRead:
        """Read some episodes that are new, or were built anew; what one teaches follows from its events alone."""
        async with beating(), self._database.transaction(ref.tenant_id) as work:
            unread = await experiences.unread(work, AT_ONCE)
            found = [
                (
                    each,
                    experience_of(each.episode_id, living(await events.of_activity(work, each.activity_id))),
                )
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

    @activity.defn(name="keepwell.word_drafts")
    async def word(self, ref: ReflectionLook) -> Count:
        """Have a model word what was drafted by a template, where one is configured; how many drafts it has worded."""
        policy = await self._policies.of(ref.tenant_id)
        now = max(ref.now, datetime.now(UTC))
        async with beating():
            return Count(number=await word_drafts(self._database, ref.tenant_id, policy, self._models, now))

    @activity.defn(name="keepwell.declare_lapses")
    async def lapse(self, ref: ReflectionLook) -> Count:
        """Write down which facts and claims have come to the end of their term, or of what their class keeps."""
        async with beating():
            return Count(
                number=await declare_lapses(self._database, ref.tenant_id, max(ref.now, datetime.now(UTC)))
            )

    @activity.defn(name="keepwell.widen")
    async def widen(self, ref: ReflectionLook) -> Count:
        """Propose for wider scopes what several scopes have in common, by the policy's classes of memory."""
        policy = await self._policies.of(ref.tenant_id)
        now = max(ref.now, datetime.now(UTC))
        attributes = policy.widened
        if not attributes:
            return Count()
        async with beating(), self._database.transaction(ref.tenant_id) as work:
            spread = await widening.in_several_scopes(work, attributes, now, MOST)
            return Count(number=await widen(work, policy, spread))
