"""The declared terms: each of them can be found, and what is written amiss is refused when it is loaded."""

import pytest

from models.contracts import Prohibited
from models.prohibited import prohibited_in, spaced, unspaced
from models.prohibited.lexicon import LANGUAGES, Language, Weight, parsed
from models.prohibited.notation import Slot, phrases, spellings, variants

SPACED = [language for language in LANGUAGES if not language.unspaced]
UNSPACED = [language for language in LANGUAGES if language.unspaced]


def example(slot: Slot | None) -> str:
    """A word that may stand at this place; nothing for a gap."""
    return "" if slot is None else min((*slot.words, *slot.stems))


@pytest.mark.parametrize("language", SPACED, ids=lambda language: language.name)
def test_every_term_can_be_found(language: Language) -> None:
    person = min(language.persons)
    dead: list[str] = []
    for term, kind, weight in language.terms:
        for phrase in phrases(term, language.classes, language.prefixes):
            text = " ".join(map(example, phrase))
            said = f"{person} {text}" if weight is Weight.NEAR_PERSON else text
            if kind is not None and kind not in prohibited_in(said):
                dead.append(said)
    assert dead == []


@pytest.mark.parametrize("language", UNSPACED, ids=lambda language: language.name)
def test_every_string_can_be_found(language: Language) -> None:
    person = min(language.persons)
    dead = [
        entry.text
        for entry in unspaced.entries_of(language, innocent=False)
        if entry.kind
        not in prohibited_in(f"{person if entry.weight is Weight.NEAR_PERSON else ''}{entry.text}")
    ]
    assert dead == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_every_language_speaks_of_every_kind_and_of_innocent_things(language: Language) -> None:
    assert {term.kind for term in language.terms} == {*Prohibited, None}
    assert language.persons
    assert language.things


def test_no_term_is_declared_twice() -> None:
    for language in LANGUAGES:
        for kind in (*Prohibited, None):
            terms = [
                term.term for term in language.terms if term.kind == kind and term.weight is not Weight.WHOLE
            ]
            assert sorted({term for term in terms if terms.count(term) > 1}) == [], (language.name, kind)


def declared(terms: str, *, classes: str = "", unspaced: bool = False) -> Language:
    script = "[language]\nscript = unspaced\n" if unspaced else ""
    return parsed("xx", f"{script}[classes]\n{classes}\n[health]\nalone = {terms}\n")


@pytest.mark.parametrize(
    "terms",
    ["flu*", "{be}", "o'clock", "hiv-positive", "a .. *", "..", "sick?"],
    ids=["short stem", "no class", "apostrophe", "hyphen", "bare star", "gap alone", "left out"],
)
def test_a_term_that_could_never_be_met_is_refused(terms: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        list(spaced.entries_of(declared(terms), innocent=False))


def test_a_string_of_one_character_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        list(unspaced.entries_of(declared("癌", unspaced=True), innocent=False))


def test_an_unknown_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="sometimes"):
        parsed("xx", "[health]\nsometimes = flu\n")


def test_a_term_stands_for_its_variants() -> None:
    language = declared("", classes="be = am|is\nill = flu|heart_attack")
    rows = {
        " ".join("|".join(place) for place in row) for row in variants("{be} not? {ill}", language.classes)
    }
    assert rows == {"am|is flu", "am|is not flu", "am|is heart attack", "am|is not heart attack"}


@pytest.mark.parametrize(
    ("word", "spelt"),
    [
        ("flu", {"flu"}),
        ("jüdisch", {"jüdisch", "judisch", "juedisch"}),
        ("członek", {"członek", "czlonek"}),
        ("kadın", {"kadın", "kadin"}),
        ("мама", {"мама"}),
    ],
)
def test_a_word_has_the_spellings_that_people_give_it(word: str, spelt: set[str]) -> None:
    assert spellings(word) == spelt
