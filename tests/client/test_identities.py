"""Which ids and names go together: what a decision about one of them is about besides."""

from typing import Any

import pytest
from keepwell.identities import MAX_KEYS, Identities
from keepwell.mentions import MAX_MENTIONS, find_things, thing_of, things_of
from keepwell.names import look_ups, spoken_in

BENCH = {"id": "cloud-instance:i-1", "name": "gpu-bench-01"}
ROW = "6f1c2f4e-0000-4000-8000-00000000000a"


@pytest.mark.parametrize(
    ("seen", "given", "completed"),
    [
        ([BENCH], "cloud-instance:i-1", ["cloud-instance:i-1", "gpu-bench-01"]),
        ([BENCH], "GPU‑bench-01", ["cloud-instance:i-1", "gpu-bench-01"]),
        ([BENCH], "web-7", ["web-7"]),
        # An id that is not canonical, a row's number or UUID, and one that stands under another key.
        ([{"id": "i-1", "name": "gpu-bench-01"}], "i-1", ["i-1", "gpu-bench-01"]),
        ([{"id": "i-1", "name": "gpu-bench-01"}], "gpu-bench-01", ["gpu-bench-01", "i-1"]),
        ([{"id": ROW, "name": "gpu-bench-01"}], ROW, [ROW, "gpu-bench-01"]),
        ([{"id": ROW, "name": "gpu-bench-01"}], "gpu-bench-01", ["gpu-bench-01"]),
        ([{"id": 4711, "name": "billing"}], "4711", ["4711", "billing"]),
        ([{"instance_id": "i-1", "instance_name": "bench"}], "i-1", ["i-1", "bench"]),
        ([{"InstanceId": "i-1", "Tags": [{"Key": "Name", "Value": "bench"}]}], "i-1", ["i-1", "bench"]),
        ([{"id": "i-1", "tags": {"Name": "bench"}}], "i-1", ["i-1", "bench"]),
        ([{"i-09a8f-1": {"name": "bench", "cpu": 0.2}}], "i-09a8f-1", ["i-09a8f-1", "bench"]),
        ([{"id": "i-1", "hostname": "bench"}], "bench", ["bench", "i-1"]),
        # A service is not the machine that it runs on, and a thing of a cluster is not another one of it.
        ([{"id": "svc:1", "name": "billing", "host": "bench"}], "billing", ["billing", "svc:1"]),
        ([{"name": "bench", "cluster_id": "c-1"}, {"name": "sandbox", "cluster_id": "c-1"}], "bench", ["bench", "c-1"]),
        # Two things that share a name.
        ([{"id": "pod:1", "name": "web"}, {"id": "pod:2", "name": "web"}], "pod:1", ["pod:1", "web"]),
        ([{"id": "pod:1", "name": "web"}, {"id": "pod:2", "name": "web"}], "web", ["web", "pod:1", "pod:2"]),
        # One thing that has two.
        ([BENCH, {**BENCH, "name": "the bench"}], "the bench", ["the bench", "cloud-instance:i-1", "gpu-bench-01"]),
    ],
)  # fmt: skip
def test_what_goes_together(seen: list[Any], given: str, completed: list[str]) -> None:
    identities = Identities()
    for thing in find_things(seen):
        identities.learn(thing)

    assert sorted(look_ups(identities.completed([thing_of(given)]))) == sorted(completed)


def test_what_is_kept_is_bounded() -> None:
    identities = Identities()
    for number in range(MAX_KEYS + 500):
        identities.learn(thing_of({"id": f"pod:{number}", "name": f"web-{number}"}))
    for number in range(MAX_MENTIONS + 500):
        identities.learn(thing_of({"id": f"job:{number}", "name": "job"}))

    assert look_ups(identities.completed(things_of("pod:0"))) == ["pod:0"]
    assert look_ups(identities.completed(things_of(f"pod:{MAX_KEYS}"))) == [
        f"pod:{MAX_KEYS}",
        f"web-{MAX_KEYS}",
    ]
    assert len(identities.completed(things_of("job"))) == MAX_MENTIONS


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("restart billing", "billing"),
        ("Restart Billing.", "billing"),
        ("restart (billing), then wait", "Billing"),
        ("restart billing's database", "billing"),
        ("call Acme, Inc. back", "acme inc"),
        ("restart the order  service", "Order Service"),
        ("停止生产数据库吧", "生产数据库"),
        ("перезапусти Рабочая база", "рабочая база"),
        ("stop GPU‑Bench-01", "gpu-bench-01"),
        ("stop cloud-instance:i-1 now", "cloud-instance:i-1"),
    ],
)
def test_a_name_is_found_in_words(words: str, name: str) -> None:
    assert spoken_in(words, thing_of(name).mentions)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("restart billing-api", "billing"),
        ("restart old-billing", "billing"),
        ("restart billing.internal", "billing"),
        ("restart billings", "billing"),
        ("stop gpu-bench-011", "gpu-bench-01"),
        ("restart the service", "Order Service"),
        ("", "billing"),
    ],
)
def test_a_part_of_another_name_is_none(words: str, name: str) -> None:
    assert not spoken_in(words, thing_of(name).mentions)
