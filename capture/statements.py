"""Statements: a fact said outright, other terms for one, or its withdrawal.

Each is an event and its one candidate, stored by one transaction that also asks for the decision. Who may say
so decides what comes of it, and that is decided elsewhere.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from capture.accept import Accepted, Receipt, append, in_one_transaction
from capture.admission import Speech, admit
from capture.masking import Masker
from capture.reach import fact_within_reach
from capture.values import canonical_in
from models.candidates import CandidateKind, Proposal, Proposed, Terms
from models.contracts import Cardinality
from models.errors import Conflict, InvalidInput
from models.events import EventType, NewEvent, StoredEvent, parse_event
from models.facts import Fact
from models.ids import content_digest
from models.policy import Declared, Policy
from models.principals import Principal
from models.reconciliation import is_in_force
from models.scope import Scope, parse_scope
from models.statements import Correction, Spoken, Statement, Withdrawal
from models.values import canonical
from models.verbs import Verb
from store import candidates
from store import events as event_log
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class Recorded(NamedTuple):
    """A statement that is stored. `key_id` is None where it was decided at once, or has no key."""

    receipt: Receipt
    candidate_id: UUID
    key_id: UUID | None


class _Said(NamedTuple):
    """What a correction or withdrawal of a fact consists of."""

    verb: Verb
    spoken: Spoken
    kind: CandidateKind
    terms: Terms | None
    text: str | None
    data: Mapping[str, Any]


class Statements:
    """Takes statements for any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def remember(self, principal: Principal, statement: Statement) -> Recorded:
        """Store a fact as stated.

        Raises `NotPermitted` for a scope beyond the principal's reach, and `InvalidInput` for a scope,
        attribute or instant that cannot be used, or a secret in what is compared to the letter.
        """
        statement = self._masker.statement(principal.tenant_id, statement)
        policy = await self._policies.of(principal.tenant_id)
        scope = parse_scope(statement.scope, policy.dimensions)
        policy.require(principal, Verb.REMEMBER, scope)
        declared = sayable(policy, statement.attribute, scope, statement.terms)
        stated = statement.terms.model_dump(mode="json", exclude_none=True)
        entity = statement.entity
        if entity is not None:
            stated["entity"] = entity
        event = event_of(
            EventType.INSTRUCTION,
            scope,
            statement,
            statement.text,
            {"candidates": [{**stated, "attribute": declared.name}]},
        )
        accepted = Accepted(event, scope, digest_of(Verb.REMEMBER, statement, scope))

        async def store(work: UnitOfWork) -> Recorded:
            await self._tenants.require(work, principal.tenant)
            [receipt] = await append(work, principal, policy, [accepted])
            proposal = Proposal(
                event_id=receipt.event_id,
                kind=CandidateKind.STATEMENT,
                attribute=declared.name,
                mention=entity,
                terms=statement.terms,
                quote=statement.text or statement.value,
            )
            if receipt.duplicate:
                return await as_recorded(work, receipt)
            said = (await event_log.by_ids(work, [receipt.event_id])).values()
            [admitted] = await admit(work, policy, [Proposed(proposal, candidates.STATED)], said)
            return Recorded(receipt, admitted.candidate_id, admitted.key_id)

        return await in_one_transaction(self._database, principal.tenant_id, store)

    async def correct(self, principal: Principal, fact_id: UUID, correction: Correction) -> Recorded:
        """Store other terms for the fact that is in force.

        Raises `NotFound` for a fact that is not there or lies beyond the principal's reach, `NotPermitted`,
        and `Conflict` for a fact that is not in force.
        """
        correction = self._masker.statement(principal.tenant_id, correction)
        terms = correction.terms
        said = _Said(
            Verb.CORRECT,
            correction,
            CandidateKind.STATEMENT,
            terms,
            correction.text,
            {"corrects": str(fact_id)},
        )
        return await self._about(principal, fact_id, said)

    async def withdraw(self, principal: Principal, fact_id: UUID, withdrawal: Withdrawal) -> Recorded:
        """Store the withdrawal of the fact that is in force. Raises as `correct` does."""
        withdrawal = self._masker.statement(principal.tenant_id, withdrawal)
        said = _Said(
            Verb.RETRACT,
            withdrawal,
            CandidateKind.WITHDRAWAL,
            None,
            withdrawal.text,
            {"withdraws": str(fact_id)},
        )
        return await self._about(principal, fact_id, said)

    async def _about(self, principal: Principal, fact_id: UUID, said: _Said) -> Recorded:
        policy = await self._policies.of(principal.tenant_id)

        async def store(work: UnitOfWork) -> Recorded:
            await self._tenants.require(work, principal.tenant)
            fact = await fact_within_reach(work, policy, principal, fact_id, said.verb)
            scope = Scope(fact.scope)
            new = event_of(EventType.CORRECTION, scope, said.spoken, said.text, _data_of(said, fact))
            digest = digest_of(said.verb, said.spoken, scope, str(fact_id))
            [receipt] = await append(work, principal, policy, [Accepted(new, scope, digest)])
            if receipt.duplicate:
                return await as_recorded(work, receipt)
            proposal = Proposal(
                event_id=receipt.event_id,
                kind=said.kind,
                attribute=fact.attribute,
                mention=fact.subject.canonical,
                terms=said.terms,
                quote=said.text or (said.terms.value if said.terms else ""),
            )
            event = (await event_log.by_ids(work, [receipt.event_id]))[receipt.event_id]
            await _require_changeable(work, policy, fact, said.terms, event)
            stated = [Proposed(proposal, candidates.STATED)]
            [admitted] = await admit(work, policy, stated, [event], Speech(about=fact))
            return Recorded(receipt, admitted.candidate_id, admitted.key_id)

        return await in_one_transaction(self._database, principal.tenant_id, store)


