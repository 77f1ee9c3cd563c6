"""Whether the words that a pattern caught can be what it looks for: "it must have crashed" is no rule."""

from collections.abc import Callable, Mapping

from providers.rule_extractor import grammar
from providers.rule_extractor import vocabulary as v
from providers.rule_extractor.clauses import end_word
from providers.rule_extractor.sentences import Word

Caught = Mapping[str, tuple[Word, ...]]
"""Words by the name of the group that caught them; "tail" is what follows the match."""


def is_sayable(attribute: str, caught: Caught) -> bool:
    """Whether `caught` makes sense as something that `attribute` can say."""
    check = _CHECKS.get(attribute)
    return check is None or check(caught)


def without_article(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """An owner's name: "platform team" of "the platform team"."""
    return words[1:] if len(words) > 1 and words[0].key in {"the", "our"} else words


def _names_a_means(caught: Caught) -> bool:
    return "a" in caught and caught["a"][0].key not in v.FUNCTION_WORDS - {"the", "a", "an", "one", "two"}


def _is_liked(caught: Caught) -> bool:
    keys = [word.key for word in caught.get("rest", caught.get("a", ()))]
    points_back = keys[-2:-1] == ["for"] and keys[-1] in v.POINTING
    return keys[0] not in v.NOT_LIKED and not points_back


def _can_own(caught: Caught) -> bool:
    words = without_article(caught["z"])
    others, last = words[:-1], words[-1]
    if any(word.mark or (word.key in v.NO_OWNERS and word.key != "and") for word in others):
        return False
    return last.key not in v.NO_OWNERS


def _asks_for_something(caught: Caught) -> bool:
    first = caught["rest"][0].key
    return first not in (v.SMALL_TALK if "v" in caught else v.TELLING)


def _is_a_duty(caught: Caught) -> bool:
    """A bare "must" may suppose: "must have crashed", "must be down", "it must be nice"."""
    said = [word.key for word in caught["v"]]
    if "n" in caught or "f" in caught or len(said) > 1 or said == ["mustn't"]:
        return True
    rest = [word.key for word in caught["rest"]]
    if caught["x"][0].key in v.POINTING or rest[0] in v.SUPPOSING:
        return False
    return not (rest[0] == "be" and (len(rest) < 2 or rest[1] in v.NOT_A_DUTY or rest[1].endswith("ing")))


def _is_no_cheer(caught: Caught) -> bool:
    """ "Keep it up, you are almost there!" praises; "keep it up until Friday" asks."""
    state = [word.key for word in caught.get("w", ())]
    cheering = caught["x"][0].key in v.POINTING and state in (["up"], ["down"], ["on"])
    return not cheering or end_word(caught["tail"]) is not None


_CHECKS: Mapping[str, Callable[[Caught], bool]] = {
    grammar.USES: _names_a_means,
    grammar.PREFERENCE: _is_liked,
    grammar.OWNER: _can_own,
    grammar.STANDING: _asks_for_something,
    grammar.RULE: _is_a_duty,
    grammar.LIFECYCLE: _is_no_cheer,
}
