"""Which procedure fits a request: one, whole, or none. Never two versions of one.

What a procedure is for is compared, never what its steps say.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.entities import CUES, canonical_key, is_canonical
from models.events import aware
from models.ids import derived_id
from models.procedures import (
    Procedure,
    ProcedureContent,
    ProcedureStep,
    Trial,
    TriggerIntent,
    Version,
    VersionStatus,
)
from models.scope import Scope
from models.text import terms

PROCEDURE_SHARE = 0.7
"""The part of a recall's budget that a procedure may take, beside all that must be heeded."""
SHARE = 0.6
"""Of the words of an intent so many have to be among those of the request."""
_LEAST_WORDS = 2
_TASK = "task"


class RecalledProcedure(BaseModel):
    """A procedure as it goes into an answer, whole. `id` is that of its version, `version` its number."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    procedure_id: UUID
    name: str
    version: int
    status: VersionStatus
    scope: dict[str, str]
    trigger: TriggerIntent
    preconditions: tuple[str, ...]
    applies_to: tuple[str, ...]
    steps: tuple[ProcedureStep, ...]
    approved_by: tuple[str, ...]
    approved_at: datetime

    @property
    def text(self) -> str:
        """One line for each part, for a model or a person, whatever line breaks are in what is said."""
        told = [f"procedure {self.name}, version {self.version}: {self.trigger.intent}"]
        told += [f"before: {each}" for each in self.preconditions]
        for number, step in enumerate(self.steps, start=1):
            told.append(f"{number}. [{step.id}] {step.do}; check: {step.verify}")
            told += [f"   because: {step.because}"] if step.because else []
        return "\n".join(" ".join(line.split()) for line in told)


class Carried(NamedTuple):
    """The procedure that an answer carries, and the tokens that it takes of it."""

    procedure: RecalledProcedure | None = None
    tokens: int = 0


NO_PROCEDURE = Carried()


class Applying(NamedTuple):
    """A procedure that applies in the scope of a request, with what of it is in force."""

    procedure: Procedure
    current: Version | None
    trial: Version | None


class Situation(NamedTuple):
    """What is asked for, and by whom: the words, what is in play, and the run, by the name of its activity."""

    words: str
    entities: Sequence[str]
    subject: str
    activity: str | None


def chosen(applying: Iterable[Applying], asked: Situation) -> RecalledProcedure | None:
    """The procedure that fits, in the version that holds for the asker.

    | the procedure | fits |
    | --- | --- |
    | is for types or things, and all that are in play by their ids are others | no |
    | is for the class of task that is in play, as the entity `task:NAME` | first |
    | has at least six in ten of the words of its intent, and two of them, among the request's | then |
    | is any other | no |

    Of several, the one of the narrower scope, then the one with more of its words, then by name. A version on trial
    holds for the agents that its trial names, and for its share of runs.
    """
    said = frozenset(terms(asked.words))
    in_play = [canonical_key(each) for each in asked.entities if is_canonical(each)]
    tasks = {each for each in in_play if each.partition(":")[0] == _TASK}
    things = [each for each in in_play if each.partition(":")[0] not in CUES]
    fitting: list[tuple[tuple[Any, ...], Applying, Version]] = []
    for each in applying:
        version = version_for(each, asked)
        if version is None or not _is_for(version.content, things):
            continue
        trigger = version.content.trigger
        for_task = trigger.task_class is not None and task_cue(trigger.task_class) in tasks
        share = _share(trigger.intent, said)
        if for_task or share >= SHARE:
            rank = (not for_task, -len(each.procedure.scope), -share, each.procedure.name, each.procedure.id)
            fitting.append((rank, each, version))
    if not fitting:
        return None
    _, best, version = min(fitting, key=lambda found: found[0])
    return recalled(best.procedure, version)


def version_for(there: Applying, asked: Situation) -> Version | None:
    """The version that holds for the asker: that on trial, where they try it, else the current one."""
    trial = there.trial
    if trial is not None and trial.trial is not None and _tries(trial.trial, trial.id, asked):
        return trial
    return there.current


def _tries(trial: Trial, version_id: UUID, asked: Situation) -> bool:
    if asked.subject in trial.agents:
        return True
    if asked.activity is None:
        return False
    place = derived_id("trial", version_id, asked.activity).int / (1 << 128)
    return place < trial.share


def task_cue(task_class: str) -> str:
    """A class of task as agents name it among what is in play: `task:cleanup_idle_compute`."""
    return canonical_key(f"{_TASK}:{'-'.join(task_class.split())}")


def _is_for(content: ProcedureContent, things: Collection[str]) -> bool:
    if not content.applies_to or not things:
        return True
    named = {canonical_key(each) for each in content.applies_to}
    return any(each in named or each.partition(":")[0] in named for each in things)


def _share(intent: str, said: Collection[str]) -> float:
    wanted = frozenset(terms(intent))
    met = wanted & frozenset(said)
    return 0.0 if len(met) < min(_LEAST_WORDS, len(wanted) or 1) else len(met) / len(wanted)


def recalled(procedure: Procedure, version: Version) -> RecalledProcedure:
    """A version as it goes into an answer."""
    content = version.content
    return RecalledProcedure(
        id=version.id,
        procedure_id=procedure.id,
        name=procedure.name,
        version=version.number,
        status=version.status,
        scope=dict(Scope(procedure.scope)),
        trigger=content.trigger,
        preconditions=content.preconditions,
        applies_to=content.applies_to,
        steps=content.steps,
        approved_by=tuple(approval.by.subject for approval in version.approved),
        approved_at=aware(max((approval.at for approval in version.approved), default=version.recorded_at)),
    )
