"""What a provider has to be. Bundled ones are rules; a language model fits behind the same verbs as a question.

A rule answers at once and costs nothing. A model can fail, costs, and answers differently the next time: what it
would be asked is a `Question` first, which the service counts, asks, and keeps the answer of.
"""

from collections.abc import Collection, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from models.candidates import Proposal
from models.episodes import Outline
from models.events import StoredEvent
from models.extractions import Usage
from models.wording import Wording

T = TypeVar("T")

Vector = Sequence[float]
"""A text as a point of length one: texts that mean the same lie near each other."""


class Narrator(Protocol):
    """Tells an episode in words. `name` is stored with what it wrote."""

    name: str

    async def narrate(self, outline: Outline, events: Sequence[StoredEvent]) -> str:
        """A short account of the activity in the past tense, from `outline` and `events` alone."""
        ...


class Extractor(Protocol):
    """Proposes candidate facts. `name` is stored with what it proposed."""

    name: str

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        """Candidates of one activity's `events`, in their order, for the `attributes` that the policy knows.

        What it cannot read it leaves out: the text stays in the episode.
        """
        ...


class AttributeBrief(NamedTuple):
    """An attribute that a model may propose: its name, and what is said with it, in one line."""

    name: str
    description: str


class Answer(NamedTuple, Generic[T]):
    """What a model answered, and what that took; `usage` is None where its server does not say."""

    content: T
    usage: Usage | None


class Question(Protocol[T]):
    """One question to a model, ready to be asked.

    `prompt` names the version of the prompt, `digest` stands for all that the model is shown, and `most` is what
    the call can take at most.
    """

    @property
    def model(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def digest(self) -> bytes: ...
    @property
    def most(self) -> Usage: ...

    async def ask(self) -> Answer[T]:
        """The answer; raises a `ModelFailed`, never another error, and never one that quotes anything."""
        ...


class ModelExtractor(Protocol):
    """Asks a model for candidate facts. `name` is stored with what it proposed."""

    name: str

    def question(
        self, events: Sequence[StoredEvent], attributes: Sequence[AttributeBrief]
    ) -> Question[list[Proposal]] | None:
        """What to ask about these events; None where none of them has words to read."""
        ...


class ModelNarrator(Protocol):
    """Asks a model to tell an episode. `name` is stored with what it wrote."""

    name: str

    def question(self, outline: Outline, events: Sequence[StoredEvent]) -> Question[str]:
        """What to ask about the activity."""
        ...


class ModelDrafter(Protocol):
    """Asks a model to word the step of a draft. `name` is stored with what it wrote, among the drafters."""

    name: str

    def question(self, intent: str, lessons: Sequence[str]) -> Question[Wording]:
        """What to ask of a lesson in several wordings, for a playbook of this intent."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. Two vectors compare only where the same model made both.

    `model` is stored with each space of vectors, `dimension` is the length of each. `floor` is the cosine below
    which two texts have nothing to do with each other, as models differ in what they give to unlike ones. With
    `remote`, texts leave this process.
    """

    @property
    def model(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def floor(self) -> float: ...
    @property
    def remote(self) -> bool: ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text, in their order; raises `EmbedderFailed`, and nothing that quotes a text.

        `EmbedderRefuses` says that one of the texts is to blame, and not the embedder.
        """
        ...


class Reranker(Protocol):
    """Looks at the best candidates of a search again. With `remote`, texts leave this process."""

    @property
    def remote(self) -> bool: ...

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, in their order: all from 0 to 1, or all logits.

        Raises `RerankerFailed`, and nothing that quotes a text.
        """
        ...
