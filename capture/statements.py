"""Statements: a fact said outright, other terms for one, or its withdrawal.

Each is an event and its one candidate, stored by one transaction that also asks for the decision. Who may say
so decides what comes of it, and that is decided elsewhere.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from capture.accept import Accepted, in_one_transaction
from capture.admission import Speech
from capture.masking import Masker
from capture.reach import fact_within_reach
from capture.recording import Recorded, Stating, candidates_of, digest_of, event_of, record
from capture.values import canonical_in
from models.candidates import CandidateKind, Terms
from models.contracts import Cardinality
from models.errors import Conflict, InvalidInput
from models.events import EventType, StoredEvent
from models.facts import Fact
from models.policy import Declared, Policy
from models.principals import Principal
from models.reconciliation import is_in_force
from models.scope import Scope, parse_scope
from models.statements import Correction, Spoken, Statement, Withdrawal
from models.values import canonical
from models.verbs import Verb
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


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
        entity, terms = statement.entity, statement.terms
        data = {"candidates": candidates_of(declared.name, entity, terms)}
        event = event_of(EventType.INSTRUCTION, scope, statement, statement.text, data)
        accepted = Accepted(event, scope, digest_of(Verb.REMEMBER, statement, scope))
        stating = Stating(CandidateKind.STATEMENT, declared.name, entity, terms, statement.text)

        async def store(work: UnitOfWork) -> Recorded:
            await self._tenants.require(work, principal.tenant)
            return await record(work, principal, policy, accepted, stating)

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
            scope, mention = Scope(fact.scope), fact.subject.canonical
            data = dict(said.data)
            if said.terms is not None:
                data["candidates"] = candidates_of(fact.attribute, mention, said.terms)
            event = event_of(EventType.CORRECTION, scope, said.spoken, said.text, data)
            accepted = Accepted(event, scope, digest_of(said.verb, said.spoken, scope, str(fact_id)))
            stating = Stating(said.kind, fact.attribute, mention, said.terms, said.text)
            require = partial(_require_changeable, work, policy, fact, said.terms)
            return await record(work, principal, policy, accepted, stating, Speech(about=fact), require)

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
