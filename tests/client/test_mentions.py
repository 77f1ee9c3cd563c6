"""Which things a value speaks of: names and ids are found, numbers, dates and secrets are not."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keepwell import EntityMention
from keepwell.mentions import MAX_MENTIONS, find_mentions, mentions_of
from keepwell.names import distinct, folded, keys_of, look_ups
from pydantic import BaseModel, Field, SecretStr

BENCH = {"id": "cloud-instance:i-09a8f", "name": "gpu-bench-01"}
ROW = UUID("6f1c2f4e-0000-4000-8000-00000000000a")


@dataclass
class Machine:
    id: str
    name: str
    owner: Any = None
    token: str = field(default="tok-4242", repr=False)


class Order(BaseModel):
    id: str
    name: str = "order 7"
    key: SecretStr = SecretStr("sk-1a2b")
    hidden: str = Field(default="node-77", repr=False)


class Place(NamedTuple):
    host: str
    zone: str


class Colour(Enum):
    RED = "cam-red-1"


def found(value: object) -> list[tuple[str | None, str | None]]:
    return [(mention.id, mention.name) for mention in find_mentions(value)]


def names(value: object) -> list[str]:
    return [mention.id or mention.name or "" for mention in find_mentions(value)]


@pytest.mark.parametrize(
    "value",
    [
        BENCH,
        [BENCH, {**BENCH, "cpu": 0.2}],
        {"machines": [{"machine": BENCH}]},
        Machine(**BENCH),
        {"machine": Machine(**BENCH)},
        json.dumps({"items": [BENCH]}),
        {"text": json.dumps([BENCH])},
        ["gpu-bench-01", BENCH],
        [BENCH, "gpu-bench-01", "cloud-instance:i-09a8f"],
    ],
)
def test_an_id_and_a_name_are_one_thing_wherever_they_stand(value: object) -> None:
    assert found(value) == [("cloud-instance:i-09a8f", "gpu-bench-01")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("gpu-bench-01", ["gpu-bench-01"]),
        ("Restarted gpu-bench-01, then db-main-1.", ["gpu-bench-01", "db-main-1"]),
        ("i-09a8f", ["i-09a8f"]),
        ("failed with ERR_RATE_LIMIT", ["ERR_RATE_LIMIT"]),
        ("refund_threshold is 50", ["refund_threshold"]),
        ("idle: dev-sandbox-04;gpu-bench-01", ["dev-sandbox-04", "gpu-bench-01"]),
        ("(see ticket OPS-1234)", ["OPS-1234"]),
        ("host=web-7 up", ["web-7"]),
        ("about cloud-instance:i-09a8f and customer:42", ["cloud-instance:i-09a8f", "customer:42"]),
        ("order:6f1c2f4e-0000-4000-8000-00000000000a", ["order:6f1c2f4e-0000-4000-8000-00000000000a"]),
        ({"service": "payment-api"}, ["payment-api"]),
        (["db.internal", "src/main.py"], ["db.internal", "src/main.py"]),
        ("the payment-api is read-only", []),
        ({"id": "i-09a8f", "name": "gpu-bench-01"}, ["i-09a8f", "gpu-bench-01"]),
        ({"id": "i-09a8f", "name": "Build server"}, ["i-09a8f", "Build server"]),
        ({"id": "cloud-instance:i-1", "name": "Рабочая база"}, ["cloud-instance:i-1"]),
        ({"gpu-bench-01": {"cpu": 0.2}, "p99": 3, "x-request-id": "a"}, ["gpu-bench-01"]),
        ("сервер-01 недоступен", ["сервер-01"]),
        ("停止gpu-bench-01吧", ["gpu-bench-01"]),
        ("生产数据库-01", ["生产数据库-01"]),
        ("第3次重试失败", []),
        ("数据库主机", []),
        (Place("web-7", "north"), ["web-7"]),
        (Colour.RED, ["cam-red-1"]),
        ({"tags": {"db-main-1"}}, ["db-main-1"]),
        ("payment-api-7d4b9c6f5d-x2x4z", ["payment-api-7d4b9c6f5d-x2x4z"]),
    ],
)
def test_words_that_look_like_names_are_names(value: object, expected: list[str]) -> None:
    assert names(value) == expected


@pytest.mark.parametrize(
    "text",
    [
        "42", "1,000", "3.14", "-7", "10.0.0.1", "1e5", "0x1f", "100%", "72h", "10GiB", "5 req/s", "250ms",
        "3rd", "1st",
        "2026-03-02", "2026-03-02T09:00:00Z", "2026-03-02T09:00:00.123456+01:00", "20260302T090000Z", "2026-W10",
        "09:00", "09:00:01", "10am", "9:30pm", "02-Mar-2026", "UTC+2", "PT5M", "P1DT2H", "1h30m", "v1.2.0", "1.2.0-rc1",
        "6f1c2f4e-0000-4000-8000-00000000000a", "https://example.com/a-1/b_2", "dana@example.com", "utf-8", "sha256",
        "x86_64", "Q3", "p95", "ipv6", "read only", "", "   ", "-", "e.g. this", "…", "status:running", "and/or so",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)  # fmt: skip
def test_values_are_no_names(text: str) -> None:
    assert names(text) == []
    assert names({"note": f"it was {text} then"}) == []


@pytest.mark.parametrize(
    "value",
    [
        {"password": "hunter2-x"},
        {"api_key": "k-123-abc"},
        {"headers": {"Authorization": "Bearer abc-123"}},
        {"accessToken": "abc-123"},
        {"DB_PASSWORD": ["abc-1"]},
        "password=hunter2",
        "the token is abc-123",
        "Authorization: Bearer abc-123",
        "curl -H 'X: y' --api-key: abc-123",
        "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "AKIAIOSFODNN7EXAMPLE",
        SecretStr("abc-123"),
        {"key": SecretStr("abc-123")},
        "data:image/png;base64,iVBORw0KGgo",
        "sha256:9f86d081884c7d659a2feaa0c55ad015",
    ],
)
def test_secrets_are_no_names(value: object) -> None:
    assert names(value) == []


def test_what_stands_for_a_category_is_no_name() -> None:
    assert names({"status": "in-progress", "type": "m5.large", "state": "not_found", "host": "web-7"}) == [
        "web-7"
    ]


def test_what_a_record_hides_is_not_looked_at() -> None:
    assert names([Machine("machine:1", "one"), Order(id="order:7")]) == ["machine:1", "order:7"]


def test_a_number_of_tokens_is_no_secret() -> None:
    assert names({"max_tokens": 5, "host": "web-7"}) == ["web-7"]


class Hostile:
    """Raises at whatever is done to it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError

    __str__ = __repr__


