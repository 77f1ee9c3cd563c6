"""Erasures as those see them who asked, or may erase: their plans, receipts, holds, and the tombstones they left."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from models.erasure.erasures import Erasure
from models.erasure.reach import EVERYWHERE, UNKNOWN_ERASURE, may_see
from models.erasure.receipts import Broken, Logged
from models.errors import NotFound
from models.principals import Principal
from models.verbs import Verb
from store.engine import Database
from store.erasure import log, requests
from store.erasure.log import Hold
from store.erasure.requests import Tombstone
from store.policies import Policies
from store.tenants import KnownTenants


class ErasureRead(NamedTuple):
    """An erasure with its receipt, once there is one, and who has confirmed its plan."""

    erasure: Erasure
    confirmed_by: Sequence[str]
    logged: Logged | None


class ErasurePage(NamedTuple):
    """Some erasures, the newest first; `next` is where the following page begins."""

    erasures: Sequence[Erasure]
    next: UUID | None


class ErasureReader:
    """Reads for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def one(self, principal: Principal, identity: UUID) -> ErasureRead:
        """One erasure. Raises `NotFound` for one that the principal neither asked for nor may see."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            erasure = await requests.get(work, identity)
            if erasure is None or not may_see(policy, principal, erasure):
                raise NotFound(UNKNOWN_ERASURE)
            confirmed = await requests.confirmed_by(work, identity, erasure.digest)
            return ErasureRead(erasure, confirmed, await log.of_erasure(work, identity))

    async def page(self, principal: Principal, after: UUID | None, limit: int) -> ErasurePage:
        """One page of the tenant's erasures. Raises `NotPermitted` for who may not erase everywhere."""
        await self._require(principal, Verb.ERASE)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            found = await requests.page(work, after, limit + 1)
        shown = found[:limit]
        return ErasurePage(shown, shown[-1].id if len(found) > limit else None)

    async def tombstone(self, principal: Principal, identity: UUID) -> Tombstone:
        """When something was erased, and by which request. Raises `NotFound` where it never was.

        Whoever may read anything of the tenant may know that an id is gone: a tombstone has no content.
        """
        policy = await self._policies.of(principal.tenant_id)
        policy.require_anywhere(principal, Verb.READ)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            found = await requests.tombstones_of(work, [identity])
        if not found:
            raise NotFound("nothing of this id was erased")
        return found[0]

    async def holds(self, principal: Principal) -> Sequence[Hold]:
        """All legal holds of the tenant, those that are over as well. Raises `NotPermitted`."""
        await self._require(principal, Verb.HOLD)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            return await log.holds(work, in_force=False)

    async def faults(self, principal: Principal) -> Sequence[Broken]:
        """Where the log of receipts is not as it was written. Raises `NotPermitted`."""
        await self._require(principal, Verb.ERASE)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            return await log.faults(work)

    async def _require(self, principal: Principal, verb: Verb) -> None:
        policy = await self._policies.of(principal.tenant_id)
        policy.require(principal, verb, EVERYWHERE)
