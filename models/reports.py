"""What became of an answer, as whoever asked for it reports: what an agent saw, what it used, and how the run ended.

A report is somebody's word, and is about their own recall alone. It says nothing of what is true.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any, Self, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

from models.principals import PLAIN
from models.traces import Fate, Trace

MAX_IDS = 1_000
"""How many records one report names. An answer has fewer."""
_MAX_TRACES = 100


class Outcome(StrEnum):
    """How a run ended. `unknown` is said where nobody could tell, and is no failure."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class Arm(StrEnum):
    """Which of two runs of one task it was: the one that saw what was recalled, or the one that did not."""

    WITH_MEMORY = "with_memory"
    WITHOUT_MEMORY = "without_memory"


_Ids = Annotated[tuple[UUID, ...], Field(max_length=MAX_IDS)]
_Name = Annotated[str, Field(min_length=1, max_length=200, pattern=PLAIN)]


class NewReport(BaseModel):
    """A report about one recall, which may be one of several: each adds to those before.

    `visible` are the records that were before the agent on an action, `used` those that it went by; what was used was
    visible. `outcome` is how the run ended, and the latest one counts. `pair` is the asker's own name for two runs of
    one task, and `arm` says which of them this recall belongs to; the run without memory recalls as well, and shows
    nothing of it. Sent again under its `idempotency_key`, a report changes nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    visible: _Ids = ()
    used: _Ids = ()
    outcome: Outcome | None = None
    pair: _Name | None = None
    arm: Arm | None = None
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)

    @model_validator(mode="after")
    def _says_what_can_be(self) -> Self:
        if (self.pair is None) != (self.arm is None):
            raise ValueError("pair and arm come together: which two runs, and which of them this is")
        if self.arm is Arm.WITHOUT_MEMORY and self.seen:
            raise ValueError("a run without memory has nothing visible or used; leave both out")
        if not self.seen and self.outcome is None and self.pair is None:
            raise ValueError("says nothing; give visible, used, outcome, or pair with arm")
        return self

    @property
    def seen(self) -> frozenset[UUID]:
        """All that was before the agent."""
        return frozenset((*self.visible, *self.used))

    @property
    def digest(self) -> bytes:
        """Tells whether two reports under one key say the same."""
        said = (
            sorted(str(each) for each in self.seen),
            sorted(str(each) for each in set(self.used)),
            self.outcome,
            self.pair,
            self.arm,
        )
        return sha256(repr(said).encode()).digest()


def unselected(trace: Trace, ids: Collection[UUID]) -> frozenset[UUID]:
    """Those of `ids` that the answer of this recall did not have."""
    return frozenset(ids) - {entry.id for entry in trace.entries if entry.fate is Fate.SELECTED}


def as_selected(trace: Trace, report: NewReport) -> NewReport | None:
    """`report` as far as it is about what this recall selected; None where it is not about it at all."""
    strangers = unselected(trace, report.seen)
    visible = tuple(each for each in report.visible if each not in strangers)
    used = tuple(each for each in report.used if each not in strangers)
    if not visible and not used:
        return None
    return report.model_copy(update={"visible": visible, "used": used})


def told_in(data: Mapping[str, Any]) -> tuple[frozenset[UUID], NewReport] | None:
    """The traces that an event names in its data, with what it says of their records; None where it says nothing.

    An agent's runtime tells under `memory` which records were `visible` on an action and which were `used`, and in
    `traces` which recalls had brought them. What is no id there is passed over.
    """
    memory = data.get("memory")
    if not isinstance(memory, dict):
        return None
    said = cast("dict[str, Any]", memory)
    traces = frozenset(_ids(said.get("traces"))[:_MAX_TRACES])
    visible, used = _ids(said.get("visible")), _ids(said.get("used"))
    if not traces or not (visible or used):
        return None
    return traces, NewReport(visible=visible, used=used)


def _ids(said: object) -> tuple[UUID, ...]:
    found: list[UUID] = []
    for each in cast("list[object]", said)[:MAX_IDS] if isinstance(said, list) else ():
        try:
            found.append(UUID(str(each)))
        except ValueError:
            continue
    return tuple(found)
