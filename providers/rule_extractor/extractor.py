"""`RuleExtractor`: events in, proposals out. A pure function of the events; see `grammar.py` for what it reads."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pydantic import ValidationError

from models.candidates import CandidateKind, Proposal, StructuredCandidate, Terms, structured_candidates
from models.errors import InvalidInput
from models.events import EventType, StoredEvent
from providers.rule_extractor import grammar
from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.clauses import (
    end_word,
    joined,
    keys_of,
    length,
    read_end_words,
    read_tail,
)
from providers.rule_extractor.dates import End
from providers.rule_extractor.grammar import Rule
from providers.rule_extractor.mentions import Antecedents, Entities, antecedents, name_of
from providers.rule_extractor.sentences import Sentence, Word, sentences

OBSERVED_STATE = "observed_state"

READ = frozenset(
    {
        EventType.INSTRUCTION,
        EventType.MESSAGE,
        EventType.FEEDBACK,
        EventType.CORRECTION,
        EventType.NOTE,
        EventType.TOOL_RESULT,
        EventType.MILESTONE,
        EventType.VERIFICATION_PASSED,
        EventType.VERIFICATION_FAILED,
    }
)
"""Events whose text is read. An observation's is not: whatever it says, it reports a state."""

MAX_SENTENCE_WORDS = 150
MAX_SENTENCE_CHARACTERS = 2_000
"""A longer sentence is not an instruction in plain English; the limit also bounds the work for each."""

MAX_PROPOSALS = 200
"""From the text of one event. Beyond it the text is a document and not something that somebody said."""

MAX_VALUE_WORDS = 40


class RuleExtractor:
    """Reads plain operational English without a model. What it does not understand it leaves alone."""

    name = "rules/1"

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        """Candidates of `events` in their order, for `attributes`; `observed_state` is always among them."""
        return [proposal for event in events for proposal in proposals_of(event, frozenset(attributes))]


def proposals_of(event: StoredEvent, attributes: frozenset[str]) -> list[Proposal]:
    """What one event proposes.

    | event | proposals |
    | --- | --- |
    | carries candidates in its data | a statement of each, and what its text says of other keys |
    | carries candidates that cannot be read | none |
    | an observation without candidates | one observation of each entity that it lists, else names |
    | a type in `READ` | what its text says |
    | any other | none |
    """
    try:
        structured = structured_candidates(event.data)
    except InvalidInput:
        return []
    entities = Entities(event)
    stated = [_stated(event, item, entities) for item in structured if item.attribute in attributes]
    if event.type is EventType.OBSERVATION and not structured:
        return _observed(event, entities)
    if event.type not in READ or not event.text:
        return stated
    said = {(proposal.mention, proposal.attribute) for proposal in stated}
    read = read_text(event, entities, attributes)
    return [*stated, *(one for one in read if (one.mention, one.attribute) not in said)]


def _stated(event: StoredEvent, item: StructuredCandidate, entities: Entities) -> Proposal:
    return Proposal(
        event_id=event.id,
        kind=CandidateKind.STATEMENT,
        attribute=item.attribute,
        mention=None if item.entity is None else entities.canonical(item.entity),
        terms=Terms(
            value=item.value,
            ends_when=item.ends_when,
            expires_at=item.expires_at,
            valid_from=item.valid_from,
        ),
        quote=event.text or item.value,
    )


def _observed(event: StoredEvent, entities: Entities) -> list[Proposal]:
    text = event.text or ""
    found = list(entities.mentions)
    if not found:
        named = (name for sentence in sentences(text) for name in antecedents(sentence.words, entities))
        found = list(dict.fromkeys(named))[:MAX_PROPOSALS]
    return [
        Proposal(
            event_id=event.id,
            kind=CandidateKind.OBSERVATION,
            attribute=OBSERVED_STATE,
            mention=mention,
            terms=None,
            quote=text,
        )
        for mention in found
    ]


@dataclass(frozen=True)
class _Reading:
    """A proposal in the making, with what decides how it fares beside others of its key."""

    proposal: Proposal
    remark: bool

    @property
    def key(self) -> tuple[str | None, str, str]:
        terms = self.proposal.terms
        several = self.proposal.attribute in grammar.MANY and terms is not None
        return self.proposal.mention, self.proposal.attribute, terms.value if several and terms else ""


def read_text(event: StoredEvent, entities: Entities, attributes: frozenset[str]) -> list[Proposal]:
    """What the text of `event` says, sentence by sentence, one proposal for a key."""
    reader = _Reader(event, entities, attributes)
    kept: dict[tuple[str | None, str, str], _Reading] = {}
    for reading in reader.readings():
        earlier = kept.pop(reading.key, None)
        kept[reading.key] = reading if earlier is None else _together(earlier, reading)
        if len(kept) >= MAX_PROPOSALS:
            break
    return [reading.proposal for reading in kept.values()]


