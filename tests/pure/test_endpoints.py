"""What may be registered as an endpoint, and which secrets sign."""

import base64
from uuid import uuid4

import pytest

from models.endpoints import (
    OWN_PROCESSES,
    EndpointKind,
    NewEndpoint,
    SignalTarget,
    require_reachable,
    rotated,
    secret_of,
    signal_target,
)
from models.errors import InvalidInput
from workflows import ids


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("agent-7#intention_due", SignalTarget("agent-7", "intention_due")),
        ("team/agent#7#due", SignalTarget("team/agent#7", "due")),
        ("facts/of/the/day#due", SignalTarget("facts/of/the/day", "due")),
    ],
)
def test_the_last_sign_parts_a_workflow_from_its_signal(address: str, target: SignalTarget) -> None:
    assert signal_target(address) == target


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("agent-7", "WORKFLOW_ID#SIGNAL"),
        ("#due", "WORKFLOW_ID#SIGNAL"),
        ("agent-7#", "WORKFLOW_ID#SIGNAL"),
        ("a" * 1_001 + "#due", "at most 1000"),
        ("agent\n7#due", "control characters"),
        ("agent-7#__temporal_due", "signal of the workflow's own"),
        ("agent-7#two words", "signal of the workflow's own"),
        ("intentions/0193b3c0#look", "workflow of your own"),
        ("gate#look", "workflow of your own"),
    ],
)
def test_a_workflow_that_gets_no_signal_is_refused_with_the_remedy(address: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy) as refused:
        require_reachable(NewEndpoint(name="agent", kind=EndpointKind.WORKFLOW, address=address), ())
    assert refused.value.field == "address"


def test_every_process_of_our_own_is_refused() -> None:
    tenant, of = uuid4(), uuid4()
    own = [
        ids.consolidation(tenant, of),
        ids.fact(tenant, of),
        ids.gate(tenant, of),
        ids.intentions(tenant),
        ids.delivery(tenant, of),
        ids.reembedding(of),
    ]
    assert {each.partition("/")[0] for each in own} == set(OWN_PROCESSES)


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("https://169.254.169.254/latest/meta-data", "name another host"),
        ("https://10.0.0.7/in", "KEEPWELL_WEBHOOK_ALLOWED_HOSTS"),
        ("http://hooks.example.org/in", "https"),
    ],
)
def test_a_webhook_that_goes_nowhere_public_is_refused_with_the_remedy(address: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy) as refused:
        require_reachable(NewEndpoint(name="hooks", address=address), ())
    assert refused.value.field == "address"


def test_what_the_operator_allows_is_taken() -> None:
    require_reachable(NewEndpoint(name="hooks", address="http://10.0.0.7:8080/in"), {"10.0.0.7:8080"})


def test_two_secrets_sign_at_most_the_newest_first() -> None:
    first, second, third = (secret_of(bytes([n]) * 32) for n in range(3))
    assert base64.b64decode(first.removeprefix("whsec_")) == bytes(32)
    assert rotated([first], second) == [second, first]
    assert rotated([second, first], third) == [third, second]
