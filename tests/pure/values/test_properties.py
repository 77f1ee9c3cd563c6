"""What holds for any text at all: no crash, no collision, and no more time than its length takes."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.text import fold
from models.values import ValueSpec, ValueType, canonical
from tests.pure.values.tables import SUNDAY_NIGHT, TEXTS, ZONES, spec

TYPES = [ValueType(kind) for kind in ValueType if kind not in {ValueType.LIST, ValueType.ENUMERATION}]
SPECS = [
    *(ValueSpec(type=kind) for kind in TYPES),
    *(ValueSpec(type=ValueType.LIST, of=kind) for kind in TYPES),
    spec(ValueType.VERSION, semantic=True),
    spec(ValueType.ENUMERATION, values=["red", "blue, or so"]),
    spec(ValueType.LIST, of=ValueType.ENUMERATION, values=["red", "blue; or so"]),
]
SOME = settings(max_examples=300, deadline=None)


@given(TEXTS, st.sampled_from(SPECS), st.sampled_from(ZONES))
@settings(max_examples=2_000, deadline=None)
def test_any_text_has_a_key_and_what_was_not_read_is_kept_as_text(
    text: str, declared: ValueSpec, zone: str | None
) -> None:
    found = canonical(text, declared, zone=zone, at=SUNDAY_NIGHT)
    typed = f"{declared.type.value}:"
    if declared.type is ValueType.TEXT:
        assert found.read
    elif not found.read:
        plain = " ".join(fold(text).split())
        assert found.key in {plain, f"text:{plain}"}
    else:
        assert found.key.startswith(typed)
        assert "\n" not in found.key


@given(TEXTS, st.sampled_from(SPECS), st.sampled_from(ZONES))
@SOME
def test_no_text_collides_with_what_was_read(text: str, declared: ValueSpec, zone: str | None) -> None:
    found = canonical(text, declared, zone=zone, at=SUNDAY_NIGHT)
    kind, colon, _ = found.key.partition(":")
    if colon and kind in set(ValueType):
        assert kind == ValueType.TEXT or (found.read and kind == declared.type)
        assert canonical(found.key, ValueSpec()).key != found.key


@pytest.mark.parametrize(
    "text", ["\ud800", "\x00", "1\ud8005 km", "a\x00b", "\udfff€5", "﷽" * 50, "e" + "\u0301" * 150]
)
def test_strange_texts_crash_nothing(text: str) -> None:
    for declared in SPECS:
        canonical(text, declared, zone="Europe/Berlin", at=SUNDAY_NIGHT)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 20_000,
        "1," * 10_000,
        "1 " * 10_000,
        "1.000," * 3_500,
        "1,000 and " * 2_000,
        " " * 20_000 + "x",
        "a" + " " * 20_000 + "b",
        "a, " + "\t" * 20_000 + "b",
        "and " * 5_000,
        "-" * 20_000,
        "1h" * 10_000,
        "5 km " * 4_000,
        "march " * 3_000,
        "1.2.3-" + "a." * 9_000,
        "٣" * 20_000,
        "e\u0301" * 10_000,
        "a" + "\u0301" * 20_000,
        "²" * 20_000,
        "1" * 100 + " " * 99,
        "1 1,1.1'1 " * 20,
        "[" * 20_000,
        "; " * 10_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_long_text_takes_no_longer_than_its_length(text: str) -> None:
    begun = time.process_time()
    for declared in SPECS:
        canonical(text, declared, zone="Europe/Berlin", at=SUNDAY_NIGHT)
    assert time.process_time() - begun < 2
