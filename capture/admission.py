"""Admission: candidates of events are stored before anybody decides on them, each under its fact key.

What can be said of one without looking at what is there is said here; the rest waits for reconciliation.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from capture.oneself import is_own, switched_off
from capture.values import canonical_in
from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Proposed, Said, said_by
from models.contracts import SELF, Cardinality
from models.entities import is_canonical
from models.events import EntityMention, StoredEvent
from models.facts import Fact
from models.gates import Considered, Ruling, judge
from models.policy import Policy
from models.reasons import ReasonCode
from models.reconciliation import Disposition, Verdict
from models.scope import Scope
from store import candidates, entities, facts, outbox
from store.unit_of_work import UnitOfWork


class Speech(NamedTuple):
    """What a statement is about beyond its words.

    `about` is the one fact that it names, `reviews` the claim, or the candidate without a thing, that it accepts or
    rejects, `promotes` the fact of a narrower scope that it carries over. What it says again was first said in
    `first`, with `canonical` as the form of its value. `borne_out` says that nobody has said it, and
    narrower scopes bear it out.
    """

    about: Fact | None = None
    reviews: UUID | None = None
    promotes: UUID | None = None
    first: StoredEvent | None = None
    canonical: str | None = None
    borne_out: bool = False


PLAIN = Speech()
"""A statement that names none of them."""


class _Cited(NamedTuple):
    """An event, and what it says."""

    event: StoredEvent
    said: Said


class _Judged(NamedTuple):
    """A proposal under the attribute's own name, with its event and what the gates say of it."""

    proposal: Proposal
    event: StoredEvent
    ruling: Ruling


class Admitted(NamedTuple):
    """What came of one proposal: its candidate, and whether that is new.

    `key_id` is the fact key that has to be decided, None where the verdict was given at once.
    """

    candidate_id: UUID
    new: bool
    key_id: UUID | None
    verdict: tuple[Verdict, ReasonCode] | None


async def admit(
    work: UnitOfWork,
    policy: Policy,
    proposed: Sequence[Proposed],
    events: Iterable[StoredEvent],
    speech: Speech = PLAIN,
) -> list[Admitted]:
    """Let proposals of `events`, whoever made them, pass the gates; store them, and hand over their keys.

    What came of each is answered in their order; of two for one event and key the first counts. Entities and
    keys are made in one order, whatever the order of the proposals, so that transactions over other events with
    the same names never wait for each other in a ring.
    """
    cited = {event.id: _Cited(event, said_by(event)) for event in events}
    off = await switched_off(
        work,
        policy,
        [(each.proposal, cited[each.proposal.event_id].event) for each in proposed],
        speech.promotes or speech.reviews,
        speech.first,
    )
    judged = [
        await _judged(work, policy, each.proposal, cited[each.proposal.event_id], speech, unwanted)
        for each, unwanted in zip(proposed, off, strict=True)
    ]
    meant: Mapping[str, UUID | None] = {}
    # Whoever rejects a candidate without a thing speaks of that candidate, and of no thing by now.
    has_no_key = speech.about is not None or (
        speech.first is not None and all(each.proposal.terms is None for each in judged)
    )
    if not has_no_key:
        meant = await _entities_meant(work, [each for each in judged if not _is_stopped(each)])
    keys: dict[facts.FactKey, UUID] = {}
    placed: list[facts.FactKey | None] = []
    for each in judged:
        key = None if has_no_key else await _key(work, policy, each, meant, speech.canonical)
        placed.append(key)
        if key is not None:
            keys[key] = key.id(work.tenant_id)
    for key in sorted(keys, key=keys.__getitem__):
        await facts.ensure_key(work, key)
    admitted: list[Admitted] = []
    for one, each, key in zip(proposed, judged, placed, strict=True):
        key_id = speech.about.key_id if speech.about is not None else None if key is None else keys[key]
        verdict = _verdict(each, key_id, speech)
        new = await candidates.add(
            work,
            candidates.NewCandidate(
                proposal=each.proposal,
                key_id=key_id,
                extractor=one.extractor,
                doubt=each.ruling.reason,
                keep_words=not _is_stopped(each),
                about_id=None if speech.about is None else speech.about.id,
                reviews_id=speech.reviews,
                promotes_id=speech.promotes,
                extraction_id=one.extraction_id,
            ),
        )
        if verdict is not None and new is not None:
            rejected = speech.reviews if verdict[0] is Verdict.RETRACT else None
            if rejected is not None and not await candidates.settle(work, rejected, new):
                verdict = Verdict.IGNORE_STALE, ReasonCode.REVIEWED_ALREADY
            await candidates.decide(work, new, *verdict)
        identity = candidates.candidate_id(each.proposal, key_id)
        waits = key_id if verdict is None else None
        admitted.append(Admitted(identity, new is not None, waits, verdict))
    await outbox.put(work, outbox.Kind.RECONCILE, waiting_keys(admitted))
    return admitted


