"""Read events again after a model, a prompt or the rules have changed: propose, show the difference, apply.

Nothing is applied but what was proposed, stored and shown. What is decided stays decided: an event decides once on a
fact key, and reconciliation lets no old evidence revive what has ended.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from capture.admission import Admitted, admit
from capture.proposing import Found, Proposers, proposals_in, stored_form
from models.candidates import Proposal, Proposed
from models.errors import Conflict, InvalidInput, ModelFailed, NotFound
from models.events import StoredEvent, living
from models.extractions import Purpose, State
from models.policy import Policy
from models.principals import Principal
from models.reconciliation import Verdict
from models.redo import Difference, Known, RedoApplied, Weighed, as_read_by, compare, states
from models.scope import Scope
from models.verbs import Verb
from store import candidates, extractions
from store import events as event_log
from store.engine import Database
from store.extractions import About, Asked
from store.policies import Policies
from store.unit_of_work import UnitOfWork


class Range(NamedTuple):
    """Which events to read again: those that were recorded from `since` to before `until`, and that a pass has seen.

    Of one activity alone where it is given; with `fell_back_only` those of which a model was of no help.
    """

    since: datetime
    until: datetime
    activity_id: UUID | None = None
    fell_back_only: bool = False


class Shown(NamedTuple):
    """A redo that waits to be applied, and what it would change."""

    redo_id: UUID
    differences: Sequence[Difference]


class Redo:
    """Redoes extractions for administrators of a tenant."""

    def __init__(self, database: Database, policies: Policies, proposers: Proposers) -> None:
        self._database = database
        self._policies = policies
        self._proposers = proposers

    async def propose(self, principal: Principal, wanted: Range) -> Shown:
        """Read the events of a range again, keep what is proposed, and tell the difference. Applies nothing.

        An older redo of the same activities that nobody has applied ends: of these the newest waits. Takes a role
        that administers and reads the whole tenant; words of classes that it may not read are withheld. Raises
        `NotPermitted`, and `InvalidInput` for a range without a length. Where a model is of no help, rules propose
        alone, and the difference says so.
        """
        policy = await self._permitted(principal)
        if wanted.since >= wanted.until:
            raise InvalidInput("is not after --since; give an earlier and a later instant", field="--until")
        tenant, redo_id = principal.tenant_id, uuid4()
        async with self._database.transaction(tenant) as work:
            numbers = await extractions.to_redo(
                work,
                wanted.since,
                wanted.until,
                wanted.activity_id,
                fell_back_only=wanted.fell_back_only,
            )
        differences = [
            await self._read_again(policy, tenant, redo_id, activity_id, frozenset(seqs))
            for activity_id, seqs in numbers.items()
        ]
        readable = policy.readable(principal)
        return Shown(redo_id, [each._replace(lines=as_read_by(each.lines, readable)) for each in differences])

    async def apply(self, principal: Principal, redo_id: UUID) -> RedoApplied:
        """Make candidates of what a redo proposed, of exactly that, and hand their keys over to be decided.

        Takes what `propose` takes. Raises `NotFound` for no such redo, and `Conflict` where nothing of it waits.
        One activity after another: what a process that dies has left is applied by the next call.
        """
        policy = await self._permitted(principal)
        tenant = principal.tenant_id
        async with self._database.transaction(tenant) as work:
            stored = await extractions.of_redo(work, redo_id)
        if not stored:
            raise NotFound("no such redo; take the id that keepwell redo has printed")
        waiting = {each.extraction.activity_id for each in stored if each.extraction.state is State.PROPOSED}
        if not waiting:
            raise Conflict("this redo has been applied, or another one took its place")
        admitted: list[Admitted] = []
        for activity_id in sorted(waiting):
            async with self._database.transaction(tenant) as work:
                admitted += await self._apply(work, policy, redo_id, activity_id)
        new = [each for each in admitted if each.new]
        refused = sum(_refusal(each) is not None for each in new)
        keys = {each.key_id for each in new if each.key_id is not None}
        return RedoApplied(len(waiting), len(new) - refused, refused, len(keys))

    async def _permitted(self, principal: Principal) -> Policy:
        """The tenant's policy, which lets the principal redo; raises `NotPermitted` where it does not."""
        policy = await self._policies.of(principal.tenant_id)
        for verb in (Verb.ADMINISTER, Verb.READ):
            policy.require(principal, verb, Scope({}))
        return policy

    async def _read_again(
        self, policy: Policy, tenant: UUID, redo_id: UUID, activity_id: UUID, numbers: frozenset[int]
    ) -> Difference:
        async with self._database.transaction(tenant) as work:
            await extractions.forget_redos(work, activity_id)
            events = [
                event
                for event in living(await event_log.of_activity(work, activity_id))
                if event.seq in numbers
            ]
        read = await self._proposers.read(policy, events)
        found = await self._ask(policy, tenant, activity_id, events, redo_id)
        seqs = [event.seq for event in events]
        about = About(activity_id, Purpose.EXTRACT, min(seqs), max(seqs), redo_id, of="rules")
        rules = Asked(self._proposers.rules)
        async with self._database.transaction(tenant) as work:
            await extractions.hold(work, about, rules, stored_form([each.proposal for each in read]))
        weighed, known = await self._weigh(policy, tenant, [*read, *found.proposed], events)
        return Difference(activity_id, compare(known, weighed), found.fallback)

    async def _ask(
        self,
        policy: Policy,
        tenant: UUID,
        activity_id: UUID,
        events: Sequence[StoredEvent],
        redo_id: UUID,
    ) -> Found:
        """What the model proposes, asked as often as it may be."""
        while True:
            try:
                return await self._proposers.ask(policy, tenant, activity_id, events, redo_id)
            except ModelFailed as failed:
                await asyncio.sleep(failed.retry_after or 0.0)

    async def _weigh(
        self,
        policy: Policy,
        tenant: UUID,
        proposed: Sequence[Proposed],
        events: Sequence[StoredEvent],
    ) -> tuple[list[Weighed], list[Known]]:
        """What admission would make of proposals: it is tried, and taken back."""
        async with self._database.trial(tenant) as work:
            known, stated = await _there(work, [event.id for event in events])
            proposed = _unstated(policy, stated, proposed)
            tried = await admit(work, policy, proposed, events)
        ids = {each.id for each in stated}
        weighed = [_weighed(one, came) for one, came in zip(proposed, tried, strict=True)]
        return [each for each in weighed if each.candidate_id not in ids], known

    async def _apply(
        self, work: UnitOfWork, policy: Policy, redo_id: UUID, activity_id: UUID
    ) -> list[Admitted]:
        stored = [
            each
            for each in await extractions.of_redo(work, redo_id, activity_id)
            if each.extraction.state is State.PROPOSED
        ]
        # Rules first: of two proposals for one event and key theirs counts.
        ordered = sorted(stored, key=lambda each: each.extraction.model is not None)
        proposed = [
            Proposed(proposal, each.extraction.extractor, each.extraction.id)
            for each in ordered
            for proposal in proposals_in(each.proposed)
        ]
        events = await event_log.by_ids(work, [each.proposal.event_id for each in proposed])
        _, stated = await _there(work, list(events))
        proposed = _unstated(policy, stated, proposed)
        admitted = await admit(work, policy, proposed, events.values())
        await extractions.close(work, [each.extraction.id for each in stored], State.APPLIED)
        await extractions.supersede(work, activity_id, redo_id)
        return admitted


async def _there(work: UnitOfWork, event_ids: Sequence[UUID]) -> tuple[list[Known], list[Known]]:
    """The candidates of events: those that an extractor has proposed, and those that a caller has stated."""
    found = await candidates.of_events(work, event_ids)
    stated = [each for each in found if each.extractor == candidates.STATED]
    return [each for each in found if each.extractor != candidates.STATED], stated


def _unstated(policy: Policy, stated: Sequence[Known], proposed: Sequence[Proposed]) -> list[Proposed]:
    """Without what the event of a proposal has stated already: that is decided, under the name that it has here."""
    return [each for each in proposed if not states(stated, _declared(policy, each.proposal))]


def _declared(policy: Policy, proposal: Proposal) -> Proposal:
    declared = policy.declared(proposal.attribute)
    return proposal if declared is None else proposal.model_copy(update={"attribute": declared.name})


def _weighed(one: Proposed, came: Admitted) -> Weighed:
    return Weighed(one.proposal, one.extractor, came.candidate_id, came.new, _refusal(came))


def _refusal(came: Admitted) -> str | None:
    """Why a proposal was discarded at once; None where it was not."""
    verdict, reason = came.verdict or (None, None)
    return reason if verdict is Verdict.DISCARD else None
