"""Calls that ask: what should influence the next decision, and what is there, since when and why."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from pydantic import TypeAdapter

from keepwell.calls import Calls, as_of_parameter, id_in_path, request_from
from keepwell.types import (
    ContextRequest,
    ContextTold,
    ExplanationTold,
    Filter,
    HistoryRequest,
    HistoryTold,
    LineageTold,
    LiveObservation,
    Memory,
    MemoryPage,
    MemoryQuery,
    Recalled,
    RecallRequest,
)
from keepwell.types.words import Trigger

_MEMORY: TypeAdapter[Memory] = TypeAdapter(Memory)


class ReadingCalls(Calls):
    """Recall, context and explain, list and read, history and lineage."""

    @overload
    async def recall(self, request: RecallRequest | Mapping[str, Any], /) -> Recalled: ...

    @overload
    async def recall(
        self,
        words: str | None = None,
        /,
        *,
        scope: Mapping[str, str],
        query: str | None = None,
        entities: Sequence[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        budget_tokens: int | None = None,
        limit: int | None = None,
        unverified: bool | None = None,
        triggers: Sequence[Trigger] | None = None,
        needs: Sequence[str] | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        observations: Sequence[LiveObservation | Mapping[str, Any]] | None = None,
        deadline_ms: int | None = None,
    ) -> Recalled: ...

    async def recall(
        self, request: RecallRequest | Mapping[str, Any] | str | None = None, /, **fields: Any
    ) -> Recalled:
        """What should influence the next decision, in `scope` and with these `entities` in play.

        `query`, or a mere text, says what it is about. With `advice` `narrow`, required facts did not fit into the
        budget: ask with fewer entities; with `defer`, one alone is too large: ask with more tokens. With `abstain`,
        memory cannot decide: put the questions of `conflicts` to a person, and look at `unmet` for what nothing
        governs of the attributes that the decision `needs`. With `unverified`, claims that nobody has settled come
        apart from what governs, in `unverified` of the answer. `triggers` say what called for the recall. With
        `activity_id`, what was said in that activity a moment ago comes as `session`; `observations` mark the facts
        that they confirm or override. What is not there within `deadline_ms` is left out, and named in `without`.
        """
        body = _recall_from(request, fields, 'recall(scope={…}, query="clean up")').as_json()
        return await self._transport.call("POST", "/v1/recall", Recalled.model_validate_json, body=body)

    @overload
    async def context(self, request: ContextRequest | Mapping[str, Any], /) -> ContextTold: ...

    @overload
    async def context(
        self,
        /,
        *,
        scope: Mapping[str, str],
        goal: str | None = None,
        subtask: str | None = None,
        observation: str | None = None,
        entities: Sequence[str] | None = None,
        activity_id: str | None = None,
        observations: Sequence[LiveObservation | Mapping[str, Any]] | None = None,
        triggers: Sequence[Trigger] | None = None,
        needs: Sequence[str] | None = None,
        budget_tokens: int | None = None,
        answer_tokens: int | None = None,
        as_of: datetime | None = None,
        limit: int | None = None,
        timezone: str | None = None,
        deadline_ms: int | None = None,
    ) -> ContextTold: ...

    async def context(
        self, request: ContextRequest | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> ContextTold:
        """Working memory for one model call: a `text` for the prompt, in which what is retrieved stands in a fence.

        `subtask` and `entities` say what the call is about, `goal` what for. Of `budget_tokens`, `answer_tokens` are
        left for the model's answer. What to do with `advice` other than `use` is as for `recall`.
        """
        like = 'context(scope={…}, subtask="stop what is idle")'
        body = request_from(ContextRequest, request, fields, like=like).as_json()
        return await self._transport.call("POST", "/v1/context", ContextTold.model_validate_json, body=body)

    @overload
    async def explain(
        self, memory_id: UUID | str, request: RecallRequest | Mapping[str, Any], /
    ) -> ExplanationTold: ...

    @overload
    async def explain(
        self,
        memory_id: UUID | str,
        words: str | None = None,
        /,
        *,
        scope: Mapping[str, str],
        query: str | None = None,
        entities: Sequence[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        budget_tokens: int | None = None,
        limit: int | None = None,
        unverified: bool | None = None,
        triggers: Sequence[Trigger] | None = None,
        needs: Sequence[str] | None = None,
        timezone: str | None = None,
        activity_id: str | None = None,
        observations: Sequence[LiveObservation | Mapping[str, Any]] | None = None,
        deadline_ms: int | None = None,
    ) -> ExplanationTold: ...

    async def explain(
        self,
        memory_id: UUID | str,
        request: RecallRequest | Mapping[str, Any] | str | None = None,
        /,
        **fields: Any,
    ) -> ExplanationTold:
        """Why a memory is in the answer to this recall, or which step dropped it."""
        like = 'explain(memory_id, scope={…}, query="clean up")'
        body = _recall_from(request, fields, like).as_json()
        path = f"/v1/memories/{id_in_path(memory_id)}/explain"
        return await self._transport.call("POST", path, ExplanationTold.model_validate_json, body=body)

    async def memory(self, memory_id: UUID | str, *, as_of: datetime | None = None) -> Memory:
        """One memory, a fact or an episode, with its status at `as_of`, which is now unless it is given."""
        return await self._transport.call(
            "GET",
            f"/v1/memories/{id_in_path(memory_id)}",
            _MEMORY.validate_json,
            params=as_of_parameter(as_of),
        )

    @overload
    async def memory_page(self, query: MemoryQuery | Mapping[str, Any], /) -> MemoryPage: ...

    @overload
    async def memory_page(
        self,
        /,
        *,
        scope: Mapping[str, str],
        filter: Filter | Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MemoryPage: ...

    async def memory_page(
        self, query: MemoryQuery | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> MemoryPage:
        """One page of the memories that apply in `scope` and pass `filter`, newest first."""
        body = request_from(MemoryQuery, query, fields, like="memory_page(scope={…})").as_json()
        return await self._transport.call(
            "POST", "/v1/memories/query", MemoryPage.model_validate_json, body=body
        )

    @overload
    def memories(self, query: MemoryQuery | Mapping[str, Any], /) -> AsyncGenerator[Memory]: ...

    @overload
    def memories(
        self,
        /,
        *,
        scope: Mapping[str, str],
        filter: Filter | Mapping[str, Any] | None = None,
        as_of: datetime | None = None,
        page_size: int | None = None,
    ) -> AsyncGenerator[Memory]: ...

    async def memories(
        self, query: MemoryQuery | Mapping[str, Any] | None = None, /, **fields: Any
    ) -> AsyncGenerator[Memory]:
        """All memories that apply in `scope` and pass `filter`, newest first, a page fetched at a time.

        All pages tell of the instant of the first one.
        """
        if "page_size" in fields:
            fields["limit"] = fields.pop("page_size")
        asked = request_from(MemoryQuery, query, fields, like="memories(scope={…})")
        while True:
            page = await self.memory_page(asked)
            for memory in page.memories:
                yield memory
            if page.next is None:
                return
            asked = asked.model_copy(update={"cursor": page.next})

    async def history(self, memory_id: UUID | str, *, as_of: datetime | None = None) -> HistoryTold:
        """The life of a fact, with its statuses at `as_of`."""
        return await self._transport.call(
            "GET",
            f"/v1/memories/{id_in_path(memory_id)}/history",
            HistoryTold.model_validate_json,
            params=as_of_parameter(as_of),
        )

    async def history_of(
        self, entity: str, scope: Mapping[str, str], *, as_of: datetime | None = None
    ) -> HistoryTold:
        """The lives of all facts about an entity, by canonical id or name, in `scope`."""
        fields = {"scope": scope, "entity": entity, "as_of": as_of}
        body = request_from(HistoryRequest, None, fields, like='history_of("…", {…})').as_json()
        return await self._transport.call("POST", "/v1/history", HistoryTold.model_validate_json, body=body)

    async def lineage(self, memory_id: UUID | str) -> LineageTold:
        """What a memory was made from, and what was made from it."""
        path = f"/v1/memories/{id_in_path(memory_id)}/lineage"
        return await self._transport.call("GET", path, LineageTold.model_validate_json)


def _recall_from(given: object, fields: Mapping[str, Any], like: str) -> RecallRequest:
    return request_from(RecallRequest, given, fields, like=like, plain="query")
