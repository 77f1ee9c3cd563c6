"""What reflection makes of the corpus, by its rules alone, and that the score can fail."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from evals.procedures.corpus import BEGINS, SIZE, Lived, Sort, corpus, planted_tasks
from evals.procedures.score import pooled, scored
from models.events import StoredEvent, parse_event
from models.experiences import Experience, experience_of
from models.policy import Policy
from models.principals import PrincipalKind, Speaker
from models.procedure_rules import RecurrenceRules
from models.reflection import findings

NAMES = UUID(int=7)
SPEAKERS: Mapping[str, Speaker] = {
    "lead": Speaker(subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",)),
    "other_lead": Speaker(subject="kim", kind=PrincipalKind.HUMAN, roles=("infra_lead",)),
    "agent": Speaker(subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",)),
    "pipeline": Speaker(subject="qa-pipeline", kind=PrincipalKind.SYSTEM),
}


def experience(lived: Lived, policy: Policy) -> Experience | None:
    """What an activity teaches, its events being in no store."""
    events: list[StoredEvent] = []
    for number, (who, raw) in enumerate(lived.said, start=1):
        event = parse_event(raw, datetime.max.replace(tzinfo=BEGINS.tzinfo) - timedelta(days=1))
        events.append(
            StoredEvent(
                **event.model_dump(exclude={"activity_id", "idempotency_key", "entities"}),
                id=uuid5(NAMES, f"{lived.activity} {number}"),
                activity_id=uuid5(NAMES, lived.activity),
                seq=number,
                speaker=SPEAKERS[who],
                authority=policy.authority_of(SPEAKERS[who], event.type),
                recorded_at=event.occurred_at,
                entities=event.entities,
            )
        )
    return experience_of(uuid5(NAMES, lived.activity), events)


def proposals(lived: list[Lived], policy: Policy) -> list[tuple[str, list[str]]]:
    """What is proposed: the class of task, and the activities behind it."""
    names = {uuid5(NAMES, each.activity): each.activity for each in lived}
    lessons = [found for each in lived if (found := experience(each, policy)) is not None]
    found = findings(lessons, RecurrenceRules(), BEGINS + timedelta(days=200))
    return [
        (each.task_class, [names[episode] for episode in each.supporting])
        for each in found
        if each.why_not is None
    ]


def test_what_recurs_is_proposed_and_nothing_else(policy: Policy) -> None:
    corpora = [corpus(seed) for seed in range(1, 9)]
    score = pooled([scored(lived, proposals(lived, policy)) for lived in corpora])
    assert {len(lived) for lived in corpora} == {SIZE}
    assert score.planted == 8 * 12
    assert score.precision >= 0.95, score.wrong
    assert score.recall >= 0.95, score.missed
    assert score.from_one == 0


def test_the_score_can_fail(policy: Policy) -> None:
    lived = corpus(1)
    told = proposals(lived, policy)
    retold = [each.activity for each in lived if each.sort is Sort.RETOLD][:4]
    spoilt = scored(lived, [*told[1:], ("nothing", retold)])
    assert spoilt.precision < scored(lived, told).precision
    assert spoilt.from_one == 1
    assert scored(lived, []).recall == 0.0
    assert len(planted_tasks(lived)) == 12
