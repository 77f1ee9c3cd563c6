"""`AskingExtractor`: events and the attributes that may be proposed, as one question to a model."""

from collections.abc import Sequence

from pydantic_ai.models import Model

from models.candidates import Proposal
from models.events import StoredEvent
from models.extractions import WINDOW_CHARACTERS
from providers.language_model.answers import Candidates, proposals_of
from providers.language_model.asking import Asking, Words
from providers.language_model.fence import numbered
from providers.language_model.prompts import prompt
from providers.protocols import AttributeBrief
from providers.rule_extractor.extractor import READ

PROMPT = "extract_facts.v1"


class AskingExtractor:
    """Asks about events that have words to read; what an observation says is a state, and not for a model."""

    def __init__(self, connection: Model, model: str, timeout: float) -> None:
        self.name = f"{model}/{PROMPT}"
        self._connection = connection
        self._model = model
        self._timeout = timeout

    def question(
        self, events: Sequence[StoredEvent], attributes: Sequence[AttributeBrief]
    ) -> Asking[Candidates, list[Proposal]] | None:
        """What to ask; see `providers.protocols.ModelExtractor.question`."""
        read = [event for event in events if event.type in READ and event.text]
        if not read:
            return None
        chosen = prompt(PROMPT)
        briefs = "\n".join(f"- `{each.name}`: {each.description}" for each in attributes)
        words = Words(chosen.name, chosen.filled(attributes=briefs), numbered(read, WINDOW_CHARACTERS))
        return Asking(
            self._connection,
            self._model,
            words,
            Candidates,
            lambda answer: proposals_of(answer, read),
            self._timeout,
        )
