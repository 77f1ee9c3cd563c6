"""Whether the past could change this decision, and what to ask it. Pure: a situation in, a decision out.

A search that nothing calls for costs time and room in the prompt, and what it brings distracts. A restriction that
was not looked up costs more; so whatever comes into play is looked up at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from keepwell.names import MAX_ID, keys_of, look_ups
from keepwell.types.events import EntityMention
from keepwell.values import mended

MAX_QUERY_CHARACTERS = 20_000
MAX_ENTITIES = 1_000
MAX_BUDGET_TOKENS = 200_000
MAX_LIMIT = 100
"""Limits of the service for one recall."""


class Trigger(str, Enum):
    """Why the past could change a decision. The rules are in `should_retrieve`."""

    FIRST_DECISION = "first_decision"
    NEW_ENTITY = "new_entity"
    RETURNING_ENTITY = "returning_entity"
    NEW_ERROR = "new_error"
    FAILED_STRATEGY = "failed_strategy"
    USER_CORRECTION = "user_correction"
    KNOWN_TASK_CLASS = "known_task_class"
    STALE = "stale"
    EXPLICIT_NEED = "explicit_need"


ALWAYS = frozenset({Trigger.NEW_ENTITY, Trigger.EXPLICIT_NEED})
"""Triggers that no policy can do without: what comes into play is looked up, and so is what is asked for."""


@dataclass(frozen=True)
class RetrievalPolicy:
    """When an activity recalls, and how much it asks.

    `failures` is how often one tool fails until its strategy counts as failed. What was not spoken of for more
    than `in_play_for` decisions is no longer in play, and returns when it is spoken of again. What was recalled is
    stale after `stale_decisions` decisions or `stale_seconds` seconds: nobody tells an activity that a person has
    said something elsewhere. `task_classes` are those that memory is known to hold experience of. `triggers` are
    those that count; `ALWAYS` are among them. Raises ValueError for a policy that means nothing.
    """

    failures: int = 2
    in_play_for: int = 5
    stale_decisions: int = 10
    stale_seconds: float = 60.0
    task_classes: frozenset[str] = frozenset()
    triggers: frozenset[Trigger] = frozenset(Trigger)
    query_characters: int = 4_000
    budget_tokens: int = 2_000
    limit: int = 10

    def __post_init__(self) -> None:
        if not self.triggers >= ALWAYS:
            raise ValueError(
                "new_entity and explicit_need cannot be switched off; leave them among the triggers"
            )
        if min(self.failures, self.stale_decisions) < 1 or self.in_play_for < 0 or not self.stale_seconds > 0:
            raise ValueError(
                "failures and stale_decisions are at least 1, in_play_for 0, stale_seconds above 0"
            )
        if not 1 <= self.query_characters <= MAX_QUERY_CHARACTERS:
            raise ValueError(f"query_characters lies between 1 and {MAX_QUERY_CHARACTERS:,}")
        if not 1 <= self.budget_tokens <= MAX_BUDGET_TOKENS or not 1 <= self.limit <= MAX_LIMIT:
            raise ValueError(
                f"budget_tokens lies between 1 and {MAX_BUDGET_TOKENS:,}, limit between 1 and {MAX_LIMIT}"
            )


@dataclass(frozen=True)
class Situation:
    """How things stand at a decision. Everything `new` is so since the recall that the decision would go by.

    `entities` are what the decision is about, the most recent first, and `beside` what else is in play; `cues` are the
    sort of its work and the tool that is to be called (see `cues_of`). `covered` and `returning` are keys
    (`names.keys_of`) of what some recall of this activity has looked up, and of what was out of play since then.
    `failures` is how often the tool that failed most has failed. `decisions_since` and `seconds_since` measure the
    oldest recall that the decision would go by, None where there is none. `spent` says that it cannot be gone by: a
    fact of it has reached its end, or not all that must be heeded had come.
    """

    goal: str
    subtask: str = ""
    observation: str = ""
    entities: tuple[EntityMention, ...] = ()
    beside: tuple[EntityMention, ...] = ()
    cues: tuple[str, ...] = ()
    covered: frozenset[str] = frozenset()
    returning: frozenset[str] = frozenset()
    new_errors: tuple[str, ...] = ()
    failures: int = 0
    corrected: bool = False
    new_task_class: str | None = None
    explicit: bool = False
    decisions_since: int | None = None
    seconds_since: float | None = None
    spent: bool = False


@dataclass(frozen=True)
class Retrieval:
    """Whether to recall and why. Without `reasons` nothing calls for it, and `recall` is False.

    `entities` are the names and ids to look up: the decision's `own`, and then those of what is beside it in
    play, so that the service can say of each restriction whose it is. `left_out` counts the entities of the decision
    for which there was no room.
    """

    recall: bool
    reasons: tuple[Trigger, ...]
    query: str
    entities: tuple[str, ...]
    left_out: int = 0
    looked_up: tuple[EntityMention, ...] = field(default=(), repr=False)
    cues: tuple[str, ...] = field(default=(), repr=False)

    @property
    def own(self) -> tuple[str, ...]:
        """What the decision itself is about: its cues, and the names and ids of its things."""
        return tuple(dict.fromkeys([*self.cues, *look_ups(self.looked_up)]))


def should_retrieve(situation: Situation, policy: RetrievalPolicy | None = None) -> Retrieval:
    """Decide by the triggers of `policy`; each that holds is a reason, in this order.

    | trigger | holds when |
    | --- | --- |
    | `first_decision` | no recall of this activity has come back yet |
    | `new_entity` | something that the decision is about was looked up for none before, under one of its names |
    | | or the tool that is to be called, or the sort of work |
    | `returning_entity` | something that the decision is about was looked up once, and was then out of play |
    | `new_error` | a tool failed, or a verification, in a way that no earlier recall knew of |
    | `failed_strategy` | one tool has failed `failures` times |
    | `user_correction` | somebody corrected the agent or gave feedback |
    | `known_task_class` | the work turned to a class of `task_classes` that no recall was made for yet |
    | `stale` | `stale_decisions` decisions or `stale_seconds` seconds have passed, or what is in hand is spent |
    | `explicit_need` | the caller asked for it |

    With none of these there is no recall: what is in hand still holds as far as anybody here can tell.
    """
    policy = policy or RetrievalPolicy()
    keys = [*map(keys_of, situation.entities), situation.cues]
    holds = {
        Trigger.FIRST_DECISION: situation.decisions_since is None,
        Trigger.NEW_ENTITY: any(not situation.covered.issuperset(each) for each in keys),
        Trigger.RETURNING_ENTITY: any(not situation.returning.isdisjoint(each) for each in keys),
        Trigger.NEW_ERROR: bool(situation.new_errors),
        Trigger.FAILED_STRATEGY: situation.failures >= policy.failures,
        Trigger.USER_CORRECTION: situation.corrected,
        Trigger.KNOWN_TASK_CLASS: situation.new_task_class in policy.task_classes,
        Trigger.STALE: _is_stale(situation, policy),
        Trigger.EXPLICIT_NEED: situation.explicit,
    }
    reasons = tuple(trigger for trigger, held in holds.items() if held and trigger in policy.triggers)
    looked_up = _within_limit(situation.entities, MAX_ENTITIES - len(situation.cues))
    return Retrieval(
        recall=bool(reasons),
        reasons=reasons,
        query=build_query(
            situation.goal,
            situation.subtask,
            situation.observation,
            look_ups(looked_up),
            characters=policy.query_characters,
        ),
        entities=tuple(dict.fromkeys([*situation.cues, *look_ups([*looked_up, *situation.beside])]))[
            :MAX_ENTITIES
        ],
        left_out=len(situation.entities) - len(looked_up),
        looked_up=looked_up,
        cues=situation.cues,
    )


def _is_stale(situation: Situation, policy: RetrievalPolicy) -> bool:
    decisions, seconds = situation.decisions_since, situation.seconds_since
    return (
        (decisions is not None and decisions >= policy.stale_decisions)
        or (seconds is not None and seconds >= policy.stale_seconds)
        or situation.spent
    )


def _within_limit(entities: Sequence[EntityMention], room: int) -> tuple[EntityMention, ...]:
    """The most recent entities whose names and ids have room in one recall."""
    kept: list[EntityMention] = []
    for mention in entities:
        room -= len(keys_of(mention))
        if room < 0:
            break
        kept.append(mention)
    return tuple(kept)


def cues_of(task_class: str | None, tool: str | None) -> tuple[str, ...]:
    """What brings up the standing instructions about a sort of work and about a tool, as the service names both:
    `task:outage`, `tool:restart`.
    """
    told = (("task", task_class), ("tool", tool))
    return tuple(
        f"{kind}:{'-'.join(mended(name).split())}"[:MAX_ID] for kind, name in told if name and name.strip()
    )


def build_query(
    goal: str,
    subtask: str,
    observation: str,
    entities: Sequence[str],
    *,
    characters: int = 4_000,
) -> str:
    """What to search by: one part a line, the most recent first, in at most `characters`.

    The subtask comes first and then what was just observed, the entities in play, and the goal; what does not fit
    falls off the end. The observation takes half of the room at most and the names a quarter, or a long output
    would be all that counts. An opening request is no part of it, unless it is still the goal.
    """
    characters = min(characters, MAX_QUERY_CHARACTERS)
    parts = (
        (subtask, characters),
        (observation, characters // 2),
        (" ".join(entities[:MAX_ENTITIES]), characters // 4),
        (goal, characters),
    )
    lines: list[str] = []
    left = characters
    for part, most in parts:
        # White space of any sort is one space: the query is words, and a part is a line. A part is sliced first,
        # as splitting a long output to keep a little of it would take its time.
        line = " ".join(mended(part[: 2 * characters]).split())[: max(0, min(most, left))].rstrip()
        if line:
            lines.append(line)
            left -= len(line) + 1
    return "\n".join(lines)
