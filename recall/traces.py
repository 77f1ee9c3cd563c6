"""Traces as somebody may see them: those of one's own recalls, and all of them for whoever reads the whole tenant.

To anybody but whoever asked, a trace names no record that they may not see: not even by its id.
"""

import json
from collections.abc import Sequence
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
from store.tenants import KnownTenants
from store.traces import Asker, Position
from store.unit_of_work import UnitOfWork

_UNKNOWN = "no such trace; take its id from the answer to a recall, while traces are kept"


class TraceSeen(NamedTuple):
    """A trace as somebody sees it: `withheld` is the number of entries that they may not see, which are left out."""

    trace: Trace
    withheld: int


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

    async def get(self, principal: Principal, trace_id: UUID) -> TraceSeen:
        """One trace. Raises `NotFound` for one that is not there, not kept any longer, or not theirs to see."""
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            return await seen(work, policy, principal, trace_id)

    async def page(self, principal: Principal, query: TraceQuery) -> TracePage:
        """One page of one's own recalls, or of everybody's for whoever reads the whole tenant, newest first.

        A page can be shorter than its limit and still have a `next`. Raises `NotPermitted` for whoever may recall
        nothing anywhere, and `InvalidInput` for a cursor of another list.
        """
        policy = await self._policies.of(principal.tenant_id)
        everybody = _reads_all(policy, principal)
        if not everybody:
            policy.require_anywhere(principal, Verb.RECALL)
        after = (
            None if query.cursor is None else read_cursor(query.cursor, lambda said: _position(said, query))
        )
        async with self._database.transaction(principal.tenant_id) as work:
            await self._tenants.require(work, principal.tenant)
            if everybody and query.record_id is not None:
                # Whose recalls found it would tell that a record is there.
                readable, known = readable_by(policy, principal), catalogue(policy)
                everybody = bool(await traces.seen_among(work, [query.record_id], readable, known))
            of = None if everybody else Asker(principal.subject, principal.kind.value)
            found = await traces.page(work, of, query, after, query.limit + 1)
        shown = found[: query.limit]
        following = _cursor(query, shown[-1]) if len(found) > query.limit else None
        return TracePage([each for each in shown if _may_see(policy, principal, each)], following)


async def seen(work: UnitOfWork, policy: Policy, principal: Principal, trace_id: UUID) -> TraceSeen:
    """A trace as `principal` sees it; raises as `Traces.get` does."""
    trace = await traces.get(work, trace_id)
    if trace is None or not _may_see(policy, principal, trace):
        raise NotFound(_UNKNOWN)
    if is_own(principal, trace):
        return TraceSeen(trace, 0)
    named = [entry.id for entry in trace.entries]
    told = await traces.seen_among(work, named, readable_by(policy, principal), catalogue(policy))
    entries = tuple(entry for entry in trace.entries if entry.id in told)
    return TraceSeen(trace.model_copy(update={"entries": entries}), len(trace.entries) - len(entries))


def is_own(principal: Principal, trace: TraceHead) -> bool:
    """Whether it was `principal` who asked."""
    return (principal.subject, principal.kind.value) == (trace.asked.subject, trace.asked.kind)


def _may_see(policy: Policy, principal: Principal, trace: TraceHead) -> bool:
    if is_own(principal, trace) and policy.allows(principal, Verb.RECALL, Scope(trace.asked.scope)):
        return True
    return _reads_all(policy, principal)


def _reads_all(policy: Policy, principal: Principal) -> bool:
    return policy.allows(principal, Verb.READ, Scope({}))


def _cursor(query: TraceQuery, last: TraceHead) -> str:
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
