"""The inbox of whoever owns intentions: take what is due under a lease, acknowledge it, put it back, put it off.

What is taken and not acknowledged comes again when its lease has run out, and counts as dead after some such rounds.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from capture.accept import OF_AN_INTENTION, in_one_transaction
from capture.directives import Directive, hear
from capture.intentions import Set, declare
from capture.masking import Masker
from models.errors import Conflict, NotFound
from models.events import StoredEvent
from models.intention_changes import AcknowledgementGiven, Snooze, Take
from models.intention_reach import may_see, require_reach
from models.intentions import OPEN, Fate, Intention, Occurrence, Owner, State
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.statements import Spoken
from models.verbs import Verb
from store import deliveries, evidence, intentions, occurrences, outbox
from store.engine import Database
from store.occurrences import Held
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

_PAGE = 100
"""So many that were handed out as often as may be are settled by one call."""

_NOT_DUE = (
    "no such occurrence within reach; give the id of one that was taken from the inbox, not the intention's"
)


class Due(NamedTuple):
    """Something due as it is handed out: what it is of, and the lease under which it is acknowledged."""

    occurrence: Occurrence
    intention: Intention
    lease: UUID


class Inbox:
    """Hands out and takes back for any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def require(self, principal: Principal) -> None:
        """Raise `NotPermitted` for a principal that may have no intention anywhere."""
        (await self._policies.of(principal.tenant_id)).require_anywhere(principal, Verb.INTEND)

    async def take(self, principal: Principal, asked: Take) -> list[Due]:
        """Hand out what is due in the principal's inbox, the oldest first, for as long as it asks for.

        Only what lies in scopes that the principal still reaches. Raises `NotPermitted`.
        """
        policy = await self._policies.of(principal.tenant_id)
        policy.require_anywhere(principal, Verb.INTEND)
        lease = uuid4()
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            found = await _free(work, policy, principal, asked.limit)
            await occurrences.settle(work, [each.id for each in found.spent], Fate.DEAD_LETTERED, _now())
            terms = occurrences.Terms(lease, timedelta(seconds=asked.lease_seconds))
            taken = await occurrences.hand_out(work, [each.id for each in found.alive], terms)
            await evidence.declare_all(
                work,
                evidence.Kind.INTENTION,
                [
                    *(_handed_out(each, Fate.DEAD_LETTERED) for each in found.spent),
                    *(_handed_out(each, Fate.DELIVERED) for each in found.alive),
                ],
            )
        return [Due(each, found.of[each.intention_id], lease) for each in taken]

    async def leased(self, principal: Principal) -> int:
        """How much is handed out of the principal's inbox at the moment."""
        owner = Owner(subject=principal.subject, kind=principal.kind)
        async with self._database.transaction(principal.tenant_id) as work:
            return await occurrences.count_leased(work, owner)

    async def acknowledge(self, principal: Principal, identity: UUID, said: AcknowledgementGiven) -> Set:
        """Say what came of something due. It becomes an event, and the occurrence never comes again.

        Raises `NotFound`, and `Conflict` for one that is settled, or that somebody else has taken since.
        """

        async def apply(work: UnitOfWork, held: Held, there: Intention, event: StoredEvent) -> None:
            await occurrences.settle(
                work, [identity], Fate.ACKNOWLEDGED, _now(), said.outcome.value, event.id
            )
            if there.state is State.FIRED and not await occurrences.open_of(work, [there.id]):
                # Nothing of it comes again, so it rests on nothing any more.
                await intentions.forget_watches(work, [there.id])
            await declare(
                work,
                there.id,
                (held.occurrence.fate.value, Fate.ACKNOWLEDGED.value),
                "acknowledge",
                said.outcome.value,
                event,
            )

        return await self._about(principal, identity, said, "acknowledge", apply, said.lease)

    async def snooze(self, principal: Principal, identity: UUID, said: Snooze) -> Set:
        """Put something due off: it comes again later, as due as it was. Raises as `acknowledge` does."""

        async def apply(work: UnitOfWork, held: Held, there: Intention, event: StoredEvent) -> None:
            at = said.until or event.occurred_at + (said.after or timedelta(0))
            if there.endpoint_id is None:
                await occurrences.put_back(work, identity, at)
            else:
                await deliveries.put_back(work, identity, at)
                await outbox.put(work, outbox.Kind.DELIVER, [there.endpoint_id])
            await declare(
                work, there.id, (held.occurrence.fate.value, Fate.DUE.value), "snooze", "put_off", event
            )

        return await self._about(principal, identity, said, "snooze", apply, said.lease)

    async def _about(
        self,
        principal: Principal,
        identity: UUID,
        said: Spoken,
        word: str,
        apply: Callable[[UnitOfWork, Held, Intention, StoredEvent], Awaitable[None]],
        lease: UUID | None,
    ) -> Set:
        said = self._masker.statement(principal.tenant_id, said)
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> Set:
            await self._tenants.require(work, principal.tenant)
            known = await occurrences.get(work, identity)
            there = None if known is None else await intentions.get(work, known.intention_id)
            if there is None or not may_see(policy, principal, there):
                raise NotFound(_NOT_DUE)
            require_reach(policy, principal, there)
            scope = Scope(there.scope)
            left_out = {*Spoken.model_fields, "text", "lease"}
            told = said.model_dump(mode="json", exclude_none=True, exclude=left_out)
            data: dict[str, Any] = {
                OF_AN_INTENTION: {word: told, "id": str(there.id), "occurrence": str(identity)}
            }
            text: str | None = getattr(said, "text", None)
            directive = Directive(Verb.INTEND, scope, said, data, f"{word} {identity}", text)
            receipt, event = await hear(work, principal, policy, directive)
            if event is not None:
                # After the activity, which `hear` has held: whoever cancels takes them in this order too.
                held = await occurrences.hold(work, identity)
                if held is None:
                    raise NotFound(_NOT_DUE)
                _require_open(held, lease)
                await apply(work, held, there, event)
            return Set(there.id, receipt)

        return await in_one_transaction(self._database, principal.tenant_id, store)


