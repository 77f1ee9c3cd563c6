"""How every question to memory begins: under which policy, in which scope, as of when, and by when an answer is due.

Whatever takes a while and needs no transaction is done before one is open. Nothing is decided here about any record.
"""

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import NamedTuple

from models.errors import InvalidInput
from models.events import aware
from models.policy import Policy
from models.principals import Principal
from models.recall import RecallRequest
from models.scope import Scope, parse_scope
from models.verbs import Verb
from recall.deadline import FOR_THE_QUERY, NO_DEADLINE, Deadline
from recall.likeness import NOTHING, Alike, QueryEmbedder
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork


class Inquiry(NamedTuple):
    """One request, with all that it is answered by.

    `scope` is authorised. `present` are the attributes of which the tenant has memories, None where nobody has looked;
    `alike` is the query as a vector; `version` is that of the policy.
    """

    policy: Policy
    principal: Principal
    scope: Scope
    request: RecallRequest
    as_of: datetime
    present: Collection[str] | None = None
    alike: Alike = NOTHING
    deadline: Deadline = NO_DEADLINE
    version: int = 0


class Inquiries:
    """Begins inquiries of any principal."""

    def __init__(self, database: Database, policies: Policies, embedder: QueryEmbedder) -> None:
        self._database = database
        self._policies = policies
        self._embedder = embedder
        self._tenants = KnownTenants()

    @asynccontextmanager
    async def begun(
        self, principal: Principal, request: RecallRequest
    ) -> AsyncGenerator[tuple[UnitOfWork, Inquiry]]:
        """An inquiry, and the transaction to answer it in.

        Raises `NotPermitted` for a scope that the principal does not reach, and `NotFound` for a tenant that nobody has
        made: a misspelt one must not look like an empty memory.
        """
        version, policy, present = await self._policies.in_force(principal.tenant_id)
        scope = authorised_scope(policy, principal, request)
        as_of = instant_of(request)
        deadline = Deadline(request.deadline_ms)
        alike = await self._embedder.of(principal.tenant_id, request, deadline.left(FOR_THE_QUERY))
        async with self._database.transaction(principal.tenant_id, planned_once=True) as work:
            await self._tenants.require(work, principal.tenant)
            yield (
                work,
                Inquiry(policy, principal, scope, request, as_of, present, alike, deadline, version),
            )

    @asynccontextmanager
    async def resumed(self, inquiry: Inquiry) -> AsyncGenerator[UnitOfWork]:
        """Another transaction for an inquiry that was begun."""
        async with self._database.transaction(inquiry.principal.tenant_id) as work:
            yield work


def authorised_scope(policy: Policy, principal: Principal, request: RecallRequest) -> Scope:
    """The scope of the request, every dimension of it authorised."""
    scope = parse_scope(request.scope, policy.dimensions)
    policy.require(principal, Verb.RECALL, scope)
    return scope


def instant_of(request: RecallRequest) -> datetime:
    """The instant for which the request asks; raises `InvalidInput` for a naive one."""
    return datetime.now(UTC) if request.as_of is None else with_offset(request.as_of, "as_of")


def with_offset(instant: datetime, field: str) -> datetime:
    """The instant; raises `InvalidInput`, which names the field, for a naive one."""
    try:
        return aware(instant)
    except ValueError as naive:
        raise InvalidInput(str(naive), field=field) from None
