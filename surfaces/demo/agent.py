"""A scripted agent that cleans up idle machines and obeys what it is told to heed. It is no cleverer than that."""

from typing import Any, NamedTuple

from capture.accept import Receipt
from models.recall import RecallAnswer, RecallRequest
from runtime.service import Service
from surfaces.demo import story
from surfaces.demo.story import Calendar


class Sweep(NamedTuple):
    """What one sweep recalled before and after it knew the machines, and what it then did."""

    before: RecallAnswer
    after: RecallAnswer
    kept: list[str]
    stopped: list[str]
    receipts: list[Receipt]


async def sweep(service: Service, days: Calendar, activity: str, day: int) -> Sweep:
    """Run the weekly cleanup: recall, list the machines, recall again, then stop what nothing forbids."""
    before = await _recall(service, days, day, ())
    receipts = await service.publish(story.AGENT, story.listing(days, activity, day))
    machines = [story.BENCH, story.SANDBOX]
    after = await _recall(service, days, day, tuple(machine["id"] for machine in machines))
    forbidden = {fact.canonical for fact in after.required}
    kept = [machine["name"] for machine in machines if machine["id"] in forbidden]
    stopped: list[str] = []
    actions: list[dict[str, Any]] = []
    for machine in machines:
        if machine["id"] not in forbidden:
            stopped.append(machine["name"])
            actions += story.stopping(days, activity, day, machine)
    receipts += await service.publish(story.AGENT, [*actions, *story.sweep_done(days, activity, day)])
    return Sweep(before, after, kept, stopped, receipts)


async def _recall(service: Service, days: Calendar, day: int, entities: tuple[str, ...]) -> RecallAnswer:
    request = RecallRequest(scope=story.SCOPE, query=story.TASK, entities=entities, as_of=days.at(day, 0.15))
    return await service.recall(story.AGENT, request)