class HostileMapping(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError


def cyclic() -> list[Any]:
    mapping: dict[str, Any] = {"host": "web-7"}
    items: list[Any] = [mapping]
    mapping["all"] = items
    return items


def deep(levels: int) -> Any:
    value: Any = "web-7"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "made",
    [
        lambda: None,
        lambda: float("nan"),
        lambda: float("-inf"),
        lambda: 10**5000,
        lambda: b"web-7",
        lambda: bytearray(b"\xff"),
        Hostile,
        lambda: [Hostile()],
        lambda: HostileMapping(a=1),
        lambda: deep(10_000),
        lambda: {1: {None: {True: "x"}}},
        lambda: {"id": 7, "name": None},
        lambda: {"id": "machine:\x00", "name": "\x00"},
        lambda: {"id": "\ud800:x", "name": "\ud800"},
        lambda: {"id": "machine:" + "x" * 1_000, "name": "y" * 1_000},
        lambda: datetime.now(UTC),
        lambda: date(2026, 3, 2),
        lambda: PurePosixPath("/var/log/x"),
        lambda: ROW,
        lambda: object,
        lambda: print,
        lambda: "[" * 20_000,
        lambda: "{" + '"a":{' * 5_000,
        lambda: "\ud83d",
    ],
)
def test_odd_values_name_nothing_and_raise_nothing(made: Callable[[], object]) -> None:
    assert find_mentions(made()) == ()


def test_a_cycle_ends() -> None:
    assert names(cyclic()) == ["web-7"]


def test_an_iterator_stays_as_it_is() -> None:
    def rows() -> Iterator[str]:
        yield "web-7"

    iterator = rows()

    assert find_mentions({"rows": iterator}) == ()
    assert list(iterator) == ["web-7"]


def test_the_number_of_mentions_is_bounded() -> None:
    machines = [{"id": f"machine:{number}", "name": f"web-{number}"} for number in range(3_000)]

    mentions = find_mentions(machines)

    assert len(mentions) == MAX_MENTIONS
    assert mentions[0] == EntityMention(id="machine:0", name="web-0")


