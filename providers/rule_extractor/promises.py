"""What somebody promises to do later, or asks to be reminded of, with the time that they say: in English, by rules.

It proposes and sets nothing. A sentence that it does not understand to the end, or whose time could be two, gives
nothing: neither do questions, negations, conditions, hedges and what is told as somebody else's words.

| sentence | whose | what |
| --- | --- | --- |
| I'll check the canary tomorrow at 9; every Monday at 9 I'll review the exemptions | the speaker's | check the canary |
| remind me on Friday at 14:00 to send the report; remind me to send the report on … | the speaker's | send the report |
| ping me in 40 minutes about the rollout | the speaker's | about the rollout |
| don't let me forget to renew the certificate on 3 March at noon | the speaker's | renew the certificate |
| remind dana tomorrow at 10 to rotate the keys | dana's | rotate the keys |
| could you remind me tomorrow at 9 to call Ana? | the speaker's | call Ana |
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from models.errors import InvalidInput
from models.events import EventType, StoredEvent
from providers.rule_extractor import promise_words as w
from providers.rule_extractor.clauses import Clause, clauses, joined
from providers.rule_extractor.grammar import BORROWED, HEDGES, REPORTS
from providers.rule_extractor.sentences import Sentence, Word, sentences
from providers.time_phrases import Read, read_phrase

READ = frozenset(
    {
        EventType.INSTRUCTION,
        EventType.MESSAGE,
        EventType.FEEDBACK,
        EventType.CORRECTION,
        EventType.NOTE,
        EventType.MILESTONE,
    }
)
"""Events in which somebody speaks. What a tool gave, what was observed and what was called is nobody's promise."""
MOST_PROMISES = 10
"""Of one event: whoever lists more than these has a plan, and not a promise."""
_MOST_WORDS = 40
_MOST_TIME_WORDS = 12
_MOST_LABEL_WORDS = 3
_MOST_COURTESIES = 4
_MOST_TRIED = 100
"""Sentences of one event that are looked at closely: the worker has others to read."""
_ZONE = "UTC"
"""The zone of whoever says none, as for intentions that are set outright."""


class Promise(NamedTuple):
    """What is to be done, when, and whose it is: `to` is a name, None for the speaker. `start` is where it stands."""

    action: str
    when: Read
    to: str | None
    start: int


class _Clock(NamedTuple):
    """When and where it was said."""

    now: datetime
    zone: str

    def read(self, words: Sequence[Word]) -> Read | None:
        """The time that `words` say, to the last of them; None where that is not certain."""
        if not words or len(words) > _MOST_TIME_WORDS:
            return None
        try:
            return read_phrase(" ".join(word.raw for word in words).strip(" ,;:."), self.now, self.zone)
        except InvalidInput:
            return None


class _Lead(NamedTuple):
    """What stands before a promise and leaves it one: a time, or nothing that changes it."""

    when: Read | None = None


_Understood = tuple[Sequence[Word], Read]


def promises_of(event: StoredEvent) -> list[Promise]:
    """What one event promises or asks to be reminded of, in its order; nothing for one in which nobody speaks."""
    if event.type not in READ or not event.text or not w.HINT.search(event.text):
        return []
    clock = _Clock(event.occurred_at, event.timezone or _ZONE)
    found: list[Promise] = []
    reported, tried = -1, 0
    for sentence in sentences(event.text):
        if len(found) >= MOST_PROMISES or tried >= _MOST_TRIED:
            break
        if sentence.paragraph > reported:
            tried += any(w.HINT.match(word.key) for word in sentence.words)
            found.extend(_promised(sentence, clock))
            reported = _reported_until(sentence, reported)
    return found[:MOST_PROMISES]


def _reported_until(sentence: Sentence, reported: int) -> int:
    """The paragraph up to which the words are another's: after "Summary of the page: …", or "Ana: …", the rest of it.

    A label that ends its paragraph speaks of the next one.
    """
    ends = next((at for at, word in enumerate(sentence.words) if word.raw.rstrip("*_`").endswith(":")), None)
    if ends is None:
        return reported
    label = sentence.words[: ends + 1]
    if not (_is_supposed(label) or (ends < _MOST_LABEL_WORDS and not _is_own(label))):
        return reported
    return sentence.paragraph + (ends == len(sentence.words) - 1)


def _promised(sentence: Sentence, clock: _Clock) -> Iterator[Promise]:
    """One of each clause at most: what comes after the first has to be understood as a part of it."""
    if any(word.quoted for word in sentence.words):
        return
    for clause in clauses(sentence, hedged=False):
        opener = w.OPENERS.search(clause.keys)
        if opener is None or (sentence.question and not w.POLITE.match(opener.group())):
            continue
        promise = _read(clause, opener, clock)
        if promise is not None:
            yield promise


def _read(clause: Clause, opener: re.Match[str], clock: _Clock) -> Promise | None:
    """The promise that begins with `opener`, if all of its clause is understood."""
    first, after = clause.index(opener.start()), clause.index(opener.end() - 1) + 1
    rest, to = clause.words[after:], opener["name"]
    if not rest or len(rest) > _MOST_WORDS or clause.words[after - 1].mark or to in w.PRONOUNS:
        return None
    lead = _before(clause, first, clock)
    if lead is None:
        return None
    understood = _after(rest, lead.when, opener["promise"] is not None, clock)
    if understood is None:
        return None
    action, when = understood
    name = None if to is None else clause.words[after - 1].name
    return Promise(joined(action), when, name, clause.words[first].start)


