"""Calls by which a person sees, exports and switches off what is held about themselves.

They take a key or a token of the person: none of an agent or a system, and none that is narrowed to a scope.
"""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import TypeVar
from urllib.parse import quote

from keepwell.calls import Calls
from keepwell.errors import invalid_input
from keepwell.types import Export, Memory, MemoryPage, Switches, SwitchSetting, SwitchState, SwitchTold

T = TypeVar("T")

_GATHERING = 120.0
"""Seconds that the service may take to gather an export."""


class ControlCalls(Calls):
    """Memories about oneself, the export of all that is held, and switches."""

    async def own_memory_page(self, *, limit: int | None = None, cursor: str | None = None) -> MemoryPage:
        """One page of the facts about the caller, of every status and in every scope, newest first."""
        given = {"limit": limit, "cursor": cursor}
        params = {name: str(value) for name, value in given.items() if value is not None}
        return await self._transport.call(
            "GET", "/v1/me/memories", MemoryPage.model_validate_json, params=params
        )

    async def own_memories(self, *, page_size: int | None = None) -> AsyncGenerator[Memory]:
        """All facts about the caller, newest first, a page fetched at a time."""
        cursor: str | None = None
        while True:
            page = await self.own_memory_page(limit=page_size, cursor=cursor)
            for memory in page.memories:
                yield memory
            if page.next is None:
                return
            cursor = page.next

    async def export(self, subject: str | None = None) -> Export:
        """All that is held of the caller; of `subject` for a role that administers the tenant.

        `export_document` has the same as the service wrote it, to be kept or handed on.
        """
        return await self._exported(subject, Export.model_validate_json)

    async def export_document(self, subject: str | None = None) -> bytes:
        """The export as the JSON document that the service wrote, with whatever a newer one adds."""
        return await self._exported(subject, bytes)

    async def _exported(self, subject: str | None, shape: Callable[[bytes], T]) -> T:
        retry = self._transport.retry
        return await self._transport.call(
            "GET",
            "/v1/me/export",
            shape,
            params={} if subject is None else {"subject": subject},
            deciding=_GATHERING,
            retry=replace(retry, deadline=max(retry.deadline, _GATHERING)),
        )

    async def switches(self) -> list[SwitchTold]:
        """How the caller has each class of memory that a person can switch off for themselves."""
        return (await self._transport.call("GET", "/v1/me/switches", Switches.model_validate_json)).switches

    async def switch_off(self, class_name: str) -> SwitchTold:
        """Have no memories of a class about the caller: none is made, and those that are there come back to nobody."""
        return await self._switch(class_name, "off")

    async def switch_on(self, class_name: str) -> SwitchTold:
        """Have memories of a class again. Those that were there come back as they stand."""
        return await self._switch(class_name, "on")

    async def _switch(self, class_name: str, state: SwitchState) -> SwitchTold:
        if class_name in {"", ".", ".."}:
            raise invalid_input(
                "is the name of no class; switches() has those that there are", field="class_name"
            )
        body = SwitchSetting(state=state).as_json()
        path = f"/v1/me/switches/{quote(class_name, safe='')}"
        return await self._transport.call("PUT", path, SwitchTold.model_validate_json, body=body)
