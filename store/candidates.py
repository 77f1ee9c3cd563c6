"""Candidates and the decisions on them. Each (event, fact key) is proposed once and decided once."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, func, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert

from models.candidates import CandidateKind, Proposal, Terms
from models.ids import derived_id
from models.readers import Readable
from models.reasons import ReasonCode
from models.reconciliation import Verdict
from models.redo import Known
from models.statements import Decided
from models.text import normalise
from store.news import CHANNEL
from store.readable import READERS, is_told, values_of
from store.sql import among, sql
from store.tables import candidates, decisions, settlements
from store.unit_of_work import UnitOfWork

STATED = "stated"
"""The extractor of a candidate that a caller states: none."""

_SAY_SO = tuple(
    verdict.value
    for verdict in Verdict
    if verdict
    not in (
        Verdict.DISCARD,
        Verdict.IGNORE_STALE,
        Verdict.IGNORE_OBSERVATION,
        Verdict.RETRACT,
        Verdict.RETIRE,
    )
)
"""The verdicts by which a statement has made the fact that they name, or added to it."""

_UNDECLARED = "undeclared"
"""In place of an attribute that no class declares: its name may be anything, content as well."""


class Candidate(NamedTuple):
    """A stored candidate. `key_id` is None where its entity could not be told, `about_id` where it names no fact.

    `doubt` is why it must not govern, as far as the gates could tell; `reviews_id` what it accepts or rejects;
    `promotes_id` the fact of a narrower scope that it carries over.
    """

    id: UUID
    event_id: UUID
    key_id: UUID | None
    kind: CandidateKind
    attribute: str
    terms: Terms | None
    hedged: bool
    quote: str
    about_id: UUID | None
    doubt: ReasonCode | None
    reviews_id: UUID | None
    promotes_id: UUID | None


class NewCandidate(NamedTuple):
    """A candidate to store. Without `keep_words` only what kind of thing was proposed is kept.

    `extraction_id` is what was asked of a model that proposed it.
    """

    proposal: Proposal
    key_id: UUID | None
    extractor: str
    doubt: ReasonCode | None = None
    keep_words: bool = True
    about_id: UUID | None = None
    reviews_id: UUID | None = None
    promotes_id: UUID | None = None
    extraction_id: UUID | None = None


def candidate_id(proposal: Proposal, key_id: UUID | None) -> UUID:
    """One id for each (event, fact key), or for each (event, attribute, name, value) that has no key."""
    if key_id is not None:
        return derived_id("candidate", proposal.event_id, key_id)
    value = None if proposal.terms is None else normalise(proposal.terms.value)
    about = json.dumps([proposal.attribute, proposal.mention, value])
    return derived_id("candidate", proposal.event_id, about)


async def add(work: UnitOfWork, new: NewCandidate) -> UUID | None:
    """Store a candidate; its id, or None where it was proposed before."""
    proposal = new.proposal
    terms = proposal.terms if new.keep_words else None
    statement = (
        upsert(candidates)
        .values(
            tenant_id=work.tenant_id,
            id=candidate_id(proposal, new.key_id),
            event_id=proposal.event_id,
            key_id=new.key_id,
            kind=proposal.kind.value,
            attribute=_UNDECLARED if new.doubt is ReasonCode.UNKNOWN_ATTRIBUTE else proposal.attribute,
            mention=proposal.mention if new.keep_words else None,
            value=None if terms is None else terms.value,
            ends_when=None if terms is None else terms.ends_when,
            expires_at=None if terms is None else terms.expires_at,
            stated_from=None if terms is None else terms.valid_from,
            hedged=proposal.hedged,
            quote=proposal.quote if new.keep_words else "",
            extractor=new.extractor,
            about_id=new.about_id,
            doubt=new.doubt,
            reviews_id=new.reviews_id,
            promotes_id=new.promotes_id,
            extraction_id=new.extraction_id,
        )
        .on_conflict_do_nothing()
        .returning(candidates.c.id)
    )
    row = await work.row(statement)
    return None if row is None else row.id


_UNDECIDED = sql(
    """
    SELECT c.* FROM candidates c JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id
    WHERE c.tenant_id = :tenant AND c.key_id = :key_id
        AND NOT EXISTS (
            SELECT FROM decisions d WHERE d.tenant_id = c.tenant_id AND d.candidate_id = c.id
        )
    ORDER BY e.occurred_at, e.recorded_at, c.id LIMIT :most
    """
)


async def undecided(work: UnitOfWork, key_id: UUID, most: int) -> list[Candidate]:
    """Up to `most` candidates of a key that wait for a decision, by the time of their events."""
    return [_candidate(row) for row in await work.rows(_UNDECIDED, {"key_id": key_id, "most": most})]


def _terms(row: Row[Any]) -> Terms | None:
    if row.value is None:
        return None
    return Terms(
        value=row.value, ends_when=row.ends_when, expires_at=row.expires_at, valid_from=row.stated_from
    )


def _candidate(row: Row[Any]) -> Candidate:
    return Candidate(
        row.id,
        row.event_id,
        row.key_id,
        CandidateKind(row.kind),
        row.attribute,
        _terms(row),
        row.hedged,
        row.quote,
        row.about_id,
        None if row.doubt is None else ReasonCode(row.doubt),
        row.reviews_id,
        row.promotes_id,
    )


async def decide(
    work: UnitOfWork,
    candidate: UUID,
    verdict: Verdict,
    reason: ReasonCode,
    fact_id: UUID | None = None,
    target_id: UUID | None = None,
) -> None:
    """Record the decision: `fact_id` is the fact that was made, `target_id` the one that it concerns."""
    await work.run(
        insert(decisions).values(
            tenant_id=work.tenant_id,
            candidate_id=candidate,
            verdict=verdict.value,
            reason=reason.value,
            fact_id=fact_id,
            target_id=target_id,
        )
    )
    work.announce(CHANNEL)


async def settle(work: UnitOfWork, unnamed: UUID, review: UUID) -> bool:
    """Let `review` settle a candidate that has no thing; False where another review has done that.

    Whoever comes second waits until the first transaction ends, and settles it only if that came to nothing.
    """
    statement = (
        upsert(settlements)
        .values(tenant_id=work.tenant_id, candidate_id=unnamed, review_id=review)
        .on_conflict_do_nothing()
    )
    return await work.run(statement) == 1


async def get(work: UnitOfWork, identity: UUID) -> Candidate | None:
    """One candidate, decided or not."""
    query = select(candidates).where(candidates.c.tenant_id == work.tenant_id, candidates.c.id == identity)
    row = await work.row(query)
    return None if row is None else _candidate(row)


async def stated_by(work: UnitOfWork, event_id: UUID, extractor: str) -> Candidate | None:
    """The one candidate of an event that this extractor proposed, decided or not."""
    query = select(candidates).where(
        candidates.c.tenant_id == work.tenant_id,
        candidates.c.event_id == event_id,
        candidates.c.extractor == extractor,
    )
    row = await work.row(query)
    return None if row is None else _candidate(row)


async def of_events(work: UnitOfWork, event_ids: Sequence[UUID]) -> list[Known]:
    """All candidates of these events with their verdicts, in the order of proposing, those that a caller stated too."""
    query = (
        select(candidates, decisions.c.verdict, decisions.c.reason)
        .outerjoin(
            decisions,
            (decisions.c.tenant_id == candidates.c.tenant_id) & (decisions.c.candidate_id == candidates.c.id),
        )
        .where(
            candidates.c.tenant_id == work.tenant_id,
            candidates.c.event_id == among(event_ids),
        )
        .order_by(candidates.c.recorded_at, candidates.c.id)
    )
    return [_known(row) for row in await work.rows(query)]


def _known(row: Row[Any]) -> Known:
    return Known(
        id=row.id,
        event_id=row.event_id,
        kind=CandidateKind(row.kind),
        attribute=row.attribute,
        mention=row.mention,
        terms=_terms(row),
        extractor=row.extractor,
        verdict=row.verdict,
        reason=row.reason,
    )


async def decided_on(work: UnitOfWork, event_ids: Sequence[UUID], readable: Readable) -> list[Decided]:
    """The decisions on what these events proposed, in order, as far as the reader may hear of them."""
    query = _DECISIONS.where(
        candidates.c.tenant_id == work.tenant_id, candidates.c.event_id.in_(event_ids), _TOLD
    )
    ordered = query.order_by(decisions.c.recorded_at, candidates.c.id)
    return [_decided(row) for row in await work.rows(ordered, values_of(readable))]


async def decision_on(work: UnitOfWork, candidate: UUID) -> Decided | None:
    """The decision on one candidate; None while nobody has decided."""
    query = _DECISIONS.where(candidates.c.tenant_id == work.tenant_id, candidates.c.id == candidate)
    row = await work.row(query)
    return None if row is None else _decided(row)


class Words(NamedTuple):
    """What was said in an event, as it was read out of it."""

    terms: Terms | None
    quote: str


async def that_led_to(work: UnitOfWork, fact_id: UUID) -> dict[UUID, Words]:
    """By event, the statements that made a fact, or said it again."""
    query = (
        select(candidates)
        .join(
            decisions,
            (decisions.c.tenant_id == candidates.c.tenant_id) & (decisions.c.candidate_id == candidates.c.id),
        )
        .where(
            candidates.c.tenant_id == work.tenant_id,
            candidates.c.kind == CandidateKind.STATEMENT.value,
            candidates.c.value.is_not(None),
            (decisions.c.fact_id == fact_id) | (decisions.c.target_id == fact_id),
            decisions.c.verdict.in_(_SAY_SO),
        )
    )
    return {row.event_id: Words(_candidate(row).terms, row.quote) for row in await work.rows(query)}


_DECISIONS = select(
    candidates.c.event_id,
    candidates.c.kind,
    candidates.c.attribute,
    decisions.c.verdict,
    decisions.c.reason,
    decisions.c.fact_id,
    decisions.c.target_id,
    decisions.c.recorded_at,
).join(
    decisions,
    (decisions.c.tenant_id == candidates.c.tenant_id) & (decisions.c.candidate_id == candidates.c.id),
)


_TOLD = sql(is_told("candidates.attribute", "decisions.fact_id", "decisions.target_id"), **READERS)


def _decided(row: Row[Any]) -> Decided:
    return Decided(
        event_id=row.event_id,
        kind=row.kind,
        attribute=row.attribute,
        verdict=Verdict(row.verdict),
        reason=row.reason,
        fact_id=row.fact_id,
        target_id=row.target_id,
        recorded_at=row.recorded_at,
    )


async def counts(work: UnitOfWork, readable: Readable) -> dict[str, int]:
    """How many candidates that the reader may hear of got each verdict; `undecided` for those that wait."""
    query = (
        select(
            func.coalesce(decisions.c.verdict, "undecided").label("verdict"), func.count().label("candidates")
        )
        .select_from(candidates)
        .outerjoin(
            decisions,
            (decisions.c.tenant_id == candidates.c.tenant_id) & (decisions.c.candidate_id == candidates.c.id),
        )
        .where(candidates.c.tenant_id == work.tenant_id, _TOLD)
        .group_by(decisions.c.verdict)
    )
    return {row.verdict: row.candidates for row in await work.rows(query, values_of(readable))}
