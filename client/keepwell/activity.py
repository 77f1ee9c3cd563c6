"""The wrapper around an agent's work: it publishes what happens and recalls before decisions.

Memory belongs to the runtime, as no model can be trusted to remember to save or to look. Nothing here stops the
agent: events go into a buffer, a recall has a deadline, and what fails is said and not raised.
"""

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, Literal, TypeVar, cast, overload
from uuid import UUID, uuid4

from keepwell.asking import Memory, ask, code_of
from keepwell.course import Course
from keepwell.journal import Hooks, Journal, Redact, all_mentions, now
from keepwell.mentions import Finder, distinct, find_mentions, keys_of
from keepwell.recollection import Recollection
from keepwell.retrieval import Retrieval, RetrievalPolicy, Trigger, should_retrieve
from keepwell.ticket import Ticket
from keepwell.types import EntityMention, EventType, Recalled, RecallRequest
from keepwell.values import plain, worded

Effect = Literal["read", "write"]
OnFailure = Literal["report", "raise"]
T = TypeVar("T")

MAX_RESULT = 8_000
MAX_ARGUMENTS = 8_000
MAX_NAME = 200
MAX_IDS = 1_000
_log = logging.getLogger("keepwell")


class Activity:
    """One unit of an agent's work; use it with `async with`, in one event loop.

    Entering publishes `activity_started`; leaving publishes `activity_completed`, or `activity_failed` with the type
    of what was raised, which then goes on. Every method that publishes returns the event's `Ticket`: awaiting it
    waits until the event is durable, which nobody has to.

    `goal` is what the work is for, in words, and `task_class` what sort of work it is, by a name of one's own.
    `entities` are in play from the start. `timezone` is the zone of words that come without one. `retrieval` says
    when to recall. `find` finds the entities in arguments and results of tools; `redact` has its say before anything
    of them is told or searched, and values whose names speak of secrets are masked in any case. With
    `on_failure="raise"` a recall that fails raises; by default the recollection carries the error. Raises
    `InvalidInput` on entering where scope or id could never be sent, and TypeError for an entity without a name.
    """

    def __init__(
        self,
        memory: Memory,
        goal: str,
        *,
        scope: Mapping[str, str],
        activity_id: str | None = None,
        entities: Sequence[object] = (),
        task_class: str | None = None,
        timezone: str | None = None,
        retrieval: RetrievalPolicy | None = None,
        find: Finder = find_mentions,
        redact: Redact | None = None,
        on_failure: OnFailure = "report",
        result_characters: int = MAX_RESULT,
    ) -> None:
        self.id = activity_id or f"act-{uuid4().hex}"
        self.goal = goal
        self.scope = dict(scope)
        self.latest: Recollection | None = None
        self._memory = memory
        self._journal = Journal(memory.buffer, self.id, self.scope, timezone)
        self._hooks = Hooks(find, redact)
        self._retrieval = retrieval or RetrievalPolicy()
        self._course = Course(goal, self._retrieval)
        self._named = all_mentions(entities)
        self._task_class = task_class
        self._on_failure: OnFailure = on_failure
        self._result_characters = min(result_characters, MAX_RESULT)
        self._used: dict[str, None] = {}
        self._used_now: dict[str, None] = {}
        self._entered = False

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """One ticket for each event of the activity, in order."""
        return self._journal.tickets

    @property
    def undelivered(self) -> tuple[Ticket, ...]:
        """The tickets of events that are not durable, be it not yet or never; each says which."""
        return tuple(ticket for ticket in self.tickets if ticket.state != "durable")

    async def __aenter__(self) -> "Activity":
        if self._entered:
            raise RuntimeError("an activity is entered once; make another")
        self._journal.check()
        self._entered = True
        self._course.saw(self._named)
        self._tell("activity_started", self.goal, entities=self._named)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        data: dict[str, Any] = {"memory": {"visible": [], "used": _ids(self._used), "trigger": []}}
        if kind is None:
            self._tell("activity_completed", data=data)
        else:
            name = kind.__name__
            self._tell("activity_failed", f"failed with {name}", data={**data, "error": name})

    @overload
    async def tool(
        self,
        function: Callable[..., Awaitable[T]],
        /,
        *args: Any,
        effect: Effect | None = None,
        using: Recollection | None = None,
        name: str | None = None,
        entities: Sequence[object] = (),
        **kwargs: Any,
    ) -> T: ...

    @overload
    async def tool(
        self,
        function: Callable[..., T],
        /,
        *args: Any,
        effect: Effect | None = None,
        using: Recollection | None = None,
        name: str | None = None,
        entities: Sequence[object] = (),
        **kwargs: Any,
    ) -> T: ...

    async def tool(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        effect: Effect | None = None,
        using: Recollection | None = None,
        name: str | None = None,
        entities: Sequence[object] = (),
        **kwargs: Any,
    ) -> Any:
        """Call `function` with `args` and `kwargs`, publish the call and its result, and return the result as it is.

        A plain function runs here and now, as it would without Keepwell; one that blocks belongs in a thread.
        `effect` says whether the call may change something: unsaid, it is taken that it may. `using` is the
        recollection that the call goes by, the latest unless it is given. Whatever the function raises is published
        by its type alone, and raised.
        """
        if effect not in {None, "read", "write"}:
            raise ValueError('effect is "read" or "write", or unsaid')
        tool = (name or _name_of(function))[:MAX_NAME]
        named = all_mentions(entities)
        arguments = self._hooks.tellable(tool, _arguments(function, args, kwargs))
        seen = [*named, *self._hooks.mentions_in(arguments)]
        self._course.saw(seen)
        going_by = using or self.latest
        told = plain(arguments, MAX_ARGUMENTS)
        data: dict[str, Any] = {"tool": tool, "arguments": told.value}
        data |= {"arguments_cut": True} if told.cut else {}
        data |= {} if effect is None else {"effect": effect}
        self._tell("tool_call", tool, entities=seen, data={**data, "memory": self._attribution(going_by)})
        try:
            result = function(*args, **kwargs)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            self._tell_failure(tool, error, named)
            raise
        self._tell_result(tool, result, named)
        return result

    def observed(
        self, text: str, entities: Sequence[object] = (), *, evidence_ref: str | None = None
    ) -> Ticket:
        """Publish what the agent saw of the world: a state, not a rule."""
        named = all_mentions(entities)
        self._course.saw([*named, *self._hooks.mentions_in(text)])
        self._course.observed(text)
        return self._tell("observation", text, entities=named, evidence_ref=evidence_ref)

    def note(self, text: str, entities: Sequence[object] = ()) -> Ticket:
        """Publish what fits nothing else."""
        return self._tell("note", text, entities=self._saw(entities))

    def said(
        self,
        text: str,
        *,
        kind: Literal["message", "instruction", "correction", "feedback"] = "message",
        entities: Sequence[object] = (),
        timezone: str | None = None,
    ) -> Ticket:
        """Publish words that were said to the agent or by it; after a correction or feedback the next decision recalls.

        They count as the words of whoever owns the client's key. What a person has said weighs as a person's
        only where it is published under that person's own key.
        """
        named = all_mentions(entities)
        self._course.saw([*named, *self._hooks.mentions_in(text)])
        if kind in {"correction", "feedback"}:
            self._course.corrected()
        zone = {} if timezone is None else {"timezone": timezone}
        return self._tell(kind, text, entities=named, **zone)

    def verified(
        self, text: str, passed: bool = True, evidence_ref: str | None = None, entities: Sequence[object] = ()
    ) -> Ticket:
        """Publish whether a check of the outcome passed; `evidence_ref` points at what shows it."""
        if not passed:
            self._course.failed("verification", "failed")
        kind: EventType = "verification_passed" if passed else "verification_failed"
        return self._tell(kind, text, entities=self._saw(entities), evidence_ref=evidence_ref)

    def milestone(self, text: str, entities: Sequence[object] = ()) -> Ticket:
        """Publish that a part of the work is done: a reason to consolidate what there is."""
        return self._tell("milestone", text, entities=self._saw(entities))

    def used(self, ids: Iterable[UUID | str]) -> None:
        """Say which records were used since the latest decision. The next events of tools and the end tell of it."""
        said = dict.fromkeys(str(identity) for identity in ids)
        self._used_now.update(said)
        self._used.update(said)

    async def before(
        self,
        decision: str,
        *,
        subtask: str | None = None,
        observation: str | None = None,
        entities: Sequence[object] = (),
        explicit: bool = False,
        task_class: str | None = None,
        budget_tokens: int | None = None,
        deadline: float = 2.0,
    ) -> Recollection:
        """What memory has to say to `decision`, fresh or carried over; see `Recollection`.

        `entities` are what the decision is about, with what its own words name; by default it is about all that was
        spoken of lately. Whether
        to recall is decided by `retrieval.should_retrieve`; when nothing calls for it, what earlier recalls brought
        about these entities is returned. A recall takes at most `deadline` seconds. What must be heeded comes back
        even where it goes beyond `budget_tokens`, with `advice` to narrow. Raises TypeError for an entity without a
        name, and with `on_failure="raise"` the error of a recall that failed.
        """
        at, tick = now(), time.monotonic()
        self._course.decisions += 1
        number = self._course.decisions
        self._used_now = {}
        named = all_mentions(entities)
        if named:
            words = self._hooks.mentions_in([decision, subtask])
            named = tuple(distinct([*named, *words]))
        self._course.saw(named)
        about = named or self._course.in_play()
        task_class = task_class or self._task_class
        situation = self._course.situation(
            decision if subtask is None else f"{subtask}\n{decision}",
            about,
            observation=observation,
            explicit=explicit,
            task_class=task_class,
            now=tick,
            instant=at,
        )
        retrieval = should_retrieve(situation, self._retrieval)
        failure: Exception | None = None
        recollection = self._course.in_hand(decision, about)
        if retrieval.recall:
            try:
                request = RecallRequest(
                    scope=self.scope,
                    query=retrieval.query,
                    entities=retrieval.entities,
                    budget_tokens=budget_tokens or self._retrieval.budget_tokens,
                    limit=self._retrieval.limit,
                )
                answer = await ask(self._memory, request, deadline)
            except Exception as error:  # noqa: BLE001 - no failure of memory may be one of the agent's
                failure = error
                _log.warning("a recall failed (%s); the agent goes on without it", code_of(error))
                recollection = replace(recollection, reasons=retrieval.reasons, error=code_of(error))
            else:
                self._course.recalled(retrieval.looked_up, task_class, number, tick, answer)
                recollection = _fresh(decision, retrieval, answer)
        keys = frozenset(key for mention in named for key in keys_of(mention))
        recollection = self.latest = replace(recollection, about=keys)
        self._tell_decision(recollection, about, at)
        if failure is not None and self._on_failure == "raise":
            raise failure
        return recollection

    def _tell_decision(
        self, recollection: Recollection, about: Sequence[EntityMention], at: datetime
    ) -> None:
        """Publish the decision as a look into memory, which changes nothing: by itself it makes no episode."""
        self._tell(
            "tool_call",
            f"Considered memory before the decision: {recollection.decision}",
            at=at,
            entities=about,
            data={
                "tool": "keepwell.recall",
                "effect": "read",
                "recalled": recollection.recalled,
                "carried_over": recollection.carried_over,
                "error": recollection.error,
                "missing": len(recollection.missing),
                "memory": self._attribution(recollection),
            },
        )

    def _tell_result(self, tool: str, result: Any, named: Sequence[EntityMention]) -> None:
        told = self._hooks.tellable(tool, result)
        found = [*named, *self._hooks.mentions_in(told)]
        self._course.saw(found)
        text = worded(told, self._result_characters)
        if text.text:
            self._course.observed(text.text)
        data: dict[str, Any] = {"tool": tool, "outcome": "returned", **text.said()}
        self._tell("tool_result", text.text or None, entities=found, data=data)

    def _tell_failure(self, tool: str, error: BaseException, named: Sequence[EntityMention]) -> None:
        kind = type(error).__name__
        cancelled = isinstance(error, asyncio.CancelledError)
        text = f"{tool} was cancelled" if cancelled else f"{tool} failed with {kind}"
        if not cancelled:
            self._course.failed(tool, kind)
            self._course.observed(text)
        outcome = "cancelled" if cancelled else "failed"
        self._tell(
            "tool_result", text, entities=named, data={"tool": tool, "outcome": outcome, "error": kind}
        )

    def _saw(self, entities: Sequence[object]) -> tuple[EntityMention, ...]:
        named = all_mentions(entities)
        self._course.saw(named)
        return named

    def _attribution(self, recollection: Recollection | None) -> dict[str, list[str]]:
        reasons: Sequence[Trigger] = () if recollection is None else recollection.reasons
        return {
            "visible": [] if recollection is None else list(recollection.visible[:MAX_IDS]),
            "used": _ids(self._used_now),
            "trigger": [trigger.value for trigger in reasons],
        }

    def _tell(self, kind: EventType, text: str | None = None, **said: Any) -> Ticket:
        if not self._entered:
            raise RuntimeError("enter the activity first: async with memory.activity(…) as run")
        return self._journal.tell(kind, text, **said)


def _fresh(decision: str, retrieval: Retrieval, answer: Recalled) -> Recollection:
    return Recollection(
        decision=decision,
        reasons=retrieval.reasons,
        recalled=True,
        facts=tuple(answer.facts),
        passages=tuple(answer.passages),
        advice=answer.advice,
        missing=tuple(answer.missing),
        left_out=retrieval.left_out,
        as_of=answer.as_of,
    )


def _ids(ids: Mapping[str, None]) -> list[str]:
    return list(ids)[:MAX_IDS]


def _name_of(function: Callable[..., Any]) -> str:
    inner = cast("partial[Any]", function).func if isinstance(function, partial) else function
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


def _arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of their parameters, as far as the function shows them."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except Exception:  # noqa: BLE001 - a callable may have no signature, or one that does not fit; the call will tell
        return {**({"arguments": list(args)} if args else {}), **kwargs}
