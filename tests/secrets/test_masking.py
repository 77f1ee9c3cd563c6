"""Masking itself, with finders of its own: what is replaced, where it stands, and what tells secrets apart."""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from models.errors import InvalidInput
from models.masking import holds_mask, mask_fields, mask_text
from models.sightings import (
    Named,
    SecretKind,
    Sighting,
    comparable,
    digest_key,
    digest_of,
    merged,
)

KEY = digest_key(b"k" * 32, UUID(int=1))


class Words:
    """Finds words as kinds, wherever they stand."""

    def __init__(self, **kinds: str) -> None:
        self._kinds = {re.compile(pattern): SecretKind(kind) for kind, pattern in kinds.items()}
        self.asked: list[str] = []
        self.named: list[tuple[str, str]] = []

    def find(self, text: str, named: Sequence[Named] = ()) -> list[Sighting]:
        self.asked.append(text)
        self.named = [(each.name, text[each.start : each.end]) for each in named]
        return [
            Sighting(kind, *found.span())
            for pattern, kind in self._kinds.items()
            for found in pattern.finditer(text)
        ]


def upper(_: SecretKind, secret: str) -> str:
    return f"{len(secret):010x}"


def test_overlapping_secrets_are_one_of_the_most_specific_kind() -> None:
    finder = Words(password="abc", api_key="cde", token="zz")
    assert mask_text("x abcde y zz", finder, upper) == (
        "x [masked:api_key:0000000005] y [masked:token:0000000002]"
    )
    spans = [
        Sighting(SecretKind.TOKEN, 0, 9),
        Sighting(SecretKind.IBAN, 2, 4),
        Sighting(SecretKind.TOKEN, 9, 10),
    ]
    assert merged(spans) == [Sighting(SecretKind.IBAN, 0, 9), Sighting(SecretKind.TOKEN, 9, 10)]


def test_values_and_names_are_masked_at_any_depth() -> None:
    finder = Words(token="s3cret")
    told = mask_fields(
        {"text": "a s3cret", "data": {"s3cret": [{"deep": ("s3cret", 7, None, True, 1.5)}], "plain": "x"}},
        finder,
        upper,
    )
    mask = "[masked:token:0000000006]"
    assert told.fields == {
        "text": f"a {mask}",
        "data": {mask: [{"deep": [mask, 7, None, True, 1.5]}], "plain": "x"},
    }
    assert told.kinds == ("token",)


def test_a_number_becomes_a_mask() -> None:
    told = mask_fields(
        {"data": {"card": 4111, "whole": 4111.0, "count": 4112, "huge": 10**400}},
        Words(card_number="4111"),
        upper,
    )
    mask = "[masked:card_number:0000000004]"
    assert told.fields == {"data": {"card": mask, "whole": mask, "count": 4112, "huge": 10**400}}


@pytest.mark.parametrize("number", [1.5, -0.0, 41.25, 1e300, 1e-7, float("inf"), -float("inf"), 4112.0])
def test_another_number_stays_a_number(number: float) -> None:
    told = mask_fields({"data": [number]}, Words(card_number="4111|e|inf"), upper)
    assert told.fields == {"data": [number]}
    assert isinstance(told.fields["data"][0], float)


def test_what_was_not_changed_is_as_it_was() -> None:
    fields = {
        "text": "[x]",
        "data": {"a": [1, "b", {"c": {}}], "e": []},
        "entities": [{"name": "n"}],
        "type": "note",
    }
    told = mask_fields(fields, Words(token="s3cret"), upper)
    assert told.fields == fields
    assert told.kinds == ()


def test_names_give_context_to_values_and_nothing_else_does() -> None:
    finder = Words()
    mask_fields(
        {"text": "t", "data": {"a": "b", "list": ["--flag", "c"], "d": {"name": "E", "value": "f"}}},
        finder,
        upper,
    )
    [document] = finder.asked
    assert document == (
        "text: t\n\0\ndata\n\0\na: b\n\0\nlist: --flag\n\0\nc\n\0\nd\n\0\nname: E\n\0\nvalue: f\n\0\n"
    )
    assert finder.named == [
        ("text", "t"), ("a", "b"), ("list", "--flag"), ("--flag", "c"), ("name", "E"), ("E", "f")
    ]  # fmt: skip


def test_a_secret_over_several_strings_is_masked_in_each() -> None:
    told = mask_fields(
        {"data": ["head one", "two", "three tail"]}, Words(private_key=r"one[\s\S]*three"), upper
    )
    assert told.fields["data"] == [
        "head [masked:private_key:0000000003]",
        "[masked:private_key:0000000003]",
        "[masked:private_key:0000000005] tail",
    ]


def test_a_mask_is_no_secret_and_hides_none() -> None:
    mask = "[masked:password:0123456789]"
    # The finder takes every word for a secret, those of the mask among them.
    finder = Words(password=r"[^\s]+")
    assert mask_text(mask, finder, upper) == mask
    assert mask_text(f"{mask}.", finder, upper) == f"{mask}."
    assert mask_text(f"{mask}x1", finder, upper) == f"{mask}[masked:password:0000000002]"
    assert "masked" not in finder.asked[0]


