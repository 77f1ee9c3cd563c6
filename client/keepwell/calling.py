"""Calls of an agent's tools: each is published with its result, and what it takes and gives is in play."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar, cast, overload

from keepwell.ledger import Ledger
from keepwell.mentions import Thing, mentions_in, things_of
from keepwell.recollection import Recollection
from keepwell.values import plain, worded

Effect = Literal["read", "write"]
T = TypeVar("T")

MAX_ARGUMENTS = 8_000
MAX_NAME = 200
UNSAID: Any = object()
"""Stands for an option that was not given, as None may be given."""


class Calling:
    """How tools are to be called: `await run.calling(effect="read").tool(function, …)`.

    All that `tool` gets here is the function's. It serves any number of calls.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        effect: Effect | None = None,
        using: Recollection | None = None,
        name: str | None = None,
        entities: object = (),
        result_characters: int,
    ) -> None:
        if effect not in {None, "read", "write"}:
            raise ValueError('effect is "read" or "write", or unsaid')
        if using is not None and not isinstance(using, Recollection):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may have no types
            raise TypeError(f"using is what run.before(…) has returned, and not {type(using).__name__}")
        if name is not None and not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - the same
            raise TypeError(f"the name of a tool is a text, and not {type(name).__name__}")
        self._ledger = ledger
        self._effect: Effect | None = effect
        self._using = using
        self._name = name
        self._given = things_of(entities)
        self._result_characters = result_characters

    @overload
    async def tool(self, function: Callable[..., Awaitable[T]], /, *args: Any, **kwargs: Any) -> T: ...

    @overload
    async def tool(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T: ...

    async def tool(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call `function` with `args` and `kwargs`; see `Activity.tool`."""
        ledger = self._ledger
        ledger.require_open()
        if not callable(function):  # pyright: ignore[reportUnnecessaryComparison] - callers may have no types
            raise TypeError(
                f"a tool is a function, and not {type(function).__name__}; give it without calling it"
            )
        tool = name_of(self._name or function)
        arguments = ledger.hooks.tellable(tool, _arguments(function, args, kwargs))
        seen = [*self._given, *ledger.hooks.things_in(arguments)]
        ledger.course.saw(seen)
        told = plain(arguments, MAX_ARGUMENTS)
        data: dict[str, Any] = {"tool": tool, "arguments": told.value}
        data |= {"arguments_cut": True} if told.cut else {}
        data |= {} if self._effect is None else {"effect": self._effect}
        data |= {"memory": ledger.attribution(self._using or ledger.latest)}
        ledger.journal.tell("tool_call", tool, entities=mentions_in(seen), data=data)
        try:
            result = function(*args, **kwargs)
            if inspect.isawaitable(result):
                result = await result
        except BaseException as error:
            self._tell_failure(tool, error)
            raise
        self._tell_result(tool, result)
        return result

    def _tell_result(self, tool: str, result: Any) -> None:
        ledger = self._ledger
        told = ledger.hooks.tellable(tool, result)
        found: Sequence[Thing] = [*self._given, *ledger.hooks.things_in(told)]
        ledger.course.saw(found)
        text = worded(told, self._result_characters)
        if text.text:
            ledger.course.observed(text.text)
        data: dict[str, Any] = {"tool": tool, "outcome": "returned", **text.said()}
        ledger.journal.tell("tool_result", text.text or None, entities=mentions_in(found), data=data)

    def _tell_failure(self, tool: str, error: BaseException) -> None:
        ledger = self._ledger
        kind = type(error).__name__
        cancelled = isinstance(error, asyncio.CancelledError)
        text = f"{tool} was cancelled" if cancelled else f"{tool} failed with {kind}"
        if not cancelled:
            ledger.course.failed(tool, kind)
            ledger.course.observed(text)
        data = {"tool": tool, "outcome": "cancelled" if cancelled else "failed", "error": kind}
        ledger.journal.tell("tool_result", text, entities=mentions_in(self._given), data=data)


def refuse_taken(function: Callable[..., Any], options: Iterable[str]) -> None:
    """Raise TypeError where one of `options` may be meant for the function itself.

    | the function | the option |
    | --- | --- |
    | has no parameter of that name | is ours |
    | has one that can be given by name | refused |
    | takes any keyword, or shows no signature | refused |
    """
    given = list(options)
    try:
        parameters = inspect.signature(function).parameters.values() if given else ()
    except (TypeError, ValueError):
        taken = given
    else:
        by_name = {
            each.name for each in parameters if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}
        }
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
        taken = given if takes_any else [option for option in given if option in by_name]
    if taken:
        said = ", ".join(taken)
        options_only = ", ".join(f"{option}=…" for option in taken)
        raise TypeError(
            f"{name_of(function)} may itself take {said}; to give it to the function, write "
            f"run.calling().tool(function, …, {options_only}), and to give it to the activity, "
            f"run.calling({options_only}).tool(function, …)"
        )


def name_of(tool: Callable[..., Any] | str) -> str:
    """What a tool is called in the log: as it is given, or as the function that it is."""
    if isinstance(tool, str):
        return tool[:MAX_NAME]
    inner = cast("partial[Any]", tool).func if isinstance(tool, partial) else tool
    return str(getattr(inner, "__name__", None) or type(inner).__name__)[:MAX_NAME]


def _arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names of their parameters, as far as the function shows them; of a partial, all of them."""
    while isinstance(function, partial):
        bound = cast("partial[Any]", function)
        function, args, kwargs = bound.func, (*bound.args, *args), {**bound.keywords, **kwargs}
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except Exception:  # noqa: BLE001 - a callable may have no signature, or one that does not fit; the call will tell
        return {**({"arguments": list(args)} if args else {}), **kwargs}
