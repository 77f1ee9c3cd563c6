"""Sentences with what they promise, what the rules find in them, and the figures."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import yaml
from pydantic import BaseModel, ConfigDict, Field

from capture.promises import promised_in
from models.events import EventType, StoredEvent
from models.ids import derived_id
from models.policy import Policy
from models.principals import PrincipalKind, Speaker
from providers.rule_extractor.promises import Promise

HERE = Path(__file__).with_name("cases")
PARTS = ("development", "held_out")
_CAST = {
    "lead": Speaker(subject="lea", kind=PrincipalKind.HUMAN, roles=("infra_lead",)),
    "agent": Speaker(subject="deploy-bot", kind=PrincipalKind.AGENT, roles=("agent",)),
    "qa-pipeline": Speaker(subject="qa-pipeline", kind=PrincipalKind.SYSTEM),
    "scraper": Speaker(subject="scraper", kind=PrincipalKind.SYSTEM, roles=("infra_lead",)),
}


class Wanted(BaseModel):
    """One promise as a case wants it found: the action in its words, and an instant or a rule."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    at: datetime | None = None
    rule: str | None = None
    to: str | None = None


class Case(BaseModel):
    """A sentence, who says it in what, when and in which zone, and what it promises."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    says: str
    by: str = "lead"
    type: EventType = EventType.MESSAGE
    zone: str = "Europe/Berlin"
    now: datetime = datetime(2026, 12, 1, 9, tzinfo=UTC)
    wants: tuple[Wanted, ...] = Field(...)


class Figures(NamedTuple):
    """How many were wanted, found, and found as wanted; and each sentence that was read otherwise."""

    cases: int
    wanted: int
    found: int
    right: int
    wrong: tuple[str, ...]

    @property
    def precision(self) -> float:
        """Of what was found, the part that was wanted so."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Of what was wanted, the part that was found so."""
        return self.right / self.wanted if self.wanted else 1.0


def cases_of(part: str) -> list[Case]:
    """The cases of one part."""
    return [Case.model_validate(each) for each in yaml.safe_load((HERE / f"{part}.yaml").read_text())]


def figures_of(policy: Policy, cases: Sequence[Case]) -> Figures:
    """What the rules find in the cases, against what these want."""
    wanted = found = right = 0
    wrong: list[str] = []
    for case in cases:
        there = [_told(each.promise) for each in promised_in(policy, [event_of(policy, case)])]
        as_wanted = sum(each in there for each in case.wants)
        wanted, found, right = wanted + len(case.wants), found + len(there), right + as_wanted
        if not as_wanted == len(case.wants) == len(there):
            wrong.append(case.says)
    return Figures(len(cases), wanted, found, right, tuple(wrong))


def event_of(policy: Policy, case: Case) -> StoredEvent:
    """The event in which it is said."""
    speaker = _CAST[case.by]
    return StoredEvent(
        id=derived_id("case", case.says, case.by),
        activity_id=UUID(int=1),
        seq=1,
        type=case.type,
        speaker=speaker,
        authority=policy.authority_of(speaker, case.type),
        scope={"workspace": "staging-cloud"},
        occurred_at=case.now,
        recorded_at=case.now,
        timezone=case.zone,
        text=case.says,
        entities=(),
        evidence_ref=None,
        data={},
    )


def _told(promise: Promise) -> Wanted:
    recurrence = promise.when.recurrence
    rule = None if recurrence is None else recurrence.rule
    return Wanted(action=promise.action, at=promise.when.at, rule=rule, to=promise.to)


def as_text(part: str, figures: Figures) -> str:
    """One part's figures, and what was read otherwise."""
    head = (
        f"{part}: {figures.cases} sentences, {figures.wanted} promises; precision {figures.precision:.3f},"
        f" recall {figures.recall:.3f}"
    )
    return "\n".join([head, *_listed(figures.wrong)])


def _listed(wrong: Iterable[str]) -> list[str]:
    return [f"  read otherwise: {each}" for each in wrong]
