"""What one episode teaches, read by code from its events: what was done, what went wrong, and what was said to do.

A lesson is the word of a person or a declared system. What a tool, a page or a model says is never one.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.authority import Authority
from models.entities import canonical_key, is_canonical
from models.episodes import in_order
from models.events import EventType, StoredEvent
from models.text import identifiers, normalise, terms

READING = 1
"""The number of these rules: what was read by others is read again."""
_MOST_TERMS = 60
_MOST_CODE = 200
_FAILING = frozenset({EventType.VERIFICATION_FAILED, EventType.ACTIVITY_FAILED})
_TEACHING = (EventType.CORRECTION, EventType.FEEDBACK, EventType.INSTRUCTION)
_PASSED = frozenset({EventType.VERIFICATION_PASSED})


class Signature(BaseModel):
    """By what two failures, or two lessons, are told to be the same: a code that somebody gave it, or else its words.

    Numbers, identifiers and the names of what is in play are no part of it.
    """

    model_config = ConfigDict(frozen=True)

    code: str | None = None
    words: frozenset[str] = frozenset()


class Experience(BaseModel):
    """What an episode teaches.

    `incident` is what somebody calls the incident that it tells of. `lesson` is None where nobody taught anything;
    `helped` says whether what was checked after it passed, None where nothing was. `failed_step` is the step of a
    procedure, by that one's id and its own, that failed, and `skipped` those that were left out, in a run that
    `went_well`.
    """

    model_config = ConfigDict(frozen=True)

    episode_id: UUID
    scope: dict[str, str]
    task_class: str
    entity_type: str | None
    entities: frozenset[str]
    incident: str | None
    failure: Signature | None
    lesson: str | None
    resolution: Signature
    authority: Authority
    helped: bool | None
    started_at: datetime
    taught_at: datetime | None
    failed_step: tuple[UUID, str] | None = None
    skipped: frozenset[tuple[UUID, str]] = frozenset()
    went_well: bool | None = None

    @property
    def teaches(self) -> bool:
        """Whether something went wrong, and somebody whose word counts said what to do, in words that tell it apart."""
        said = self.resolution.code is not None or bool(self.resolution.words)
        return self.failure is not None and self.lesson is not None and said


def experience_of(episode_id: UUID, events: Sequence[StoredEvent]) -> Experience | None:
    """What an episode teaches by its events; None where nobody says of what class the task was.

    | in the events | is read as |
    | --- | --- |
    | `task_class` in the data of one that is not untrusted | the class of the task |
    | a check or an activity that failed, or `failure` in the data, from any source but an untrusted one | the failure |
    | the first correction or feedback of a person or a declared system, where nothing else failed | the failure too |
    | the last correction of such a one from the failure on, else feedback, else instruction, in words | the lesson |
    | `resolution` in its data | the code of the lesson |
    | a check after it that passed, or failed | whether it helped |
    | `incident` in the data of one that is not untrusted | the incident |
    """
    ordered = in_order(events)
    told = [event for event in ordered if not event.directive]
    heard = [event for event in told if event.authority is not Authority.UNTRUSTED]
    task_class = _first_code(heard, "task_class")
    if task_class is None:
        return None
    wrong = [event for event in told if _went_wrong(event)]
    taught = [event for event in told if _teaches(event)]
    began = (
        wrong[0]
        if wrong
        else next((event for event in taught if event.type is not EventType.INSTRUCTION), None)
    )
    place = len(told) if began is None else told.index(began)
    lesson = _lesson_in([event for event in taught if told.index(event) >= place])
    names = _names_in(told, task_class)
    run = _run_in(ordered)
    return Experience(
        episode_id=episode_id,
        scope=told[0].scope,
        task_class=task_class,
        entity_type=_type_in([began, lesson, *told]),
        entities=frozenset(mention for event in told for mention in _canonicals(event)),
        incident=_first_code(heard, "incident"),
        failure=None if began is None else _signature(wrong, "failure", names),
        lesson=None if lesson is None else lesson.text,
        resolution=Signature() if lesson is None else _signature([lesson], "resolution", names),
        authority=Authority.UNTRUSTED if lesson is None else lesson.authority,
        helped=None if lesson is None else _checked_after(told, told.index(lesson)),
        started_at=ordered[0].occurred_at,
        taught_at=None if lesson is None else lesson.occurred_at,
        **run,
    )


def _went_wrong(event: StoredEvent) -> bool:
    if event.authority is Authority.UNTRUSTED:
        return False
    return event.type in _FAILING or _code(event, "failure") is not None


def _teaches(event: StoredEvent) -> bool:
    return event.type in _TEACHING and event.authority >= Authority.HUMAN_INSTRUCTION and bool(event.text)


def _lesson_in(taught: Sequence[StoredEvent]) -> StoredEvent | None:
    """What somebody corrected, rather than what they remarked, rather than what they wanted next; the last of it."""
    for kind in _TEACHING:
        said = [event for event in taught if event.type is kind]
        if said:
            return said[-1]
    return None


def _checked_after(events: Sequence[StoredEvent], place: int) -> bool | None:
    checked = [event.type for event in events[place + 1 :] if event.type in _FAILING | _PASSED]
    return checked[-1] in _PASSED if checked else None


def _code(event: StoredEvent, name: str) -> str | None:
    value = event.data.get(name)
    return normalise(value)[:_MOST_CODE] or None if isinstance(value, str) else None


def _first_code(events: Sequence[StoredEvent], name: str) -> str | None:
    return next((code for event in events if (code := _code(event, name)) is not None), None)


def _signature(events: Sequence[StoredEvent], code: str, names: Collection[str]) -> Signature:
    said = " ".join(event.text or "" for event in events)
    own = frozenset(names) | {part for name in identifiers(said) for part in terms(name)}
    plain = {word for word in terms(said) if word not in own and not any(map(str.isdigit, word))}
    # Of very many the longest say the most.
    words = sorted(plain, key=lambda word: (-len(word), word))[:_MOST_TERMS]
    return Signature(code=_first_code(events, code), words=frozenset(words))


def _names_in(events: Sequence[StoredEvent], task_class: str) -> frozenset[str]:
    """The words of what things are called here: another incident is about other ones."""
    names = [name for event in events for each in event.entities for name in (each.id, each.name) if name]
    return frozenset(word for name in (*names, task_class.replace("_", " ")) for word in terms(name))


def _canonicals(event: StoredEvent) -> list[str]:
    return [
        canonical_key(each.id) for each in event.entities if each.id is not None and is_canonical(each.id)
    ]


def _type_in(events: Sequence[StoredEvent | None]) -> str | None:
    """The type of the first thing that any of these events, in their order, names by its id."""
    found = (name for event in events if event is not None for name in _canonicals(event))
    first = next(found, None)
    return None if first is None else first.partition(":")[0]


def _run_in(events: Sequence[StoredEvent]) -> dict[str, Any]:
    """What the last report on a run with a procedure says of it."""
    reports = [event.data.get("procedure") for event in events if event.directive]
    told = [cast("dict[str, Any]", each) for each in reports if isinstance(each, dict) and "run" in each]
    if not told:
        return {}
    procedure_id, run = UUID(told[-1]["id"]), told[-1]["run"]
    fates = [(step["id"], step["fate"]) for step in run.get("steps", ())]
    failed = next((step for step, fate in fates if fate == "failed"), None)
    outcome = run.get("outcome")
    return {
        "failed_step": None if failed is None else (procedure_id, failed),
        "skipped": frozenset((procedure_id, step) for step, fate in fates if fate == "skipped"),
        "went_well": {"success": True, "failure": False}.get(outcome),
    }
