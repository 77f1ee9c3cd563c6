"""When two names mean the same thing, in any script."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.entities import entity_type, is_canonical, name_key, name_told, named_canonical, resolve
from models.events import EntityMention
from models.scope import Scope
from tests.pure.samples import named

BENCH, OTHER = named("bench"), named("other")
CANONICAL = {"cloud-instance:i-09a8f": BENCH}
STAGING = Scope({"workspace": "staging-cloud"})


@pytest.mark.parametrize(
    ("mention", "canonical"),
    [
        ("cloud-instance:i-09a8f", True),
        ("user:u_27", True),
        ("url:https://example.org/a", True),
        ("gpu-bench-01", False),
        ("Cloud:i-1", False),
        ("cloud instance:i-1", False),
        ("cloud:", False),
        (":i-1", False),
        ("note: call Dana", False),
        ("cloud:a\nb", False),
        ("", False),
    ],
)
def test_a_canonical_id_is_type_and_id(mention: str, canonical: bool) -> None:
    assert is_canonical(mention) is canonical


def test_the_type_is_what_stands_before_the_first_colon() -> None:
    assert entity_type("url:https://example.org") == "url"


@pytest.mark.parametrize(
    ("mention", "aliases", "answer"),
    [
        pytest.param("cloud-instance:i-09a8f", {}, (BENCH, None), id="known id"),
        pytest.param("cloud-instance:i-1", {}, (None, "unknown_entity"), id="unknown id"),
        pytest.param(
            "cloud-instance:i-09A8F", {}, (None, "unknown_entity"), id="an id is compared to the letter"
        ),
        pytest.param("GPU‑bench‑01", {"gpu-bench-01": [BENCH]}, (BENCH, None), id="a name of one thing"),
        pytest.param("gpu-bench-01", {"gpu-bench-01": [BENCH, BENCH]}, (BENCH, None), id="one thing, twice"),
        pytest.param(
            "gpu-bench-01",
            {"gpu-bench-01": [BENCH, OTHER]},
            (None, "ambiguous_entity"),
            id="a name of two things",
        ),
        pytest.param("bench", {"gpu-bench-01": [BENCH]}, (None, "unknown_entity"), id="a part of a name"),
        pytest.param("gpu-bench-01", {}, (None, "unknown_entity"), id="a name of nothing"),
        pytest.param("gpu-bench-01", {"gpu-bench-01": []}, (None, "unknown_entity"), id="a name forgotten"),
    ],
)
def test_a_mention_means_one_thing_or_none(mention: str, aliases: dict, answer: tuple) -> None:
    assert resolve(mention, CANONICAL, aliases) == answer


def test_names_in_other_scripts_have_keys_of_their_own() -> None:
    names = ["スコープ", "Мария", "محمد", "会议", "बैठक", "ประชุม", "회의", "Ωμέγα", "שלום", "🦓", "!!!"]
    keys = [name_key(name) for name in names]
    assert all(keys)
    assert len(set(keys)) == len(names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (unicodedata.normalize("NFC", "Auditoría"), unicodedata.normalize("NFD", "Auditoría")),
        ("Acme\nCorp", "Acme Corp"),
        ("Acme \t Corp", "acme corp"),
        ("gpu‐bench‑01", "gpu-bench-01"),
        ("gpu–bench—01", "gpu-bench-01"),
        ("ＤＧＩＡ", "DGIA"),
        ("Мария", "МАРИЯ"),
        ("ISTANBUL", "istanbul"),
        ("“Acme”", "Acme"),
    ],
)
def test_forms_of_one_name_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("İstanbul", "istanbul"), ("gpu-bench-01", "gpu-bench-1"), ("C", "C++")]
)
def test_names_that_differ_have_two(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


def test_a_key_holds_no_line_break() -> None:
    assert name_key("Acme\r\n\u2028Corp") == "acme corp"


@given(st.text(min_size=1).filter(lambda name: name.strip()))
def test_a_name_that_shows_has_a_key(name: str) -> None:
    assert name_key(name)


NAMES = st.text(min_size=1, max_size=300).filter(lambda name: name.strip())


@given(NAMES | st.sampled_from(["a b", "a%20b", "a_b", "%~0", "... ...", "ﷺ" * 300, "x" * 300, "İ" * 300]))
def test_the_id_of_a_named_thing_can_be_sent_back(name: str) -> None:
    canonical = named_canonical(name, STAGING)
    assert is_canonical(canonical)
    assert len(canonical) <= 300
    assert EntityMention(id=canonical).id == canonical


@given(NAMES, NAMES)
def test_names_that_differ_have_ids_that_differ(one: str, other: str) -> None:
    same = name_key(one) == name_key(other)
    assert (named_canonical(one, STAGING) == named_canonical(other, STAGING)) is same


def test_an_escaped_name_is_no_other_name() -> None:
    long = "x" * 300
    digest = named_canonical(long, STAGING).split("/", 1)[1]
    for one, other in (("a b", "a%20b"), ("a%b", "a%25b"), (long, digest)):
        assert named_canonical(one, STAGING) != named_canonical(other, STAGING)


def test_a_thing_known_by_name_belongs_to_its_scope() -> None:
    here, there = (named_canonical("DGIA", scope) for scope in (STAGING, Scope({"workspace": "other"})))
    assert here != there
    assert here == named_canonical("dgia", STAGING)
    assert entity_type(here) == "named"


def test_a_thing_known_by_name_alone_is_told_by_its_name() -> None:
    assert name_told(named_canonical("gpu bench-01/a", STAGING)) == "gpu bench-01/a"
    long = named_canonical("x" * 300, STAGING)
    for other in (long, "cloud-instance:i-09a8f", "url:https://example.org/a", "gpu-bench-01"):
        assert name_told(other) == other
