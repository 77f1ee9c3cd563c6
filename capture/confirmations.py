"""Confirmations: that the condition which ends a fact is met is stored before anybody decides on it."""

from uuid import UUID

from capture.reach import fact_within_reach
from models.errors import InvalidInput, NotFound
from models.ids import derived_id
from models.principals import Principal
from models.scope import Scope
from models.verbs import Verb
from store import events, gates, outbox
from store.engine import Database
from store.policies import Policies


class Confirmations:
    """Takes confirmations from any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def store(self, principal: Principal, fact_id: UUID, event_id: UUID) -> UUID:
        """Store a confirmation with its evidence; its id, the same when it is said again.

        Raises `NotFound`, `NotPermitted`, and `InvalidInput` for a fact that waits for no condition.
        """
        policy = await self._policies.of(principal.tenant_id)
        confirmation_id = derived_id("confirmation", fact_id, event_id, principal.kind, principal.subject)
        async with self._database.transaction(principal.tenant_id) as work:
            await fact_within_reach(work, policy, principal, fact_id, Verb.CONFIRM)
            event = (await events.by_ids(work, [event_id])).get(event_id)
            if event is None or not policy.may_know(principal, Verb.CONFIRM, Scope(event.scope)):
                raise NotFound("no such event; publish the evidence first and give its id", field="evidence")
            if await gates.get(work, fact_id) is None:
                raise InvalidInput("waits for no condition, so there is nothing to confirm", field="fact")
            if await gates.add_confirmation(work, confirmation_id, fact_id, event_id, principal):
                await outbox.put(work, outbox.Kind.GATE, [fact_id])
        return confirmation_id
