"""`AskingNarrator`: an activity as one question to a model. What it may not invent is looked at before it is told."""

from collections.abc import Sequence
from functools import partial

from pydantic_ai.models import Model

from models.episodes import Outline, said
from models.events import StoredEvent
from models.narratives import MOST_CHARACTERS, invented
from providers.language_model.answers import Narrative
from providers.language_model.asking import Asking, Unfit, Words
from providers.language_model.fence import lines
from providers.language_model.prompts import prompt

PROMPT = "narrate_episode.v1"
MOST_LINES = 60
MOST_LINE_CHARACTERS = 400


class AskingNarrator:
    """Asks for a narrative. A long activity is shown by its beginning and its end."""

    def __init__(self, connection: Model, model: str, timeout: float) -> None:
        self.name = f"{model}/{PROMPT}"
        self._connection = connection
        self._model = model
        self._timeout = timeout

    def question(self, outline: Outline, events: Sequence[StoredEvent]) -> Asking[Narrative, str]:
        """What to ask; see `providers.protocols.ModelNarrator.question`."""
        chosen = prompt(PROMPT)
        told = [_shortened(line) for event in events if (line := said(event))]
        if len(told) > MOST_LINES:
            head, tail = told[: MOST_LINES // 2], told[-(MOST_LINES // 2) :]
            told = [*head, f"({len(told) - MOST_LINES} lines are left out)", *tail]
        status, outcome = outline.execution_status.value, outline.goal_outcome.value.replace("_", " ")
        material = f"{lines(told)}\nExecution {status}; goal {outcome}."
        return Asking(
            self._connection,
            self._model,
            Words(chosen.name, chosen.filled(most_characters=MOST_CHARACTERS), material),
            Narrative,
            partial(_narrative, events=events),
            self._timeout,
        )


def _shortened(line: str) -> str:
    return line if len(line) <= MOST_LINE_CHARACTERS else f"{line[:MOST_LINE_CHARACTERS].rstrip()} …"


def _narrative(answer: Narrative, events: Sequence[StoredEvent]) -> str:
    """The narrative; raises `Unfit` where it is too long, or says what no event says."""
    told = answer.narrative.strip()
    if not told or len(told) > MOST_CHARACTERS:
        raise Unfit(f"the narrative has {len(told)} characters; write 1 to {MOST_CHARACTERS}")
    strange = invented(told, events)
    if strange:
        raise Unfit(f"the log has no {', '.join(strange)}; tell it without, or as the log writes it")
    return told
