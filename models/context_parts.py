"""What could stand in the context of one model call: records and events as lines, and what the runtime itself tells.

Pure. A part is taken whole or not at all; nothing is chosen here but what repeats another record.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from models.budget import CountTokens, Item, Unit
from models.context import ContextRequest, SectionName
from models.due import DueIntention
from models.fence import record_line
from models.procedure_choice import RecalledProcedure
from models.recall import Conflict, RecalledFact, RecalledPassage, Unmet
from models.rendering import (
    conflict_record,
    fact_record,
    intention_record,
    observation_record,
    passage_record,
    procedure_records,
    session_record,
    unmet_record,
)
from models.sessions import SessionEvent
from models.text import terms

DUPLICATE_OVERLAP = 0.9


class Part(NamedTuple):
    """What is taken together: its lines, and the records or events that they tell of."""

    lines: tuple[str, ...]
    ids: tuple[UUID, ...] = ()
    items: tuple[Item, ...] = ()
    required: bool = False


class Distinct(NamedTuple):
    """What is left of a ranking, and what of it says nothing that the rest does not say."""

    kept: Sequence[Unit]
    repeated: frozenset[UUID]


def distinct(found: Iterable[Unit]) -> Distinct:
    """`found` without passages that repeat one that is ranked before them; see `repeats`."""
    kept: list[Unit] = []
    repeated: set[UUID] = set()
    seen: list[frozenset[str]] = []
    for unit in found:
        passage = unit.items[0]
        if isinstance(passage, RecalledPassage):
            said = frozenset(terms(passage.text))
            if any(repeats(said, earlier) for earlier in seen):
                repeated.add(passage.id)
                continue
            seen.append(said)
        kept.append(unit)
    return Distinct(kept, frozenset(repeated))


def repeats(said: frozenset[str], earlier: frozenset[str]) -> bool:
    """Whether a passage with the search terms `said` adds next to nothing to one with those of `earlier`.

    | of the terms | |
    | --- | --- |
    | one with a digit in it is not among the earlier ones | it adds something: another version, number or machine |
    | at least nine in ten are among the earlier ones | it repeats |
    | fewer are | it adds something |
    """
    new = said - earlier
    if any(character.isdigit() for term in new for character in term):
        return False
    return len(new) <= (1 - DUPLICATE_OVERLAP) * len(said)


def parts_of(
    found: Iterable[Unit],
    conflicts: Iterable[Conflict],
    unmet: Iterable[Unmet],
    session: Iterable[SessionEvent],
    due: Iterable[DueIntention] = (),
    procedure: RecalledProcedure | None = None,
) -> dict[SectionName, list[Part]]:
    """What there is for each section but the runtime's own: an open conflict is one part, and so is a procedure."""
    conflict_of = {member: each for each in conflicts if each.unsettled for member in each.members}
    facts: list[Part] = []
    passages: list[Part] = []
    for unit in found:
        ids = tuple(item.id for item in unit.items)
        first = unit.items[0]
        if isinstance(first, RecalledPassage):
            passages.append(Part((record_line(passage_record(first)),), ids, unit.items))
            continue
        told = [fact_record(item) for item in unit.items if isinstance(item, RecalledFact)]
        if (conflict := conflict_of.get(first.id)) is not None:
            # Those of its members that are not in force stand beside it as records of their own.
            told.insert(0, conflict_record(conflict.model_copy(update={"challengers": ()})))
        facts.append(Part(tuple(map(record_line, told)), ids, unit.items, unit.required))
    binding = sum(part.required for part in facts)
    facts[binding:binding] = [Part((record_line(unmet_record(need)),)) for need in unmet]
    said = [Part((record_line(session_record(event)),), (event.id,)) for event in session]
    coming = [Part((record_line(intention_record(each)),), (each.id,)) for each in due]
    whole = [] if procedure is None else list(map(record_line, procedure_records(procedure)))
    return {
        SectionName.PROCEDURES: [Part(tuple(whole), (procedure.id,))] if procedure is not None else [],
        SectionName.FACTS: facts,
        SectionName.EPISODES: passages,
        SectionName.SESSION: said,
        SectionName.INTENTIONS: coming,
    }


def shortened(
    record: Callable[[int], Mapping[str, object]], longest: int, tokens: int, count_tokens: CountTokens
) -> Part:
    """A record in at most `tokens`; `record` makes it of so many characters of a text, `longest` of them at most."""
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(f"{record_line(record(middle))}\n") <= tokens:
            low = middle
        else:
            high = middle - 1
    return Part((record_line(record(low)),))


def cut(text: str, characters: int) -> str | None:
    """The beginning of a text, which says so where it goes on; None for an empty one."""
    if not text:
        return None
    return text if len(text) <= characters else f"{text[:characters].rstrip()}…"


def of_the_runtime(
    request: ContextRequest, most: Mapping[SectionName, int], count_tokens: CountTokens
) -> dict[SectionName, list[Part]]:
    """The task, and what was observed, as the runtime tells them, each text in the `most` tokens of its section."""
    goal, subtask, observation = request.goal, request.subtask, request.observation
    told: dict[SectionName, list[Part]] = {SectionName.TASK: [], SectionName.OBSERVATIONS: []}
    if goal or subtask:
        longest = max(len(goal), len(subtask))
        told[SectionName.TASK].append(
            shortened(
                lambda n: {"kind": "task", "goal": cut(goal, n), "subtask": cut(subtask, n)},
                longest,
                most[SectionName.TASK],
                count_tokens,
            )
        )
    if observation:
        told[SectionName.OBSERVATIONS].append(
            shortened(
                lambda n: {"kind": "observation", "source": "runtime", "quoted": cut(observation, n)},
                len(observation),
                most[SectionName.OBSERVATIONS],
                count_tokens,
            )
        )
    verified = map(record_line, map(observation_record, request.observations))
    told[SectionName.OBSERVATIONS] += [Part((line,)) for line in dict.fromkeys(verified)]
    return told