def _together(earlier: _Reading, later: _Reading) -> _Reading:
    """Two sentences of one event about the same key.

    | earlier | later | what is kept |
    | --- | --- | --- |
    | a remark | a remark | the later one, hedged if either is |
    | anything | an instruction | the later one as it is: a hunch before it does not weaken it |
    | an instruction | a hedged remark | the instruction: a hunch after it does not end it |
    | an instruction | a plain remark | the later one |
    """
    if not later.remark:
        return later
    if not earlier.remark:
        return earlier if later.proposal.hedged else later
    hedged = earlier.proposal.hedged or later.proposal.hedged
    return _Reading(later.proposal.model_copy(update={"hedged": hedged}), remark=True)


class _Reader:
    """One pass over the text of one event. Remembers what was named last and whether it was hedged."""

    def __init__(self, event: StoredEvent, entities: Entities, attributes: frozenset[str]) -> None:
        self._event = event
        self._entities = entities
        self._rules = tuple(rule for rule in grammar.RULES if rule.attribute in attributes)
        self._recent = Antecedents()
        self._recent_hedged = False
        self._previous_hedged = False

    def readings(self) -> Iterator[_Reading]:
        """Readings in the order of the text."""
        pending: list[_Reading] = []
        reported: int | None = None
        for sentence in sentences(self._event.text or ""):
            if pending and end_word(sentence.words) is None:
                yield from pending
            elif pending:
                yield from (one for one in pending if _has_an_end(one.proposal))
            pending = []
            keys = keys_of(sentence.words) if _is_short(sentence) else ""
            hedged = grammar.HEDGES.search(keys) is not None
            if keys and not sentence.question and (reported is None or sentence.paragraph > reported):
                pending = list(self._read(sentence, hedged))
            self._remember(sentence.words, hedged)
            self._previous_hedged = hedged
            if sentence.colon and grammar.REPORTS.search(keys):
                reported = sentence.paragraph + _stands_alone(self._event.text or "", sentence)
        yield from pending

    def _remember(self, words: Sequence[Word], hedged: bool) -> None:
        named = antecedents(words, self._entities)
        if named:
            self._recent, self._recent_hedged = Antecedents(tuple(named)), hedged

    def _read(self, sentence: Sentence, hedged: bool) -> Iterator[_Reading]:
        earlier: tuple[Word, ...] = ()
        for segment in _segments(sentence.words):
            clause = _Clause(segment, earlier)
            taken = 0
            for start in clause.starts():
                if start < taken:
                    continue
                found = self._match(sentence, clause, start, hedged)
                if found is not None:
                    reading, taken = found
                    yield reading
            earlier += segment

    def _match(
        self, sentence: Sentence, clause: "_Clause", start: int, hedged: bool
    ) -> tuple[_Reading, int] | None:
        words_here = clause.vocabulary
        rules = [rule for rule in self._rules if rule.words & words_here]
        if not rules or clause.is_supposed(start):
            return None
        for offset in clause.offsets(start):
            for rule in rules:
                if rule.first and (clause.earlier or start):
                    continue
                found = self._apply(rule, sentence, clause, start, offset, hedged)
                if found is not None:
                    return found
        return None

    def _apply(
        self, rule: Rule, sentence: Sentence, clause: "_Clause", start: int, offset: int, hedged: bool
    ) -> tuple[_Reading, int] | None:
        match = rule.compiled.match(clause.keys, offset)
        if match is None:
            return None
        groups = {name: clause.slice(*match.span(name)) for name, text in match.groupdict().items() if text}
        first, last = clause.index(offset), clause.index(match.end() - 1) + 1
        if clause.words[first].quoted:
            return None
        mention: str | None = None
        pointed = False
        if "x" in groups:
            recent = self._antecedents_before(clause, groups["x"].start)
            named = name_of(clause.words[groups["x"]], self._entities, recent, rule.subject)
            if named is None:
                return None
            mention, pointed = named
            if not pointed:
                self._recent, self._recent_hedged = Antecedents((mention,)), hedged
        terms: Terms | None = None
        if rule.kind is CandidateKind.STATEMENT:
            terms = self._terms(rule, clause, start, groups, last)
            if terms is None:
                return None
        elif read_tail(clause.words[last:], False, False, self._event.occurred_at, None) is None:
            return None
        proposal = Proposal(
            event_id=self._event.id,
            kind=rule.kind,
            attribute=rule.attribute,
            mention=mention,
            terms=terms,
            hedged=self._is_hedged(rule, clause, groups, hedged, pointed),
            quote=(self._event.text or "")[sentence.start : sentence.end],
        )
        return _Reading(proposal, rule.remark), len(clause.words) if rule.first else last

    def _antecedents_before(self, clause: "_Clause", index: int) -> Antecedents:
        named = antecedents([*clause.earlier, *clause.words[:index]], self._entities)
        return Antecedents(tuple(named)) if named else self._recent

    def _is_hedged(
        self, rule: Rule, clause: "_Clause", groups: dict[str, slice], hedged: bool, pointed: bool
    ) -> bool:
        """A remark is hedged by its sentence or the one it leans on, an instruction by what stands before it."""
        if rule.remark:
            return hedged or (pointed and (self._recent_hedged or self._previous_hedged))
        lead = [*clause.earlier, *clause.words[: min(span.start for span in groups.values())]]
        if grammar.HEDGES.search(keys_of(lead)):
            return True
        afterthought = clause.keys.rsplit(", ", 1)
        return len(afterthought) == 2 and grammar.HEDGES.match(afterthought[1]) is not None

    def _terms(
        self, rule: Rule, clause: "_Clause", start: int, groups: dict[str, slice], last: int
    ) -> Terms | None:
        parts = [clause.words[groups[name]] for name in rule.value if name in groups]
        if not _is_sayable(rule, groups, clause):
            return None
        if rule.free:
            end = self._cut_free(rule, parts, groups, clause)
        else:
            tail = clause.words[last:]
            before = rule.name.startswith("do not")
            end = read_tail(tail, rule.ends, before, self._event.occurred_at, self._event.timezone)
        if end is None or not parts[-1]:
            return None
        if end == End():
            end = self._fronted(clause, start)
        if end is None:
            return None
        value = " ".join(_said(name, words) for name, words in zip(_names(rule, groups), parts, strict=True))
        try:
            return Terms(value=value, ends_when=end.ends_when, expires_at=end.expires_at)
        except ValidationError:
            return None

    def _cut_free(
        self, rule: Rule, parts: list[tuple[Word, ...]], groups: dict[str, slice], clause: "_Clause"
    ) -> End | None:
        """The end of a free text, which is cut off it; a "before" that belongs to the rule itself stays."""
        rest = parts[-1][: length(parts[-1])] if rule.attribute != grammar.STANDING else parts[-1]
        allowed = {"until", "till", "til"} if rule.ends else set[str]()
        if "v" in groups and clause.words[groups["v"]][-1].key in {"not", "mustn't"}:
            allowed.add("before")
        at = next((index for index, word in enumerate(rest) if word.key in allowed), None)
        if at is None:
            parts[-1] = rest
            return End() if len(rest) <= MAX_VALUE_WORDS else None
        parts[-1] = rest[:at]
        found = read_end_words(rest[at].key, rest[at + 1 :], self._event.occurred_at, self._event.timezone)
        return None if at > MAX_VALUE_WORDS else found

    def _fronted(self, clause: "_Clause", start: int) -> End | None:
        """The end of "Until Y, keep X running", which stands before the instruction."""
        lead = [*clause.earlier, *clause.words[:start]]
        match = grammar.FRONTED_END.search(keys_of(lead))
        if match is None:
            return End()
        if clause.earlier or match.start() != 0:
            return None
        at = end_word(lead)
        if at is None or lead[at].key == "before":
            return None
        return read_end_words(lead[at].key, lead[at + 1 :], self._event.occurred_at, self._event.timezone)


