"""What recurs in experience: the same failure and the same lesson, in enough incidents that are really different ones.

One lucky episode is never a finding, nor is one incident that many tell of.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from math import sqrt
from typing import NamedTuple, TypeVar
from uuid import UUID

from models.experiences import Experience, Signature
from models.ids import derived_id
from models.procedure_rules import RecurrenceRules
from models.scope import Scope

ALIKE = 0.5
"""So alike, by the cosine of their words, two failures or two lessons are the same at least."""
ONE_INCIDENT = timedelta(days=1)
"""What befalls one thing twice within this time is one incident."""
K = TypeVar("K")


class WhyNot(StrEnum):
    """Why what recurs is not proposed. The first line that holds, holds.

    | why | means |
    | --- | --- |
    | `too_few` | fewer distinct incidents than the class asks for |
    | `too_short` | all of them within less time than the class asks for |
    | `contradicted` | a larger share speaks against it than the class lets |
    """

    TOO_FEW = "too_few"
    TOO_SHORT = "too_short"
    CONTRADICTED = "contradicted"


class Finding(NamedTuple):
    """A failure and a lesson that recur in one scope, for one class of task and one type of things.

    `key` is by its first episode: later ones leave it as it is. An earlier one that comes late changes it.
    `supporting` has one episode for each incident, the earliest, and `retold` others that tell of the same ones.
    `opposing` are of the same failure, where the lesson did not help or another one was taught. `runs` is how many
    episodes of the class of task there are in all. `why_not` is None for what is proposed.
    """

    key: UUID
    scope: Scope
    task_class: str
    entity_type: str | None
    lesson: str
    supporting: tuple[UUID, ...]
    retold: tuple[UUID, ...]
    opposing: tuple[UUID, ...]
    runs: int
    first_at: datetime
    last_at: datetime
    failed_step: tuple[UUID, str] | None
    why_not: WhyNot | None


def findings(experiences: Iterable[Experience], rules: RecurrenceRules, now: datetime) -> list[Finding]:
    """All that recurs, in a fixed order; what is not to be proposed says why.

    | experience | counts |
    | --- | --- |
    | from before the time that is looked at | not at all |
    | without a failure, or a lesson of somebody whose word counts | among the runs alone |
    | of the same scope, class of task and type, with the same failure and lesson | for the finding |
    | of the same, after whose lesson a check failed | against it |
    | of the same with the same failure and a lesson of another code, where both have one | against it |
    | of the same with the same failure and other words of a lesson, which may be a translation | for another finding |
    | of the same incident as another | once |
    """
    recent = sorted(
        (each for each in experiences if now - each.started_at <= rules.within),
        key=lambda each: (each.started_at, each.episode_id),
    )
    found: list[Finding] = []
    for (scope_key, task_class), of_class in _by(
        recent, lambda each: (Scope(each.scope).key, each.task_class)
    ):
        for entity_type, block in _by(of_class, lambda each: each.entity_type):
            teaching = [each for each in block if each.teaches]
            for group in _groups(teaching):
                key = derived_id("finding", scope_key, task_class, entity_type or "", group[0].episode_id)
                found.append(_finding(key, group, teaching, len(of_class), rules))
    return found


def _by(those: Sequence[Experience], what: Callable[[Experience], K]) -> list[tuple[K, list[Experience]]]:
    """Those that have the same of something together, in the order of the first of each."""
    found: dict[K, list[Experience]] = {}
    for each in those:
        found.setdefault(what(each), []).append(each)
    return list(found.items())


def _finding(
    key: UUID, group: Sequence[Experience], teaching: Sequence[Experience], runs: int, rules: RecurrenceRules
) -> Finding:
    for_it = [each for each in group if each.helped is not False]
    others = [
        each
        for each in teaching
        if each.resolution.code is not None
        and group[0].resolution.code not in (None, each.resolution.code)
        and same(each.failure, group[0].failure)
    ]
    incidents = _incidents(for_it)
    against = _incidents([*(each for each in group if each.helped is False), *others])
    firsts = [told[0] for told in incidents]
    best = max(group, key=lambda each: (each.authority, each.taught_at or each.started_at, each.episode_id))
    return Finding(
        key=key,
        scope=Scope(group[0].scope),
        task_class=group[0].task_class,
        entity_type=group[0].entity_type,
        lesson=best.lesson or "",
        supporting=tuple(each.episode_id for each in firsts),
        retold=tuple(each.episode_id for told in incidents for each in told[1:]),
        opposing=tuple(told[0].episode_id for told in against),
        runs=runs,
        first_at=group[0].started_at,
        last_at=group[-1].started_at,
        failed_step=next((each.failed_step for each in reversed(group) if each.failed_step), None),
        why_not=_why_not(firsts, len(against), rules),
    )


def _why_not(firsts: Sequence[Experience], against: int, rules: RecurrenceRules) -> WhyNot | None:
    if len(firsts) < rules.activities:
        return WhyNot.TOO_FEW
    if firsts[-1].started_at - firsts[0].started_at < rules.span:
        return WhyNot.TOO_SHORT
    return WhyNot.CONTRADICTED if against > rules.counter * (len(firsts) + against) else None


def _groups(teaching: Sequence[Experience]) -> list[list[Experience]]:
    """Those whose failure and lesson are the same as those of a group's first one, in the order of time.

    A group takes what is like its first one, and not what is like its last: else it would wander off. Only groups that
    share a word, or a code, with somebody are looked at for them.
    """
    groups: list[list[Experience]] = []
    by_word: dict[str, list[int]] = {}
    for each in teaching:
        said = _marks(each.resolution)
        near = sorted({place for mark in said for place in by_word.get(mark, ())})
        home = next((place for place in near if _is_like(each, groups[place][0])), None)
        if home is not None:
            groups[home].append(each)
            continue
        for mark in said:
            by_word.setdefault(mark, []).append(len(groups))
        groups.append([each])
    return groups


def _marks(lesson: Signature) -> list[str]:
    return sorted(lesson.words) + ([] if lesson.code is None else [f"={lesson.code}"])


def _is_like(one: Experience, first: Experience) -> bool:
    return same(one.failure, first.failure) and same(one.resolution, first.resolution)


def likeness(one: Signature, other: Signature) -> float:
    """How alike two failures, or two lessons, are: by their codes where both have one, else by the cosine of words.

    Where neither has words, as of a failure that nobody has put into any, nothing tells them apart.
    """
    if one.code is not None and other.code is not None:
        return float(one.code == other.code)
    if not one.words or not other.words:
        return float(not one.words and not other.words)
    return len(one.words & other.words) / sqrt(len(one.words) * len(other.words))


def same(one: Signature | None, other: Signature | None) -> bool:
    """Whether two failures, or two lessons, are the same; see `likeness`."""
    if one is None or other is None:
        return one is other
    return likeness(one, other) >= ALIKE


def _incidents(group: Sequence[Experience]) -> list[list[Experience]]:
    """Distinct incidents in order of time, each with all that tell of it.

    One that somebody calls the same is the same, and so is what befalls one thing within a day of the first word on it,
    whatever it is called.
    """
    found: list[list[Experience]] = []
    for each in sorted(group, key=lambda each: (each.started_at, each.episode_id)):
        home = next((told for told in found if _tells_of(each, told)), None)
        if home is None:
            found.append([each])
        else:
            home.append(each)
    return found


def _tells_of(one: Experience, incident: Sequence[Experience]) -> bool:
    if one.incident is not None and any(one.incident == each.incident for each in incident):
        return True
    if one.started_at - incident[0].started_at > ONE_INCIDENT:
        return False
    return any(one.entities == each.entities or one.entities & each.entities for each in incident)
