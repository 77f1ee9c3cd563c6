"""Publish events: scrub, mask, validate, authorise, number and store, all of a batch or nothing.

The answer is given when the events are durable. What becomes of them is decided later.
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from capture.accept import Accepted, Receipt, append, in_one_transaction
from capture.masking import Masker
from models.candidates import structured_candidates
from models.errors import InvalidInput, KeepwellError, TooLarge
from models.events import (
    MAX_BATCH,
    MAX_BATCH_BYTES,
    MAX_EVENT_BYTES,
    NewEvent,
    parse_event,
    size_of,
)
from models.ids import content_digest
from models.policy import Policy
from models.principals import Principal
from models.scope import Scope, parse_scope
from models.verbs import Verb
from store.engine import Database
from store.policies import Policies
from store.tenants import KnownTenants
from store.unit_of_work import UnitOfWork

_QUICKLY_READ = 16 * 1024
"""Bytes that are masked and checked in a few milliseconds."""


class Publisher:
    """Takes events for any principal."""

    def __init__(self, database: Database, policies: Policies, masker: Masker) -> None:
        self._database = database
        self._policies = policies
        self._masker = masker
        self._tenants = KnownTenants()

    async def publish(self, principal: Principal, raw: Sequence[object]) -> list[Receipt]:
        """Store events in order; one receipt each.

        Raises a `KeepwellError` that names the 1-based position in the batch, the field and the remedy;
        then nothing of the batch is stored.
        """
        if not raw:
            raise InvalidInput("no events; send at least one")
        if len(raw) > MAX_BATCH:
            raise InvalidInput(f"{len(raw)} events; send at most {MAX_BATCH} at once")
        _require_bearable(raw)
        policy = await self._policies.of(principal.tenant_id)
        if len(raw) == 1 and size_of(raw[0]) <= _QUICKLY_READ:
            accepted = self._accepted(principal, policy, raw)
        else:
            # Masking takes a time that grows with the text, in which others want to be served as well.
            accepted = await asyncio.to_thread(self._accepted, principal, policy, raw)

        async def store(work: UnitOfWork) -> list[Receipt]:
            await self._tenants.require(work, principal.tenant)
            return await append(work, principal, policy, accepted)

        return await in_one_transaction(self._database, principal.tenant_id, store)

    def _accepted(self, principal: Principal, policy: Policy, raw: Sequence[object]) -> list[Accepted]:
        """Mask and check every event of a batch."""
        now = datetime.now(UTC)
        scopes: dict[frozenset[tuple[str, str]], Scope] = {}
        return [self._at(index, principal, policy, item, now, scopes) for index, item in enumerate(raw)]

    def _at(
        self,
        index: int,
        principal: Principal,
        policy: Policy,
        item: object,
        now: datetime,
        scopes: dict[frozenset[tuple[str, str]], Scope],
    ) -> Accepted:
        """Mask and check one event. `scopes` holds those of the batch that are authorised already: most share one."""
        kinds: tuple[str, ...] = ()

        def mask(fields: dict[str, Any]) -> dict[str, Any]:
            nonlocal kinds
            masked, kinds = self._masker.fields(principal.tenant_id, fields)
            return masked

        try:
            event = parse_event(item, now, mask)
            named = frozenset(event.scope.items())
            if named not in scopes:
                scope = parse_scope(event.scope, policy.dimensions)
                policy.require(principal, Verb.PUBLISH, scope)
                scopes[named] = scope
            structured_candidates(event.data)
        except KeepwellError as error:
            raise error.at(index + 1) from None
        return Accepted(event, scopes[named], _digest(event, scopes[named]), kinds)


def _require_bearable(raw: Sequence[object]) -> None:
    """Refuse a batch that Postgres could not take in one statement. A short one is within the limit anyhow."""
    if len(raw) * MAX_EVENT_BYTES <= MAX_BATCH_BYTES:
        return
    size = sum(size_of(item) for item in raw)
    if size > MAX_BATCH_BYTES:
        raise TooLarge(f"{size:,} bytes in one batch of {MAX_BATCH_BYTES:,}; send it in several")


def _digest(event: NewEvent, scope: Scope) -> bytes:
    said = event.model_dump(mode="json", exclude={"idempotency_key"}, exclude_defaults=True)
    return content_digest({**said, "scope": dict(scope)})
