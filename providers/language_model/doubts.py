"""What a model may have left out of what was said: such a proposal is a hunch, whatever the model calls it.

A model that reads "avoid restarting it before Friday" may propose "restarting", and every word of that is in the
event. So the sentences that hold its quote are looked at again. A list of the words that turn a meaning round would
never be whole; a statement therefore has to take in every word of them that says something.
"""

import re
from collections.abc import Iterator, Sequence

from models.candidates import Terms
from models.text import identifiers, normalise
from models.text import terms as stems
from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.grammar import (
    DURATION,
    HEDGES,
    MOST_PREFIXES,
    OPENING_CONDITIONS,
    PREFIX,
    REPORTS,
)
from providers.rule_extractor.sentences import Sentence, sentences

MOST_SENTENCES = 3
"""A quote of more says nothing that could be looked at again."""

# fmt: off
_NEGATIONS = frozenset({
    "not", "no", "never", "nobody", "nothing", "none", "neither", "nor", "without", "cannot", "can't", "don't",
    "dont", "doesn't", "didn't", "won't", "wouldn't", "shouldn't", "mustn't", "isn't", "aren't", "wasn't",
    "weren't", "stop", "longer", "only", "except", "unless", "instead", "rather",
})
_SAY_NOTHING = frozenset({
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "we", "you", "i", "they", "us", "our", "your",
    "my", "their", "and", "of", "in", "on", "at", "to", "for", "by", "with", "from", "as", "into", "is", "are", "was",
    "were", "be", "been", "am", "has", "have", "had", "do", "does", "go", "goes", "will", "shall", "must", "should",
    "need", "needs", "please", "thanks", "thank", "now", "also", "just", "too", "so", "then", "here", "always",
})
# fmt: on
"""Words that a statement may leave out. Those that allow, such as "may" and "can", are not among them."""
_SUBJECT = re.compile(
    r"(?:our|my|your) (?:[^ ]+ ){1,2}(?:is|are) |(?:the|our) [^ ]+ (?:of|for) (?P<of>.+?) (?:is|are) "
)
_LEAST_STEM, _MOST_ENDING = 3, 2
_TAKING_BACK = frozenset({"no", "longer", "not", "isn't", "aren't", "doesn't"})
_OVER = frozenset({"longer", "anymore", "more", "over", "lifted"})
_ENDS = v.QUALIFIERS | v.END_WORDS


def sentences_with(quote: str, text: str) -> Sequence[Sentence]:
    """The fewest sentences of `text` in a row that hold `quote`; none where it is not there."""
    wanted = normalise(quote)
    every = list(sentences(text)) if wanted else []
    for length in range(1, MOST_SENTENCES + 1):
        for first in range(len(every) - length + 1):
            run = every[first : first + length]
            if wanted in normalise(text[run[0].start : run[-1].end]):
                return run
    return []


def is_doubtful(
    said: Sequence[Sentence], terms: Terms | None, mention: str | None, attribute: str = ""
) -> bool:
    """Whether sentences say more, or other, than a proposal takes from them. `terms` is None for a withdrawal.

    | the sentences | the proposal | doubtful |
    | --- | --- | --- |
    | hold a hedge, ask, report or quote what others say, begin with a condition | | yes |
    | hold "not", "never", "only" or the like | a statement without that word | yes |
    | hold another of these than "no longer", "not … anymore" | a withdrawal | yes |
    | hold "until", "before", "unless", "after", a duration | has no end, and not that word | yes |
    | hold any other word that says something | a statement without that word | yes |
    | have an identifier | is about another thing or none, and has not that word | yes |
    | | has words of its value in another order, or an end that is no passage of them | yes |
    | none of these | | no |

    The thing, the words of `attribute`, and "our reports are" before what is said of them may be left out.
    """
    spoken = " ".join(word.key for sentence in said for word in sentence.words)
    value = "" if terms is None else normalise(terms.value)
    ends_when = "" if terms is None else normalise(terms.ends_when or "")
    return (
        _is_unsure(said, spoken)
        or _leaves_out(spoken, value, ends_when, mention)
        or _rearranges(normalise(spoken), value, ends_when)
        or (terms is not None and any(_left_out(normalise(spoken), value, ends_when, mention, attribute)))
    )


def _is_unsure(said: Sequence[Sentence], spoken: str) -> bool:
    quoted = any(word.quoted for sentence in said for word in sentence.words)
    asks = any(sentence.question for sentence in said)
    return quoted or asks or any(each.search(spoken) for each in (HEDGES, REPORTS, OPENING_CONDITIONS))


def _leaves_out(spoken: str, value: str, ends_when: str, mention: str | None) -> bool:
    keys, taken = set(spoken.split()), {*value.split(), *ends_when.split()}
    if not value and keys & _OVER:
        keys -= _TAKING_BACK
    unended = not ends_when and ((keys & _ENDS) - taken or DURATION.search(spoken))
    named = set(identifiers(spoken)) - set(normalise(mention or "").split())
    return bool((keys & _NEGATIONS) - taken or unended or named - taken)


def _rearranges(spoken: str, value: str, ends_when: str) -> bool:
    left = iter(spoken.split())
    in_order = all(word in left for word in value.split())
    return not in_order or (bool(ends_when) and f" {ends_when} " not in f" {spoken} ")


def _left_out(spoken: str, value: str, ends_when: str, mention: str | None, attribute: str) -> Iterator[str]:
    """The words that say something and that a statement takes in neither as a value nor as anything else."""
    about = normalise(mention or "")
    taken = {*value.split(), *ends_when.split(), *about.split(), *_SAY_NOTHING}
    if ends_when:
        taken |= v.END_WORDS
    named = set(stems(attribute.replace("_", " ").replace(".", " ")))
    for word in _without_subject(_without_prefixes(spoken), about).split():
        if word not in taken and word.removesuffix("'s") not in taken and not _is_one_of(word, named):
            yield word


def _without_prefixes(spoken: str) -> str:
    for _ in range(MOST_PREFIXES):
        prefix = PREFIX.match(spoken)
        if prefix is None:
            break
        spoken = spoken[prefix.end() :]
    return spoken


def _without_subject(spoken: str, about: str) -> str:
    """What is said of "our reports", where no thing is named, or of "the owner of" the thing that is."""
    subject = _SUBJECT.match(spoken)
    return spoken if subject is None or (subject["of"] or "") != about else spoken[subject.end() :]


def _is_one_of(word: str, named: set[str]) -> bool:
    """Whether a word is one of an attribute's: "owned" and "owns" are of `owner`."""
    return any(
        min(len(stem), len(name)) >= _LEAST_STEM
        and abs(len(stem) - len(name)) <= _MOST_ENDING
        and (stem.startswith(name) or name.startswith(stem))
        for stem in stems(word)
        for name in named
    )