class _Clause:
    """A part of a sentence without a strong pause in it, as words and as the text that rules match."""

    def __init__(self, words: tuple[Word, ...], earlier: tuple[Word, ...]) -> None:
        self.words = words
        self.earlier = earlier
        self.keys = keys_of(words)
        self.vocabulary = {word.key for word in words}
        lengths = (len(part) + 1 for part in self.keys.split(" "))
        self._offsets = [0, *accumulate(lengths)][: len(words)]

    def index(self, offset: int) -> int:
        """The word at a place of `keys`."""
        return bisect_right(self._offsets, offset) - 1

    def slice(self, start: int, end: int) -> slice:
        """The words of a passage of `keys`."""
        return slice(self.index(start), self.index(end - 1) + 1)

    def starts(self) -> list[int]:
        """Words at which an instruction may begin: the first, and those after a comma or a line break."""
        later = (i for i in range(1, len(self.words)) if self.words[i - 1].mark or self.words[i].opens_line)
        return [0, *later]

    def offsets(self, start: int) -> list[int]:
        """Places of `keys` at which a rule may match: at `start`, and after each prefix there."""
        found = [self._offsets[start]]
        while len(found) <= grammar.MOST_PREFIXES:
            match = grammar.PREFIX.match(self.keys, found[-1])
            if match is None:
                break
            found.append(match.end())
        return found

    def is_supposed(self, start: int) -> bool:
        """Whether what stands before `start` makes the rest somebody else's words, or conditional."""
        lead = keys_of([*self.earlier, *self.words[:start]])
        if not lead:
            return False
        return bool(grammar.REPORTS.search(lead) or grammar.OPENING_CONDITIONS.search(lead))


