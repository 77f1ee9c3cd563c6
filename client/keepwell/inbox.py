"""The inbox: what is due, as it comes, each to be acknowledged by whoever took it.

Nothing is acknowledged by itself. What is not comes again when its lease has run out.
"""

import logging
from collections.abc import AsyncGenerator
from typing import Any
from uuid import UUID

from pydantic import PrivateAttr

from keepwell.calls import Calls, id_in_path, request_from, with_key
from keepwell.errors import ApiError, ConnectionLost
from keepwell.types import AcknowledgementGiven, DueTold, InboxTaken, IntentionRead, Snooze, Take

_WAIT = 30.0
_PAUSES = (0.5, 1.0, 2.0, 5.0)
_log = logging.getLogger("keepwell")


class Due(DueTold):
    """Something due. Say what came of it by `acknowledge`, or put it off by `snooze`."""

    _calls: "InboxCalls" = PrivateAttr()

    @classmethod
    def of(cls, calls: "InboxCalls", told: DueTold) -> "Due":
        """What was told, with the calls by which it is answered."""
        made = cls.model_validate(told.model_dump())
        made._calls = calls  # noqa: SLF001 - it is being made
        return made

    async def acknowledge(self, text: str | None = None, **fields: Any) -> IntentionRead:
        """It was done; or, as `outcome` says, it `failed` or was `not_needed`. `text` says in words what came of it."""
        return await self._calls.acknowledge(self.occurrence_id, lease=self.lease, text=text, **fields)

    async def snooze(self, **fields: Any) -> IntentionRead:
        """It comes again `until` an instant, or `after` a delay."""
        return await self._calls.snooze(self.occurrence_id, lease=self.lease, **fields)


class InboxCalls(Calls):
    """Take what is due, acknowledge it, put it off."""

    async def take(
        self,
        *,
        limit: int | None = None,
        lease_seconds: float | None = None,
        wait_seconds: float | None = None,
    ) -> list[Due]:
        """What is due in one's inbox, the oldest first, each under a lease; waited for where `wait_seconds` says so.

        What was taken by a call whose answer was lost comes again when its lease has run out.
        """
        fields = {"limit": limit, "lease_seconds": lease_seconds, "wait_seconds": wait_seconds}
        asked = request_from(Take, None, fields, like="take(wait_seconds=30)")
        taken = await self._transport.call(
            "POST",
            "/v1/inbox/take",
            InboxTaken.model_validate_json,
            body=asked.as_json(),
            deciding=asked.wait_seconds,
        )
        return [Due.of(self, each) for each in taken.due]

    async def inbox(self, *, lease_seconds: float | None = None) -> AsyncGenerator[Due]:
        """Whatever is due, one after another, for as long as it is asked for.

        A service that is away is waited for. Raises what no waiting mends, such as `NotPermitted`, and `ClientClosed`
        once the client was closed.
        """
        failed = 0
        while True:
            try:
                # One at a time: the lease of another would run while this one is worked on.
                taken = await self.take(limit=1, lease_seconds=lease_seconds, wait_seconds=_WAIT)
            except (ApiError, ConnectionLost) as away:
                if isinstance(away, ApiError) and not away.retryable:
                    raise
                _log.warning("the inbox waits for the service: %s", type(away).__name__)
                await self._transport.pause(_PAUSES[min(failed, len(_PAUSES) - 1)])
                failed += 1
                continue
            failed = 0
            for due in taken:
                yield due

    async def acknowledge(self, occurrence_id: UUID | str, /, **fields: Any) -> IntentionRead:
        """Say what came of something due: `outcome`, and `text` in words. It never comes again."""
        said = request_from(AcknowledgementGiven, None, fields, like='acknowledge(id, text="…")')
        return await self._answer(occurrence_id, "acknowledge", said)

    async def snooze(self, occurrence_id: UUID | str, /, **fields: Any) -> IntentionRead:
        """Put something due off: `until` an instant, or `after` a delay."""
        said = request_from(Snooze, None, fields, like='snooze(id, after="PT15M")')
        return await self._answer(occurrence_id, "snooze", said)

    async def _answer(
        self, occurrence_id: UUID | str, word: str, said: AcknowledgementGiven | Snooze
    ) -> IntentionRead:
        path = f"/v1/inbox/{id_in_path(occurrence_id)}/{word}"
        body = with_key(said).as_json()
        return await self._transport.call("POST", path, IntentionRead.model_validate_json, body=body)
