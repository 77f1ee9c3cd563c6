"""Calls of an activity that can mean nothing are refused at once, with what would mean something."""

from collections.abc import Mapping
from typing import Literal, get_args

from keepwell.retrieval import MAX_BUDGET_TOKENS, RetrievalPolicy
from keepwell.values import mended

OnFailure = Literal["report", "raise"]


def check_options(
    goal: object,
    scope: object,
    retrieval: object,
    find: object,
    redact: object,
    on_failure: object,
    result_characters: int,
) -> None:
    """Refuse what means nothing, and say what would."""
    if not isinstance(goal, str):
        raise TypeError(f"goal is a text, and not {type(goal).__name__}")
    if not mended(goal).strip():
        raise ValueError("goal says in words what the work is for; it is empty")
    if not isinstance(scope, Mapping):
        raise TypeError('scope maps dimensions to values, such as {"workspace": "staging"}')
    if retrieval is not None and not isinstance(retrieval, RetrievalPolicy):
        raise TypeError(f"retrieval is a keepwell.RetrievalPolicy, and not {type(retrieval).__name__}")
    if not callable(find) or (redact is not None and not callable(redact)):
        raise TypeError("find and redact are functions")
    if on_failure not in get_args(OnFailure):
        raise ValueError(f"on_failure is one of {', '.join(get_args(OnFailure))}")
    if result_characters < 1:
        raise ValueError("result_characters is at least 1")


def check_decision(
    decision: object, subtask: object, observation: object, tool: object, budget_tokens: int | None
) -> None:
    """Refuse what is no decision in words, what is no tool, and a budget that the service would refuse."""
    if not isinstance(decision, str):
        raise TypeError(f"a decision is told in words, and not as {type(decision).__name__}")
    for name, part in (("subtask", subtask), ("observation", observation)):
        if part is not None and not isinstance(part, str):
            raise TypeError(f"{name} is a text, and not {type(part).__name__}")
    if tool is not None and not callable(tool) and not isinstance(tool, str):
        raise TypeError(
            f"tool is the function that is to be called, or its name, and not {type(tool).__name__}"
        )
    if budget_tokens is not None and not 1 <= budget_tokens <= MAX_BUDGET_TOKENS:
        raise ValueError(f"budget_tokens lies between 1 and {MAX_BUDGET_TOKENS:,}")
