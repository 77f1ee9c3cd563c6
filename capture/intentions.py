"""Intentions as their owners set and change them: each word is an event, stored with what it does by one transaction.

Nobody sets an intention by what a tool, a page or a ticket says: who calls is who sets it, and whether they may is
decided by the policy.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from capture.accept import OF_AN_INTENTION, Receipt, in_one_transaction
from capture.directives import Directive, hear
from capture.masking import Masker
from capture.triggers import ZONE, as_said, held_facts, resolved, timed, watched
from models.cues import Cue
from models.errors import Conflict, InvalidInput, NotFound, TooManyRequests
from models.events import StoredEvent
from models.facts import Fact, status_at
from models.firing import ends_premise, first_look, grace_of, instants_from, lapses_at
from models.ids import derived_id
from models.intention_changes import Cancellation, Confirmation, HandOver, Rescheduling
from models.intention_reach import UNKNOWN, require_reach, verb_for
from models.intention_words import trigger_told
from models.intentions import AtInstant, Fate, Intention, NewIntention, Owner, Recurring, State, Trigger
from models.policy import Policy
from models.principals import Principal, Speaker
from models.scope import Scope, parse_scope
from models.statements import Spoken
from models.verbs import Verb
from store import endpoints, evidence, intentions, occurrences, stimuli
from store.engine import Database
from store.intentions import Watch
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

MOST_A_MINUTE = 1_000
"""Intentions that one principal may set within a minute."""
_MINUTE = timedelta(minutes=1)


class Set(NamedTuple):
    """What came of a word on an intention: the event that holds it, and whether it had been said before."""

    intention_id: UUID
    receipt: Receipt


class Preview(NamedTuple):
    """What an intention would wait for, in words, and when it would come."""

    told: str
    coming: tuple[datetime, ...]


class Intentions:
    """Takes intentions from any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def intend(self, principal: Principal, new: NewIntention) -> Set:
        """Set an intention.

        Raises `NotPermitted` for a scope or an owner beyond the principal's reach, `InvalidInput` for one that could
        never fire or cannot be read, `NotFound` for a premise or an endpoint that is not there, and `TooManyRequests`
        for more than a thousand a minute.
        """
        new = self._masker.statement(principal.tenant_id, new)
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(new.scope, policy.dimensions)
        owner = new.owner or Owner(subject=principal.subject, kind=principal.kind)
        policy.require(principal, verb_for(principal, owner), scope)
        said = new.model_dump(mode="json", exclude_none=True, exclude_defaults=True, exclude=_OF_THE_EVENT)
        directive = Directive(Verb.INTEND, scope, new, {OF_AN_INTENTION: {"set": said}})

        async def store(work: UnitOfWork) -> Set:
            await self._tenants.require(work, principal.tenant)
            receipt, event = await hear(work, principal, policy, directive)
            identity = intention_id(receipt.event_id)
            if event is None:
                await _require_set(work, identity)
                return Set(identity, receipt)
            await _require_patience(work, principal)
            await begin(work, policy, principal, Beginning(new, owner, event, State.PENDING))
            return Set(identity, receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)

    async def preview(self, principal: Principal, new: NewIntention) -> Preview:
        """What an intention would wait for. Nothing is stored. Raises as `intend` does of what it says itself."""
        new = self._masker.statement(principal.tenant_id, new)
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(new.scope, policy.dimensions)
        owner = new.owner or Owner(subject=principal.subject, kind=principal.kind)
        policy.require(principal, verb_for(principal, owner), scope)
        now, zone = _now(), new.timezone or ZONE
        trigger = as_said(policy, new, new.occurred_at or now)
        first = first_look(trigger, new.not_before, new.deadline, new.grace, now)
        return Preview(trigger_told(trigger, zone, now), instants_from(trigger, first, new.deadline))

    async def cancel(self, principal: Principal, identity: UUID, said: Cancellation) -> Set:
        """Give an intention up. Raises `NotFound`, and `Conflict` for one that nothing comes of any more."""

        async def apply(work: UnitOfWork, there: Intention, event: StoredEvent) -> None:
            handed_out = await occurrences.open_of(work, [there.id])
            if there.state not in _OPEN and not handed_out:
                raise Conflict(_ENDED)
            await occurrences.settle(work, [each.id for each in handed_out], Fate.CANCELLED, _now())
            if there.state is not State.FIRED:
                await intentions.change(
                    work,
                    there.model_copy(
                        update={"state": State.CANCELLED, "reason": "given_up", "next_at": None}
                    ),
                )
            await intentions.forget_cues(work, [there.id])
            await intentions.forget_watches(work, [there.id])
            await declare(
                work, there.id, (there.state.value, State.CANCELLED.value), "cancel", "given_up", event
            )

        return await self._change(principal, identity, said, "cancel", apply)

    async def confirm(self, principal: Principal, identity: UUID, said: Confirmation) -> Set:
        """Say yes to an intention that was proposed: its owner, or whoever may assign.

        Raises `NotFound`, and `Conflict` for one that was not proposed, or has lapsed.
        """

        async def apply(work: UnitOfWork, there: Intention, event: StoredEvent) -> None:
            if there.state is not State.PROPOSED:
                raise Conflict("the intention is not proposed, so there is nothing to confirm")
            policy = await self._policies.of(principal.tenant_id)
            policy.require(principal, verb_for(principal, there.owner), Scope(there.scope))
            try:
                next_at = first_look(there.trigger, there.not_before, there.deadline, there.grace, _now())
            except InvalidInput:
                raise Conflict(
                    "its time has passed, so there is nothing to confirm; set another one"
                ) from None
            await intentions.change(
                work,
                there.model_copy(update={"state": State.PENDING, "reason": "confirmed", "next_at": next_at}),
            )
            if isinstance(there.trigger, Cue):
                await intentions.wait_for(work, there.id, there.trigger)
            await declare(
                work, there.id, (there.state.value, State.PENDING.value), "confirm", "confirmed", event
            )
            await stimuli.wake_by(work, next_at)

        return await self._change(principal, identity, said, "confirm", apply)

    async def reschedule(self, principal: Principal, identity: UUID, said: Rescheduling) -> Set:
        """Give an intention another time.

        Raises `NotFound`, `Conflict` for one that does not wait for a time, and `InvalidInput` as `intend` does.
        """

        async def apply(work: UnitOfWork, there: Intention, event: StoredEvent) -> None:
            if there.state not in _OPEN or not isinstance(there.trigger, AtInstant | Recurring):
                raise Conflict("the intention waits for no time; set another one")
            trigger = timed(said, said.timezone or there.timezone, event.occurred_at)
            next_at = first_look(trigger, there.not_before, there.deadline, None, _now())
            waits = next_at if there.state is State.PENDING else lapses_at(trigger, next_at, _now())
            await intentions.change(work, there.model_copy(update={"trigger": trigger, "next_at": waits}))
            await declare(
                work, there.id, (there.state.value, there.state.value), "reschedule", "rescheduled", event
            )
            await stimuli.wake_by(work, waits)

        return await self._change(principal, identity, said, "reschedule", apply)

    async def hand_over(self, principal: Principal, identity: UUID, said: HandOver) -> Set:
        """Give an intention another owner, and what is handed out of it with it. Takes the right to assign."""

        async def apply(work: UnitOfWork, there: Intention, event: StoredEvent) -> None:
            handed_out = await occurrences.open_of(work, [there.id])
            if there.state not in _OPEN and not handed_out:
                raise Conflict(_ENDED)
            await intentions.change(work, there.model_copy(update={"owner": said.owner}))
            await occurrences.move(work, there.id, said.owner, _now())
            await declare(
                work, there.id, (there.state.value, there.state.value), "hand_over", "handed_over", event
            )

        return await self._change(principal, identity, said, "hand_over", apply, Verb.ASSIGN)

    async def _change(
        self,
        principal: Principal,
        identity: UUID,
        said: Spoken,
        change: str,
        apply: Callable[[UnitOfWork, Intention, StoredEvent], Awaitable[None]],
        verb: Verb | None = None,
    ) -> Set:
        """Store a word on an intention, and do what it says; said again it does nothing more."""
        said = self._masker.statement(principal.tenant_id, said)
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> Set:
            await self._tenants.require(work, principal.tenant)
            there = reached(policy, principal, await intentions.get(work, identity), verb)
            scope = Scope(there.scope)
            told = said.model_dump(
                mode="json", exclude_none=True, exclude_defaults=True, exclude=_OF_THE_EVENT
            )
            data = {OF_AN_INTENTION: {change: told, "id": str(identity)}}
            directive = Directive(Verb.INTEND, scope, said, data, f"{change} {identity}")
            receipt, event = await hear(work, principal, policy, directive)
            if event is not None:
                # First the activity, then the timer, then what is changed: in that order everywhere, the step that
                # fires included, so that nobody waits for each other for ever.
                await stimuli.hold_timer(work)
                held = await intentions.hold(work, identity)
                await apply(work, reached(policy, principal, held, verb), event)
            return Set(identity, receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)


