"""Traces as somebody may see them: those of one's own recalls, and all of them for whoever reads the whole tenant."""

from uuid import UUID

from models.errors import NotFound
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope
from models.traces import Trace
from models.verbs import Verb
from store import traces
from store.engine import Database
from store.policies import Policies


class Traces:
    """Reads traces for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def get(self, principal: Principal, trace_id: UUID) -> Trace:
        """One trace. Raises `NotFound` for one that is not there, not kept any longer, or not theirs to see."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            trace = await traces.get(work, trace_id)
        if trace is None or not _may_see(policy, principal, trace):
            raise NotFound("no such trace; take its id from the answer to a recall, while traces are kept")
        return trace


def _may_see(policy: Policy, principal: Principal, trace: Trace) -> bool:
    own = (principal.subject, principal.kind.value) == (trace.asked.subject, trace.asked.kind)
    if own and policy.allows(principal, Verb.RECALL, Scope(trace.asked.scope)):
        return True
    return policy.allows(principal, Verb.READ, Scope({}))