async def _require_changeable(
    work: UnitOfWork, policy: Policy, fact: Fact, terms: Terms | None, event: StoredEvent
) -> None:
    """Refuse to speak against what is not in force; whatever follows until the decision is looked at then."""
    if not is_in_force(fact, datetime.now(UTC)):
        raise Conflict("the fact is not in force, so there is nothing to change; its history says what is")
    if terms is None:
        return
    declared = sayable(policy, fact.attribute, Scope(fact.scope), terms)
    several = declared.attribute.cardinality is Cardinality.MANY
    if several and await canonical_in(work, event, terms.value, declared.attribute) != fact.canonical:
        raise InvalidInput(
            "several values of this attribute stand side by side; retract this one and remember the other",
            field="value",
        )


def sayable(policy: Policy, attribute: str, scope: Scope, terms: Terms) -> Declared:
    """What the policy declares for a statement; raises `InvalidInput` where nobody could say it."""
    declared = policy.declared(attribute)
    if declared is None:
        known = ", ".join(sorted(policy.attributes))
        raise InvalidInput(f"the policy declares no such attribute; it has {known}", field="attribute")
    contract = declared.memory_class
    if contract.system_of_record is not None:
        raise InvalidInput(
            f"is held by {contract.system_of_record}; read and write it there, as memory would be stale",
            field="attribute",
        )
    if not contract.fits(scope):
        levels = ", ".join(sorted(contract.levels))
        raise InvalidInput(f"{declared.class_name} is kept at these levels: {levels}", field="scope")
    values = declared.attribute.values
    if values and not canonical(terms.value, declared.attribute).read:
        raise InvalidInput(f"is none of the values of this attribute: {', '.join(values)}", field="value")
    return declared


def _data_of(said: _Said, fact: Fact) -> dict[str, Any]:
    """What a correction says of which fact, for whoever reads the event, and for the gates."""
    if said.terms is None:
        return dict(said.data)
    stated = said.terms.model_dump(mode="json", exclude_none=True)
    about = {} if fact.subject.canonical is None else {"entity": fact.subject.canonical}
    return {**said.data, "candidates": [{**stated, **about, "attribute": fact.attribute}]}


async def as_recorded(work: UnitOfWork, receipt: Receipt) -> Recorded:
    """A statement that was stored by an earlier call, under the same idempotency key."""
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


def digest_of(verb: Verb, spoken: Spoken, scope: Scope, about: str = "") -> bytes:
    """What the caller said, without what was filled in for them: said again it is the same."""
    said = spoken.model_dump(mode="json", exclude={"idempotency_key", "scope"}, exclude_defaults=True)
    return content_digest({"verb": verb.value, "about": about, "scope": dict(scope), "said": said})