def _segments(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    start = 0
    for index, word in enumerate(words):
        if word.mark == ";" or index == len(words) - 1:
            yield words[start : index + 1]
            start = index + 1


def _is_short(sentence: Sentence) -> bool:
    few = len(sentence.words) <= MAX_SENTENCE_WORDS
    return few and sentence.end - sentence.start <= MAX_SENTENCE_CHARACTERS


def _has_an_end(proposal: Proposal) -> bool:
    terms = proposal.terms
    return terms is None or terms.ends_when is not None or terms.expires_at is not None


def _stands_alone(text: str, sentence: Sentence) -> bool:
    """Whether the paragraph ends with this sentence, so that what it announces is the next one."""
    following = text[sentence.end : sentence.end + 200]
    gap = following[: len(following) - len(following.lstrip())]
    return gap.count("\n") > 1


def _names(rule: Rule, groups: dict[str, slice]) -> list[str]:
    return [name for name in rule.value if name in groups]


def _said(name: str, words: tuple[Word, ...]) -> str:
    """Words of the grammar in lower case, words of the speaker as they were written."""
    if name in {"a", "b", "z", "rest"}:
        return joined(_without_article(words) if name == "z" else words)
    return " ".join(word.text.lower() for word in words)


def _without_article(words: tuple[Word, ...]) -> tuple[Word, ...]:
    return words[1:] if len(words) > 1 and words[0].key in {"the", "our"} else words


def _is_sayable(rule: Rule, groups: dict[str, slice], clause: _Clause) -> bool:
    """Whether the words that a rule caught can be what it looks for."""
    checks = {
        grammar.USES: _names_a_means,
        grammar.PREFERENCE: _is_liked,
        grammar.OWNER: _can_own,
        grammar.STANDING: _asks_for_something,
        grammar.RULE: _is_a_duty,
        grammar.LIFECYCLE: _is_not_a_cheer,
    }
    check = checks.get(rule.attribute)
    return check is None or check({name: clause.words[span] for name, span in groups.items()}, clause, groups)


_Caught = dict[str, tuple[Word, ...]]


def _names_a_means(caught: _Caught, clause: _Clause, groups: dict[str, slice]) -> bool:
    return caught["a"][0].key not in v.FUNCTION_WORDS - {"the", "a", "an", "one", "two"}


def _is_liked(caught: _Caught, clause: _Clause, groups: dict[str, slice]) -> bool:
    words = caught.get("rest") or caught["a"]
    if words[0].key in {
        "it",
        "this",
        "that",
        "them",
        "these",
        "those",
        "him",
        "her",
        "you",
        "not",
        "when",
        "if",
        "my",
    }:
        return False
    return " ".join(word.key for word in words[-2:]) not in {
        f"for {p}" for p in ("it", "this", "that", "them")
    }


def _can_own(caught: _Caught, clause: _Clause, groups: dict[str, slice]) -> bool:
    words = _without_article(caught["z"])
    return not any(word.key in v.NO_OWNERS - {"and"} or word.mark for word in words[:-1]) and (
        words[-1].key not in v.NO_OWNERS
    )


def _asks_for_something(caught: _Caught, clause: _Clause, groups: dict[str, slice]) -> bool:
    first = caught["rest"][0].key
    if "v" in caught:
        return first not in v.SMALL_TALK
    return first not in {
        "i'll",
        "i'm",
        "i",
        "i've",
        "we'll",
        "we're",
        "he",
        "she",
        "they",
        "it's",
        "he's",
        "she's",
    }


def _is_a_duty(caught: _Caught, clause: _Clause, groups: dict[str, slice]) -> bool:
    if "n" in caught or "f" in caught:
        return True
    said = [word.key for word in caught["v"]]
    rest = [word.key for word in caught["rest"]]
    if len(said) > 1 or said == ["mustn't"]:
        return True
    if caught["x"][0].key in {"it", "this", "that"} or rest[0] in v.SUPPOSING:
        return False
    return not (rest[0] == "be" and (len(rest) < 2 or rest[1] in v.NOT_A_DUTY or rest[1].endswith("ing")))


def _is_not_a_cheer(caught: _Caught, clause: _Clause, groups: dict[str, slice]) -> bool:
    """ "Keep it up!" praises; with an end it asks."""
    if "w" not in caught or [word.key for word in caught["w"]] not in (["up"], ["down"], ["on"]):
        return True
    following = clause.words[groups["w"].stop :]
    return caught["x"][0].key not in {"it", "this", "that"} or end_word(following) is not None
