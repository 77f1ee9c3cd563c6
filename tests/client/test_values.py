"""What an event tells of a value: JSON, of bounded size, without what is called a secret."""

import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import IntEnum
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keepwell.values import MASK, Cut, cut, is_secret, plain, worded
from pydantic import BaseModel, Field, SecretStr


class Level(IntEnum):
    HIGH = 3


class Pair(NamedTuple):
    left: int
    right: int


@dataclass
class Login:
    user: str
    password: str = "hunter2"
    session: str = field(default="s-1", repr=False)


class Model(BaseModel):
    user: str = "dana"
    key: SecretStr = SecretStr("hunter2")
    hidden: str = Field(default="h", repr=False)


class Loud(str):
    """Text with ideas of its own."""

    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (0.5, 0.5),
        ("x", "x"),
        ("a\x00b\ud83d", "ab\ufffd"),
        (float("inf"), "inf"),
        (Level.HIGH, 3),
        (b"abc", "<3 bytes>"),
        (Decimal("1.50"), "1.50"),
        (datetime(2026, 3, 2, tzinfo=UTC), "2026-03-02T00:00:00+00:00"),
        (timedelta(hours=1), "1:00:00"),
        (PurePosixPath("/x"), "/x"),
        (UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        (Pair(1, 2), {"left": 1, "right": 2}),
        ((1, [2]), [1, [2]]),
        (Login("dana"), {"user": "dana", "password": MASK}),
        (Model(), {"user": "dana", "key": MASK}),
        ({2: "a", None: "b", False: "c"}, {"2": "a", "None": "b", "False": "c"}),
        ({"nested": {"Authorization": "Bearer x"}}, {"nested": {"Authorization": MASK}}),
        ({"max_tokens": 5, "tokens": "abc"}, {"max_tokens": 5, "tokens": MASK}),
        (ValueError("the password is hunter2"), "<ValueError>"),
        (Loud("x"), "<Loud>"),
        (object, "<type>"),
    ],
)  # fmt: skip
def test_values_as_json(value: object, told: object) -> None:
    assert plain(value, 8_000) == (told, False)


def test_a_huge_number_is_told_by_its_size() -> None:
    assert plain(10**5_000, 8_000).value == "<int of 16610 bits>"


@pytest.mark.parametrize(
    ("value", "characters", "told"),
    [
        ("x" * 100, 26, "xx … [cut: 100 characters]"),
        (list(range(100)), 40, [0, 1, 2, 3, 4, "… 95 more"]),
        ({"a": 1, "b": 2, "c": 3}, 15, {"a": 1, "b": 2, "…": "1 more"}),
        ([[[[[[[[["too deep"]]]]]]]]], 100, [[[[[[[["…"]]]]]]]]),
    ],
)
def test_what_is_cut_says_so(value: object, characters: int, told: object) -> None:
    assert plain(value, characters) == (told, True)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, Cut("short")),
        ("longer than that is", 5, Cut("longe", True, 19)),
        ("y" * 100, 30, Cut("yyyyyy … [cut: 100 characters]", True, 100)),
        ("", 0, Cut("")),
    ],
)
def test_texts_within_their_limit(text: str, limit: int, expected: Cut) -> None:
    assert cut(text, limit) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), ("as it is", "as it is"), ([1, "ä"], '[1, "ä"]'), (7, "7"), (False, "false"), ({}, "{}")],
)
def test_values_in_words(value: object, text: str) -> None:
    assert worded(value, 100) == Cut(text)


@pytest.mark.parametrize(
    "name",
    ["password", "DB_PASSWORD", "apiKey", "api-key", "x-api-key", "secret", "token", "access_token", "authToken",
     "Authorization", "cookie", "privateKey", "pin", "dsn", "connection_string", "credentials", "passphrase"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name, "x")


@pytest.mark.parametrize("name", ["name", "host", "pinned", "author", "passed", "key", "monkey", "tokenizer"])
def test_names_of_no_secrets(name: str) -> None:
    assert not is_secret(name, "x")


json_like = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary() | st.datetimes(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.sets(st.text()),
    max_leaves=40,
)


@given(json_like, st.integers(1, 2_000))
@settings(deadline=None)
def test_whatever_the_value_it_is_json_of_bounded_size(value: object, characters: int) -> None:
    told = json.dumps(plain(value, characters).value, ensure_ascii=False, allow_nan=False)

    told.encode()
    assert "\\u0000" not in told
    # Escapes take up to six times the room, and each open level may say how much is missing.
    assert len(told) <= 6 * characters + 500
    assert len(worded(value, characters).text) <= characters


def cyclic() -> Any:
    value: dict[str, Any] = {}
    value["again"] = [value, value]
    return value


@pytest.mark.parametrize(
    "value",
    [cyclic(), [[0] * 1_000] * 1_000, {str(number): {} for number in range(100_000)}, ["x" * 10**6] * 100],
)
def test_cycles_and_huge_values_end_soon(value: object) -> None:
    before = time.process_time()
    told = plain(value, 8_000)

    assert time.process_time() - before < 1.0
    assert told.cut
    assert len(json.dumps(told.value)) < 50_000