_OF_THE_EVENT = set(Spoken.model_fields)
_OPEN = frozenset({State.PROPOSED, State.PENDING})
_ENDED = "nothing comes of the intention any more, so there is nothing to change; set another one"


def intention_id(event_id: UUID, place: int | None = None) -> UUID:
    """The id of the intention that an event sets, or that is taken from what stands at a place of its text."""
    return derived_id("intention", event_id, *(() if place is None else (place,)))


class Beginning(NamedTuple):
    """An intention that begins: what was said, whose it is, the event that holds it, and its first state.

    `place` is where it stands in the event's text, for one that was taken from there.
    """

    new: NewIntention
    owner: Owner
    event: StoredEvent
    state: State
    place: int | None = None


async def begin(work: UnitOfWork, policy: Policy, principal: Principal, beginning: Beginning) -> Intention:
    """Write an intention, with its evidence and its transition, and have it looked at in time."""
    new, seen = beginning.new, await stimuli.seen_now(work)
    found = await resolved(work, policy, principal, new, beginning.event)
    rests_on = await held_facts(work, policy, principal, new.premises)
    now = _now()
    if any(ends_premise(status_at(fact, now)) for fact in rests_on):
        raise InvalidInput("one of these facts does not govern, so nothing can rest on it", field="premises")
    watches = (*found.watches, *watched(rests_on))
    begun = await _write(work, beginning, found.trigger, rests_on, watches)
    keys = {each.key_id for each in watches}
    await stimuli.wake_by(work, await stimuli.await_what_comes(work, keys, seen))
    return begun


