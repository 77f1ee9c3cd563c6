"""Who says and does what in the first story, as plain events. Nothing here knows what must come of it."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from models.principals import Principal, PrincipalKind

TENANT = "northwind"
SCOPE = {"workspace": "staging-cloud"}
BENCH = {"id": "cloud-instance:i-09a8f", "name": "gpu-bench-01"}
SANDBOX = {"id": "cloud-instance:i-04c21", "name": "dev-sandbox-04"}
TASK = "Run the weekly staging cost cleanup."

AGENT = Principal(tenant=TENANT, subject="cost-agent", kind=PrincipalKind.AGENT, roles=("agent",))
LEAD = Principal(tenant=TENANT, subject="dana", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
DEVELOPER = Principal(tenant=TENANT, subject="sam", kind=PrincipalKind.HUMAN, roles=("developer",))
PIPELINE = Principal(tenant=TENANT, subject="qa-pipeline", kind=PrincipalKind.SYSTEM)

Events = list[dict[str, Any]]


class Calendar(NamedTuple):
    """The days of the story; `friday` is the first of them, at nine in the morning."""

    friday: datetime

    def at(self, day: int, hours: float = 0) -> datetime:
        """`day` days after the first Friday, `hours` after nine."""
        return self.friday + timedelta(days=day, hours=hours)


def calendar(now: datetime) -> Calendar:
    """The story ends before `now`: it begins on a Friday five to six weeks earlier."""
    five_weeks_ago = (now - timedelta(weeks=5)).replace(hour=9, minute=0, second=0, microsecond=0)
    return Calendar(five_weeks_ago - timedelta(days=(five_weeks_ago.weekday() - 4) % 7))


def _event(activity: str, kind: str, when: datetime, **fields: Any) -> dict[str, Any]:
    return {
        "activity_id": activity,
        "type": kind,
        "scope": SCOPE,
        "occurred_at": when.isoformat(),
        "idempotency_key": f"{activity}/{kind}/{when.isoformat()}",
        **fields,
    }


def first_cleanup(days: Calendar) -> Events:
    """Friday: the agent finds the machine idle and stops it."""
    act = "act_1042"
    return [
        _event(
            act,
            "observation",
            days.at(0),
            text="gpu-bench-01: 0.2 % CPU over 72 h",
            entities=[BENCH],
            evidence_ref="metrics://staging/i-09a8f?window=72h",
        ),
        _event(
            act,
            "tool_call",
            days.at(0, 0.1),
            text="stop_instance",
            entities=[BENCH],
            data={"effect": "write"},
        ),
        _event(act, "activity_completed", days.at(0, 0.2)),
    ]


def complaint(days: Calendar) -> Events:
    """Monday: the lead says what must hold and until when."""
    text = (
        "Restart gpu-bench-01. Friday's cleanup broke our QA regression suite. "
        "Keep the instance running until QA migrates the suite to the shared Kubernetes cluster."
    )
    return [_event("act_1043", "correction", days.at(3), text=text, timezone="America/Vancouver")]


def recovery(days: Calendar) -> Events:
    """Monday: the agent does as it is told."""
    return [
        _event(
            "act_1043",
            "tool_call",
            days.at(3, 0.1),
            text="start_instance",
            entities=[BENCH],
            data={"effect": "write"},
        ),
        _event("act_1043", "activity_completed", days.at(3, 0.2)),
    ]


def idle_again(days: Calendar) -> Events:
    """Wednesday: the metrics look the same as before."""
    return [
        _event(
            "act_1044",
            "observation",
            days.at(5),
            text="gpu-bench-01: 0 % CPU over 48 h",
            entities=[BENCH],
            evidence_ref="metrics://staging/i-09a8f?window=48h",
        ),
        _event("act_1044", "activity_completed", days.at(5, 0.2)),
    ]


def hunch(days: Calendar) -> Events:
    """Wednesday: a developer guesses."""
    text = "Looks like gpu-bench-01 isn't being used anymore. We can probably shut it down."
    return [_event("act_1044", "message", days.at(5, 0.1), text=text)]


def listing(days: Calendar, activity: str, day: int) -> Events:
    """A sweep lists the instances that are idle."""
    return [
        _event(
            activity,
            "tool_result",
            days.at(day, 0.1),
            text="idle instances: gpu-bench-01, dev-sandbox-04",
            entities=[BENCH, SANDBOX],
        )
    ]


def stopping(days: Calendar, activity: str, day: int, entity: dict[str, str]) -> Events:
    """A sweep stops an instance and is done with it."""
    return [
        _event(
            activity,
            "tool_call",
            days.at(day, 0.2),
            text="stop_instance",
            entities=[entity],
            data={"effect": "write"},
            idempotency_key=f"{activity}/stop/{entity['id']}",
        )
    ]


def sweep_done(days: Calendar, activity: str, day: int) -> Events:
    """A sweep ends."""
    return [_event(activity, "activity_completed", days.at(day, 0.3))]


def change_of_plans(days: Calendar) -> Events:
    """The second Friday: the lead replaces the condition."""
    text = (
        "QA has changed its plans. Keep gpu-bench-01 reserved through the final benchmark "
        "instead of waiting for the Kubernetes migration."
    )
    return [_event("act_1046", "correction", days.at(7), text=text)]


def claimed_end(days: Calendar) -> Events:
    """Two weeks on, a developer says that it is over."""
    return [_event("act_1047", "note", days.at(20), text="The final benchmark is done, I believe.")]


def proven_end(days: Calendar) -> Events:
    """The day after, the pipeline reports that it is over, with its run as evidence."""
    return [
        _event(
            "act_1048",
            "verification_passed",
            days.at(21),
            text="Final benchmark of gpu-bench-01 finished.",
            entities=[BENCH],
            evidence_ref="qa://runs/7731",
        )
    ]


def late_reminder(days: Calendar) -> Events:
    """A message of Monday's activity that arrives after everything else."""
    text = (
        "As I said: keep gpu-bench-01 running until QA migrates the suite to the shared Kubernetes cluster."
    )
    return [_event("act_1043", "message", days.at(3, 0.05), text=text)]
