"""Plain facts, events and claims for tests of the rules. A test names what it is about; the rest is filled in."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from models.authority import Authority, Standing
from models.candidates import CandidateKind, Terms
from models.contracts import ConflictRule
from models.events import EntityMention, EventType, StoredEvent
from models.facts import Admission, Ending, Fact, Subject
from models.principals import PrincipalKind, Speaker
from models.reasons import ReasonCode
from models.reconciliation import Claim
from models.text import normalise

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SCOPE = {"workspace": "staging-cloud"}
DANA = Speaker(subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
AGENT = Speaker(subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",))
_NAMES = UUID("7a0c3c51-51a1-4a9e-9a6c-2b9a3f4f5d10")


def at(minutes: float) -> datetime:
    """The instant `minutes` after the start of all stories."""
    return START + timedelta(minutes=minutes)


def named(name: str) -> UUID:
    """The id that a test calls `name`."""
    return uuid5(_NAMES, name)


def terms(value: str = "keep", **fields: Any) -> Terms:
    return Terms(value=value, **fields)


def fact(
    value: str = "keep",
    *,
    name: str = "fact",
    since: float = 0,
    until: float | None = None,
    ending: Ending | None = None,
    expires: float | None = None,
    stated: float | None = None,
    recorded: float | None = None,
    admission: Admission = Admission.ADMITTED,
    authority: Authority = Authority.HUMAN_INSTRUCTION,
    **fields: Any,
) -> Fact:
    """A fact valid from the minute `since`; it ends at `until` (superseded, unless `ending` says otherwise)."""
    if until is not None and ending is None:
        ending = Ending.SUPERSEDED
    expires_at = None if expires is None else at(expires)
    filled: dict[str, Any] = {
        "id": named(name),
        "key_id": named("key"),
        "scope": SCOPE,
        "subject": Subject(canonical="cloud-instance:i-09a8f", name="gpu-bench-01"),
        "attribute": "lifecycle_policy",
        "terms": Terms(value=value, ends_when=fields.pop("ends_when", None), expires_at=expires_at),
        "canonical": normalise(value),
        "admission": admission,
        "valid_from": at(since),
        "ended_at": None if until is None else at(until),
        "ending": ending,
        "stated_at": at(since if stated is None else stated),
        "restated_at": at(since if stated is None else stated),
        "recorded_at": at(since if recorded is None else recorded),
        "authority": authority,
        "authority_role": "infra_lead",
        "standing": Standing.OBSERVED,
        "challenges": None,
        "statement": value,
    }
    return Fact(**{**filled, **fields})


def claim(
    value: str | None = "delete",
    *,
    stated: float = 10,
    holds_from: float | None = None,
    kind: CandidateKind = CandidateKind.STATEMENT,
    permitted: bool = True,
    doubt: ReasonCode | None = None,
    authority: Authority = Authority.HUMAN_INSTRUCTION,
    conflict: ConflictRule = ConflictRule.DISPUTE,
    about: UUID | None = None,
    reviews: UUID | None = None,
    needs_other_eyes: bool = False,
    **fields: Any,
) -> Claim:
    """A permitted statement of minute `stated`. `value` is None for what has no terms."""
    return Claim(
        kind=kind,
        terms=None if value is None else Terms(value=value, **fields),
        canonical=None if value is None else normalise(value),
        holds_from=at(stated if holds_from is None else holds_from),
        stated_at=at(stated),
        doubt=doubt or (None if permitted else ReasonCode.NOT_PERMITTED),
        authority=authority,
        conflict=conflict,
        about=about,
        reviews=reviews,
        needs_other_eyes=needs_other_eyes,
    )


def withdrawal(**fields: Any) -> Claim:
    return claim(None, kind=CandidateKind.WITHDRAWAL, **fields)


def event(
    text: str | None = None,
    kind: EventType = EventType.NOTE,
    *,
    seq: int = 1,
    minute: float | None = None,
    speaker: Speaker = DANA,
    entities: tuple[EntityMention, ...] = (),
    data: dict[str, Any] | None = None,
    authority: Authority = Authority.HUMAN_INSTRUCTION,
) -> StoredEvent:
    """Event number `seq` of an activity; it happened at the minute of its number unless `minute` is given."""
    happened = at(seq if minute is None else minute)
    return StoredEvent(
        id=named(f"event {seq}"),
        activity_id=named("activity"),
        seq=seq,
        type=kind,
        speaker=speaker,
        authority=authority,
        scope=SCOPE,
        occurred_at=happened,
        recorded_at=happened,
        timezone=None,
        text=text,
        entities=entities,
        evidence_ref=None,
        data=data or {},
    )
