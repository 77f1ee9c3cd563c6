"""Publish events: validate, authorise, scrub, number and store, all of a batch or nothing.

The answer is given when the events are durable. What becomes of them is decided later.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from models.candidates import structured_candidates
from models.errors import Conflict, InvalidInput, KeepwellError, TooLarge
from models.events import (
    CHECKPOINTS,
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
from store import events
from store.engine import Database
from store.events import EventRow
from store.tenants import KnownTenants
from store.unit_of_work import KeyTaken, UnitOfWork

_TRIES = 5


class Receipt(NamedTuple):
    """A durable event: its id, its activity's internal id, its number there; whether it was there before."""

    event_id: UUID
    activity_id: UUID
    seq: int
    duplicate: bool


class _Checked(NamedTuple):
    event: NewEvent
    scope: Scope
    digest: bytes


class Publisher:
    """Takes events for any principal."""

    def __init__(self, database: Database, policy: Policy) -> None:
        self._database = database
        self._policy = policy
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
        now = datetime.now(UTC)
        scopes: dict[frozenset[tuple[str, str]], Scope] = {}
        checked = [self._at(index, principal, item, now, scopes) for index, item in enumerate(raw)]
        for _ in range(_TRIES):
            try:
                async with self._database.transaction(principal.tenant_id) as work:
                    await self._tenants.require(work, principal.tenant)
                    return await _store(work, principal, self._policy, checked)
            except KeyTaken:
                # Another call has just used one of the keys; seen afresh, it is a duplicate or a conflict.
                continue
        raise Conflict("idempotency keys of this batch are being used by other calls; send it again")

    def _at(
        self,
        index: int,
        principal: Principal,
        item: object,
        now: datetime,
        scopes: dict[frozenset[tuple[str, str]], Scope],
    ) -> _Checked:
        """Check one event. `scopes` holds those of the batch that are authorised already: most share one."""
        try:
            event = parse_event(item, now)
            named = frozenset(event.scope.items())
            if named not in scopes:
                scope = parse_scope(event.scope, self._policy.dimensions)
                self._policy.require_scope(principal, scope)
                scopes[named] = scope
            structured_candidates(event.data)
        except KeepwellError as error:
            raise error.at(index + 1) from None
        return _Checked(event, scopes[named], _digest(event, scopes[named]))


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


async def _store(
    work: UnitOfWork, principal: Principal, policy: Policy, checked: Sequence[_Checked]
) -> list[Receipt]:
    keys = [item.event.idempotency_key for item in checked if item.event.idempotency_key is not None]
    known = await events.known(work, principal, keys)
    fresh: list[int] = []
    first_use: dict[str, int] = {}
    for index, item in enumerate(checked):
        key = item.event.idempotency_key
        if key is None:
            fresh.append(index)
        elif key in known:
            _require_same(known[key].digest, item.digest, index)
        elif key in first_use:
            _require_same(checked[first_use[key]].digest, item.digest, index)
        else:
            first_use[key] = index
            fresh.append(index)
    rows = [_row(principal, policy, checked[index]) for index in fresh]
    appended = await events.append(work, rows) if rows else []
    placed = dict(zip(fresh, appended, strict=True))
    receipts: list[Receipt] = []
    for index, item in enumerate(checked):
        key = item.event.idempotency_key
        if index in placed:
            receipts.append(Receipt(*placed[index], duplicate=False))
        elif key is not None and key in known:
            there = known[key]
            receipts.append(Receipt(there.id, there.activity_id, there.seq, duplicate=True))
        elif key is not None:
            receipts.append(Receipt(*placed[first_use[key]], duplicate=True))
    return receipts


def _require_same(stored: bytes, sent: bytes, index: int) -> None:
    if stored != sent:
        raise Conflict(
            "stands for an event with other content; give the new event a key of its own",
            field="idempotency_key",
            position=index + 1,
        )


def _row(principal: Principal, policy: Policy, item: _Checked) -> EventRow:
    event = item.event
    content: dict[str, Any] = {
        "type": event.type.value,
        "subject": principal.subject,
        "subject_kind": principal.kind.value,
        "roles": list(principal.roles),
        "authority": int(policy.authority_of(principal, event.type)),
        "scope": dict(item.scope),
        "occurred_at": event.occurred_at.isoformat(),
        "timezone": event.timezone,
        "text": event.text,
        "entities": [mention.model_dump(exclude_none=True) for mention in event.entities],
        "evidence_ref": event.evidence_ref,
        "data": event.data,
        "idempotency_key": event.idempotency_key,
        "digest": item.digest.hex(),
    }
    return EventRow(item.scope, event.activity_id, event.type in CHECKPOINTS, content)
