"""The course of one activity so far, as far as it bears on whether to recall: what is in play, what went wrong.

It takes the time from its caller and does nothing itself.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from keepwell.asking import Heard
from keepwell.identities import Identities
from keepwell.mentions import MAX_MENTIONS, Thing, mentions_in, thing_of
from keepwell.names import distinct, keys_of, spoken_in
from keepwell.recollection import PastRecall, Recollection, carried_over, is_spent
from keepwell.retrieval import Retrieval, RetrievalPolicy, Situation
from keepwell.types.events import EntityMention


class _Seen(NamedTuple):
    """A thing that was spoken of, and the number of decisions that had been taken by then."""

    mention: EntityMention
    decisions: int


class Course:
    """Keeps track of one activity. It remembers up to `MAX_MENTIONS` things: older ones count as new again."""

    def __init__(self, goal: str, policy: RetrievalPolicy) -> None:
        self.goal = goal
        self.decisions = 0
        self._policy = policy
        self._observation = ""
        self._identities = Identities()
        self._seen: dict[tuple[str, ...], _Seen] = {}
        self._named_at: dict[str, int] = {}
        self._covered: dict[str, PastRecall] = {}
        self._returning: set[str] = set()
        self._latest: PastRecall | None = None
        self._errors: set[str] = set()
        self._new_errors: dict[str, None] = {}
        self._failures: Counter[str] = Counter()
        self._corrected_after: int | None = None
        self._task_classes: set[str] = set()

    def saw(self, things: Iterable[Thing]) -> None:
        """These things were just spoken of, the first of them most to the point."""
        spoken_of = tuple(things)
        for thing in spoken_of:
            self._identities.learn(thing)
        for mention in reversed(mentions_in(spoken_of)):
            keys = keys_of(mention)
            last = max((self._named_at[key] for key in keys if key in self._named_at), default=self.decisions)
            if self.decisions - last > self._policy.in_play_for:
                self._returning.update(key for key in keys if key in self._covered)
            self._named_at.update(dict.fromkeys(keys, self.decisions))
            self._seen.pop(keys, None)
            self._seen[keys] = _Seen(mention, self.decisions)
        while len(self._seen) > MAX_MENTIONS:
            oldest = next(iter(self._seen))
            del self._seen[oldest]
            for key in oldest:
                self._named_at.pop(key, None)
                self._covered.pop(key, None)

    @property
    def observation(self) -> str:
        """The latest that is known of the world."""
        return self._observation

    def observed(self, text: str) -> None:
        """This is the latest that is known of the world."""
        self._observation = text

    def failed(self, what: str, kind: str) -> None:
        """`what`, a tool or a verification, has failed in the way that `kind` names."""
        self._failures[what] += 1
        if (error := f"{what}: {kind}") not in self._errors:
            self._new_errors[error] = None

    def corrected(self) -> None:
        """Somebody has corrected the agent: nothing that was recalled before holds without another look."""
        self._corrected_after = self.decisions

    def in_play(self) -> tuple[EntityMention, ...]:
        """What was spoken of lately, the most recent first."""
        since = self.decisions - self._policy.in_play_for
        recent = (seen.mention for seen in reversed(self._seen.values()) if seen.decisions >= since)
        return tuple(distinct(recent))

    def completed(self, things: Iterable[Thing]) -> tuple[EntityMention, ...]:
        """The mentions of these things, with the ids and names that were ever spoken of as theirs."""
        return self._identities.completed(things)

    def spoken_in(self, words: str) -> list[Thing]:
        """The things spoken of before, whatever they are called, that these words name."""
        known = distinct(seen.mention for seen in reversed(self._seen.values()))
        return [thing_of(mention) for mention in spoken_in(words, known)]

    def others(self, keys: frozenset[str]) -> frozenset[str]:
        """The keys of all things that were spoken of, besides `keys`."""
        return frozenset(self._named_at) - keys

    def situation(
        self,
        subtask: str,
        entities: Sequence[EntityMention],
        beside: Sequence[EntityMention] = (),
        cues: Sequence[str] = (),
        *,
        observation: str | None,
        explicit: bool,
        task_class: str | None,
        now: float,
        instant: datetime,
    ) -> Situation:
        """How things stand at a decision about `entities`, which is now in the count of `decisions`.

        `beside` are the others that are in play, `cues` its sort of work and its tool. `now` is of the clock of
        `PastRecall.at`, and `instant` the same moment by the calendar.
        """
        asked = self._gone_by(entities, cues)
        oldest = min((recall.decision for recall in asked), default=None)
        corrected = self._corrected_after
        return Situation(
            goal=self.goal,
            subtask=subtask,
            observation=self._observation if observation is None else observation,
            entities=tuple(entities),
            beside=tuple(beside),
            cues=tuple(cues),
            covered=frozenset(self._covered),
            returning=frozenset(self._returning),
            new_errors=tuple(self._new_errors),
            failures=max(self._failures.values(), default=0),
            corrected=corrected is not None and (oldest is None or oldest <= corrected),
            new_task_class=None if task_class in self._task_classes else task_class,
            explicit=explicit,
            decisions_since=None if oldest is None else self.decisions - oldest,
            seconds_since=None if oldest is None else now - min(recall.at for recall in asked),
            spent=any(is_spent(recall, instant) for recall in asked),
        )

    def recalled(
        self,
        retrieval: Retrieval,
        task_class: str | None,
        number: int,
        at: float,
        heard: Heard,
    ) -> None:
        """This recall, made at decision `number`, came back."""
        keys = frozenset([*_keys(retrieval.looked_up), *retrieval.cues])
        past = PastRecall(number, at, keys, heard.answer, heard.trace_ids)
        self._covered.update(dict.fromkeys(keys, past))
        self._returning -= keys
        self._latest = past
        self._errors.update(self._new_errors)
        self._new_errors.clear()
        self._failures.clear()
        if task_class is not None:
            self._task_classes.add(task_class)

    def in_hand(
        self, decision: str, entities: Sequence[EntityMention], cues: Sequence[str] = ()
    ) -> Recollection:
        """What earlier recalls still say to a decision about `entities`, with these `cues`."""
        keys = frozenset(_keys(entities))
        asked = self._covering([*keys, *cues]) if keys else self._gone_by((), cues)
        return carried_over(decision, asked, self._latest, keys, self.others(keys))

    def _covering(self, keys: Iterable[str]) -> list[PastRecall]:
        found = {id(recall): recall for key in keys if (recall := self._covered.get(key)) is not None}
        return sorted(found.values(), key=lambda recall: recall.decision)

    def _gone_by(self, entities: Sequence[EntityMention], cues: Sequence[str]) -> list[PastRecall]:
        """The recalls by which a decision about `entities` would go, with these `cues`; the latest is among them where
        none was about its entities, or it has none.
        """
        keys = _keys(entities)
        asked = self._covering([*keys, *cues])
        if self._covering(keys) or self._latest is None:
            return asked
        return [*asked, self._latest]


def _keys(mentions: Iterable[EntityMention]) -> list[str]:
    return [key for mention in mentions for key in keys_of(mention)]
