"""The text of one event, read sentence by sentence into proposals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from pydantic import ValidationError

from models.candidates import CandidateKind, Proposal, Terms
from models.events import StoredEvent
from providers.rule_extractor import grammar
from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.checks import is_sayable, without_article
from providers.rule_extractor.clauses import (
    Clause,
    clauses,
    end_word,
    joined,
    keys_of,
    length,
    read_end_words,
    read_tail,
)
from providers.rule_extractor.dates import End
from providers.rule_extractor.grammar import Rule
from providers.rule_extractor.mentions import Antecedents, Entities, Named, antecedents, name_of
from providers.rule_extractor.sentences import Sentence, Word, sentences

MAX_SENTENCE_WORDS = 150
MAX_SENTENCE_CHARACTERS = 2_000
"""A longer sentence is not an instruction in plain English; the limit also bounds the work for each."""

MAX_PROPOSALS = 200
"""From the text of one event. Beyond it the text is a document and not something that somebody said."""

MAX_VALUE_WORDS = 40
_NO_END = End()
_SPOKEN = frozenset({"a", "b", "z", "rest"})
"""Groups that hold the speaker's words; the others hold words of the grammar."""

Key = tuple[str | None, str, str]


@dataclass(frozen=True)
class Reading:
    """A proposal in the making. A remark says that something may be let go, and not that it must."""

    proposal: Proposal
    remark: bool

    @property
    def key(self) -> Key:
        """What one event says once: an entity and an attribute, with the value where there may be several."""
        terms = self.proposal.terms
        several = terms is not None and self.proposal.attribute in grammar.MANY
        return self.proposal.mention, self.proposal.attribute, terms.value if terms and several else ""

    @property
    def lets_go(self) -> bool:
        """Whether it takes away from what holds, or would."""
        return self.remark or self.proposal.kind is CandidateKind.WITHDRAWAL

    @property
    def has_an_end(self) -> bool:
        """Whether it says until when, or needs not to."""
        terms = self.proposal.terms
        return terms is None or terms.ends_when is not None or terms.expires_at is not None


def read_text(event: StoredEvent, entities: Entities, attributes: frozenset[str]) -> list[Proposal]:
    """What the text of `event` says, one proposal for a key."""
    kept: dict[Key, Reading] = {}
    for reading in _Reader(event, entities, attributes).readings():
        earlier = kept.pop(reading.key, None)
        kept[reading.key] = reading if earlier is None else together(earlier, reading)
        if len(kept) == MAX_PROPOSALS:
            break
    return [reading.proposal for reading in kept.values()]


def together(earlier: Reading, later: Reading) -> Reading:
    """Two sentences of one event about the same key.

    | earlier | later | what is kept |
    | --- | --- | --- |
    | anything | an instruction | the later one as it is: a hunch before it does not weaken it |
    | an instruction | a hedged remark or withdrawal | the instruction: a hunch after it does not end it |
    | an instruction | a plain remark or withdrawal | the later one |
    | a withdrawal | a remark | the withdrawal, of which the remark is a consequence |
    | a remark or withdrawal | a withdrawal | the later one, hedged if either is |
    | a remark | a remark | the later one, hedged if either is |
    """
    if not later.lets_go:
        return later
    if not earlier.lets_go:
        return earlier if later.proposal.hedged else later
    if later.remark and not earlier.remark:
        return earlier
    hedged = earlier.proposal.hedged or later.proposal.hedged
    return Reading(later.proposal.model_copy(update={"hedged": hedged}), later.remark)


