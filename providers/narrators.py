"""The bundled narrator: tells an episode by a template. It invents nothing, as it only joins what was said."""

from collections.abc import Sequence

from models.episodes import Outline, said
from models.events import EventType, StoredEvent

_LINES = 6
_LINE_LENGTH = 240
_QUIET = frozenset({EventType.ACTIVITY_STARTED, EventType.ACTIVITY_COMPLETED, EventType.ACTIVITY_FAILED})


class TemplateNarrator:
    """First and last lines of what was said and done, and how it ended."""

    name = "template/1"

    async def narrate(self, outline: Outline, events: Sequence[StoredEvent]) -> str:
        """A few lines: what was said and done in order of time, shortened in the middle, and the end."""
        lines = [_shortened(line) for event in events if event.type not in _QUIET and (line := said(event))]
        if len(lines) > _LINES:
            left_out = len(lines) - _LINES
            head, tail = lines[: _LINES // 2], lines[-(_LINES // 2) :]
            lines = [*head, f"({left_out} more)", *tail]
        status = outline.execution_status.value
        outcome = outline.goal_outcome.value.replace("_", " ")
        return "\n".join([*lines, f"Execution {status}; goal {outcome}."])


def _shortened(line: str) -> str:
    flat = " ".join(line.split())
    return flat if len(flat) <= _LINE_LENGTH else f"{flat[: _LINE_LENGTH - 1].rstrip()}…"
