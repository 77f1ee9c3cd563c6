"""`AskingDrafter`: a lesson that several incidents have taught, as one step of a playbook. It writes words alone."""

from collections.abc import Sequence
from functools import partial

from pydantic_ai.models import Model

from models.wording import Wording, unfit
from providers.language_model.asking import Asking, Unfit, Words
from providers.language_model.fence import lines
from providers.language_model.prompts import prompt

PROMPT = "word_step.v1"
MOST_LESSONS = 12
MOST_LESSON_CHARACTERS = 1_000


class AskingDrafter:
    """Asks for the words of a step."""

    def __init__(self, connection: Model, model: str, timeout: float) -> None:
        self.name = f"{model}/{PROMPT}"
        self._connection = connection
        self._model = model
        self._timeout = timeout

    def question(self, intent: str, lessons: Sequence[str]) -> Asking[Wording, Wording]:
        """What to ask; see `providers.protocols.ModelDrafter.question`."""
        shown = [lesson[:MOST_LESSON_CHARACTERS] for lesson in lessons[:MOST_LESSONS]]
        return Asking(
            self._connection,
            self._model,
            Words(PROMPT, prompt(PROMPT).filled(), lines([f"task: {intent}", *shown])),
            Wording,
            partial(_wording, lessons=[intent, *shown]),
            self._timeout,
        )


def _wording(answer: Wording, lessons: Sequence[str]) -> Wording:
    wrong = unfit(answer, lessons)
    if wrong is not None:
        raise Unfit(wrong)
    return answer
