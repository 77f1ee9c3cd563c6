"""The bundled narrator tells what was said and done, and how it ended, in a few lines."""

import pytest

from models.episodes import outline
from models.events import EventType, StoredEvent
from providers.narrators import TemplateNarrator
from tests.pure.samples import AGENT, event

Kind = EventType


async def narrate(*told: StoredEvent) -> list[str]:
    return (await TemplateNarrator().narrate(outline(told), told)).split("\n")


async def test_it_tells_each_line_and_the_end() -> None:
    lines = await narrate(
        event("restart it", Kind.INSTRUCTION, seq=1),
        event("restarted", Kind.TOOL_RESULT, seq=2, speaker=AGENT),
        event(None, Kind.ACTIVITY_COMPLETED, seq=3),
        event("still down", Kind.VERIFICATION_FAILED, seq=4),
    )
    assert lines == [
        "dana: restart it",
        "tool result: restarted",
        "dana: still down",
        "Execution completed; goal not achieved.",
    ]


@pytest.mark.parametrize("kind", [Kind.ACTIVITY_STARTED, Kind.ACTIVITY_COMPLETED, Kind.ACTIVITY_FAILED])
async def test_starting_and_stopping_is_no_line_of_its_own(kind: EventType) -> None:
    assert len(await narrate(event("by timer", kind))) == 1


async def test_without_words_only_the_end_is_told() -> None:
    assert await narrate(event(None, Kind.MILESTONE)) == ["Execution unresolved; goal unknown."]


async def test_six_lines_are_told_whole() -> None:
    assert len(await narrate(*(event(f"line {seq}", seq=seq) for seq in range(1, 7)))) == 7


async def test_a_long_story_keeps_its_beginning_and_its_end() -> None:
    lines = await narrate(*(event(f"line {seq}", seq=seq) for seq in range(1, 11)))
    told = [f"dana: line {seq}" for seq in range(1, 11)]
    assert lines == [*told[:3], "(4 more)", *told[7:], "Execution unresolved; goal unknown."]


async def test_a_line_is_flat_and_short() -> None:
    line, _ = await narrate(event("many\nlines " * 100))
    assert len(line) <= 240
    assert line.startswith("dana: many lines many lines")
    assert line.endswith("…")


async def test_it_tells_the_same_every_time_and_says_who_it_is() -> None:
    told = event("restart it")
    assert await narrate(told) == await narrate(told)
    assert TemplateNarrator.name == "template/1"
