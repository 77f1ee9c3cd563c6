"""An extractor that proposes whatever an event says that it should."""

from collections.abc import Collection, Sequence

from models.candidates import Proposal
from models.events import StoredEvent


class Echo:
    """Proposes what an event's own data says, as any model might."""

    name = "echo/1"

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        return [
            Proposal(event_id=each.id, **{"quote": each.text or "", "mention": None, "terms": None, **said})
            for each in events
            for said in each.data.get("proposals", ())
        ]
