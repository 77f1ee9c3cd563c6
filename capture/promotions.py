"""Promotions: a fact of a narrower scope is to hold in a wider one as well, once it is validated.

Each is a statement by whoever promotes, in the wider scope, stored with the ask for its decision there. Whether the
fact is validated is decided with it; here only is what could never be promoted refused.
"""

from datetime import UTC, datetime
from functools import partial
from uuid import UUID

from capture.accept import Accepted, in_one_transaction
from capture.admission import Speech
from capture.masking import Masker
from capture.reach import fact_within_reach
from capture.recording import Recorded, Stating, candidates_of, digest_of, event_of, record
from capture.statements import sayable
from models.candidates import CandidateKind
from models.contracts import PERSON
from models.entities import is_known_in
from models.errors import Conflict, InvalidInput, NotPermitted
from models.events import EventType, StoredEvent
from models.facts import Admission, Fact
from models.policy import Policy
from models.principals import Principal
from models.reconciliation import is_in_force
from models.scope import Scope, parse_scope
from models.statements import Promotion
from models.verbs import Verb
from store import persons
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class Promotions:
    """Takes promotions from any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def promote(self, principal: Principal, fact_id: UUID, promotion: Promotion) -> Recorded:
        """Store that a fact is to hold in a wider scope, with the terms that it has. The fact itself stays as it is.

        Raises `NotFound` for a fact that is not there or lies beyond the principal's reach; `NotPermitted` for who
        may not state facts in the wider scope, or would take what is about somebody else out of the scope that names
        them; `InvalidInput` for a scope that is not wider, or at a level that the class does not have; and `Conflict`
        for a fact that is not in force, or whose thing is known by a name alone.
        """
        promotion = self._masker.statement(principal.tenant_id, promotion)
        policy = await self._policies.of(principal.tenant_id)
        wider = parse_scope(promotion.scope, policy.dimensions)

        async def store(work: UnitOfWork) -> Recorded:
            await self._tenants.require(work, principal.tenant)
            fact = await fact_within_reach(work, policy, principal, fact_id, Verb.READ)
            policy.require(principal, Verb.REMEMBER, wider)
            _require_wider(wider, Scope(fact.scope))
            # Carried over from now on: since when it has held in its own scope says nothing of the wider one.
            begins = fact.valid_from if fact.valid_from > datetime.now(UTC) else None
            terms = fact.terms.model_copy(update={"valid_from": begins})
            declared = sayable(policy, fact.attribute, wider, terms)
            mention = fact.subject.canonical
            data = {
                "promotes": str(fact_id),
                "candidates": candidates_of(declared.name, mention, terms),
            }
            event = event_of(EventType.INSTRUCTION, wider, promotion, promotion.text, data)
            accepted = Accepted(event, wider, digest_of(Verb.REMEMBER, promotion, wider, str(fact_id)))
            stating = Stating(CandidateKind.STATEMENT, declared.name, mention, terms, promotion.text)
            require = partial(_require_promotable, work, policy, principal, fact, wider)
            speech = Speech(promotes=fact_id, canonical=fact.canonical)
            return await record(work, principal, policy, accepted, stating, speech, require)

        return await in_one_transaction(self._database, principal.tenant_id, store)


def _require_wider(wider: Scope, narrower: Scope) -> None:
    if wider == narrower or not wider.covers(narrower):
        raise InvalidInput(
            "is not wider than the fact's own; leave out dimensions of that one", field="scope"
        )


async def _require_promotable(
    work: UnitOfWork, policy: Policy, principal: Principal, fact: Fact, wider: Scope, _: StoredEvent
) -> None:
    if fact.admission is not Admission.ADMITTED:
        raise Conflict("this is a claim and governs nothing; have it reviewed first")
    if not is_in_force(fact, datetime.now(UTC)):
        raise Conflict("the fact is not in force, so there is nothing to promote; its history says what is")
    if fact.subject.canonical is not None and not is_known_in(wider, fact.subject.canonical):
        raise Conflict(
            "the fact is about a thing that has a name in its scope alone, which may mean another one in the wider; say"
            " which it is: state the fact of its canonical id, `type:id`, and promote that one"
        )
    person = (await persons.about(work, policy, [fact.id]))[fact.id].person
    if person is not None and wider.get(PERSON) != person and principal.subject != person:
        raise NotPermitted(
            "the fact is about a person: only they may carry it to a scope that does not name them"
        )
