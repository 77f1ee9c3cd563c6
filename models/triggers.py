"""Why the past would change a decision: the reasons for which an agent's runtime asks memory, enumerated.

A reason gates the search by likeness and by words, and is in the trace either way. Restrictions on what is in play and
standing instructions are looked up exactly on every recall, whatever called for it.
"""

from collections.abc import Collection
from enum import StrEnum


class Trigger(StrEnum):
    """What called for a recall. The client's runtime wrapper finds them out; see `keepwell.retrieval`.

    That an intention of the asker's is due, recall finds out by itself, and tells it with the others.
    """

    FIRST_DECISION = "first_decision"
    NEW_ENTITY = "new_entity"
    RETURNING_ENTITY = "returning_entity"
    NEW_ERROR = "new_error"
    FAILED_STRATEGY = "failed_strategy"
    USER_CORRECTION = "user_correction"
    KNOWN_TASK_CLASS = "known_task_class"
    STALE = "stale"
    EXPLICIT_NEED = "explicit_need"
    INTENTION_DUE = "intention_due"


def called_for(told: Collection[Trigger] | None) -> tuple[Trigger, ...]:
    """What called for a recall, in the order of `Trigger`, each once.

    | told by the caller | called for by |
    | --- | --- |
    | nothing (None) | `explicit_need`: whoever asks without a reason asks because they want to know |
    | some reasons | these |
    | that there is none (empty) | nothing: what binds is looked up, and nothing is searched |
    """
    if told is None:
        return (Trigger.EXPLICIT_NEED,)
    return tuple(trigger for trigger in Trigger if trigger in told)


def told_with(triggers: tuple[Trigger, ...], is_due: bool) -> tuple[Trigger, ...]:
    """What called for a recall, with that something is due where it is. By itself that has nothing searched."""
    if not is_due or Trigger.INTENTION_DUE in triggers:
        return triggers
    return (*triggers, Trigger.INTENTION_DUE)
