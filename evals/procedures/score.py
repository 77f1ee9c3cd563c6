"""How well proposals meet what is planted: precision over proposals, recall over what recurs."""

from collections.abc import Sequence
from typing import NamedTuple

from evals.procedures.corpus import Lived, Sort, planted_tasks


class Wrong(NamedTuple):
    """A proposal that should not be there: its class of task, and what the activities behind it are."""

    task: str
    sorts: tuple[str, ...]


class Score(NamedTuple):
    """What came of a corpus. `from_one` counts proposals behind which there are tellings of one incident alone."""

    proposals: int
    right: int
    planted: int
    found: int
    from_one: int
    missed: tuple[str, ...]
    wrong: tuple[Wrong, ...]

    @property
    def precision(self) -> float:
        """The share of proposals that are about something planted, and nothing else."""
        return self.right / self.proposals if self.proposals else 0.0

    @property
    def recall(self) -> float:
        """The share of what is planted that some proposal is about."""
        return self.found / self.planted if self.planted else 0.0


def scored(lived: Sequence[Lived], proposals: Sequence[tuple[str, Sequence[str]]]) -> Score:
    """The score of proposals, each told as its class of task and the names of the activities behind it."""
    by_name = {each.activity: each for each in lived}
    wanted = planted_tasks(lived)
    right: list[str] = []
    wrong: list[Wrong] = []
    from_one = 0
    for task, activities in proposals:
        sorts = tuple(sorted(by_name[name].sort.value for name in activities))
        tasks = {by_name[name].task for name in activities}
        if set(sorts) == {Sort.PLANTED.value} and tasks == {task}:
            right.append(task)
        else:
            wrong.append(Wrong(task, sorts))
        from_one += set(sorts) == {Sort.RETOLD.value} or len(activities) < 2
    found = wanted & set(right)
    return Score(
        len(proposals),
        len(right),
        len(wanted),
        len(found),
        from_one,
        tuple(sorted(wanted - found)),
        tuple(wrong),
    )


def pooled(scores: Sequence[Score]) -> Score:
    """The score of several corpora together."""
    return Score(
        sum(each.proposals for each in scores),
        sum(each.right for each in scores),
        sum(each.planted for each in scores),
        sum(each.found for each in scores),
        sum(each.from_one for each in scores),
        tuple(task for each in scores for task in each.missed),
        tuple(wrong for each in scores for wrong in each.wrong),
    )
