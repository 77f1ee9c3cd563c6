"""Intentions: what is to be done later, set, seen and changed. Each word counts once however often it is sent."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from, with_key
from keepwell.types import (
    Cancellation,
    Confirmation,
    Cue,
    Every,
    HandOver,
    IntentionChanged,
    IntentionPage,
    IntentionPreview,
    IntentionQuery,
    IntentionRead,
    IntentionState,
    IntentionTold,
    NewChange,
    NewIntention,
    Owner,
    Rescheduling,
)
from keepwell.types.statements import Spoken

_LIKE = 'intend("check the canary", scope={…}, after="PT40M")'


class IntentionCalls(Calls):
    """Set an intention with one trigger, see what it waits for, change it or give it up."""

    async def intend(
        self,
        action: str | NewIntention,
        /,
        *,
        scope: Mapping[str, str] | None = None,
        at: datetime | str | None = None,
        after: timedelta | str | None = None,
        every: Every | Mapping[str, Any] | None = None,
        words: str | None = None,
        on: Cue | Mapping[str, Any] | None = None,
        change: NewChange | Mapping[str, Any] | None = None,
        **more: Any,
    ) -> IntentionChanged:
        """Have `action` come back at an instant, after a delay, again and again, in plain words, with an event, or with
        a change of a fact.

        `more` are the further fields of `NewIntention`: `owner`, `not_before`, `deadline`, `grace`, `premises`, `data`,
        `timezone` and those of every statement. Raises `InvalidInput` for what could never fire.
        """
        fields = {"scope": scope, "at": at, "after": after, "every": every, "words": words, "on": on}
        new = request_from(
            NewIntention, action, {**fields, "change": change, **more}, like=_LIKE, plain="action"
        )
        body = with_key(new).as_json()
        return await self._transport.call(
            "POST", "/v1/intentions", IntentionChanged.model_validate_json, body=body
        )

    async def preview_intention(self, action: str | NewIntention, /, **fields: Any) -> IntentionPreview:
        """What an intention would wait for, told in full, so that somebody can confirm it. Nothing is set."""
        new = request_from(
            NewIntention, action, fields, like=_LIKE.replace("intend", "preview_intention"), plain="action"
        )
        return await self._transport.call(
            "POST", "/v1/intentions/preview", IntentionPreview.model_validate_json, body=new.as_json()
        )

    async def intention_page(
        self,
        query: IntentionQuery | Mapping[str, Any] | None = None,
        /,
        *,
        scope: Mapping[str, str] | None = None,
        states: Sequence[IntentionState] | None = None,
        before: UUID | None = None,
        limit: int | None = None,
    ) -> IntentionPage:
        """One page of the caller's own intentions that are still to come, or of everybody's in `scope`."""
        fields = {"scope": scope, "states": states, "before": before, "limit": limit}
        asked = request_from(IntentionQuery, query, fields, like="intention_page(limit=50)")
        return await self._transport.call(
            "POST", "/v1/intentions/query", IntentionPage.model_validate_json, body=asked.as_json()
        )

    async def intentions(
        self, *, scope: Mapping[str, str] | None = None, states: Sequence[IntentionState] | None = None
    ) -> AsyncGenerator[IntentionTold]:
        """All of them, a page fetched at a time."""
        before = None
        while True:
            page = await self.intention_page(scope=scope, states=states, before=before)
            for each in page.intentions:
                yield each
            if page.next is None:
                return
            before = page.next

    async def intention(self, intention_id: UUID | str) -> IntentionRead:
        """One intention, its next instants, and what came of it."""
        path = f"/v1/intentions/{id_in_path(intention_id)}"
        return await self._transport.call("GET", path, IntentionRead.model_validate_json)

    async def cancel_intention(self, intention_id: UUID | str, /, **fields: Any) -> IntentionChanged:
        """Give an intention up; `text` says why. What of it was handed out and not acknowledged is taken back."""
        said = request_from(Cancellation, None, fields, like='cancel_intention(id, text="…")')
        return await self._say(intention_id, "cancel", said)

    async def confirm_intention(self, intention_id: UUID | str, /, **fields: Any) -> IntentionChanged:
        """Say yes to an intention that was taken from one's own words."""
        said = request_from(Confirmation, None, fields, like="confirm_intention(id)")
        return await self._say(intention_id, "confirm", said)

    async def reschedule_intention(self, intention_id: UUID | str, /, **fields: Any) -> IntentionChanged:
        """Give an intention another time: `at`, `after`, `every` or `words`."""
        said = request_from(Rescheduling, None, fields, like='reschedule_intention(id, after="PT1H")')
        return await self._say(intention_id, "reschedule", said)

    async def hand_over_intention(
        self, intention_id: UUID | str, /, *, owner: Owner | Mapping[str, Any], **fields: Any
    ) -> IntentionChanged:
        """Give an intention another owner. Takes the right to assign."""
        like = 'hand_over_intention(id, owner={"subject": "…"})'
        said = request_from(HandOver, None, {"owner": owner, **fields}, like=like)
        return await self._say(intention_id, "hand-over", said)

    async def _say(self, intention_id: UUID | str, word: str, said: Spoken) -> IntentionChanged:
        path = f"/v1/intentions/{id_in_path(intention_id)}/{word}"
        body = with_key(said).as_json()
        return await self._transport.call("POST", path, IntentionChanged.model_validate_json, body=body)
