"""What people say of persons is found in every language that is declared; the talk of the trade passes."""

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.contracts import Prohibited
from models.prohibited import prohibited_in
from models.text import normalise

DATA = Path(__file__).parent / "data"
PAGE = Path(__file__).resolve().parents[2] / "docs/prohibited-content.md"
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ko", "ar", "hi")
WITH_ACCENTS = ("de", "fr", "es", "it", "pt", "nl", "pl", "tr")


def rows(name: str) -> list[list[str]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines]


FOUND = [
    (language, frozenset(map(Prohibited, kinds.split())), text)
    for language, kinds, text in rows("prohibited_found.tsv")
]
INNOCENT = rows("prohibited_innocent.tsv")
TEXTS = [text for _, _, text in FOUND] + [text for _, text in INNOCENT]


def told(text: str) -> str:
    return ", ".join(sorted(prohibited_in(text)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_persons_is_found(language: str) -> None:
    told_else = [
        (text, told(text)) for said, kinds, text in FOUND if said == language and prohibited_in(text) != kinds
    ]
    assert told_else == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_talk_of_the_trade_passes(language: str) -> None:
    assert [(text, told(text)) for said, text in INNOCENT if said == language and prohibited_in(text)] == []


def test_every_language_is_tried_with_every_kind() -> None:
    tried: defaultdict[str, set[Prohibited]] = defaultdict(set)
    for language, kinds, _ in FOUND:
        tried[language] |= kinds
    assert dict(tried) == {language: set(Prohibited) for language in LANGUAGES}
    assert {language for language, _ in INNOCENT} == set(LANGUAGES)
    assert len(set(TEXTS)) == len(TEXTS)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("diabetes", {Prohibited.HEALTH}),
        ("the diabetes dataset", set()),
        ("a dataset about diabetes", set()),
        ("database: Maria, diabetes", {Prohibited.HEALTH}),
        ("the blood type field", set()),
        ("my blood type", {Prohibited.HEALTH}),
        ("She is not pregnant", {Prohibited.HEALTH}),
        ("I'm allergic to meetings", set()),
        ("I'm allergic to meetings and to peanuts, I have asthma", {Prohibited.HEALTH}),
        ("Union member.", {Prohibited.TRADE_UNION}),
        ("an alias of another union member", set()),
        ("Catholic", {Prohibited.RELIGION}),
        ("Catholic の綴り", set()),
        ("ゲイ", {Prohibited.SEX_LIFE}),
        ("hiv_positive", set()),
        ("", set()),
    ],
)
def test_a_term_counts_by_what_stands_around_it(text: str, kinds: set[Prohibited]) -> None:
    assert prohibited_in(text) == kinds


def test_the_page_shows_what_is_found() -> None:
    shown = re.findall(r'^\| "(.*)" \| ([a-z_]+) \|$', PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(shown) > 20
    assert [(text, told(text)) for text, kind in shown if (told(text) or "nothing") != kind] == []


def test_the_page_names_every_kind() -> None:
    assert set(re.findall(r"^\| `([a-z_]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)) == set(Prohibited)


def wide(text: str) -> str:
    """The same with the wide forms of ASCII that East Asian keyboards give."""
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


@pytest.mark.parametrize(
    "spelt",
    [
        str.upper,
        str.lower,
        str.swapcase,
        wide,
        normalise,
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: unicodedata.normalize("NFC", text),
        lambda text: f"\n {text.replace(' ', '   ')}\t",
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: text.replace(" ", "\u200b \u00ad"),
        lambda text: f"“{text}” …",
        lambda text: f"({text.replace(' ', chr(10))})",
    ],
    ids=[
        "upper",
        "lower",
        "swapped",
        "wide",
        "normal",
        "nfd",
        "nfc",
        "spaced",
        "hard",
        "soft",
        "quoted",
        "lines",
    ],
)
def test_case_width_and_spacing_make_no_difference(spelt: Callable[[str], str]) -> None:
    assert [
        (text, told(spelt(text))) for text in TEXTS if prohibited_in(spelt(text)) != prohibited_in(text)
    ] == []


def test_characters_may_stand_apart() -> None:
    for language, kinds, text in FOUND:
        if language in {"zh", "ja", "ko"} and not any(letter.isascii() for letter in text):
            assert prohibited_in(" ".join(text)) == kinds, text


@pytest.mark.parametrize("language", WITH_ACCENTS)
def test_accents_may_be_left_out(language: str) -> None:
    attached = str.maketrans({"ł": "l", "Ł": "L", "ı": "i"})
    for said, kinds, text in FOUND:
        if said == language:
            marks = unicodedata.normalize("NFD", text.translate(attached))
            assert prohibited_in("".join(c for c in marks if not unicodedata.combining(c))) == kinds, text


@pytest.mark.parametrize("text", ["Es ist schwül hier", "Das Wetter war schwül"])
def test_other_accents_make_another_word(text: str) -> None:
    assert not prohibited_in(text)


def test_an_umlaut_may_be_two_letters() -> None:
    assert prohibited_in("Er ist juedisch") == prohibited_in("Er ist jüdisch") == {Prohibited.RELIGION}


@given(
    st.sampled_from(FOUND),
    st.sampled_from(["", "Ticket 17. ", "As agreed: "]),
    st.sampled_from([". Thanks!", "; see above"]),
)
def test_what_stands_before_and_after_hides_nothing(
    case: tuple[str, frozenset[Prohibited], str], before: str, after: str
) -> None:
    _, kinds, text = case
    assert kinds <= prohibited_in(f"{before}{text}{after}")


@settings(max_examples=300)
@given(st.lists(st.one_of(st.text(max_size=30), st.sampled_from(TEXTS)), max_size=6).map(" ".join))
def test_any_text_can_be_asked_and_its_normal_form_tells_the_same(text: str) -> None:
    kinds = prohibited_in(text)
    assert kinds == prohibited_in(normalise(text)) == prohibited_in(normalise(normalise(text)))
    assert kinds <= set(Prohibited)


def steps(text: str) -> int:
    """How many calls one answer takes, of Python's own functions among them: a measure without a clock."""
    count = 0

    def one_more(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(one_more)
    try:
        prohibited_in(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "text",
    [
        "the diabetes dataset and ",
        "member of the union of ",
        "is is is has has ",
        "allergic to meetings ",
        "had his her my the cancer ",
        "diagnosed with with with ",
        "糖尿病数据集",
        "有癌有癌",
        "diabetesdiabetes",
        "a",
        "́",
        "Im allergisch auf Java ",
    ],
)
def test_the_work_grows_with_the_length_of_the_text_alone(text: str) -> None:
    some = text * (600 // len(text))
    assert steps(some * 4) <= 4.2 * steps(some)
