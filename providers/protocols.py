"""What a provider has to be. Bundled ones are rules; a hosted model fits behind the same two methods."""

from collections.abc import Collection, Sequence
from typing import Protocol

from models.candidates import Proposal
from models.episodes import Outline
from models.events import StoredEvent


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
