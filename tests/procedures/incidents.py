"""Incidents that teach one lesson, as the event log has them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from capture.accept import Receipt
from tests.procedures.bench import NAME, Bench
from tests.world import MONDAY, STAGING

LESSON = "Check the batch schedules and the active exemptions before an idle machine is stopped."


async def incident(
    bench: Bench, number: int, *, lesson: str = LESSON, week: int | None = None, **said: Any
) -> UUID:
    """A weekend machine that the cleanup stopped although a batch was due on it; the id of its episode."""
    act, machine = (
        f"weekend-{number}",
        {"id": f"cloud-instance:i-{number:05d}", "name": f"batch-{number:02d}"},
    )
    begins = MONDAY + timedelta(weeks=number if week is None else week)

    def told(kind: str, hours: float, text: str, **fields: Any) -> dict[str, Any]:
        at = (begins + timedelta(hours=hours)).isoformat()
        whole = {"activity_id": act, "type": kind, "scope": STAGING, "occurred_at": at, "text": text}
        return {**whole, "entities": [machine], **fields}

    receipts: list[Receipt] = []
    data = {"task_class": NAME, **said}
    receipts += await bench.world.publish(
        bench.world.agent, told("tool_call", 0, "stop_instance", data={"effect": "write", **data})
    )
    failed = f"The weekend batch of {machine['name']} did not run: the instance was stopped"
    receipts += await bench.world.publish(bench.world.pipeline, told("verification_failed", 1, failed))
    receipts += await bench.world.publish(bench.dana, told("correction", 2, lesson))
    receipts += await bench.world.publish(
        bench.world.pipeline, told("verification_passed", 3, "The batch ran")
    )
    await bench.world.digest(receipts)
    episode = await bench.service.episode_of(bench.dana, receipts[0].activity_id)
    assert episode is not None
    return episode.id
