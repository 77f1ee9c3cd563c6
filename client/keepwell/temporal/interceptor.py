"""An interceptor that publishes what a worker's activities do. The activities neither know it nor wait for it.

Events go into the client's buffer, at once and whether Keepwell answers or not. Workflows are left alone: an
interceptor of theirs must not do I/O, and what is worth telling happens in activities.
"""

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, Protocol

from temporalio import activity
from temporalio.activity import Info
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from keepwell.journal import Buffer, Hooks, Redact, bounded_event
from keepwell.mentions import Finder, find_mentions
from keepwell.types import EntityMention, EventType
from keepwell.values import cut

Phase = Literal["call", "result", "failure", "checkpoint"]
Include = Callable[[Info, Phase, Any], "str | None"]
"""Gives the text to add to an event, or None: of an activity's arguments (a list), its result, or what it raised."""
Scope = Mapping[str, str]
MAX_ACTIVITY_ID = 200
MAX_NAME = 200
_log = logging.getLogger("keepwell")
_told: ContextVar[frozenset[int]] = ContextVar("keepwell_told", default=frozenset())
"""The buffers that are told of the running activity already: a worker may get one interceptor from a plugin and one
from its maker, and would tell everything twice."""


class Memory(Protocol):
    """What the interceptor needs of a client; `keepwell.Keepwell` is one."""

    @property
    def buffer(self) -> Buffer: ...


def of_workflow(info: Info) -> str:
    """All that one workflow does is one activity of Keepwell's; an activity without a workflow is one by itself."""
    return info.workflow_id or info.activity_id


class KeepwellInterceptor(Interceptor):
    """Publishes a `tool_call` when an activity of this worker starts and a `tool_result` when it ends.

    `scope` is where what they do applies, or is told by an activity's `Info`, None for one that is not to be
    published. `activity_id` says which activity of Keepwell's it belongs to: that of its workflow by default.
    Activities whose types are in `reads` change nothing. After one whose type is in `checkpoints` has succeeded, a
    `milestone` follows, and what there is will be consolidated; without any checkpoint nothing is, unless somebody
    asks for it (see `names.look_now`).

    An event tells the activity's type, the attempt, the outcome with the type of an error, and the entities that
    `find` finds in arguments and result. It tells no other content, unless `include` gives a text. `redact` has its
    say before anything is searched. Each event is named by workflow, run, activity, attempt and phase, so that it is
    stored once however often it is sent.

    Give it to the worker: `Worker(…, interceptors=[KeepwellInterceptor(memory, scope={"workspace": "staging"})])`.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        scope: Scope | Callable[[Info], Scope | None],
        activity_id: Callable[[Info], str] = of_workflow,
        reads: Collection[str] = (),
        checkpoints: Collection[str] = (),
        include: Include | None = None,
        find: Finder = find_mentions,
        redact: Redact | None = None,
    ) -> None:
        self._buffer = memory.buffer
        self._scope = scope
        self._activity_id = activity_id
        self._reads = frozenset(reads)
        self._checkpoints = frozenset(checkpoints)
        self._include = include
        self._hooks = Hooks(find, redact)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - the SDK's name
        """Called by the worker for each activity."""
        return _Told(next, self)

    @contextmanager
    def once(self) -> Generator[bool]:
        """Whether the activity that runs is to be told here: it is, unless another one of these tells this buffer."""
        told = _told.get()
        token = _told.set(told | {id(self._buffer)})
        try:
            yield id(self._buffer) not in told
        finally:
            _told.reset(token)

    def started(self, info: Info, arguments: Sequence[Any]) -> None:
        """Publish the call."""
        kind = info.activity_type
        data = {"effect": "read"} if kind in self._reads else {}
        self._tell(info, "call", "tool_call", kind, list(arguments), data)

    def returned(self, info: Info, result: Any) -> None:
        """Publish the result, and the milestone where it is one."""
        kind = info.activity_type
        self._tell(info, "result", "tool_result", f"{kind} returned", result, {"outcome": "returned"})
        if kind in self._checkpoints:
            self._tell(info, "checkpoint", "milestone", f"{kind} is done", None, {})

    def failed(self, info: Info, error: BaseException) -> None:
        """Publish the failure, by its type alone."""
        kind = info.activity_type
        if type(error).__name__ == "_CompleteAsyncError":
            # It has not ended: somebody else will complete it, where nobody intercepts.
            return
        if isinstance(error, (asyncio.CancelledError, CancelledError)):
            text, data = f"{kind} was cancelled", {"outcome": "cancelled"}
        else:
            named = _type_of(error)
            text, data = f"{kind} failed with {named}", {"outcome": "failed", "error": named}
        self._tell(info, "failure", "tool_result", text, error, data)

    def _tell(
        self, info: Info, phase: Phase, event: EventType, text: str, value: Any, data: Mapping[str, Any]
    ) -> None:
        try:
            scope = self._scope(info) if callable(self._scope) else self._scope
            if scope is None:
                return
            told = bounded_event(
                _short(self._activity_id(info)),
                scope,
                event,
                self._with_more(info, phase, text, value),
                entities=self._mentions(info, phase, value),
                data={
                    "tool": info.activity_type[:MAX_NAME],
                    "attempt": info.attempt,
                    "workflow": (info.workflow_type or "")[:MAX_NAME] or None,
                    **data,
                },
                idempotency_key=_key(info, phase),
            )
            self._buffer.put(told)
        except Exception as failed:  # noqa: BLE001 - whatever fails here, the activity goes on
            _log.warning("an activity could not be told (%s)", type(failed).__name__)

    def _with_more(self, info: Info, phase: Phase, text: str, value: Any) -> str:
        more = self._include(info, phase, value) if self._include is not None else None
        return text if not more else f"{text}\n{more}"

    def _mentions(self, info: Info, phase: Phase, value: Any) -> tuple[EntityMention, ...]:
        if phase not in {"call", "result"}:
            return ()
        return self._hooks.mentions_in(self._hooks.tellable(info.activity_type, value))


class _Told(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, teller: KeepwellInterceptor) -> None:  # noqa: A002 - the SDK's name
        super().__init__(next)
        self._teller = teller

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002 - the SDK's name
        with self._teller.once() as first:
            if not first:
                return await super().execute_activity(input)
            info = activity.info()
            self._teller.started(info, input.args)
            try:
                result = await super().execute_activity(input)
            except BaseException as error:
                self._teller.failed(info, error)
                raise
            self._teller.returned(info, result)
            return result


def _type_of(error: BaseException) -> str:
    named = error.type if isinstance(error, ApplicationError) else None
    return cut(named or type(error).__name__, MAX_NAME).text


def _short(identity: str) -> str:
    """An activity id within the service's limit. A long one ends in its own digest, so that no two become one."""
    if len(identity) <= MAX_ACTIVITY_ID:
        return identity
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{identity[: MAX_ACTIVITY_ID - len(digest) - 1]}-{digest}"


def _key(info: Info, phase: Phase) -> str:
    """The event's own name. A local activity that runs again after its worker was lost counts its attempts anew,
    so the time of its start tells one run of it from another."""
    run = info.workflow_run_id or info.activity_run_id
    started = info.started_time.isoformat() if info.is_local else None
    named = [info.namespace, info.workflow_id, run, info.activity_id, info.attempt, started, phase]
    return f"temporal-{hashlib.sha256(json.dumps(named).encode()).hexdigest()}"
