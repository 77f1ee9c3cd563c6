"""Scripts as data: what is done step by step in a run, and what has to fire; filled from the words of a setting.

Nothing is left to chance but how many unrelated events stand in between and which, and those are drawn from a seed.
"""

import random
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

HERE = Path(__file__).parent
SEED = 20_261_201
_INSTANT = re.compile(r"([+-]\d+(?:\.\d+)?)s")
_ID = "$id_"

KINDS = {"at": "instant", "after": "delay", "every": "recurrence", "on": "event", "change": "change"}
"""The kind of a trigger by the field of a new intention that gives it."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Second(_Data):
    """A second field that a cue asks for, what it asks for, and another value."""

    field: str
    value: str
    other: str


class Stated(_Data):
    """What is stated as a fact: how it stands at first, what is waited for, and what is not."""

    attribute: str
    entity: str | None
    before: str
    after: str
    other: str


class Setting(_Data):
    """Where runs play, and the words for it."""

    id: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$")
    about: Literal["operations", "coding", "support", "personal"]
    roles: tuple[str, ...]
    scope: dict[str, str]
    other_scope: dict[str, str]
    type: str
    field: str
    value: str
    similar: str
    other_field: str
    second: Second
    entity: str
    other_entity: str
    actions: tuple[str, str, str]
    in_words: str
    fact: Stated
    unrelated: tuple[str, ...]
    distractors: tuple[str, ...] = Field(min_length=5)

    @property
    def words(self) -> dict[str, Any]:
        """What `$name` stands for in a script that plays here."""
        second = {f"data.{self.second.field}": self.second.value}
        return {
            **{f"action_{number}": action for number, action in enumerate(self.actions, 1)},
            "entity": self.entity,
            "other_entity": self.other_entity,
            "other_scope": self.other_scope,
            "cue": {"conditions": _conditions({f"data.{self.field}": self.value})},
            "conditions": _conditions({f"data.{self.field}": self.value}),
            "typed_conditions": _conditions({"type": self.type, f"data.{self.field}": self.value}),
            "both_conditions": _conditions({f"data.{self.field}": self.value, **second}),
            "right": {
                "type": self.type,
                "text": self.in_words,
                "data": {self.field: self.value},
                "scope": self.scope,
            },
            "in_other_field": {self.other_field: self.value},
            "similar_data": {self.field: self.similar},
            "second_alone": {self.second.field: self.second.value},
            "right_and_other_second": {self.field: self.value, self.second.field: self.second.other},
            "both": {self.field: self.value, self.second.field: self.second.value},
            "fact_before": self.fact.before,
            "fact_after": self.fact.after,
            "fact_other": self.fact.other,
            "wanted": {
                "attribute": self.fact.attribute,
                **({} if self.fact.entity is None else {"entity": self.fact.entity}),
                "value": self.fact.after,
                "becomes": ["established"],
            },
        }


def _conditions(wanted: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"field": field, "value": value} for field, value in wanted.items()]


class Step(_Data):
    """One thing that is done. `near` names in what it is almost right, so that something must not fire."""

    do: Literal[
        "set", "meanwhile", "say", "state", "retract", "cancel", "reschedule", "snooze", "await", "past",
        "settled",
    ]  # fmt: skip
    name: str = ""
    said: dict[str, Any] = Field(default_factory=dict[str, Any])
    event: Any = None
    events: tuple[int, int] = (0, 0)
    value: str = ""
    times: int = 1
    near: str | None = None


class Shape(_Data):
    """A script for any setting, and how often each of its intentions has to come."""

    id: str = Field(pattern=r"^[a-z]+(-[a-z]+)*$")
    steps: tuple[Step, ...] = Field(min_length=1)
    fires: dict[str, int]

    @model_validator(mode="after")
    def _is_of_one_piece(self) -> Self:
        named = [step.name for step in self.steps if step.do == "set"]
        if len(named) != len(set(named)):
            raise ValueError("two intentions have one name")
        asked = {step.name for step in self.steps if step.do in _OF_AN_INTENTION}
        if unknown := (asked | self.fires.keys()) - set(named):
            raise ValueError(f"nobody sets {', '.join(sorted(unknown))}")
        return self


_OF_AN_INTENTION = {"cancel", "reschedule", "snooze", "await", "past"}


class Run(NamedTuple):
    """A script that plays in a setting: its steps with the words filled in, and its distractors drawn."""

    id: str
    setting: Setting
    steps: Sequence[Step]
    fires: Mapping[str, int]

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of the trigger of each intention."""
        sets = (step for step in self.steps if step.do == "set")
        return {step.name: next(kind for key, kind in KINDS.items() if key in step.said) for step in sets}

    @property
    def near(self) -> list[str]:
        """The near misses of the run, one for each step that is one."""
        return [step.near for step in self.steps if step.near is not None]

    @property
    def between(self) -> int:
        """How many unrelated events there are."""
        return sum(step.events[0] for step in self.steps if step.do == "meanwhile")


@cache
def read_runs() -> tuple[Run, ...]:
    """Every script in every setting. Those that take longest come first."""
    settings = [Setting.model_validate(each) for each in _read("settings.yaml")]
    shapes = [Shape.model_validate(each) for each in _read("shapes.yaml")]
    draw = random.Random(SEED)
    runs = [_run(shape, setting, draw) for shape in shapes for setting in settings]
    return tuple(sorted(runs, key=lambda run: "recurrence" not in run.kinds.values()))


def _read(name: str) -> list[Any]:
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))


def _run(shape: Shape, setting: Setting, draw: random.Random) -> Run:
    words = setting.words
    steps = [Step.model_validate(_filled(step.model_dump(), words)) for step in shape.steps]
    drawn = [step.model_copy(update={"events": (draw.randint(*step.events),) * 2}) for step in steps]
    return Run(f"{shape.id}/{setting.id}", setting, drawn, shape.fires)


def _filled(value: Any, words: Mapping[str, Any]) -> Any:
    """`value` with words for their names; a mapping with `$is` is what that stands for, with the rest in its place."""
    if isinstance(value, str):
        return words[value[1:]] if value.startswith("$") and not value.startswith(_ID) else value
    if isinstance(value, list | tuple):
        return [_filled(each, words) for each in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        rest = {
            key: _filled(each, words) for key, each in cast("dict[str, Any]", value).items() if key != "$is"
        }
        return {**_filled(value["$is"], words), **rest} if "$is" in value else rest
    return value


def told(value: Any, now: datetime, ids: Mapping[str, str]) -> Any:
    """`value` as it is told at `now`: instants for `+1.5s`, and the ids of facts for `$id_name`."""
    if isinstance(value, str):
        if (found := _INSTANT.fullmatch(value)) is not None:
            return (now + timedelta(seconds=float(found[1]))).isoformat()
        return ids[value.removeprefix(_ID)] if value.startswith(_ID) else value
    if isinstance(value, list | tuple):
        return [told(each, now, ids) for each in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        return {key: told(each, now, ids) for key, each in cast("dict[str, Any]", value).items()}
    return value


def latest_instant(value: Any, now: datetime) -> datetime | None:
    """The latest instant, or delay from `now`, that a step names."""
    found = [float(each) for each in re.findall(r"'(?:\+|PT)(\d+(?:\.\d+)?)[sS]'", repr(value))]
    return now + timedelta(seconds=max(found)) if found else None
