"""The attempts, read from `attempts/<family>.yaml`: who tries what, and by which way in.

A text may hold `$restriction` and the like, see `Stronghold.words`. `{repeat: text, times: n}` stands for a long text,
`{nested: n}` for an object of that depth.
"""

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, model_validator

FOLDER = Path(__file__).with_name("attempts")


class Step(BaseModel):
    """One call: of the service, of a tool for models, or over HTTP. Exactly one field is set.

    `by` is another sender than that of the attempt, for what somebody permitted says in between.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: str | None = None
    publish: list[dict[str, Any]] | None = None
    remember: dict[str, Any] | None = None
    correct: dict[str, Any] | None = None
    retract: dict[str, Any] | None = None
    confirm: dict[str, Any] | None = None
    tool: dict[str, Any] | None = None
    http: dict[str, Any] | None = None
    lines: list[str] | None = None

    @model_validator(mode="after")
    def _is_one_call(self) -> Self:
        if len(self.model_fields_set - {"by"}) != 1:
            raise ValueError("a step is one call")
        return self

    @property
    def way(self) -> str:
        """Which call it is."""
        [way] = self.model_fields_set - {"by"}
        return way


class Attempt(BaseModel):
    """One attempt.

    `then` is what somebody permitted says afterwards and means nothing bad by; with `restates` it has to be found to be
    what governs already. `control` is who could do with the same steps what the attempt is after. `refused` is how many
    of the steps the service does not take. `widens` says that by it a name reaches further than before: a restriction
    is heeded for more, and none for less.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    tries: str
    by: str
    steps: list[Step]
    then: list[Step] = []
    restates: bool = False
    control: str | None = None
    refused: int | Literal["all"] = 0
    widens: bool = False

    @property
    def refusals(self) -> int:
        """How many of its steps are refused."""
        return len(self.steps) if self.refused == "all" else self.refused

    @property
    def quiet(self) -> bool:
        """Whether it leaves everything as it is, so that it can be sent together with others."""
        return not self.then and not self.widens


def families() -> dict[str, list[Attempt]]:
    """All attempts by family."""
    return {
        path.stem: [Attempt.model_validate(item) for item in yaml.safe_load(path.read_text("utf-8"))]
        for path in sorted(FOLDER.glob("*.yaml"))
    }


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """`value` with its placeholders filled in and what is long or deep made so."""
    match value:
        case str():
            return Template(value).safe_substitute(words)
        case list():
            return [filled(item, words) for item in value]
        case {"repeat": str(text), "times": int(times)}:
            return filled(text, words) * times
        case {"nested": int(depth)}:
            return nested(depth)
        case dict():
            return {filled(key, words): filled(item, words) for key, item in value.items()}
    return value


def nested(depth: int) -> dict[str, Any]:
    """An object `depth` levels deep, with an instruction at the bottom."""
    inner: dict[str, Any] = {"text": "We no longer need to keep gpu-bench-01 running."}
    for _ in range(depth):
        inner = {"data": inner}
    return inner
