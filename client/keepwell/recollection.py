"""What an activity has in hand at a decision: fresh from memory, carried over, or nothing, and why.

Pure. A restriction is no matter of a decision only where it is known to be about something else: when unsure it binds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from keepwell.names import folded
from keepwell.rendering import Basis, render, whole
from keepwell.retrieval import Trigger
from keepwell.types.procedures import RecalledProcedureTold
from keepwell.types.recall import (
    ConflictTold,
    DueIntentionTold,
    Recalled,
    RecalledFactTold,
    RecalledPassageTold,
    SessionEventTold,
)
from keepwell.types.words import Advice

STANDING = "standing_instruction"
"""The reason of an instruction that comes on every recall in its scope."""
ON_ENTITY = "restriction_on_entity_in_play"
ON_SCOPE = "restriction_on_scope"
CORRECTING = frozenset({"correction", "feedback", "instruction"})
"""The reasons of a restriction; one that was stated of no entity concerns every decision in its scope."""


@dataclass(frozen=True)
class Recollection:
    """What memory has to say to one decision.

    `recalled` says that it was asked just now and has answered. `reasons` are what called for that; empty, nothing
    did, and what earlier recalls of the activity brought about the same entities is in hand: `carried_over`. When
    a recall was called for and did not come back, `error` is its code (such as `deadline` or `connection_lost`),
    `error_detail` what there is to say of it, and the rest is carried over where there was any. `about` has the keys
    of the entities that the decision is about, under all names that the activity knows for them, and `others` those of
    everything else that it was told of; both empty, it is about all that is in play. `advice` is the service's;
    `missing` names facts that must be heeded and are not here, `left_out` counts entities for which a recall had no
    room. `session` has what was said in this activity to correct it, and stands in no memory yet. `conflicts` are
    of records that disagree. `intentions` are the agent's own that were due at this recall, to be acknowledged in its
    inbox, and `procedure` the one that people have approved for this; neither is carried over. `trace_id` names the
    service's record of the recall, None where there was none just now, and `trace_ids` all that brought what is in it.
    `as_of` is the instant that the oldest part of it holds for.
    """

    decision: str
    reasons: tuple[Trigger, ...] = ()
    recalled: bool = False
    carried_over: bool = False
    facts: tuple[RecalledFactTold, ...] = ()
    passages: tuple[RecalledPassageTold, ...] = ()
    session: tuple[SessionEventTold, ...] = ()
    advice: Advice | None = None
    missing: tuple[UUID, ...] = ()
    conflicts: tuple[ConflictTold, ...] = ()
    intentions: tuple[DueIntentionTold, ...] = ()
    procedure: RecalledProcedureTold | None = None
    trace_id: UUID | None = None
    trace_ids: tuple[UUID, ...] = ()
    left_out: int = 0
    as_of: datetime | None = None
    error: str | None = None
    error_detail: str | None = None
    about: frozenset[str] = frozenset()
    others: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def required(self) -> tuple[RecalledFactTold, ...]:
        """The facts that must be heeded: the `restrictions` that concern the decision, and the `instructions`."""
        return tuple(fact for fact in self.facts if fact.required and concerns(fact, self.about, self.others))

    @property
    def instructions(self) -> tuple[RecalledFactTold, ...]:
        """The standing instructions among `required`: how to go about things here. They belong into the prompt."""
        return tuple(fact for fact in self.required if STANDING in fact.reasons)

    @property
    def restrictions(self) -> tuple[RecalledFactTold, ...]:
        """What of `required` restricts the decision: all that is not a mere standing instruction."""
        return tuple(fact for fact in self.required if is_restriction(fact))

    @property
    def questions(self) -> tuple[str, ...]:
        """What memory cannot decide and a person has to, as its records disagree: each question once."""
        return tuple(dict.fromkeys(conflict.question for conflict in self.conflicts if conflict.question))

    @property
    def clear(self) -> bool:
        """Whether memory was heard in full on all entities of the decision, and nothing restricts it or is in dispute.

        Standing instructions do not count: they say how and not whether. Not the opposite of `restrictions`: where a
        recall failed, or its answer was not whole, there may be none and it is not clear. What was heard may be as old
        as `as_of` says: what is carried over is asked for again after `stale_seconds` (60) or `stale_decisions` (10) of
        the policy at the latest. Before a step that cannot be undone, `before(…, explicit=True)` asks now.
        """
        heard = (self.recalled or self.carried_over) and self.error is None
        return heard and not (self.restrictions or self.missing or self.left_out or self.questions)

    @property
    def visible(self) -> tuple[str, ...]:
        """Ids of all records in it, in order."""
        there = {fact.id for fact in self.facts}
        against = (
            challenger
            for conflict in self.conflicts
            if there.intersection(conflict.members) and whole(conflict, there)
            for challenger in conflict.challengers
        )
        return tuple(dict.fromkeys(str(record.id) for record in (*self.facts, *against, *self.passages)))

    @property
    def why(self) -> str:
        """Why it was recalled or was not, in words."""
        called = ", ".join(trigger.value for trigger in self.reasons)
        if self.error is not None:
            detail = f": {self.error_detail}" if self.error_detail else ""
            return f"a recall was called for ({called}) and failed: {self.error}{detail}"
        if self.recalled:
            return f"recalled: {called}"
        held = "what was recalled before is carried over" if self.carried_over else "nothing is in hand"
        return f"not recalled, as nothing called for it; {held}"

    @property
    def text(self) -> str:
        """The records for a model's prompt, in a fence (see `rendering.render`). Empty where there is none to show."""
        basis = Basis(
            as_of=self.as_of, carried_over=self.carried_over, error=self.error, missing=len(self.missing)
        )
        return render(
            self.facts,
            self.passages,
            basis,
            session=self.session,
            conflicts=self.conflicts,
            intentions=self.intentions,
            procedure=self.procedure,
        )


