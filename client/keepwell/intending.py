"""What an activity puts off: intentions in its own scope, and what is due of those that were set before."""

from collections.abc import AsyncGenerator
from typing import Any

from keepwell.asking import Memory
from keepwell.inbox import Due
from keepwell.ledger import Ledger
from keepwell.types import IntentionChanged


class Intending:
    """The part of an activity that sets intentions and takes what is due; what the service refuses is raised."""

    id: str
    scope: dict[str, str]
    _memory: Memory
    _ledger: Ledger

    async def intend(self, action: str, /, **fields: Any) -> IntentionChanged:
        """Have `action` come back later, in the activity's scope and zone; see `Keepwell.intend`."""
        self._ledger.require_open()
        own = {"scope": self.scope, "activity_id": self.id, "timezone": self._ledger.journal.timezone}
        return await self._memory.intend(action, **{**own, **fields})

    def inbox(self, *, lease_seconds: float | None = None) -> AsyncGenerator[Due]:
        """What is due to the owner of the client's key, of whichever activity it was set; see `Keepwell.inbox`."""
        self._ledger.require_open()
        return self._memory.inbox(lease_seconds=lease_seconds)
