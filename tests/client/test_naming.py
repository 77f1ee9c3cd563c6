"""Where a name is due: under which keys of a record any word names a thing, and what is none even there."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from keepwell import naming
from keepwell.mentions import MAX_MENTIONS, find_mentions, find_things
from keepwell.naming import MAX_WORDS, looks_like_a_name, naming_of
from pydantic import SecretStr


def names(value: object) -> list[str]:
    return [mention.id or mention.name or "" for mention in find_mentions(value)]


class Plain:
    """Neither a record nor a mapping."""

    def __init__(self, **said: Any) -> None:
        self.__dict__.update(said)


class Slotted:
    __slots__ = ("id", "token_name", "unset_name")

    def __init__(self) -> None:
        self.id = "billing"
        self.token_name = "tok-4242"


class Lazy:
    """Reads from afar what it is called."""

    @property
    def name(self) -> str:
        raise AssertionError("it must not be called")


@dataclass
class Service:
    name: str
    owner: str = "somebody"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"name": "billing"}], ["billing"]),
        ([{"id": "billing"}], ["billing"]),
        ({"service": "Order Service"}, ["Order Service"]),
        ({"name": "Рабочая база"}, ["Рабочая база"]),
        ({"id": "生产数据库"}, ["生产数据库"]),
        ({"service_name": "billing", "ownerName": "Dana"}, ["billing", "Dana"]),
        ({"InstanceId": "bench", "instance-name": "the bench"}, ["bench", "the bench"]),
        ({"host": "bench"}, ["bench"]),
        ({"hostname": "bench"}, ["bench"]),
        ({"db_host": "10.0.0.1"}, ["10.0.0.1"]),
        ({"names": ["billing", "checkout"]}, ["billing", "checkout"]),
        ({"services": ["billing", "check out"]}, ["billing", "check out"]),
        ({"name": "S3"}, ["S3"]),
        ({"name": "NotificationDispatcherService"}, ["NotificationDispatcherService"]),
        ({"host": "web-7, web-8"}, ["web-7, web-8", "web-7", "web-8"]),
        ({"metadata": {"name": "billing"}}, ["billing"]),
        ({"tags": [{"Key": "Name", "Value": "billing"}, {"Key": "Owner", "Value": "dana"}]}, ["billing"]),
        ('{"name": "billing"}', ["billing"]),
        (Service("billing"), ["billing"]),
        (Plain(name="billing", id=7, owner="dana", note="seven words"), ["billing"]),
        ([Plain(id="cloud-instance:i-1", name="bench")], ["cloud-instance:i-1"]),
        (SimpleNamespace(id="billing"), ["billing"]),
        (Slotted(), ["billing"]),
        ({"machine": Plain(name="billing")}, ["billing"]),
    ],
)
def test_what_stands_where_a_name_is_due_is_one(value: object, expected: list[str]) -> None:
    assert names(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        *({"id": each} for each in (7, "7", "1,000", 3.5, True, None, "", " ", "…")),
        *({"name": each} for each in ("2026-03-02", "2026-03-02 09:00:00", "09:00", "72h", "0x1f", "https://a.b/c")),
        {"id": "6f1c2f4e-0000-4000-8000-00000000000a"},
        {"id": UUID(int=7)},
        {"name": "x" * 101},
        {"name": "a text\nof two lines"},
        {"name": "the token is hunter"},
        {"id": "sk_live_4eC39HqLyjWDarjtT1zdp7dc"},
        {"secret_name": "hunter"},
        {"api_key_id": "hunter"},
        {"name": SecretStr("hunter")},
        {"request_id": "abc", "trace_id": "def", "sessionId": "ghi"},
        {"valid": "yes", "paid": "no", "filename": "report", "status": "running", "note": "all quiet"},
        Lazy(),
        Plain(secret_name="hunter", count=3),
        Plain(),
        SecretStr("hunter"),
        Service,
        print,
        pytest,
    ],
)  # fmt: skip
def test_what_is_no_name_is_none_even_there(value: object) -> None:
    assert names(value) == []


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("id", "ID", "ids"), ("", "id")),
        (("name", "Name", "names"), ("", "name")),
        (("instance_id", "InstanceId", "instanceID", "instance-id", "Instance Id"), ("instance", "id")),
        (("host", "hostname", "Hostname"), ("host", "name")),
        (("service", "Services"), ("service", "name")),
        (("target_cluster",), ("target_cluster", "name")),
        (("request_id", "X-Request-Id", "note", "valid", "", "type", "_"), None),
    ],
)
def test_keys(keys: Iterable[str], expected: tuple[str, str] | None) -> None:
    assert {naming_of(key) for key in keys} == {expected}


@pytest.mark.parametrize(
    ("text", "looked_at"),
    [
        ("a1 " * 33_000, 1),
        ([f"a{number % 7} " * 6_000 for number in range(5)], 5),
        (" ".join(f"a{number}" for number in range(30_000)), MAX_MENTIONS),
        (" ".join(f"9z{number}" for number in range(30_000)), MAX_WORDS),
    ],
)
def test_the_work_on_a_long_text_is_bounded(
    monkeypatch: pytest.MonkeyPatch, text: object, looked_at: int
) -> None:
    words: list[str] = []

    def counted(word: str, *, whole: bool = False) -> bool:
        words.append(word)
        return looks_like_a_name(word, whole=whole)

    monkeypatch.setattr(naming, "looks_like_a_name", counted)
    find_mentions(text)

    assert len([word for word in words if word]) <= looked_at + 1


def test_what_is_told_of_a_pair_is_certain() -> None:
    """The log learns from it which name an id has: a guess is none of its business."""
    sure = find_things({"vm_id": "cloud-instance:i-1", "vm_name": "bench"})
    guess = find_things({"vm_id": "cloud-instance:i-1", "name": "bench"})

    assert [(mention.id, mention.name) for mention in sure[0].mentions] == [("cloud-instance:i-1", "bench")]
    assert (guess[0].id, guess[0].name, guess[0].sure) == ("cloud-instance:i-1", "bench", False)
    assert all(mention.id is None or mention.name is None for thing in guess for mention in thing.mentions)
