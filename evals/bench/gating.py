"""The five gates without a model: what judging one candidate takes, against reading its event once."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from evals.bench.line import Bar, Line, Side
from evals.bench.size import Size
from evals.bench.timing import Race, Round, tail
from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Terms, said_by
from models.events import EventType, StoredEvent
from models.gates import Considered, judge
from models.policy import Policy
from models.principals import PrincipalKind, Speaker
from models.scope import Scope

BAR_MILLISECONDS = 1.0
"""What one candidate may take at the median."""

_SCOPE = {"workspace": "bench"}
_SAID = (
    ("lifecycle_policy", "keep gpu-bench-01 running until QA has migrated its data", "keep running"),
    (
        "operating_rule",
        "never restart kafka-main during the nightly backups, it takes hours",
        "never restart",
    ),
    ("preference", "I prefer to be written to by email and not before nine in the morning", "by email"),
    ("uses", "checkout-api uses postgres-main behind pgbouncer since the last release", "postgres-main"),
    (
        "note",
        " ".join(["the report of the quarter lies in the shared folder as every time"] * 20),
        "the shared folder",
    ),
    ("root_password", "the colour of the shed is green", "green"),
)


class _Case(NamedTuple):
    considered: Considered
    attribute: str
    event: StoredEvent


def _cases(policy: Policy) -> list[_Case]:
    found: list[_Case] = []
    for number, (attribute, text, value) in enumerate(_SAID):
        identity = UUID(int=number)
        event = StoredEvent(
            id=identity,
            activity_id=identity,
            seq=1,
            type=EventType.CORRECTION,
            speaker=Speaker(subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",)),
            authority=Authority.HUMAN_INSTRUCTION,
            scope=_SCOPE,
            occurred_at=datetime(2026, 3, 2, 9, tzinfo=UTC),
            recorded_at=datetime(2026, 3, 2, 9, tzinfo=UTC),
            timezone=None,
            text=text,
            entities=(),
            evidence_ref=None,
            data={},
        )
        proposal = Proposal(
            event_id=identity,
            kind=CandidateKind.STATEMENT,
            attribute=attribute,
            mention="gpu-bench-01",
            terms=Terms(value=value),
            quote=text,
        )
        role = policy.permitted_writer(event.speaker, attribute, Scope(_SCOPE))
        considered = Considered(proposal, said_by(event), Scope(_SCOPE), event.authority, role)
        found.append(_Case(considered, attribute, event))
    return found


def lines(policy: Policy, size: Size) -> list[Line]:
    """The gates for a candidate at the median and at the 95th percentile, the reading of its event apart."""
    cases = _cases(policy)
    rounds = [_round(policy, cases, size.statements * 20) for _ in range(size.rounds)]
    race = Race(rounds)
    found: list[Line] = []
    for key, title, summary, bar in (
        ("gates_p50", "five gates, p50", None, Bar(Side.AT_MOST, BAR_MILLISECONDS)),
        ("gates_p95", "five gates, p95", tail, None),
    ):
        ours = (race.ours() if summary is None else race.ours(summary)).scaled(1_000)
        found.append(Line(key, title, ours, "ms", bar, ours, None, "ms"))
    return found


def _round(policy: Policy, cases: Sequence[_Case], samples: int) -> Round:
    ours: list[float] = []
    for number in range(samples):
        case = cases[number % len(cases)]
        begun = time.perf_counter()
        judge(case.considered, policy.declared(case.attribute))
        ours.append(time.perf_counter() - begun)
    return Round(ours, ())
