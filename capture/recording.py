"""How a statement is recorded: an event with one candidate, and the ask for its decision, in one transaction.

Remembering, correcting, promoting and reviewing all end here; they differ in what they say and in what they refuse.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from capture.accept import WAS_ERASED, Accepted, Receipt, append, require_same
from capture.admission import PLAIN, Speech, admit
from models.candidates import CandidateKind, Proposal, Proposed, Terms
from models.errors import Conflict
from models.events import EventType, NewEvent, StoredEvent, parse_event
from models.ids import content_digest
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.statements import Spoken
from models.verbs import Verb
from store import candidates
from store import events as event_log
from store.unit_of_work import UnitOfWork


class Recorded(NamedTuple):
    """A statement that is stored. `key_id` is None where it was decided at once, or has no key."""

    receipt: Receipt
    candidate_id: UUID
    key_id: UUID | None


class Stating(NamedTuple):
    """What a statement says of what: the one candidate of its event. `mention` is None for its scope as a whole."""

    kind: CandidateKind
    attribute: str
    mention: str | None
    terms: Terms | None
    text: str | None

    @property
    def quote(self) -> str:
        """The words that say so: its own, else the value alone."""
        return self.text or (self.terms.value if self.terms is not None else "")


async def record(
    work: UnitOfWork,
    principal: Principal,
    policy: Policy,
    accepted: Accepted,
    stating: Stating,
    speech: Speech = PLAIN,
    require: Callable[[StoredEvent], Awaitable[None]] | None = None,
) -> Recorded:
    """Store a statement, or find it stored by an earlier call.

    `require` refuses what can no longer be said. It is asked for what is new alone: a statement that was stored
    stays stored, whatever has become of what it is about.
    """
    [receipt] = await append(work, principal, policy, [accepted])
    if receipt.duplicate:
        return await _recorded_before(work, receipt)
    event = (await event_log.by_ids(work, [receipt.event_id]))[receipt.event_id]
    if require is not None:
        await require(event)
    proposal = Proposal(
        event_id=event.id,
        kind=stating.kind,
        attribute=stating.attribute,
        mention=stating.mention,
        terms=stating.terms,
        quote=stating.quote,
    )
    [admitted] = await admit(work, policy, [Proposed(proposal, candidates.STATED)], [event], speech)
    return Recorded(receipt, admitted.candidate_id, admitted.key_id)


async def recorded_before(
    work: UnitOfWork,
    principal: Principal,
    policy: Policy,
    verb: Verb,
    spoken: Spoken,
    digest: Callable[[Scope], bytes],
) -> Recorded | None:
    """The statement that the principal's idempotency key stands for already; None where it stands for none.

    Asked before anybody looks at what is spoken of, which may be settled and gone by now: where that was, the stored
    event says, and `digest` is of what is sent now in that scope. Raises `Conflict` for something else, and
    `NotPermitted` for who may not do `verb` there by now.
    """
    key = spoken.idempotency_key
    there = None if key is None else (await event_log.known(work, principal, [key])).get(key)
    if there is None:
        return None
    stored = (await event_log.by_ids(work, [there.id]))[there.id]
    scope = Scope(stored.scope)
    policy.require(principal, verb, scope)
    require_same(there.digest, digest(scope))
    erased = there.digest is None
    return await _recorded_before(
        work, Receipt(there.id, there.activity_id, there.seq, duplicate=True, erased=erased)
    )


async def _recorded_before(work: UnitOfWork, receipt: Receipt) -> Recorded:
    if receipt.erased:
        raise Conflict(WAS_ERASED, field="idempotency_key")
    stated = await candidates.stated_by(work, receipt.event_id, candidates.STATED)
    if stated is None:
        raise Conflict(
            "stands for an event that states nothing; use a key of its own", field="idempotency_key"
        )
    return Recorded(receipt, stated.id, stated.key_id)


def event_of(
    kind: EventType, scope: Scope, spoken: Spoken, text: str | None, data: Mapping[str, Any]
) -> NewEvent:
    """The event of a statement, checked like any other. Without an activity it is one of its own."""
    now = datetime.now(UTC)
    raw: dict[str, Any] = {
        "type": kind.value,
        "scope": dict(scope),
        "activity_id": spoken.activity_id or f"stated-{uuid4()}",
        "occurred_at": spoken.occurred_at or now,
        "text": text,
        "timezone": spoken.timezone,
        "evidence_ref": spoken.evidence_ref,
        "idempotency_key": spoken.idempotency_key,
        "data": dict(data),
    }
    return parse_event({**raw, "occurred_at": raw["occurred_at"].isoformat()}, now)


def candidates_of(attribute: str, mention: str | None, terms: Terms) -> list[dict[str, Any]]:
    """What a statement says as the data of its event, for whoever reads the event, and for the gates."""
    stated = terms.model_dump(mode="json", exclude_none=True)
    about = {} if mention is None else {"entity": mention}
    return [{**stated, **about, "attribute": attribute}]


def digest_of(verb: Verb, spoken: Spoken, scope: Scope, about: str = "") -> bytes:
    """What the caller said, without what was filled in for them: said again it is the same."""
    said = spoken.model_dump(mode="json", exclude={"idempotency_key", "scope"}, exclude_defaults=True)
    return content_digest({"verb": verb.value, "about": about, "scope": dict(scope), "said": said})
