"""Reports on one's own recalls, as calls and as agents' runtimes tell them in the data of events.

What a call says that does not fit is refused. What events say that does not fit is passed over: no agent fails, and no
episode waits, because a report is of no use.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.events import StoredEvent
from models.policy import Policy
from models.principals import Principal, Speaker
from models.reports import NewReport, as_selected, told_in, unselected
from models.scope import Scope
from models.traces import Trace
from models.verbs import Verb
from store import reports, traces
from store.engine import Database
from store.policies import Policies
from store.reports import Exposure
from store.unit_of_work import UnitOfWork

_UNKNOWN = "no such trace; take its id from the answer to a recall, while traces are kept"


class Reported(NamedTuple):
    """A report that is kept; `duplicate` where it was there before, under its key."""

    trace_id: UUID
    duplicate: bool


class Reports:
    """Takes reports of any principal."""

    def __init__(self, database: Database, policies: Policies) -> None:
        self._database = database
        self._policies = policies

    async def report(self, principal: Principal, trace_id: UUID, report: NewReport) -> Reported:
        """Keep a report on one's own recall.

        | the report | raises |
        | --- | --- |
        | is on a trace that is not there, or not kept any longer, or not the principal's to see | `NotFound` |
        | is on somebody else's recall, which the principal may see | `NotPermitted` |
        | names records that the answer did not have | `InvalidInput` |
        | stands under a key with other content, or puts the recall into another pair or arm | `Conflict` |
        """
        policy = await self._policies.of(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            trace = await _own(work, policy, principal, trace_id)
            if report.idempotency_key is not None:
                there = await reports.digest_of(work, trace_id, report.idempotency_key)
                if there is not None:
                    _require_same(there, report)
                    return Reported(trace_id, duplicate=True)
            strangers = len(unselected(trace, report.seen))
            if strangers:
                raise InvalidInput(
                    f"{strangers} of the records are not in the answer of this recall; report each with the trace of"
                    " the recall that brought it",
                    field="used" if unselected(trace, report.used) else "visible",
                )
            if report.pair is not None:
                known = await reports.pair_of(work, trace_id)
                if known is not None and known != (report.pair, report.arm):
                    raise Conflict(
                        "the recall belongs to another pair or arm already; a run of another pair recalls anew",
                        field="pair",
                    )
            await reports.add(work, trace_id, report)
        return Reported(trace_id, duplicate=False)


async def take_from(work: UnitOfWork, events: Iterable[StoredEvent]) -> None:
    """Keep what agents' runtimes tell in these events of their own recalls. Taken again, it changes nothing."""
    told = [(event.speaker, found) for event in events if (found := told_in(event.data)) is not None]
    wanted = {trace_id for _, (trace_ids, _) in told for trace_id in trace_ids}
    if not wanted:
        return
    held = {trace.id: trace for trace in await traces.held(work, sorted(wanted))}
    await reports.expose(work, _exposures(told, held))


def _exposures(
    told: Sequence[tuple[Speaker, tuple[frozenset[UUID], NewReport]]], held: Mapping[UUID, Trace]
) -> list[Exposure]:
    return [
        Exposure(trace.id, record_id, record_id in report.used)
        for speaker, (trace_ids, said) in told
        for trace in (held[trace_id] for trace_id in trace_ids if trace_id in held)
        if _is_asker(speaker, trace) and (report := as_selected(trace, said)) is not None
        for record_id in report.seen
    ]


async def _own(work: UnitOfWork, policy: Policy, principal: Principal, trace_id: UUID) -> Trace:
    found = await traces.held(work, [trace_id])
    trace = found[0] if found else None
    if trace is not None and _is_asker(principal, trace):
        policy.require(principal, Verb.RECALL, Scope(trace.asked.scope))
        return trace
    if trace is not None and policy.allows(principal, Verb.READ, Scope({})):
        raise NotPermitted("only whoever asked reports on a recall; report with the key that recalled")
    raise NotFound(_UNKNOWN)


def _is_asker(speaker: Speaker, trace: Trace) -> bool:
    return (speaker.subject, speaker.kind.value) == (trace.asked.subject, trace.asked.kind)


def _require_same(stored: bytes, report: NewReport) -> None:
    if stored != report.digest:
        raise Conflict(
            "stands for a report with other content; give the new report a key of its own",
            field="idempotency_key",
        )
