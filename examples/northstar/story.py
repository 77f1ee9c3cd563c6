"""Read the conversations, which are data: who says what on which day, and what the copilot should make of it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field

from examples.northstar.orders import Order, OrderDesk

HERE = Path(__file__).parent


class Part(BaseModel):
    """Base of the parts of the story."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Saying(Part):
    """A statement that counts by who makes it: `by` is a customer, `desk`, `orders`, or `copilot`."""

    by: str
    attribute: str
    value: str
    entity: str | None = None
    ends_when: str | None = None
    expires_on: int | None = None


class Turn(Part):
    """One thing that a customer says, with what follows from it.

    `confirms` are statements that count at once; `proposes` what the copilot gathers from it, which does not;
    `takes_back` the attributes that the customer withdraws; `done` the commitments that the desk calls done. `asks` are
    the attributes that the copilot has to ask about: nothing governs them, or memories disagree.
    """

    text: str
    about: tuple[str, ...] = ()
    confirms: tuple[Saying, ...] = ()
    proposes: tuple[Saying, ...] = ()
    takes_back: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    asks_order: str | None = None
    page: str | None = None
    asks: tuple[str, ...] = ()
    expects: dict[str, str] = Field(default_factory=dict[str, str])
    never: tuple[str, ...] = ()


class Session(Part):
    """One sitting on a day of the story."""

    day: int
    turns: tuple[Turn, ...]


class Conversation(Part):
    """All sittings with one customer about one matter."""

    title: str
    customer: str
    sessions: tuple[Session, ...]


class Story(Part):
    """The whole of it."""

    customers: dict[str, str]
    orders: dict[str, list[tuple[int, dict[str, Any]]]]
    conversations: tuple[Conversation, ...]

    def of_run(self, mark: str) -> "Story":
        """The same story among customers whose ids end in `mark`: played again, it meets no memory of before."""
        ids = "|".join(map(re.escape, self.customers))
        found = re.compile(rf"(?<![\w-])(?:{ids})(?![\w-])")
        return Story.model_validate(
            _with_words(self.model_dump(), lambda text: found.sub(rf"\g<0>-{mark}", text))
        )

    def desk(self) -> OrderDesk:
        """The order system of the story."""
        return OrderDesk(
            {name: [(day, Order(**each)) for day, each in told] for name, told in self.orders.items()}
        )

    def sittings(self) -> list[tuple[Conversation, Session]]:
        """All sessions of all conversations, in the order of their days."""
        found = [(each, session) for each in self.conversations for session in each.sessions]
        return sorted(found, key=lambda pair: pair[1].day)


def _with_words(part: Any, changed: Callable[[str], str]) -> Any:
    if isinstance(part, str):
        return changed(part)
    if isinstance(part, dict):
        named = cast("dict[str, Any]", part)
        return {changed(name): _with_words(each, changed) for name, each in named.items()}
    if isinstance(part, list | tuple):
        return [_with_words(each, changed) for each in cast("list[Any]", part)]
    return part


def read_story(path: Path = HERE / "conversations.yaml") -> Story:
    """The story as it is written down."""
    return Story.model_validate(yaml.safe_load(path.read_text("utf-8")))
