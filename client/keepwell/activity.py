"""The wrapper around an agent's work: it publishes what happens and recalls before decisions.

Memory belongs to the runtime, as no model can be trusted to remember to save or to look. Nothing here stops the
agent: events go into a buffer, a recall has a deadline, and what fails is said and not raised. What is called in a way
that can mean nothing is refused at the call.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, TypeVar, get_args, overload
from uuid import UUID, uuid4

from pydantic import ValidationError

from keepwell.asking import Memory, ask, code_of, message_of
from keepwell.calling import UNSAID, Calling, Effect, name_of, refuse_taken
from keepwell.checks import OnFailure, check_decision, check_options
from keepwell.course import Course
from keepwell.errors import refused_unsent
from keepwell.intending import Intending
from keepwell.journal import Hooks, Journal, Redact, now
from keepwell.ledger import Ledger
from keepwell.mentions import Finder, find_mentions, mentions_in, thing_of, things_of
from keepwell.names import keys_of, look_ups
from keepwell.prompt import Prompt, prompt_for
from keepwell.recollection import Recollection
from keepwell.retrieval import MAX_ENTITIES, Retrieval, RetrievalPolicy, cues_of, should_retrieve
from keepwell.ticket import Ticket
from keepwell.types import EventType, LiveObservation, RecallRequest

Tool = Callable[..., Any] | str
SaidKind = Literal["message", "instruction", "correction", "feedback"]
T = TypeVar("T")
MAX_RESULT = 8_000
_log = logging.getLogger("keepwell")


class Activity(Intending):
    """One unit of an agent's work; use it with `async with`, in one event loop.

    Entering publishes `activity_started`; leaving publishes `activity_completed`, or `activity_failed` with the type
    of what was raised, which then goes on. Every method that publishes returns the event's `Ticket`: awaiting it
    waits until the event is durable, which nobody has to. Before it is entered and after it was left, all of them
    raise RuntimeError.

    `goal` is what the work is for, in words, and `task_class` what sort of work it is, by a name of one's own.
    `entities` are in play from the start; wherever entities are taken, it is one of them or several in a list, each
    a name, a canonical id (`type:id`), or anything with `id` or `name`. `timezone` is the zone of words that come
    without one. `retrieval` says when to recall. `find` finds the entities in arguments and results of tools;
    `redact` has its say before anything of them is told or searched, and values whose names speak of secrets are
    masked in any case. With `on_failure="raise"` a recall that fails raises; by default the recollection carries the
    error. Raises TypeError and ValueError for what means nothing, TypeError for an entity without a name, and on
    entering `InvalidInput` where scope or id could never be sent.
    """

    def __init__(
        self,
        memory: Memory,
        goal: str,
        *,
        scope: Mapping[str, str],
        activity_id: str | None = None,
        entities: object = (),
        task_class: str | None = None,
        timezone: str | None = None,
        retrieval: RetrievalPolicy | None = None,
        find: Finder = find_mentions,
        redact: Redact | None = None,
        on_failure: OnFailure = "report",
        result_characters: int = MAX_RESULT,
    ) -> None:
        check_options(goal, scope, retrieval, find, redact, on_failure, result_characters)
        self.id = activity_id or f"act-{uuid4().hex}"
        self.goal = goal
        self.scope = dict(scope)
        self._memory = memory
        self._retrieval = retrieval or RetrievalPolicy()
        self._ledger = Ledger(
            Journal(memory.buffer, self.id, self.scope, timezone),
            Course(goal, self._retrieval),
            Hooks(find, redact),
        )
        self._given = things_of(entities)
        self._task_class = task_class
        self._on_failure: OnFailure = on_failure
        self._result_characters = min(result_characters, MAX_RESULT)

    @property
    def latest(self) -> Recollection | None:
        """The recollection of the latest decision."""
        return self._ledger.latest

    @property
    def tickets(self) -> tuple[Ticket, ...]:
        """The tickets of the latest 1,000 events, in order."""
        return self._ledger.journal.tickets

    @property
    def undelivered(self) -> tuple[Ticket, ...]:
        """The tickets of events that are not durable, be it not yet or never; each says which.

        Of those that never will be and are older than `tickets`, the latest 1,000.
        """
        return self._ledger.journal.undelivered

    @property
    def delivered(self) -> int:
        """How many events of the activity are durable."""
        return self._ledger.journal.delivered

    async def __aenter__(self) -> "Activity":
        self._ledger.enter()
        self._ledger.course.saw(self._given)
        self._ledger.journal.tell("activity_started", self.goal, entities=mentions_in(self._given))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        data: dict[str, Any] = {"memory": self._ledger.attribution_of_all()}
        self._ledger.leave()
        if kind is None:
            self._ledger.journal.tell("activity_completed", data=data)
        else:
            name = kind.__name__
            self._ledger.journal.tell("activity_failed", f"failed with {name}", data={**data, "error": name})

    @overload
    async def tool(
        self,
        function: Callable[..., Awaitable[T]],
        /,
        *args: Any,
        effect: Effect | None = ...,
        using: Recollection | None = ...,
        name: str | None = ...,
        entities: object = ...,
        **kwargs: Any,
    ) -> T: ...

    @overload
    async def tool(
        self,
        function: Callable[..., T],
        /,
        *args: Any,
        effect: Effect | None = ...,
        using: Recollection | None = ...,
        name: str | None = ...,
        entities: object = ...,
        **kwargs: Any,
    ) -> T: ...

    async def tool(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        effect: Effect | None = UNSAID,
        using: Recollection | None = UNSAID,
        name: str | None = UNSAID,
        entities: object = UNSAID,
        **kwargs: Any,
    ) -> Any:
        """Call `function` with `args` and `kwargs`, publish the call and its result, and return the result as it is.

        A plain function runs here and now, as it would without Keepwell; one that blocks belongs in a thread.
        `effect` says whether the call may change something: unsaid, it is taken that it may. `using` is the
        recollection that the call goes by, the latest unless it is given. `name` is what the tool is called in the
        log, and `entities` are what the call is about besides its arguments. Where the function may take one of these
        four itself, TypeError is raised and nothing called: `calling` keeps them apart. Whatever the function raises
        is published by its type alone, and raised.
        """
        options = {"effect": effect, "using": using, "name": name, "entities": entities}
        said: dict[str, Any] = {option: value for option, value in options.items() if value is not UNSAID}
        refuse_taken(function, said)
        return await self.calling(**said).tool(function, *args, **kwargs)

    def calling(
        self,
        *,
        effect: Effect | None = None,
        using: Recollection | None = None,
        name: str | None = None,
        entities: object = (),
    ) -> Calling:
        """The options of `tool` by themselves: `await run.calling(effect="write").tool(delete, name="web-7")`."""
        return Calling(
            self._ledger,
            effect=effect,
            using=using,
            name=name,
            entities=entities,
            result_characters=self._result_characters,
        )

    def observed(self, text: str, entities: object = (), *, evidence_ref: str | None = None) -> Ticket:
        """Publish what the agent saw of the world: a state, not a rule."""
        told = self._ledger.tell_words(
            "observation", text, entities, searched=True, evidence_ref=evidence_ref
        )
        self._ledger.course.observed(text)
        return told

    def note(self, text: str, entities: object = ()) -> Ticket:
        """Publish what fits nothing else."""
        return self._ledger.tell_words("note", text, entities)

    def said(
        self, text: str, *, kind: SaidKind = "message", entities: object = (), timezone: str | None = None
    ) -> Ticket:
        """Publish words that were said to the agent or by it; after a correction or feedback the next decision recalls.

        They count as the words of whoever owns the client's key. What a person has said weighs as a person's
        only where it is published under that person's own key.
        """
        if kind not in get_args(SaidKind):
            raise ValueError(f"kind is one of {', '.join(get_args(SaidKind))}")
        zone = {} if timezone is None else {"timezone": timezone}
        told = self._ledger.tell_words(kind, text, entities, searched=True, **zone)
        if kind in {"correction", "feedback"}:
            self._ledger.course.corrected()
        return told

    def verified(
        self, text: str, passed: bool = True, evidence_ref: str | None = None, entities: object = ()
    ) -> Ticket:
        """Publish whether a check of the outcome passed; `evidence_ref` points at what shows it."""
        if not isinstance(passed, bool):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may have no types
            raise TypeError("passed is True or False; what shows it is evidence_ref")
        kind: EventType = "verification_passed" if passed else "verification_failed"
        told = self._ledger.tell_words(kind, text, entities, evidence_ref=evidence_ref)
        if not passed:
            self._ledger.course.failed("verification", "failed")
        return told

    def milestone(self, text: str, entities: object = ()) -> Ticket:
        """Publish that a part of the work is done: a reason to consolidate what there is."""
        return self._ledger.tell_words("milestone", text, entities)

    def used(self, ids: Iterable[UUID | str] | UUID | str) -> None:
        """Say which records were used since the latest decision. The next events of tools and the end tell of it."""
        self._ledger.use(ids)

    async def before(
        self,
        decision: str,
        *,
        subtask: str | None = None,
        observation: str | None = None,
        entities: object = (),
        explicit: bool = False,
        task_class: str | None = None,
        tool: Tool | None = None,
        budget_tokens: int | None = None,
        deadline: float = 2.0,
    ) -> Recollection:
        """What memory has to say to `decision`, fresh or carried over; see `Recollection`.

        `entities` are what the decision is about, one or several, with what its own words name: ids, words that look
        like names, and whatever else the activity was told of. Without them it is about all that was spoken of lately
        and what its words name. All of it counts under every id and name that the activity has seen go together. `tool`
        is what is to be called next, as a function or by name: it and the `task_class` bring up what is to be heeded
        about them.

        Whether to recall is decided by `retrieval.should_retrieve`; when nothing calls for it, what earlier recalls
        brought about these entities is returned. A recall takes at most `deadline` seconds. What must be heeded comes
        back even where it goes beyond `budget_tokens`, with `advice` to narrow. Raises TypeError for an entity without
        a name, and with `on_failure="raise"` the error of a recall that failed.
        """
        ledger, course = self._ledger, self._ledger.course
        ledger.require_open()
        words = decision if subtask is None else f"{subtask}\n{decision}"
        check_decision(decision, subtask, observation, tool, budget_tokens)
        at, tick = now(), time.monotonic()
        given = things_of(entities)
        ledger.decide()
        number = course.decisions
        named = [*given, *ledger.hooks.things_in([decision, subtask]), *course.spoken_in(words)]
        course.saw(named)
        in_play = course.in_play()
        about = course.completed(named if given else map(thing_of, in_play))
        keys = frozenset(key for mention in about if given for key in keys_of(mention))
        task_class = task_class or self._task_class
        cues = self._cues(tool, task_class)
        situation = course.situation(
            words,
            about,
            in_play if given else (),
            cues,
            observation=observation,
            explicit=explicit,
            task_class=task_class,
            now=tick,
            instant=at,
        )
        retrieval = should_retrieve(situation, self._retrieval)
        failure: Exception | None = None
        recollection = course.in_hand(decision, about, cues)
        if retrieval.recall:
            try:
                request = self._request(retrieval, budget_tokens)
                heard = await ask(self._memory, request, retrieval.own, deadline)
            except Exception as error:  # noqa: BLE001 - no failure of memory may be one of the agent's
                failure = error
                code, detail = code_of(error), message_of(error)
                _log.warning(
                    "a recall failed (%s); the agent goes on without it",
                    ": ".join(filter(None, (code, detail))),
                )
                recollection = replace(
                    recollection, reasons=retrieval.reasons, error=code, error_detail=detail
                )
            else:
                course.recalled(retrieval, task_class, number, tick, heard)
                recollection = heard.recollection(decision, retrieval)
        recollection = replace(recollection, about=keys, others=course.others(keys) if given else frozenset())
        ledger.latest = recollection
        ledger.tell_decision(recollection, about, at)
        if failure is not None and self._on_failure == "raise":
            raise failure
        return recollection

    async def context(
        self,
        decision: str,
        *,
        subtask: str | None = None,
        observation: str | None = None,
        entities: object = (),
        observations: Sequence[LiveObservation] = (),
        tool: Tool | None = None,
        budget_tokens: int | None = None,
        answer_tokens: int | None = None,
        deadline: float = 2.0,
    ) -> Prompt:
        """What goes into the model's prompt for `decision`: working memory as the service writes it; see `Prompt`.

        Decides first as `before` does, so that restrictions are known to the activity as well, and then asks for the
        context; both take at most `deadline` seconds. `observations` are what the runtime has just verified. Of
        `budget_tokens`, `answer_tokens` are left for the model's answer. Where the context does not come, `text` is
        that of the recollection, and `error` says why. Raises as `before` does.
        """
        ends = time.monotonic() + deadline
        known = await self.before(
            decision,
            subtask=subtask,
            observation=observation,
            entities=entities,
            tool=tool,
            deadline=deadline,
        )
        course = self._ledger.course
        about = [*known.about] or look_ups(course.completed(map(thing_of, course.in_play())))
        said: dict[str, Any] = {
            "scope": self.scope,
            "goal": self.goal,
            "subtask": decision if subtask is None else f"{subtask}: {decision}",
            "observation": course.observation if observation is None else observation,
            "entities": [*self._cues(tool), *sorted(about)][:MAX_ENTITIES],
            "activity_id": self.id,
            "observations": observations,
            # Where nothing called for a recall, it is a prompt that is wanted: the service takes that as a need.
            "triggers": [trigger.value for trigger in known.reasons] or None,
            "budget_tokens": budget_tokens,
            "answer_tokens": answer_tokens,
            "limit": self._retrieval.limit,
        }
        prompt = await prompt_for(self._memory, known, said, ends - time.monotonic())
        if prompt.failure is not None and self._on_failure == "raise":
            raise prompt.failure
        return prompt

    def _cues(self, tool: Tool | None, task_class: str | None = None) -> tuple[str, ...]:
        return cues_of(task_class or self._task_class, None if tool is None else name_of(tool))

    def _request(self, retrieval: Retrieval, budget_tokens: int | None) -> RecallRequest:
        try:
            return RecallRequest(
                scope=self.scope,
                query=retrieval.query,
                entities=retrieval.entities,
                triggers=tuple(trigger.value for trigger in retrieval.reasons),
                budget_tokens=budget_tokens or self._retrieval.budget_tokens,
                limit=self._retrieval.limit,
                activity_id=self.id,
            )
        except ValidationError as invalid:
            raise refused_unsent(invalid) from None
