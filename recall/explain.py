"""Explain: the exact step of the read path that kept or dropped one record."""

from datetime import datetime
from uuid import UUID

from models.controls import SwitchState
from models.errors import NotFound
from models.explanation import (
    Explanation,
    Placing,
    explain_entries,
    explain_not_found,
    known_at,
    yielded_to,
)
from models.explanation import explain as walk
from models.facts import Fact, Turn, as_known
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.readers import readable_by, recalled_for
from models.recall import Reason, RecalledFact, RecalledPassage, RecallRequest, most_in_play
from models.scope import Scope
from models.text import terms
from models.traces import Trace
from models.verbs import Verb
from recall.inquiry import Inquiry, authorised_scope, instant_of
from recall.likeness import QueryEmbedder
from recall.recall import gather, weighed_up
from recall.reranking import SecondLook
from recall.traces import Reader, is_own, seen
from store import episodes, evidence, facts, persons, switches, traces
from store.engine import Database
from store.episodes import Episode
from store.policies import Policies
from store.unit_of_work import UnitOfWork

_UNKNOWN = "no such record; take an id from recall or history"


class Explain:
    """Answers why, and why not, for any record that the principal may know of."""

    def __init__(
        self, database: Database, policies: Policies, embedder: QueryEmbedder, second_look: SecondLook
    ) -> None:
        self._database = database
        self._policies = policies
        self._embedder = embedder
        self._second_look = second_look

    async def explain(self, principal: Principal, record_id: UUID, request: RecallRequest) -> Explanation:
        """Why `record_id`, a fact or an episode, is or is not in the answer to `request`.

        Raises `NotFound` for a record that is not there, lies in a scope that the principal does not reach, or
        is one that they may not read; all look the same.
        """
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        scope = authorised_scope(policy, principal, request)
        as_of = instant_of(request)
        alike = await self._embedder.of(principal.tenant_id, request)
        inquiry = Inquiry(policy, principal, scope, request, as_of, present, alike)
        async with self._database.transaction(principal.tenant_id) as work:
            fact, episode = await _record(work, policy, principal, Verb.RECALL, record_id)
            lies_in = _scope_of(fact, episode)
            about = await persons.about(work, policy, [record_id])
            gathered = await gather(work, inquiry)
            known = gathered.search.known_at
            recorded_at = _recorded_at(fact, episode)
            fact = fact if fact is None or known is None else await _as_known(work, fact, known)
        considered = weighed_up(inquiry, await self._second_look.at(inquiry, gathered))
        placings = [Placing(rank, item) for rank, item in considered.places if _is_of(item, record_id)]
        has_readers = fact is None or fact.attribute in policy.known_names
        off = record_id in about and about[record_id].switched_off
        yields_to = yielded_to(record_id, considered.disagreements)
        in_play = sum(Reason.ENTITY_IN_PLAY in item.reasons for _, item in considered.places)
        return walk(
            record_id,
            fact,
            lies_in.covers(scope),
            has_readers,
            placings,
            considered.answer,
            switched_off=off,
            unknown_before=recorded_at if known is not None and recorded_at > known else None,
            yields_to=yields_to,
            below_floor=bool(placings) and considered.below.issuperset(each.item.id for each in placings),
            crowded=in_play >= most_in_play(request.limit),
        )

    async def of_trace(self, principal: Principal, trace_id: UUID, record_id: UUID) -> Explanation:
        """Why `record_id`, a fact or an episode, was or was not in a past answer, whatever has changed since then.

        Its trace answers for what was found. For the rest counts what was known then: the policy that was in force, the
        roles of whoever asked, and what had been recorded. Raises `NotFound` as `explain` and `Traces.get` do.
        """
        _, policy, present = await self._policies.in_force(principal.tenant_id)
        async with self._database.transaction(principal.tenant_id) as work:
            trace = await seen(work, Reader(policy, principal, present), trace_id)
            verb = Verb.RECALL if is_own(principal, trace) else Verb.READ
            fact, episode = await _record(work, policy, principal, verb, record_id)
            parts = {record_id} if episode is None else await traces.passages_of(work, record_id)
        entries = [entry for entry in trace.entries if entry.id in parts]
        if entries:
            return explain_entries(record_id, trace, entries)
        then = await self._policies.of_version(principal.tenant_id, trace.asked.policy_version)
        async with self._database.transaction(principal.tenant_id) as work:
            return explain_not_found(
                record_id,
                trace,
                None if fact is None else await _as_known(work, fact, known_at(trace)),
                _recorded_at(fact, episode),
                in_scope=_scope_of(fact, episode).covers(Scope(trace.asked.scope)),
                readable=await _was_readable(work, then, principal.tenant, trace, fact, record_id),
                switched_off=fact is not None and await _was_off(work, then, fact, known_at(trace)),
                shares_words=await traces.shares_words(work, sorted(parts), list(terms(trace.asked.query))),
            )


async def _record(
    work: UnitOfWork, policy: Policy, principal: Principal, verb: Verb, record_id: UUID
) -> tuple[Fact | None, Episode | None]:
    """The fact or the episode; raises `NotFound` where there is none that the principal may know of."""
    readable = readable_by(policy, principal)
    fact = await facts.seen(work, record_id, readable)
    episode = await episodes.seen(work, record_id, readable) if fact is None else None
    if fact is None and episode is None:
        raise NotFound(_UNKNOWN)
    if not policy.may_know(principal, verb, _scope_of(fact, episode)):
        raise NotFound(_UNKNOWN)
    return fact, episode


def _scope_of(fact: Fact | None, episode: Episode | None) -> Scope:
    return Scope(fact.scope) if fact is not None else episode.scope if episode is not None else Scope({})


def _recorded_at(fact: Fact | None, episode: Episode | None) -> datetime:
    record = fact or episode
    assert record is not None
    return record.recorded_at


async def _as_known(work: UnitOfWork, fact: Fact, at: datetime) -> Fact:
    """The fact with the end that had been recorded by then."""
    changes = await evidence.transitions_of(work, [fact.id])
    return as_known(fact, [Turn(said.to_status, said.effective_at, when) for when, said in changes], at)


async def _was_readable(
    work: UnitOfWork, then: Policy, tenant: str, trace: Trace, fact: Fact | None, record_id: UUID
) -> bool:
    """Whether whoever asked was among the readers, by the policy and the roles of then."""
    asked = trace.asked
    asker = Principal(tenant=tenant, subject=asked.subject, kind=PrincipalKind(asked.kind), roles=asked.roles)
    readable = recalled_for(then, asker)
    if fact is not None:
        return readable.shows(fact.attribute)
    return await episodes.seen(work, record_id, readable) is not None


async def _was_off(work: UnitOfWork, then: Policy, fact: Fact, at: datetime) -> bool:
    """Whether the person whom it is about had switched its class off by then."""
    about = (await persons.about(work, then, [fact.id]))[fact.id]
    if about.person is None:
        return False
    turns = await switches.log_of(work, about.person)
    states = [turn.state for turn in turns if turn.recorded_at <= at and fact.attribute in turn.attributes]
    return bool(states) and states[-1] is SwitchState.OFF


def _is_of(item: RecalledFact | RecalledPassage, record_id: UUID) -> bool:
    return item.id == record_id or (isinstance(item, RecalledPassage) and item.episode_id == record_id)