@pytest.mark.parametrize(
    "made",
    [
        lambda: "a" * 5_000_000,
        lambda: "token" * 1_000_000,
        lambda: "a-" * 1_000_000,
        lambda: "1.2" + "a" * 1_000_000,
        lambda: ("1.2" + "a" * 90 + "! ") * 10_000,
        lambda: ("p" + "1" * 97 + " ") * 10_000,
        lambda: " ".join(f"web-{number}" for number in range(200_000)),
        lambda: [[number] * 50 for number in range(100_000)],
        lambda: {f"key {number}": "word " * 50 for number in range(50_000)},
        lambda: [f"web-{number}: {'word ' * 3_000}" for number in range(1_000)],
    ],
)
def test_a_huge_value_takes_little_time(made: Callable[[], object]) -> None:
    value = made()
    before = time.process_time()
    find_mentions(value)
    assert time.process_time() - before < 2.0


json_like = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
    max_leaves=20,
)


@given(json_like)
@settings(deadline=None)
def test_whatever_the_value_the_mentions_are_ones_that_the_service_takes(value: object) -> None:
    mentions = find_mentions(value)

    for mention in mentions:
        assert EntityMention.model_validate(mention.model_dump()) == mention
        mention.as_json().decode()
    keys = [keys_of(mention) for mention in mentions]
    assert len(set(keys)) == len(keys)


@given(st.text(min_size=1, max_size=300))
@settings(deadline=None)
def test_a_name_that_was_given_is_kept_or_refused(name: str) -> None:
    try:
        [mention] = mentions_of(name)
    except TypeError:
        assert not name.replace("\x00", "").strip()
    else:
        assert keys_of(mention)


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ("Рабочая база", [(None, "Рабочая база")]),
        ("生产数据库", [(None, "生产数据库")]),
        ("  the build server ", [(None, "the build server")]),
        ("cloud-instance:i-09a8f", [("cloud-instance:i-09a8f", None)]),
        (ROW, [(None, str(ROW))]),
        (Colour.RED, [(None, "cam-red-1")]),
        (BENCH, [("cloud-instance:i-09a8f", "gpu-bench-01")]),
        (Machine(**BENCH), [("cloud-instance:i-09a8f", "gpu-bench-01")]),
        (SimpleNamespace(**BENCH), [("cloud-instance:i-09a8f", "gpu-bench-01")]),
        ({"id": "i-09a8f", "name": "gpu-bench-01"}, [(None, "i-09a8f"), (None, "gpu-bench-01")]),
        ({"id": 7, "name": "База"}, [(None, "База")]),
        ({"name": "База"}, [(None, "База")]),
        (EntityMention(name="x"), [(None, "x")]),
    ],
)
def test_a_thing_can_be_given_as_whatever_names_it(
    thing: object, expected: list[tuple[str | None, str | None]]
) -> None:
    assert [(mention.id, mention.name) for mention in mentions_of(thing)] == expected


@pytest.mark.parametrize(
    "thing",
    [
        "",
        " ",
        None,
        True,
        42,
        1.5,
        {"id": 7},
        b"web-7",
        [],
        ["web-7"],
        {},
        {"host": "web-7"},
        {"id": ""},
        object(),
        "x" * 301,
    ],
)
def test_a_thing_without_a_name_is_refused_and_not_passed_over(thing: object) -> None:
    with pytest.raises(TypeError):
        mentions_of(thing)


def test_a_thing_that_raises_is_refused_by_its_type() -> None:
    with pytest.raises(TypeError, match="Hostile names no entity"):
        mentions_of(Hostile())


def test_names_are_compared_as_the_service_compares_them() -> None:
    assert folded("GPU‑Bench  01") == folded("gpu-bench 01")


def test_a_mere_name_goes_where_it_is_known_with_an_id() -> None:
    pair, name, other = (
        EntityMention(**BENCH),
        EntityMention(name="GPU-bench-01"),
        EntityMention(name="web-7"),
    )

    assert distinct([name, other, pair, pair]) == [other, pair]


def test_ids_and_names_are_both_looked_up() -> None:
    assert look_ups([EntityMention(**BENCH), EntityMention(name="web-7")]) == [
        "cloud-instance:i-09a8f",
        "gpu-bench-01",
        "web-7",
    ]
