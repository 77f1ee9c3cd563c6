"""Endpoints as administrators keep them: register, list, replace the secret, switch off and on.

A secret is shown once, to whoever has it made; nobody reads one out again.
"""

import secrets
from datetime import UTC, datetime
from typing import NamedTuple

from models.circuit import Circuit
from models.endpoints import (
    SECRET_BYTES,
    Allowed,
    Endpoint,
    EndpointKind,
    NewEndpoint,
    require_reachable,
    rotated,
    secret_of,
)
from models.errors import Conflict, NotFound
from models.principals import Principal
from models.scope import Scope
from models.verbs import Verb
from store import endpoints, outbox
from store.endpoints import Known
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

BY_HAND = "switched off by an administrator"


class Registered(NamedTuple):
    """An endpoint, and the secret that signs for it, which is not shown again; None for one that takes signals."""

    endpoint: Endpoint
    secret: str | None


class Endpoints:
    """Keeps the endpoints of tenants. `allowed` is what the operator has allowed by name."""

    def __init__(self, database: Database, policies: Policies, allowed: Allowed) -> None:
        self._database = database
        self._policies = policies
        self._allowed = allowed
        self._tenants = KnownTenants()

    async def register(self, principal: Principal, new: NewEndpoint) -> Registered:
        """A new endpoint, to which intentions can be delivered from now on.

        Raises `NotPermitted`, `InvalidInput` for an address to which nothing may be delivered, and `Conflict` for a
        name that another endpoint has.
        """
        await self._require_administrator(principal)
        require_reachable(new, principal.tenant_id, self._allowed)
        secret = _new_secret() if new.kind is EndpointKind.WEBHOOK else None
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            made = await endpoints.add(work, new, [secret] if secret else [], principal.subject)
        if made is None:
            raise Conflict(
                "an endpoint has this name; choose another, or replace the secret of that one", field="name"
            )
        return Registered(made, secret)

    async def list(self, principal: Principal) -> list[Endpoint]:
        """All endpoints of the tenant, by name. Raises `NotPermitted`."""
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            return await endpoints.every(work)

    async def rotate(self, principal: Principal, name: str) -> Registered:
        """A new secret for a webhook. The one before it signs as well, until the secret is replaced once more.

        Raises `NotPermitted`, `NotFound`, and `Conflict` for an endpoint that is not signed for.
        """
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            held = await _held(work, name)
            if held.endpoint.kind is not EndpointKind.WEBHOOK:
                raise Conflict("a workflow gets signals, which no secret signs; there is nothing to replace")
            secret = _new_secret()
            changed = await endpoints.sign_by(work, held.endpoint.id, rotated(held.secrets, secret))
        return Registered(changed, secret)

    async def disable(self, principal: Principal, name: str) -> Endpoint:
        """Switch an endpoint off: what is due for it waits. One that is off stays as it is.

        Raises `NotPermitted` and `NotFound`.
        """
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            there = (await _held(work, name)).endpoint
            if there.disabled_at is not None:
                return there
            return await endpoints.stand(work, there.id, there.circuit, datetime.now(UTC), BY_HAND)

    async def enable(self, principal: Principal, name: str) -> Endpoint:
        """Switch an endpoint on, and forget its failures: what waits for it is sent now.

        Raises `NotPermitted` and `NotFound`.
        """
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            there = (await _held(work, name)).endpoint
            await outbox.put(work, outbox.Kind.DELIVER, [there.id])
            return await endpoints.stand(work, there.id, Circuit(), None, None)

    async def _require_administrator(self, principal: Principal) -> None:
        policy = await self._policies.of(principal.tenant_id)
        policy.require(principal, Verb.ADMINISTER, Scope({}))


async def _held(work: UnitOfWork, name: str) -> Known:
    held = await endpoints.hold_named(work, name)
    if held is None:
        raise NotFound("no such endpoint; list the endpoints to see their names")
    return held


def _new_secret() -> str:
    return secret_of(secrets.token_bytes(SECRET_BYTES))
