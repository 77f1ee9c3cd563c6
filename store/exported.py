"""Rows as the records of an export. Nothing is decided here and nothing is read."""

from typing import Any, cast
from uuid import UUID

from sqlalchemy import Row

from models.authority import Authority
from models.contracts import Source
from models.export import (
    ExportedCandidate,
    ExportedChange,
    ExportedConfirmation,
    ExportedDecision,
    ExportedEntity,
    ExportedEpisode,
    ExportedEvent,
    ExportedEvidence,
    ExportedPassage,
    ExportedSpeaker,
    Reason,
)


def source_named(authority: int) -> Source:
    """The kind of source by its name."""
    return cast("Source", Authority(authority).name.lower())


def speaker(row: Row[Any]) -> ExportedSpeaker:
    """Who spoke, of an event or a confirmation."""
    return ExportedSpeaker(subject=row.subject, kind=row.subject_kind, roles=row.roles)


def evidence(row: Row[Any]) -> ExportedEvidence:
    """A row of `evidence`."""
    return ExportedEvidence(
        event_id=row.event_id,
        supports=row.supports,
        subject=row.subject,
        authority=source_named(row.authority),
        authority_role=row.authority_role,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
    )


def change(row: Row[Any]) -> ExportedChange:
    """A row of `transitions`."""
    return ExportedChange(
        id=row.id,
        memory_id=row.record_id,
        from_status=row.from_status,
        to_status=row.to_status,
        rule=row.rule,
        reason=row.reason,
        actor=row.actor,
        actor_role=row.actor_role,
        event_id=row.event_id,
        effective_at=row.effective_at,
        recorded_at=row.recorded_at,
    )


def confirmation(row: Row[Any]) -> ExportedConfirmation:
    """A row of `confirmations`."""
    return ExportedConfirmation(
        id=row.id,
        memory_id=row.fact_id,
        event_id=row.event_id,
        speaker=speaker(row),
        state=row.state,
        reason=row.reason,
        recorded_at=row.recorded_at,
        decided_at=row.decided_at,
    )


def candidate(row: Row[Any]) -> ExportedCandidate:
    """A row of `candidates` with the columns of its decision, empty where there is none."""
    decision = None
    if row.verdict is not None:
        decision = ExportedDecision(
            verdict=row.verdict,
            reason=row.reason,
            memory_id=row.fact_id,
            concerns=row.target_id,
            recorded_at=row.decided_at,
        )
    return ExportedCandidate(
        id=row.id,
        key_id=row.key_id,
        kind=row.kind,
        attribute=row.attribute,
        entity=row.mention,
        value=row.value,
        ends_when=row.ends_when,
        expires_at=row.expires_at,
        valid_from=row.stated_from,
        hedged=row.hedged,
        doubt=row.doubt,
        quote=row.quote,
        extractor=row.extractor,
        extraction=row.extraction_id,
        about=row.about_id,
        promotes=row.promotes_id,
        reviews=row.reviews_id,
        recorded_at=row.recorded_at,
        decision=decision,
    )


def event(
    row: Row[Any], person: str, candidates: list[ExportedCandidate], *, is_evidence: bool
) -> ExportedEvent:
    """A row of `events` with the name of its activity, and why it is in the export of `person`."""
    because = {
        Reason.SPOKEN: row.subject == person and row.subject_kind == "human",
        Reason.SCOPE: row.person == person,
        Reason.EVIDENCE: is_evidence,
    }
    return ExportedEvent(
        id=row.id,
        because=[reason for reason, holds in because.items() if holds],
        activity=row.activity_id,
        activity_id=row.external_id,
        seq=row.seq,
        type=row.type,
        speaker=speaker(row),
        authority=source_named(row.authority),
        scope=row.scope,
        occurred_at=row.occurred_at,
        recorded_at=row.recorded_at,
        timezone=row.timezone,
        text=row.text,
        entities=[
            ExportedEntity(canonical=mention.get("id"), name=mention.get("name")) for mention in row.entities
        ],
        evidence_ref=row.evidence_ref,
        data=row.data,
        idempotency_key=row.idempotency_key,
        candidates=candidates,
    )


def passage(row: Row[Any]) -> ExportedPassage:
    """A row of `passages`."""
    return ExportedPassage(id=row.id, text=row.text, sources=row.event_ids, occurred_at=row.occurred_at)


def episode(row: Row[Any], passages: list[ExportedPassage]) -> ExportedEpisode:
    """A row of `episodes` with the name of its activity, its scope and its sources."""
    sources: list[UUID] = list(row.sources)
    return ExportedEpisode(
        id=row.id,
        activity=row.activity_id,
        activity_id=row.external_id,
        scope=row.scope,
        revision=row.revision,
        execution_status=row.execution_status,
        goal_outcome=row.goal_outcome,
        narrative=row.narrative,
        narrator=row.narrator,
        authority=source_named(row.authority),
        started_at=row.started_at,
        ended_at=row.ended_at,
        recorded_at=row.recorded_at,
        revised_at=row.revised_at,
        sources=sources,
        passages=passages,
    )
