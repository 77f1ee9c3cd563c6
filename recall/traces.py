"""Traces as somebody may see them: those of one's own recalls, and those of others for whoever reads the whole tenant.

Nobody sees a record in one that they may not see now. One's own trace is told without it; that of somebody else is not
told at all then, as its question, its ranks and its counts speak of what was found.
"""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from models.controls import catalogue
from models.cursors import cursor_of, read_cursor
from models.errors import InvalidInput, NotFound
from models.events import aware
from models.policy import Policy
from models.principals import Principal
from models.readers import readable_by
from models.scope import Scope
from models.traces import Trace, TraceHead, TraceQuery
from models.verbs import Verb
from store import traces
from store.engine import Database
from store.policies import Policies
from store.shown import Unshown, unshown_among
from store.tenants import KnownTenants
from store.traces import Asker, Listed, Position
from store.unit_of_work import UnitOfWork

_UNKNOWN = "no such trace; take its id from the answer to a recall, while traces are kept"


MOST_LOOKS = 20
"""How often one page looks for more traces where many of those that it finds are not for the reader."""


class TracePage(NamedTuple):
    """Recalls, newest first; `next` is the cursor of the following page, None where there is none."""

    traces: Sequence[TraceHead]
    next: str | None


class Traces:
    """Reads traces for any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies
        self._tenants = KnownTenants()

    async def get(self, principal: Principal, trace_id: UUID) -> Trace:
        """One trace. Raises `NotFound` for one that is not there, not kept any longer, or not theirs to see."""
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            return await seen(work, Reader(policy, principal, present), trace_id)

    async def page(self, principal: Principal, query: TraceQuery) -> TracePage:
        """One page of one's own recalls, or of everybody's for whoever reads the whole tenant, newest first.

        A page can be shorter than its limit and still have a `next`, where much lies between that they may not see.
        Raises `NotPermitted` for whoever may recall nothing anywhere, and `InvalidInput` for a cursor of another list.
        """
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        everybody = _reads_all(policy, principal)
        if not everybody:
            policy.require_anywhere(principal, Verb.RECALL)
        after = (
            None if query.cursor is None else read_cursor(query.cursor, lambda said: _position(said, query))
        )
        reader = Reader(policy, principal, present)
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            if query.record_id is not None and (await reader.unshown(work, [query.record_id])).hidden:
                # Whose recalls found it would tell that a record is there.
                return TracePage([], None)
            of = None if everybody else Asker(principal.subject, principal.kind.value)
            shown, last = await _look_through(work, reader, of, query, after)
        return TracePage([each.head for each in shown], None if last is None else _cursor(query, last))


class Reader(NamedTuple):
    """Whoever reads traces; `present` are the attributes of which the tenant has memories."""

    policy: Policy
    principal: Principal
    present: Collection[str]

    async def unshown(self, work: UnitOfWork, record_ids: Sequence[UUID]) -> Unshown:
        """Those of these records that they may not see now."""
        readable = readable_by(self.policy, self.principal, self.present)
        return await unshown_among(work, record_ids, readable, catalogue(self.policy))


async def seen(work: UnitOfWork, reader: Reader, trace_id: UUID) -> Trace:
    """A trace as the reader sees it; raises as `Traces.get` does."""
    trace = await traces.get(work, trace_id)
    if trace is None or not _may_see(reader.policy, reader.principal, trace):
        raise NotFound(_UNKNOWN)
    unshown = await reader.unshown(work, [entry.id for entry in trace.entries])
    if is_own(reader.principal, trace):
        return trace.without(unshown.hidden)
    if unshown.hidden or unshown.gone:
        raise NotFound(_UNKNOWN)
    return trace


async def _look_through(
    work: UnitOfWork, reader: Reader, of: Asker | None, query: TraceQuery, after: Position | None
) -> tuple[list[Listed], Position | None]:
    """The next traces that the reader sees, as many as were asked for, and after which one others follow."""
    shown: list[Listed] = []
    for _ in range(MOST_LOOKS):
        found = await traces.page(work, of, query, after, query.limit + 1)
        batch = found[: query.limit]
        # One's own are told without what is hidden; of those of others nothing is, see `seen`.
        others = [each for each in batch if not is_own(reader.principal, each.head)]
        unshown = await reader.unshown(work, list({identity for each in others for identity in each.named}))
        kept_back = unshown.hidden | unshown.gone
        telling = {each.head.id for each in others if not kept_back.isdisjoint(each.named)}
        for each in batch:
            if each.head.id in telling or not _may_see(reader.policy, reader.principal, each.head):
                continue
            if len(shown) == query.limit:
                return shown, shown[-1].position
            shown.append(each)
        if len(found) == len(batch):
            return shown, None
        after = batch[-1].position
    return shown, after


def is_own(principal: Principal, trace: TraceHead) -> bool:
    """Whether it was `principal` who asked."""
    return (principal.subject, principal.kind.value) == (trace.asked.subject, trace.asked.kind)


def _may_see(policy: Policy, principal: Principal, trace: TraceHead) -> bool:
    if is_own(principal, trace) and policy.allows(principal, Verb.RECALL, Scope(trace.asked.scope)):
        return True
    return _reads_all(policy, principal)


def _reads_all(policy: Policy, principal: Principal) -> bool:
    return policy.allows(principal, Verb.READ, Scope({}))


def _cursor(query: TraceQuery, last: Position) -> str:
    return cursor_of([last.recorded_at.isoformat(), str(last.id), _filter_of(query)])


def _position(said: Any, query: TraceQuery) -> Position:
    recorded_at, identity, filtered = said
    if filtered != _filter_of(query):
        raise InvalidInput(
            "belongs to a list with other filters; send it with those of its page", field="cursor"
        )
    return Position(aware(datetime.fromisoformat(recorded_at)), UUID(identity))


def _filter_of(query: TraceQuery) -> str:
    return json.dumps([query.record_id and str(query.record_id), query.trigger, query.advice])
