"""Cases as data: what was said by whom, and what a good engineer would want to become of it."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from evals.write.outcomes import DISPOSITIONS, PROMOTIONS, Disposition
from models.events import EntityMention, EventType
from models.principals import PrincipalKind

_PLACE = re.compile(r"<<\d+>>")

Part = Literal["development", "held out"]
PARTS: tuple[Part, ...] = ("development", "held out")


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""One text, or several of which any will do."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)


class Voice(_Data):
    """Somebody who speaks; the subject is the name under which the cast lists them."""

    kind: PrincipalKind
    roles: tuple[str, ...] = ()


class Said(_Data):
    """One event. `authorised` is false where whoever speaks has no say in what the event is about.

    It happened `at` an instant, or on a `day` after the first of the case; without either, what is given happened
    on the first day and what is judged on the next, an hour apart.
    """

    by: str
    type: EventType = EventType.MESSAGE
    scope: dict[str, str] = Field(default_factory=lambda: {"workspace": "staging"})
    at: datetime | None = None
    day: int | None = None
    timezone: str | None = None
    text: str | None = None
    entities: tuple[EntityMention, ...] = ()
    evidence_ref: str | None = None
    data: dict[str, Any] = Field(default_factory=dict[str, Any])
    authorised: bool = True


class Expected(_Data):
    """One outcome that is wanted. What is left out is not compared, but for the end: none said, none wanted.

    `value` lists the values that will do, compared in normal form; `words` are to be among the value's words.
    `entity` is a name or canonical id, or several that will do; None for a fact about its scope. `scope` is
    that of the first event unless it is given. An `optional` outcome is right where it comes and not missed
    where it does not. A discarded one need not be proposed at all.
    """

    disposition: Disposition
    verdict: Texts = ()
    reason: Texts = ()
    memory_class: str = Field(alias="class")
    attribute: str
    entity: Texts | None = None
    scope: dict[str, str] | None = None
    value: Texts = ()
    words: tuple[str, ...] = ()
    ends_when: str | None = None
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    optional: bool = False

    @model_validator(mode="after")
    def _verdicts_come_to_the_disposition(self) -> Self:
        for verdict in self.verdict:
            if DISPOSITIONS.get(verdict) is not self.disposition:
                raise ValueError(f"the verdict {verdict} does not come to {self.disposition.value}")
        if self.disposition is Disposition.PERSIST and not self.verdict:
            raise ValueError("an outcome that persists names its verdict")
        return self


class Planted(_Data):
    """A string in the case: one that must be found nowhere, or one that only looks so and must be kept."""

    string: Annotated[str, BeforeValidator("".join), Field(min_length=4)]
    secret: bool


class Case(_Data):
    """What is given, what is said then, and what is wanted; no outcome wanted means that nothing may be stored."""

    id: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    tags: frozenset[str] = frozenset()
    note: str | None = None
    given: tuple[Said, ...] = ()
    events: tuple[Said, ...] = Field(min_length=1)
    expected: tuple[Expected, ...] = ()
    planted: tuple[Planted, ...] = ()
    part: Part

    @model_validator(mode="after")
    def _is_of_one_piece(self) -> Self:
        told = "\n".join(_texts_of([each.model_dump(mode="json") for each in self.events]))
        for number, planted in enumerate(self.planted, 1):
            if planted.string not in told:
                raise ValueError(f"planted string {number} is in no event")
        if _PLACE.search(told):
            raise ValueError("the place of a planted string is left over")
        if not self.given and any(each.verdict == ("restate",) for each in self.expected):
            raise ValueError("what is restated has to be given")
        for said in self.events:
            if said.authorised and said.type is EventType.TOOL_RESULT:
                raise ValueError("what a tool says is never authorised; label it so")
        promotes = any(set(each.verdict) & PROMOTIONS for each in self.expected)
        if promotes and not any(each.authorised for each in self.events):
            raise ValueError("something is to govern, and nobody who speaks is authorised")
        return self

    def scope_of(self, expected: Expected) -> Mapping[str, str]:
        """The scope in which an outcome is wanted."""
        return self.events[0].scope if expected.scope is None else expected.scope

    def instants(self, begin: datetime) -> tuple[list[datetime], list[datetime]]:
        """When each given event and each judged event happened, where the case begins at `begin`."""
        given = [_instant(each, begin, 0, n) for n, each in enumerate(self.given)]
        return given, [_instant(each, begin, 1, n) for n, each in enumerate(self.events)]


def _instant(said: Said, begin: datetime, day: int, hour: int) -> datetime:
    if said.at is not None:
        return said.at
    return begin + timedelta(days=day if said.day is None else said.day, hours=hour)


def _texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts_of(each)
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            yield key
            yield from _texts_of(inner)