@dataclass(frozen=True, eq=False)
class PastRecall:
    """One recall of an activity that came back: at which decision, when, for which keys, and what it brought.

    `at` is of a clock that only goes forward, in seconds.
    """

    decision: int
    at: float
    keys: frozenset[str]
    answer: Recalled = field(repr=False)
    trace_ids: tuple[UUID, ...] = ()


def carried_over(
    decision: str,
    asked: Sequence[PastRecall],
    latest: PastRecall | None,
    wanted: frozenset[str],
    others: frozenset[str],
) -> Recollection:
    """What past recalls still say: those that `asked` for the entities and the cues of the decision, oldest first, and
    the `latest` of the activity.

    `wanted` are the keys of the entities, and `others` those of all else that is known.

    | record | carried over |
    | --- | --- |
    | a fact that concerns one of the entities (see `concerns`) | yes |
    | a fact about something else | no |
    | a conflict, unless its entity is known to be something else | yes |
    | what must be heeded and had no room | of those that asked: whose it is nobody can tell |
    | a passage, or what was said in the session | of the latest recall only: it supports, and binds nobody |

    Of two versions of a record the later one counts. Without entities the latest recall is carried over whole.
    """
    past = list(dict.fromkeys(asked if latest is None else [*asked, latest]))
    facts: dict[UUID, RecalledFactTold] = {}
    for recall in past:
        for fact in recall.answer.facts:
            if concerns(fact, wanted, others):
                facts.pop(fact.id, None)
                facts[fact.id] = fact
    missing = dict.fromkeys(identity for recall in asked for identity in recall.answer.missing)
    conflicts = [
        conflict
        for recall in asked
        for conflict in recall.answer.conflicts
        if not (wanted and conflict.entity and _is_among([conflict.entity], others))
    ]
    return Recollection(
        decision=decision,
        carried_over=bool(past),
        facts=tuple(sorted(facts.values(), key=lambda fact: not fact.required)),
        passages=tuple(latest.answer.passages) if latest is not None else (),
        session=corrections_in(latest.answer) if latest is not None else (),
        advice="narrow" if missing else latest and latest.answer.advice,
        missing=tuple(missing),
        conflicts=_latest_of(conflicts),
        trace_ids=tuple(dict.fromkeys(each for recall in past for each in recall.trace_ids)),
        as_of=min((recall.answer.as_of for recall in past), default=None),
    )


def corrections_in(answer: Recalled) -> tuple[SessionEventTold, ...]:
    """What of the running session tells the agent to do otherwise; the rest it has said or seen itself."""
    return tuple(said for said in answer.session if said.type in CORRECTING)


def _latest_of(conflicts: Iterable[ConflictTold]) -> tuple[ConflictTold, ...]:
    """Each conflict once, as it was told last."""
    return tuple({frozenset(conflict.members): conflict for conflict in conflicts}.values())


def concerns(fact: RecalledFactTold, wanted: frozenset[str], others: frozenset[str] = frozenset()) -> bool:
    """Whether a fact has to do with a decision about the keys `wanted`; `others` are those of all else that is known.

    | fact | concerns it |
    | --- | --- |
    | any, where the decision names nothing | yes |
    | about the scope as a whole, or a standing instruction | yes |
    | about a thing that the decision names, by whatever name: the service tells, in `about` | yes |
    | about another thing that was asked about, as the service tells | no |
    | a restriction of which the service does not tell whose it is | yes, unless it is by name that of one of `others` |
    | any other about another thing | no |

    The words of a query bring up restrictions on things that nobody asked about. One of them may go by a name that is
    not known here to be the decision's: it binds.
    """
    if not wanted or STANDING in fact.reasons or ON_SCOPE in fact.reasons:
        return True
    own = [word for word in (fact.canonical, fact.entity) if word]
    if not own or _is_among([*fact.about, *own], wanted):
        return True
    return fact.required and not fact.about and not _is_among(own, others)


def is_restriction(fact: RecalledFactTold) -> bool:
    """Whether a fact that must be heeded restricts: it is one, or is required for a reason that is not known here."""
    return STANDING not in fact.reasons or ON_ENTITY in fact.reasons or ON_SCOPE in fact.reasons


def _is_among(words: Iterable[str], keys: frozenset[str]) -> bool:
    return any(word in keys or folded(word) in keys for word in words)


def is_spent(recall: PastRecall, now: datetime) -> bool:
    """Whether what it brought cannot be gone by any longer: a fact has come to its end, or it never was whole."""
    ends = (fact.expires_at for fact in recall.answer.facts if fact.expires_at is not None)
    return bool(recall.answer.missing) or any(end <= now for end in ends)


def with_required(answer: Recalled, more: Recalled) -> Recalled:
    """`answer` with what must be heeded from `more`, a recall of the same with room for all of that.

    What stands against it comes with it: a conflict goes into a prompt whole or not at all.
    """
    # Of a fact in both, the answer to more says whose it is.
    first = {fact.id: fact for fact in answer.facts}
    carried = [conflict for conflict in more.conflicts if conflict.carried]
    belongs = {member for conflict in carried for member in conflict.members}
    heeded = [first.get(fact.id, fact) for fact in more.facts if fact.required or fact.id in belongs]
    known = {fact.id for fact in heeded}
    rest = [fact for fact in answer.facts if fact.id not in known]
    # Of a conflict in both, the one that is carried has what stands against what governs.
    told = [*more.conflicts, *answer.conflicts]
    conflicts = _latest_of(sorted(told, key=lambda conflict: conflict.carried))
    update = {"facts": [*heeded, *rest], "missing": more.missing, "conflicts": list(conflicts)}
    return answer.model_copy(update=update)
