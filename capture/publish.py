"""Publish events: validate, authorise, scrub, number and store, all of a batch or nothing.

The answer is given when the events are durable. What becomes of them is decided later.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from capture.accept import Accepted, Receipt, append, in_one_transaction
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


class Publisher:
    """Takes events for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
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
        now = datetime.now(UTC)
        scopes: dict[frozenset[tuple[str, str]], Scope] = {}
        accepted = [_at(index, principal, policy, item, now, scopes) for index, item in enumerate(raw)]

        async def store(work: UnitOfWork) -> list[Receipt]:
            await self._tenants.require(work, principal.tenant)
            return await append(work, principal, policy, accepted)

        return await in_one_transaction(self._database, principal.tenant_id, store)


def _at(
    index: int,
    principal: Principal,
    policy: Policy,
    item: object,
    now: datetime,
    scopes: dict[frozenset[tuple[str, str]], Scope],
) -> Accepted:
    """Check one event. `scopes` holds those of the batch that are authorised already: most share one."""
    try:
        event = parse_event(item, now)
        named = frozenset(event.scope.items())
        if named not in scopes:
            scope = parse_scope(event.scope, policy.dimensions)
            policy.require(principal, Verb.PUBLISH, scope)
            scopes[named] = scope
        structured_candidates(event.data)
    except KeepwellError as error:
        raise error.at(index + 1) from None
    return Accepted(event, scopes[named], _digest(event, scopes[named]))


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
