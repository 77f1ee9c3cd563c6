"""Events as people say them, and what the bundled extractor proposes of them."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from models.authority import Authority
from models.candidates import Proposal, is_grounded, said_by
from models.events import EntityMention, EventType, StoredEvent
from models.principals import PrincipalKind, Speaker
from providers.rule_extractor import RuleExtractor

ATTRIBUTES = (
    "lifecycle_policy",
    "change_policy",
    "operating_rule",
    "uses",
    "preference",
    "standing_instruction",
    "owner",
)
WEDNESDAY = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
BENCH = EntityMention(id="cloud-instance:i-09a8f", name="gpu-bench-01")


def said(
    text: str | None,
    *entities: EntityMention,
    kind: EventType = EventType.INSTRUCTION,
    at: datetime = WEDNESDAY,
    timezone: str | None = None,
    data: dict[str, Any] | None = None,
) -> StoredEvent:
    """An event in which a person says `text`."""
    return StoredEvent(
        id=UUID(int=1),
        activity_id=UUID(int=2),
        seq=1,
        type=kind,
        speaker=Speaker(subject="robin", kind=PrincipalKind.HUMAN),
        authority=Authority.HUMAN_INSTRUCTION,
        scope={"workspace": "staging-cloud"},
        occurred_at=at,
        recorded_at=at,
        timezone=timezone,
        text=text,
        entities=entities,
        evidence_ref=None,
        data=data or {},
    )


async def propose(*events: StoredEvent) -> list[Proposal]:
    return await RuleExtractor().propose(events, ATTRIBUTES)


async def only(event: StoredEvent) -> Proposal:
    """The one proposal of `event`, grounded and quoted to the letter."""
    found = await propose(event)
    assert len(found) == 1, found
    assert is_grounded(found[0], said_by(event))
    assert found[0].quote in (event.text or "")
    return found[0]