def waiting_keys(admitted: Sequence[Admitted]) -> list[UUID]:
    """The fact keys that have something to decide, each once."""
    return list(dict.fromkeys(each.key_id for each in admitted if each.key_id is not None))


def is_trusted(event: StoredEvent) -> bool:
    """Whether an event may say what a thing is: a person's word or a declared system's, not a model's."""
    return event.authority >= Authority.HUMAN_INSTRUCTION


async def _judged(
    work: UnitOfWork,
    policy: Policy,
    proposal: Proposal,
    cited: _Cited,
    speech: Speech,
    unwanted: frozenset[str],
) -> _Judged:
    event, scope = cited.event, Scope(cited.event.scope)
    declared = policy.declared(proposal.attribute)
    if declared is not None:
        proposal = proposal.model_copy(update={"attribute": declared.name})
    about_id = None if speech.about is None else speech.about.id
    own = await is_own(work, policy, event, proposal.kind, proposal.attribute, about_id)
    considered = Considered(
        proposal=proposal,
        said=cited.said,
        scope=scope,
        authority=policy.authority_for(event.speaker, proposal.attribute, event.authority),
        role=writer_role(policy, event, proposal.attribute) or (SELF if own else None),
        switched_off=unwanted,
        names_fact=speech.about is not None or speech.reviews is not None,
        borne_out=speech.borne_out,
    )
    return _Judged(proposal, event, judge(considered, declared))


def writer_role(policy: Policy, event: StoredEvent, attribute: str) -> str | None:
    """The role that permits a statement. What came from a tool, a page or a model has none, whoever sent it."""
    if event.authority < Authority.HUMAN_INSTRUCTION:
        return None
    return policy.permitted_writer(event.speaker, attribute, Scope(event.scope))


def _is_stopped(judged: _Judged) -> bool:
    return judged.ruling.disposition is Disposition.DISCARD


def _verdict(judged: _Judged, key_id: UUID | None, speech: Speech) -> tuple[Verdict, ReasonCode] | None:
    """The verdict where it does not take a look at what is there for the key."""
    if judged.proposal.kind is CandidateKind.OBSERVATION:
        return Verdict.IGNORE_OBSERVATION, ReasonCode.OBSERVATION_OF_STATE
    if _is_stopped(judged):
        assert judged.ruling.reason is not None
        return Verdict.DISCARD, judged.ruling.reason
    if key_id is not None:
        return None
    if speech.reviews is not None and judged.proposal.kind is CandidateKind.WITHDRAWAL:
        return Verdict.RETRACT, ReasonCode.REJECTED_IN_REVIEW
    return Verdict.HOLD_UNVERIFIED, ReasonCode.AMBIGUOUS_ENTITY


async def _key(
    work: UnitOfWork,
    policy: Policy,
    judged: _Judged,
    meant: Mapping[str, UUID | None],
    said_before: str | None,
) -> facts.FactKey | None:
    """Under which key it is decided; None where it is not, or where it cannot be told what it is about.

    `said_before` is the canonical form of a value that was read when it was first said.
    """
    proposal, event = judged.proposal, judged.event
    declared = policy.declared(proposal.attribute)
    if _is_stopped(judged) or declared is None:
        return None
    entity_id = None if proposal.mention is None else meant[proposal.mention]
    if proposal.mention is not None and entity_id is None:
        return None
    value_key = None
    if declared.attribute.cardinality is Cardinality.MANY and proposal.terms is not None:
        value_key = said_before
        if value_key is None:
            value_key = await canonical_in(work, event, proposal.terms.value, declared.attribute)
    return facts.FactKey(Scope(event.scope), entity_id, declared.name, value_key)


async def _entities_meant(work: UnitOfWork, judged: Iterable[_Judged]) -> dict[str, UUID | None]:
    """What each mention means, made where it means nothing yet; None for a name that is ambiguous."""
    trusted: dict[str, bool] = {}
    scopes: dict[str, Scope] = {}
    for proposal, event, _ in judged:
        if proposal.mention is not None:
            trusted[proposal.mention] = trusted.get(proposal.mention, False) or is_trusted(event)
            scopes[proposal.mention] = Scope(event.scope)
    meant: dict[str, UUID | None] = {}
    for mention in sorted(trusted):
        if is_canonical(mention):
            learned = entities.Learned(EntityMention(id=mention), trusted[mention])
            [meant[mention]] = await entities.learn(work, scopes[mention], [learned])
        else:
            meant[mention] = await entities.learn_name(
                work, scopes[mention], mention, trusted=trusted[mention]
            )
    return meant
