"""What an activity has in hand at a decision: fresh from memory, carried over, or nothing, and why.

Pure. A restriction is no matter of a decision only where the service itself says that it is about something else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from keepwell.mentions import folded, keys_of
from keepwell.rendering import Basis, render
from keepwell.retrieval import Trigger
from keepwell.types.events import EntityMention
from keepwell.types.recall import Recalled, RecalledFactTold, RecalledPassageTold
from keepwell.types.words import Advice

STANDING = "standing_instruction"
"""The reason of a fact that comes on every recall in its scope."""


@dataclass(frozen=True)
class Recollection:
    """What memory has to say to one decision.

    `recalled` says that it was asked just now and has answered. `reasons` are what called for that; empty, nothing
    did, and what earlier recalls of the activity brought about the same entities is in hand: `carried_over`. When
    a recall was called for and did not come back, `error` is its code (such as `deadline` or `connection_lost`) and
    the rest is carried over where there was any. `about` has the keys of the entities that the decision named; empty,
    it is about all that is in play. `advice` is the service's; `missing` names facts that must be
    heeded and are not here, `left_out` counts entities for which a recall had no room. `as_of` is the instant that
    the oldest part of it holds for.
    """

    decision: str
    reasons: tuple[Trigger, ...] = ()
    recalled: bool = False
    carried_over: bool = False
    facts: tuple[RecalledFactTold, ...] = ()
    passages: tuple[RecalledPassageTold, ...] = ()
    advice: Advice | None = None
    missing: tuple[UUID, ...] = ()
    left_out: int = 0
    as_of: datetime | None = None
    error: str | None = None
    about: frozenset[str] = frozenset()

    @property
    def required(self) -> tuple[RecalledFactTold, ...]:
        """The facts that must be heeded: restrictions on the entities of the decision, and standing instructions."""
        return tuple(fact for fact in self.facts if fact.required and concerns(fact, self.about))

    @property
    def clear(self) -> bool:
        """Whether memory was heard on all entities of the decision, and nothing that it holds must be heeded.

        Not the opposite of `required`: where a recall failed, or its answer was not whole, neither is true.
        """
        heard = (self.recalled or self.carried_over) and self.error is None
        return heard and not self.required and not self.missing and not self.left_out

    @property
    def visible(self) -> tuple[str, ...]:
        """Ids of all records in it, in order."""
        return tuple(dict.fromkeys(str(record.id) for record in (*self.facts, *self.passages)))

    @property
    def why(self) -> str:
        """Why it was recalled or was not, in words."""
        called = ", ".join(trigger.value for trigger in self.reasons)
        if self.error is not None:
            return f"a recall was called for ({called}) and failed: {self.error}"
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
        return render(self.facts, self.passages, basis)


@dataclass(frozen=True, eq=False)
class PastRecall:
    """One recall of an activity that came back: at which decision, when, for which keys, and what it brought.

    `at` is of a clock that only goes forward, in seconds.
    """

    decision: int
    at: float
    keys: frozenset[str]
    answer: Recalled = field(repr=False)


def carried_over(
    decision: str,
    covering: Sequence[PastRecall],
    latest: PastRecall | None,
    entities: Iterable[EntityMention],
) -> Recollection:
    """What past recalls still say: those `covering` the entities, oldest first, and the `latest` of the activity.

    | record | carried over |
    | --- | --- |
    | a fact that concerns one of the entities (see `concerns`) | yes |
    | a fact about something else | no |
    | a passage | of the latest recall only: it supports, and binds nobody |

    Of two versions of a record the later one counts. Without entities the latest recall is carried over whole.
    """
    wanted = frozenset(key for mention in entities for key in keys_of(mention))
    past = [*covering, *([latest] if latest is not None and latest not in covering else [])]
    facts: dict[UUID, RecalledFactTold] = {}
    for recall in past:
        for fact in recall.answer.facts:
            if concerns(fact, wanted):
                facts.pop(fact.id, None)
                facts[fact.id] = fact
    missing = dict.fromkeys(identity for recall in covering for identity in recall.answer.missing)
    return Recollection(
        decision=decision,
        carried_over=bool(past),
        facts=tuple(sorted(facts.values(), key=lambda fact: not fact.required)),
        passages=tuple(latest.answer.passages) if latest is not None else (),
        advice="narrow" if missing else latest and latest.answer.advice,
        missing=tuple(missing),
        as_of=min((recall.answer.as_of for recall in past), default=None),
    )


def concerns(fact: RecalledFactTold, wanted: frozenset[str]) -> bool:
    """Whether a fact has to do with a decision about these keys.

    | fact | concerns it |
    | --- | --- |
    | any, where the decision names nothing | yes |
    | about the scope as a whole, or a standing instruction | yes |
    | about a thing that the decision names, by whatever name: the service tells, in `about` | yes |
    | about another thing | no |
    """
    if not wanted or STANDING in fact.reasons:
        return True
    words = [word for word in (*fact.about, fact.canonical, fact.entity) if word]
    return not words or any(word in wanted or folded(word) in wanted for word in words)


def is_spent(recall: PastRecall, now: datetime) -> bool:
    """Whether what it brought cannot be gone by any longer: a fact has come to its end, or it never was whole."""
    ends = (fact.expires_at for fact in recall.answer.facts if fact.expires_at is not None)
    return bool(recall.answer.missing) or any(end <= now for end in ends)


def with_required(answer: Recalled, whole: Recalled) -> Recalled:
    """`answer` with what must be heeded from `whole`, a recall of the same with room for all of that."""
    required = [fact for fact in whole.facts if fact.required]
    known = {fact.id for fact in required}
    rest = [fact for fact in answer.facts if fact.id not in known]
    return answer.model_copy(update={"facts": [*required, *rest], "missing": whole.missing})