def _before(clause: Clause, first: int, clock: _Clock) -> _Lead | None:
    """What stands before a promise; None where it is no promise, or it is not clear.

    | before it | |
    | --- | --- |
    | nothing; "ok,"; "the deploy is done, and"; "Note:" | changes nothing |
    | on Friday at 14:00; every Monday at 9, | the time |
    | a report, a condition, a hedge, a supposition; what any other label announces | None |
    | words that no comma and no "and" parts from it | None |
    """
    before = clause.words[:first]
    if _is_supposed((*clause.earlier, *before)) or not _is_own(clause.earlier):
        return None
    opens = max((index + 1 for index in range(first - 1) if before[index].mark), default=0)
    for start in sorted({0, opens}):
        if before and (when := clock.read(before[start:])) is not None:
            return _Lead(when)
    if not before or before[-1].key in w.BOUNDARY:
        return _Lead()
    # A short part that names a time and cannot be read as one: "next week, I'll check at 9".
    is_apart = bool(before[-1].mark) and not (first - opens <= 3 and _is_about_time(before[opens:]))
    return _Lead() if is_apart else None


def _is_supposed(lead: Sequence[Word]) -> bool:
    said = " ".join(word.key for word in lead)
    if any(word.key in w.SUPPOSING for word in lead):
        return True
    return any(pattern.search(said) for pattern in (REPORTS, HEDGES, BORROWED))


def _is_own(earlier: Sequence[Word]) -> bool:
    """Whether what follows is the sender's own: a label before it, such as "Ana:", may make it another's."""
    announced = bool(earlier) and earlier[-1].raw.rstrip("*_`").endswith(":")
    return not announced or (len(earlier) == 1 and earlier[0].key in w.LABELS)


def _after(rest: Sequence[Word], fronted: Read | None, promise: bool, clock: _Clock) -> _Understood | None:
    """The action and the time of what follows the opener.

    | what follows | |
    | --- | --- |
    | the action, where the time stood before it | no other time may be in it |
    | the time, and "to", "about" or "that" before the action | of a wish to be reminded |
    | the action, and then the time, as long as it can be read | whatever is left must be whole, and of no other time |
    """
    if fronted is not None:
        return _understood(_action(_without_courtesies(rest), promise, timeless=True), fronted)
    for index, word in enumerate(rest):
        if not promise and index and word.key in w.LINKS:
            when = clock.read(rest[1:index] if rest[0].key == "for" else rest[:index])
            if when is not None:
                action = _action(_without_courtesies(rest[index:]), promise, timeless=False)
                return _understood(action, when)
    for end in _ends(rest):
        for at in range(1, end):
            when = clock.read(rest[at:end])
            if when is not None:
                action = None if _may_own_a_time(rest[:at]) else _action(rest[:at], promise, timeless=True)
                return _understood(action, when)
    return None


def _may_own_a_time(words: Sequence[Word]) -> bool:
    """Whether a time after `words` may belong to a part of them, and not to what is to be done."""
    last = words[-1].key
    is_participle = len(words) > 1 and (last in w.PARTICIPLES or last.endswith("ed"))
    return is_participle or any(word.key in w.SUBORDINATE for word in words)


def _understood(action: Sequence[Word] | None, when: Read) -> _Understood | None:
    return None if action is None else (action, when)


def _ends(words: Sequence[Word]) -> Iterator[int]:
    """Where the time may end: with the clause, or before a courtesy or a reason."""
    keys = [word.key for word in words]
    yield len(keys)
    for at in range(len(keys) - 1, max(1, len(keys) - 1 - _MOST_COURTESIES), -1):
        if keys[at] not in w.COURTESIES:
            break
        yield at
    reason = next((at for at, key in enumerate(keys) if at and key in w.REASONS), None)
    if reason is not None and not w.CONDITIONS & set(keys[reason:]):
        yield reason


def _without_courtesies(words: Sequence[Word]) -> Sequence[Word]:
    end = len(words)
    while (
        end > 1
        and words[end - 1].key in w.COURTESIES
        and (words[end - 2].mark or words[end - 1].key == "please")
    ):
        end -= 1
    return words[:end]


def _action(words: Sequence[Word], promise: bool, timeless: bool) -> Sequence[Word] | None:
    """What is to be done; None where that is not clear. `timeless` says that no word of time may be in it."""
    if not promise:
        if words[0].key not in w.LINKS:
            return None
        words = words if words[0].key == "about" else words[1:]
    keys = [word.key for word in words]
    if not keys or keys[-1] in w.DANGLING or (keys[0] in w.NO_DEEDS and promise):
        return None
    foretold = promise and len(keys) == 1 and keys[0] in w.ENDS_ALONE
    negated = keys[0] in {"not", "never"}
    conditional = any(_is_condition(keys, index) for index in range(len(keys)))
    unsure = HEDGES.search(" ".join(keys)) is not None or (timeless and _is_about_time(words))
    return None if foretold or negated or conditional or unsure else words


def _is_condition(keys: Sequence[str], index: int) -> bool:
    if keys[index] in {"if", "whether"}:
        return index == 0 or keys[index - 1] not in w.ASKING
    return keys[index] in w.CONDITIONS


def _is_about_time(words: Sequence[Word]) -> bool:
    """Whether a word of time stands there by itself: not "the daily report"."""
    return any(
        word.key in w.TIMES and not (index and words[index - 1].key in w.ARTICLES)
        for index, word in enumerate(words)
    )
