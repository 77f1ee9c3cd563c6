"""Erasures: asked for, planned, confirmed and proven; legal holds; and what is left of what was erased."""

from collections.abc import AsyncGenerator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from
from keepwell.types import (
    ErasureList,
    ErasureTarget,
    ErasureTold,
    HoldList,
    HoldMade,
    HoldTold,
    LogChecked,
    NewErasure,
    NewHold,
    PlanConfirmation,
    TombstoneTold,
)
from keepwell.types.words import ErasureBasis

_LIKE = 'ask_erasure(target={"kind": "event", "id": "…"})'


class ErasureCalls(Calls):
    """Ask that something be forgotten, follow how it goes, and see the proof."""

    async def ask_erasure(
        self,
        erasure: NewErasure | Mapping[str, Any] | None = None,
        /,
        *,
        target: ErasureTarget | Mapping[str, Any] | None = None,
        basis: ErasureBasis | None = None,
        dry_run: bool | None = None,
        expected: str | None = None,
    ) -> ErasureTold:
        """Ask that what `target` names be erased; with `dry_run` its plan waits to be confirmed."""
        fields = {"target": target, "basis": basis, "dry_run": dry_run, "expected": expected}
        new = request_from(NewErasure, erasure, fields, like=_LIKE)
        return await self._transport.call(
            "POST",
            "/v1/erasures",
            ErasureTold.model_validate_json,
            body=new.as_json(),
            repeatable=False,
        )

    async def erasure_page(self, *, after: UUID | None = None, limit: int | None = None) -> ErasureList:
        """One page of the tenant's erasures, the newest first."""
        asked = {"after": None if after is None else str(after), "limit": limit}
        said = {name: str(value) for name, value in asked.items() if value is not None}
        return await self._transport.call("GET", "/v1/erasures", ErasureList.model_validate_json, params=said)

    async def erasures(self) -> AsyncGenerator[ErasureTold]:
        """All of them, a page fetched at a time."""
        after = None
        while True:
            page = await self.erasure_page(after=after)
            for each in page.erasures:
                yield each
            if page.next is None:
                return
            after = page.next

    async def erasure(self, erasure_id: UUID | str) -> ErasureTold:
        """How an erasure stands, with its plan, and its receipt once nothing is found any more."""
        path = f"/v1/erasures/{id_in_path(erasure_id)}"
        return await self._transport.call("GET", path, ErasureTold.model_validate_json)

    async def confirm_erasure(self, erasure_id: UUID | str, digest: str) -> ErasureTold:
        """Confirm the plan with this digest. Raises `Conflict` for one that has changed since."""
        said = request_from(PlanConfirmation, None, {"digest": digest}, like='confirm_erasure(id, "…")')
        path = f"/v1/erasures/{id_in_path(erasure_id)}/confirm"
        return await self._transport.call("POST", path, ErasureTold.model_validate_json, body=said.as_json())

    async def withdraw_erasure(self, erasure_id: UUID | str) -> ErasureTold:
        """Call an erasure off that has not begun."""
        path = f"/v1/erasures/{id_in_path(erasure_id)}/withdraw"
        return await self._transport.call("POST", path, ErasureTold.model_validate_json, repeatable=False)

    async def tombstone(self, record_id: UUID | str) -> TombstoneTold:
        """When something was erased, and by which request. Raises `NotFound` where it never was."""
        path = f"/v1/tombstones/{id_in_path(record_id)}"
        return await self._transport.call("GET", path, TombstoneTold.model_validate_json)

    async def check_erasure_log(self) -> LogChecked:
        """Whether every receipt is as it was written and follows the one before it."""
        return await self._transport.call("GET", "/v1/erasures/log", LogChecked.model_validate_json)

    async def hold(
        self,
        target: ErasureTarget | Mapping[str, Any],
        reason: str,
        until: datetime | None = None,
    ) -> UUID:
        """Forbid that something be erased, until an instant or until somebody releases it; the id of the hold."""
        fields = {"target": target, "reason": reason, "until": until}
        new = request_from(NewHold, None, fields, like='hold({"kind": "person", …}, "litigation")')
        made = await self._transport.call(
            "POST", "/v1/holds", HoldMade.model_validate_json, body=new.as_json(), repeatable=False
        )
        return made.id

    async def holds(self) -> list[HoldTold]:
        """All legal holds of the tenant, those that are over as well."""
        told = await self._transport.call("GET", "/v1/holds", HoldList.model_validate_json)
        return told.holds

    async def release_hold(self, hold_id: UUID | str) -> None:
        """End a legal hold: what it has stopped goes on."""
        path = f"/v1/holds/{id_in_path(hold_id)}/release"
        await self._transport.call("POST", path, lambda _: None, repeatable=False)