class _Free(NamedTuple):
    """What can be handed out, what was handed out as often as may be, and the intentions of the former."""

    alive: list[Occurrence]
    spent: list[Occurrence]
    of: dict[UUID, Intention]


async def _free(work: UnitOfWork, policy: Policy, principal: Principal, most: int) -> _Free:
    """What an inbox has where the principal still reaches, and so many of the spent as one call settles.

    Others pass over what is held, so that nothing is that is neither handed out nor settled.
    """
    owner = Owner(subject=principal.subject, kind=principal.kind)
    there = await occurrences.scopes_in(work, owner)
    within = [scope.key for scope in there if policy.may_know(principal, Verb.INTEND, scope)]
    if not within:
        return _Free([], [], {})
    alive = await occurrences.free(work, owner, within, most)
    spent = await occurrences.free(work, owner, within, _PAGE, spent=True)
    return _Free(alive, spent, await intentions.by_ids(work, [each.intention_id for each in alive]))


def _require_open(held: Held, lease: UUID | None) -> None:
    if held.occurrence.fate not in OPEN:
        raise Conflict(
            f"is settled already, as {held.occurrence.fate.value}; there is nothing to say of it any more"
        )
    if lease is not None and lease != held.lease:
        raise Conflict(
            "the lease has run out and it was handed out again; take it anew, or leave the lease to them"
        )


def _handed_out(was: Occurrence, becomes: Fate) -> evidence.Transition:
    dead = becomes is Fate.DEAD_LETTERED
    return evidence.Transition(
        record_id=was.intention_id,
        from_status=was.fate.value,
        to_status=becomes.value,
        rule="dead_letter" if dead else "deliver",
        reason="never_acknowledged" if dead else "taken_from_inbox",
        actor="keepwell",
        actor_role=None,
        event_id=None,
        effective_at=_now(),
    )


def _now() -> datetime:
    return datetime.now(UTC)