def test_what_a_mask_uncovers_is_found_as_well() -> None:
    """A key in front of a number hides it, as long as it is there."""

    class Hiding(Words):
        def find(self, text: str, named: Sequence[Named] = ()) -> list[Sighting]:
            found = super().find(text, named)
            return found[:1]

    finder = Hiding(token="t0ken", iban="1234")
    once = mask_text("t0ken1234 t0ken", finder, upper)
    assert once.count("[masked:") == 3
    assert mask_text(once, finder, upper) == once


def test_what_was_found_once_is_masked_wherever_it_stands() -> None:
    class Once(Words):
        def find(self, text: str, named: Sequence[Named] = ()) -> list[Sighting]:
            return super().find(text, named)[:1]

    told = mask_fields(
        {"text": "use hunter2", "data": {"hunter2": "or hunter2 or hunter"}}, Once(password="hunter2"), upper
    )
    mask = "[masked:password:0000000007]"
    assert told.fields == {"text": f"use {mask}", "data": {mask: f"or {mask} or hunter"}}
    for short in ("dragon", "4821", "482193"):
        once = mask_text(f"{short} and {short}", Once(password=f"^{short}"), upper)
        assert once.endswith(f" and {short}"), "it may be another thing there"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"scope": {"user": "s3cret"}}, "scope"),
        ({"scope": {"s3cret": "x"}}, "scope"),
        ({"activity_id": "run s3cret"}, "activity_id"),
        ({"idempotency_key": "s3cret"}, "idempotency_key"),
    ],
)
def test_what_is_compared_to_the_letter_is_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        mask_fields({"text": "fine", **fields}, Words(token="s3cret"), upper)
    assert refused.value.field == field
    assert "s3cret" not in str(refused.value)
    assert refused.value.__context__ is None


def test_an_unknown_field_is_masked_before_anybody_says_its_name() -> None:
    assert mask_fields({"s3cret": 1}, Words(token="s3cret"), upper).fields == {"[masked:token:0000000006]": 1}


def test_two_names_that_become_one_are_refused() -> None:
    with pytest.raises(InvalidInput, match="the same secret in two spellings"):
        mask_fields({"data": {"s-1": 1, "s 1": 2}}, Words(card_number="s.1"), upper)


HELD = [
    ("[masked:api_key:0123456789]", True),
    ("use [masked:api_key:0123456789] now", True),
    ("masked:api_key:0123456789", True),  # the brackets are off where it was taken for a name
    ("MASKED:api_key:0123456789", False),
    ("[masked:api_key:012345678]", False),
    ("[masked:api_key:hunter2]", False),
    ("masked", False),
    ("", False),
]


@pytest.mark.parametrize(("text", "held"), HELD)
def test_a_mask_is_recognised(text: str, held: bool) -> None:
    assert holds_mask(text) is held


COMPARED = [
    (SecretKind.CARD_NUMBER, "4111 1111-1111.1111", "4111111111111111"),
    (SecretKind.CARD_NUMBER, "４１１１", "4111"),
    (SecretKind.IBAN, "de89 3704 0044", "DE8937040044"),
    (SecretKind.NATIONAL_ID, "12345678-z", "12345678Z"),
    (SecretKind.AUTHENTICATION_FACTOR, "482 193", "482193"),
    (SecretKind.PRIVATE_KEY, "-----BEGIN\\nabc\ndef ", "-----BEGINabcdef"),
    (SecretKind.PASSWORD, " Hunter-2 ", "Hunter-2"),
    (SecretKind.PASSWORD, "ｈｕｎｔｅｒ２", "hunter2"),
    (SecretKind.PASSWORD, "hun\u200bter2\u00ad", "hunter2"),
    (SecretKind.API_KEY, "sk-Ab_1", "sk-Ab_1"),
]


@pytest.mark.parametrize(("kind", "secret", "form"), COMPARED)
def test_a_secret_is_compared_in_one_spelling(kind: SecretKind, secret: str, form: str) -> None:
    assert comparable(kind, secret) == form
    assert digest_of(KEY, kind, secret) == digest_of(KEY, kind, form)


def test_the_digest_tells_secrets_apart_and_nothing_else() -> None:
    first = digest_of(KEY, SecretKind.PASSWORD, "hunter2")
    assert re.fullmatch(r"[0-9a-f]{10}", first)
    assert digest_of(KEY, SecretKind.TOKEN, "hunter2") == first, "one secret under two names is one secret"
    assert digest_of(KEY, SecretKind.PASSWORD, "hunter3") != first
    assert digest_of(KEY, SecretKind.PASSWORD, "\ud83d") != first, "half a character is digested as well"


def test_tenants_cannot_compare_and_another_key_tells_nothing() -> None:
    keys = {
        digest_key(master, tenant)
        for master in (b"k" * 32, b"l" * 32)
        for tenant in (UUID(int=1), UUID(int=2))
    }
    assert len(keys) == 4
    assert len({digest_of(key, SecretKind.PASSWORD, "hunter2") for key in keys}) == 4