class _Reader:
    """One pass over the text of one event. Remembers what was named last, and whether that was hedged."""

    def __init__(self, event: StoredEvent, entities: Entities, attributes: frozenset[str]) -> None:
        self._event = event
        self._text = event.text or ""
        self._entities = entities
        self._rules = tuple(rule for rule in grammar.RULES if rule.attribute in attributes)
        self._recent = Antecedents()
        self._recent_hedged = False
        self._previous_hedged = False

    def readings(self) -> Iterator[Reading]:
        """Readings in the order of the text.

        One without an end waits for the next sentence: "Keep X running. Until Friday." is not read.
        """
        pending: list[Reading] = []
        reported = -1
        for sentence in sentences(self._text):
            cut_short = end_word(sentence.words) is not None
            yield from (reading for reading in pending if reading.has_an_end or not cut_short)
            keys = keys_of(sentence.words) if _is_short(sentence) else ""
            hedged = grammar.HEDGES.search(keys) is not None
            readable = keys and not sentence.question and sentence.paragraph > reported
            pending = list(self._read(sentence, hedged)) if readable else []
            named = antecedents(sentence.words, self._entities)
            if named:
                self._recent, self._recent_hedged = Antecedents(tuple(named)), hedged
            self._previous_hedged = hedged
            if sentence.colon and (grammar.REPORTS.search(keys) or grammar.BORROWED.search(keys)):
                reported = sentence.paragraph + self._ends_a_paragraph(sentence)
        yield from pending

    def _ends_a_paragraph(self, sentence: Sentence) -> bool:
        following = self._text[sentence.end : sentence.end + 200]
        return "".join(takewhile(str.isspace, following)).count("\n") > 1

    def _read(self, sentence: Sentence, hedged: bool) -> Iterator[Reading]:
        for clause in clauses(sentence, hedged):
            rules = tuple(rule for rule in self._rules if rule.words & clause.vocabulary)
            taken = 0
            for start in clause.starts() if rules else ():
                if start < taken:
                    continue
                found = self._read_at(clause, start, rules)
                if found is not None:
                    reading, taken = found
                    yield reading

    def _read_at(self, clause: Clause, start: int, rules: tuple[Rule, ...]) -> tuple[Reading, int] | None:
        """What the clause says from the word `start` on, and the word after it."""
        for offset in clause.offsets(start):
            for rule in rules:
                if rule.first and (start or clause.earlier):
                    continue
                match = rule.compiled.match(clause.keys, offset)
                if match is None:
                    continue
                if clause.words[clause.index(offset)].quoted or clause.is_supposed(start):
                    return None
                groups = {
                    name: clause.slice(*match.span(name)) for name, text in match.groupdict().items() if text
                }
                last = clause.index(match.end() - 1) + 1
                reading = self._reading(_Match(rule, clause, start, groups, last))
                if reading is not None:
                    return reading, len(clause.words) if rule.first else last
        return None

    def _reading(self, match: "_Match") -> Reading | None:
        if not is_sayable(match.rule.attribute, match.caught):
            return None
        named: Named | None = None
        if "x" in match.groups:
            named = self._named(match)
            if named is None:
                return None
        terms = match.terms(self._event)
        if terms is None:
            return None
        if named is not None and not named.pointed:
            self._recent, self._recent_hedged = Antecedents((named.mention,)), match.clause.hedged
        sentence = match.clause.sentence
        proposal = Proposal(
            event_id=self._event.id,
            kind=match.rule.kind,
            attribute=match.rule.attribute,
            mention=named.mention if named else None,
            terms=terms if match.rule.kind is CandidateKind.STATEMENT else None,
            hedged=self._is_hedged(match, named),
            quote=self._text[sentence.start : sentence.end],
        )
        return Reading(proposal, match.rule.remark)

    def _named(self, match: "_Match") -> Named | None:
        earlier = antecedents(match.clause.lead(match.groups["x"].start), self._entities)
        recent = Antecedents(tuple(earlier)) if earlier else self._recent
        return name_of(match.caught["x"], self._entities, recent, match.rule.subject)

    def _is_hedged(self, match: "_Match", named: Named | None) -> bool:
        """A remark is hedged by its sentence or the one it leans on, an instruction by what surrounds it."""
        if match.rule.remark:
            leans = named is not None and named.pointed
            return match.clause.hedged or (leans and (self._recent_hedged or self._previous_hedged))
        first = min(span.start for span in match.groups.values())
        if grammar.HEDGES.search(keys_of(match.clause.lead(first))):
            return True
        _, comma, afterthought = match.clause.keys.rpartition(", ")
        return bool(comma) and grammar.HEDGES.match(afterthought) is not None


class _Match:
    """One pattern at one place: the words that its groups caught, and what they come to."""

    def __init__(
        self, rule: Rule, clause: Clause, start: int, groups: Mapping[str, slice], last: int
    ) -> None:
        self.rule = rule
        self.clause = clause
        self.start = start
        self.groups = groups
        self.tail = clause.words[last:]
        self.caught = {"tail": self.tail} | {name: clause.words[span] for name, span in groups.items()}

    def terms(self, event: StoredEvent) -> Terms | None:
        """What it says and how long; None where that cannot be told. A withdrawal's are not used."""
        rest, end = self._rest_and_end(event)
        if end == _NO_END:
            end = self._fronted(event)
        if end is None or not (self.rule.ends or end == _NO_END):
            return None
        caught = self.caught | {"rest": rest}
        parts = [_said(name, caught[name]) for name in self.rule.parts if caught.get(name)]
        if self.rule.free and not rest:
            return None
        try:
            value = " ".join(parts) or self.rule.name
            return Terms(value=value, ends_when=end.ends_when, expires_at=end.expires_at)
        except ValidationError:
            return None

    def _rest_and_end(self, event: StoredEvent) -> tuple[tuple[Word, ...], End | None]:
        """The free text without its end, and the end.

        A "before" is the end of "must not …"; after "always" and "never" it belongs to the rule itself.
        """
        if not self.rule.free:
            tail = read_tail(self.tail, self.rule.ends, self.rule.before, event.occurred_at, event.timezone)
            return (), tail
        rest = self.caught["rest"]
        if self.rule.attribute != grammar.STANDING:
            rest = rest[: length(rest, v.REASONS, v.BECAUSE)]
        words = {"until", "till", "til"} if self.rule.ends else set[str]()
        if self.caught.get("v", rest)[-1].key in {"not", "mustn't"}:
            words.add("before")
        at = next((index for index, word in enumerate(rest) if word.key in words), len(rest))
        if at > MAX_VALUE_WORDS:
            return (), None
        if at == len(rest):
            return rest, _NO_END
        end = read_end_words(rest[at].key, rest[at + 1 :], event.occurred_at, event.timezone)
        return rest[:at], end

    def _fronted(self, event: StoredEvent) -> End | None:
        """The end of "Until Y, keep X running", which stands before the instruction."""
        lead = self.clause.lead(self.start)
        match = grammar.FRONTED_END.search(keys_of(lead))
        if match is None:
            return _NO_END
        at = end_word(lead)
        if self.clause.earlier or match.start() or at is None or lead[at].key == "before":
            return None
        return read_end_words(lead[at].key, lead[at + 1 :], event.occurred_at, event.timezone)


def _is_short(sentence: Sentence) -> bool:
    few = len(sentence.words) <= MAX_SENTENCE_WORDS
    return few and sentence.end - sentence.start <= MAX_SENTENCE_CHARACTERS


def _said(name: str, words: tuple[Word, ...]) -> str:
    """Words of the grammar in lower case, words of the speaker as they were written."""
    if name in _SPOKEN:
        return joined(without_article(words) if name == "z" else words)
    return " ".join(word.text.lower() for word in words)
