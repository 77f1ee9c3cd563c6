"""What happens in the second chapter: a playbook, and four weekends on which it did harm."""

from datetime import timedelta
from typing import Any

from models.principals import Principal, PrincipalKind
from models.procedures import ProcedureContent
from surfaces.demo.story import SCOPE, TENANT, Calendar, Events

NAME = "cleanup_idle_compute"
CLASS = "operations"
TASK = f"task:{NAME}"
INTENT = "Clean up idle compute"
LESSON = "Check the batch schedules and the active exemptions before an idle machine is stopped."
EDITED = "Check the batch schedules of the next seven days and the active exemptions; leave alone what is in either."
ROBIN = Principal(tenant=TENANT, subject="robin", kind=PrincipalKind.HUMAN, roles=("infra_lead",))
SCHEDULED = {"batch-05"}
"""Which machines the batch scheduler has something for next weekend, for whoever looks."""


def first_version() -> ProcedureContent:
    """What an engineer has written down: what is idle for 72 hours is stopped."""
    return ProcedureContent.model_validate(
        {
            "trigger": {"intent": INTENT, "task_class": NAME},
            "applies_to": ["cloud-instance"],
            "steps": [
                {
                    "id": "look-at-cpu",
                    "do": "Look at 72 h of CPU of each machine.",
                    "verify": "The load is noted.",
                },
                {"id": "stop-idle", "do": "Stop each machine that is idle.", "verify": "It is stopped."},
            ],
        }
    )


def machine(number: int) -> dict[str, str]:
    """A machine on which a batch runs at weekends."""
    return {"id": f"cloud-instance:i-b{number:04d}", "name": f"batch-{number:02d}"}


def incident(days: Calendar, number: int) -> list[tuple[str, Events]]:
    """A weekend on which a machine was stopped before its batch: who said what, in the order in which it was said."""
    activity, saturday = f"act_21{number:02d}", days.at(7 * number - 6)

    def said(kind: str, hours: float, text: str, **fields: Any) -> dict[str, Any]:
        at = (saturday + timedelta(hours=hours)).isoformat()
        return {
            "activity_id": activity,
            "type": kind,
            "scope": SCOPE,
            "occurred_at": at,
            "text": text,
            "entities": [machine(number)],
            "idempotency_key": f"{activity}/{kind}",
            **fields,
        }

    name = machine(number)["name"]
    return [
        ("agent", [said("tool_call", 0, "stop_instance", data={"effect": "write", "task_class": NAME})]),
        (
            "pipeline",
            [said("verification_failed", 20, f"The weekend batch of {name} did not run: it was stopped.")],
        ),
        ("lead", [said("correction", 21, LESSON)]),
        (
            "pipeline",
            [said("verification_passed", 26, f"The weekend batch of {name} has run after a restart.")],
        ),
    ]