async def begin_timed(work: UnitOfWork, beginning: Beginning, trigger: AtInstant | Recurring) -> Intention:
    """Write an intention that waits for a time and rests on no fact, as `begin` does; nobody has to be calling.

    Raises `InvalidInput` for one whose time has passed.
    """
    return await _write(work, beginning, trigger, (), ())


async def _write(
    work: UnitOfWork,
    beginning: Beginning,
    trigger: Trigger,
    rests_on: Sequence[Fact],
    watches: Sequence[Watch],
) -> Intention:
    new, owner, event, state, place = beginning
    now = _now()
    first = first_look(trigger, new.not_before, new.deadline, new.grace, now)
    intention = Intention(
        id=intention_id(event.id, place),
        scope=event.scope,
        event_id=event.id,
        set_by=event.speaker,
        owner=owner,
        action=new.action,
        data=new.data,
        trigger=trigger,
        not_before=new.not_before,
        deadline=new.deadline,
        grace=grace_of(new.grace),
        timezone=new.timezone or ZONE,
        endpoint_id=await _endpoint(work, new.deliver_to),
        premises=tuple(fact.id for fact in rests_on),
        state=state,
        reason=None,
        next_at=first if state is State.PENDING else lapses_at(trigger, first, now),
        fired=0,
        revision=1,
        recorded_at=event.recorded_at,
    )
    await intentions.add(work, intention, watches)
    cited = evidence.Evidence(
        event.id, "intention", event.authority, None, event.speaker.subject, event.occurred_at
    )
    await evidence.cite(work, evidence.Kind.INTENTION, intention.id, [cited])
    await evidence.derive(
        work, evidence.Kind.INTENTION, intention.id, evidence.Kind.FACT, list(intention.premises)
    )
    await declare(work, intention.id, (None, state.value), "set", "set", event)
    await stimuli.wake_by(work, intention.next_at)
    return intention


def reached(
    policy: Policy, principal: Principal, there: Intention | None, verb: Verb | None = None
) -> Intention:
    """An intention if the principal may change it: its owner, who set it, or who may assign in its scope.

    `verb` says what it takes in any case. Raises `NotFound`, and `NotPermitted` for somebody who may see it.
    """
    if there is None:
        raise NotFound(UNKNOWN)
    require_reach(policy, principal, there, verb)
    return there


async def _require_set(work: UnitOfWork, identity: UUID) -> None:
    if await intentions.get(work, identity) is None:
        raise Conflict(
            "stands for an event that sets no intention; use a key of its own", field="idempotency_key"
        )


async def has_set_many(work: UnitOfWork, who: Speaker) -> bool:
    """Whether somebody has set as many intentions as may be set in a minute."""
    return await intentions.count_set_since(work, who, _now() - _MINUTE) >= MOST_A_MINUTE


async def _require_patience(work: UnitOfWork, principal: Principal) -> None:
    if await has_set_many(work, principal):
        raise TooManyRequests(
            f"more than {MOST_A_MINUTE:,} intentions in a minute; use a recurrence for what comes again, or wait",
            retry_after=_MINUTE.total_seconds(),
        )


async def _endpoint(work: UnitOfWork, name: str | None) -> UUID | None:
    if name is None:
        return None
    found = await endpoints.by_name(work, name)
    if found is None:
        raise NotFound(
            "no such endpoint; register it first, or leave this out for the inbox", field="deliver_to"
        )
    if found.disabled_at is not None:
        raise Conflict("this endpoint is switched off; have it switched on first", field="deliver_to")
    return found.id


async def declare(
    work: UnitOfWork,
    identity: UUID,
    change: tuple[str | None, str],
    rule: str,
    reason: str,
    event: StoredEvent,
) -> None:
    """Write that somebody's word, which `event` holds, has changed an intention from one status to another."""
    said = evidence.Transition(
        identity, *change, rule, reason, event.speaker.subject, None, event.id, event.occurred_at
    )
    await evidence.declare(work, evidence.Kind.INTENTION, said)


def _now() -> datetime:
    return datetime.now(UTC)
