"""The step of a tenant's intentions: fire what is due, by time or by what has happened, and say when to look again.

All that one call does is one transaction. Whatever is tried again finds done what is done: an intention that was turned
is due no more, and an occurrence can be written once.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from temporalio import activity

from activities.firing import expire_open, turn_all
from activities.heartbeats import beating
from models.cues import Cue, Said, keys_of, matches
from models.events import StoredEvent
from models.facts import Fact, Status, status_at
from models.firing import Cause, Turn, changed_as_wanted, ends_premise, turn_at, turn_by
from models.intentions import Change, Intention, State
from models.messages import Advanced, IntentionsRef
from models.policy import Policy
from models.scope import Scope
from models.verbs import Verb
from store import events as event_log
from store import evidence, facts, intentions, stimuli
from store.engine import Database
from store.policies import Policies
from store.stimuli import Kind, Stimulus
from store.unit_of_work import UnitOfWork

AT_ONCE = 500
"""Intentions of one transaction: some tenths of a second's work."""

UNREADABLE_FOR = timedelta(hours=1)
"""How long an intention is left alone that this version cannot read."""

Answer = Callable[[Intention], Turn | None]
"""What comes of an intention for something that has happened."""


class _Changed(NamedTuple):
    """A fact that has changed its status, and by which transition or term."""

    fact: Fact
    cause: Cause
    to_status: str


class IntentionSteps:
    """The step, with what it needs."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    @activity.defn(name="keepwell.advance_intentions")
    async def advance(self, ref: IntentionsRef) -> Advanced:
        """Fire what is due of one tenant, some of it at a time; when something is due next."""
        policy = await self._policies.of(ref.tenant_id)
        # Whoever was away for long goes by when they came back.
        now = max(ref.now, activity.info().started_time) if activity.in_activity() else ref.now
        async with beating(), self._database.transaction(ref.tenant_id) as work:
            await stimuli.hold_timer(work)
            fired = await _by_what_happened(work, policy, now)
            fired += await _by_time(work, now)
            wakes_at = await stimuli.set_timer(work)
        return Advanced(fired=fired, wakes_at=wakes_at)


async def _by_time(work: UnitOfWork, now: datetime) -> int:
    """Turn the intentions whose instant has come, and end what was handed out and has outlived its deadline."""
    due, unreadable = await intentions.due(work, now, AT_ONCE)
    await intentions.put_off(work, unreadable, now + UNREADABLE_FOR)
    fired = await turn_all(work, [(each, turn_at(each, now)) for each in due], now)
    await expire_open(work, now, AT_ONCE)
    return fired


async def _by_what_happened(work: UnitOfWork, policy: Policy, now: datetime) -> int:
    """Turn the intentions that waited for what has happened, one stimulus after another, until enough are looked at."""
    fired = looked_at = 0
    while looked_at < AT_ONCE:
        stimulus = await stimuli.first(work, now)
        if stimulus is None:
            break
        asked = await _whom_it_concerns(work, policy, stimulus, now)
        turns = [(each, turn) for each in asked.those if (turn := asked.answer(each)) is not None]
        fired += await turn_all(work, turns, now)
        looked_at += max(1, len(asked.those))
        if asked.more_after is None:
            await stimuli.seen(work, [stimulus.id])
        else:
            await stimuli.seen_up_to(work, stimulus.id, asked.more_after)
    return fired


class _Asked(NamedTuple):
    """Some of those whom a stimulus may concern, by id, and how each of them answers it."""

    those: Sequence[Intention]
    more_after: UUID | None
    answer: Answer


def _nothing(intention: Intention) -> Turn | None:
    """Nothing comes of it."""


_NOBODY = _Asked((), None, _nothing)


async def _whom_it_concerns(work: UnitOfWork, policy: Policy, stimulus: Stimulus, now: datetime) -> _Asked:
    match stimulus.kind:
        case Kind.EVENT:
            event = (await event_log.by_ids(work, [stimulus.subject_id])).get(stimulus.subject_id)
            return _NOBODY if event is None else await _cued(work, policy, stimulus, event, now)
        case Kind.TRANSITION:
            found = await evidence.transition(work, stimulus.subject_id)
            fact = None if found is None else await facts.get(work, found.record_id)
            if found is None or fact is None:
                return _NOBODY
            # A term ends a fact at its instant; that it did is written down later, and is no news then.
            expired = found.to_status == Status.EXPIRED
            known_at = found.effective_at if expired else found.recorded_at
            cause = Cause(stimulus.subject_id, found.effective_at, known_at)
            return await _watching(work, stimulus, _Changed(fact, cause, found.to_status), now)
        case Kind.TERM:
            fact = await facts.get(work, stimulus.subject_id)
            if fact is None or fact.ends_at is None:
                return _NOBODY
            if fact.ends_at > now:
                # It was said again meanwhile, and ends later.
                await stimuli.await_terms(work, [(fact.id, fact.ends_at)])
                return _NOBODY
            changed = _Changed(fact, Cause(fact.id, fact.ends_at, fact.ends_at), Status.EXPIRED.value)
            return await _watching(work, stimulus, changed, now)


async def _cued(
    work: UnitOfWork, policy: Policy, stimulus: Stimulus, event: StoredEvent, now: datetime
) -> _Asked:
    said = Said(event.type.value, event.speaker.subject, event.entities, event.data)
    keys = keys_of(said, policy.cue_fields)
    scope = Scope(event.scope)

    def answer(intention: Intention) -> Turn | None:
        cue = intention.trigger
        if not isinstance(cue, Cue) or event.recorded_at < intention.recorded_at or not matches(cue, keys):
            return None
        # Whoever set it is told of no event that they could not be in the scope of.
        within = Scope(intention.scope).covers(scope) and policy.grants(intention.set_by, Verb.INTEND, scope)
        return (
            turn_by(intention, Cause(event.id, event.occurred_at, event.recorded_at, event.id), now)
            if within
            else None
        )

    found = await intentions.cued_by(work, sorted(keys), stimulus.after, AT_ONCE)
    return _Asked(*found, answer)


async def _watching(work: UnitOfWork, stimulus: Stimulus, changed: _Changed, now: datetime) -> _Asked:
    status = status_at(changed.fact, now)
    found, waiting = await intentions.watching(work, changed.fact.key_id, stimulus.after, AT_ONCE)

    def answer(intention: Intention) -> Turn | None:
        if changed.fact.id in intention.premises and ends_premise(status):
            return Turn(changed.cause.at, None, State.CANCELLED, f"premise_{status.value}")
        wanted = intention.trigger
        if intention.id not in waiting or not isinstance(wanted, Change):
            return None
        if intention.state is not State.PENDING:
            return None
        if not changed_as_wanted(wanted, changed.fact, changed.to_status, status):
            return None
        return turn_by(intention, changed.cause, now)

    return _Asked(*found, answer)
