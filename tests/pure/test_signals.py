"""Which workflows get signals: those that the operator allows, tenant by tenant, and never the servers' own."""

from uuid import uuid4

import pytest

from models.endpoints import Allowed, EndpointKind, NewEndpoint, require_reachable
from models.errors import InvalidInput
from models.ids import tenant_id
from models.signals import OWN_PROCESSES, SignalTarget, allowed_target, signal_target
from workflows import ids

ACME = tenant_id("acme")
ANY = {f"acme:{prefix}" for prefix in ("a", "intentions", "gate", "temporal-sys-")}


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("agent-7#intention_due", SignalTarget("agent-7", "intention_due")),
        ("team/agent#7#due", SignalTarget("team/agent#7", "due")),
        ("facts/of/the/day#due", SignalTarget("facts/of/the/day", "due")),
    ],
)
def test_the_last_sign_parts_a_workflow_from_its_signal(address: str, target: SignalTarget) -> None:
    assert signal_target(address, ACME, {f"acme:{target.workflow_id}"}) == target


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
        ("temporal-sys-scheduler:nightly#update", "workflow of your own"),
        ("other-7#due", "KEEPWELL_SIGNAL_TARGETS to TENANT:PREFIX"),
    ],
)
def test_a_workflow_that_gets_no_signal_is_refused_with_the_remedy(address: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy) as refused:
        require_reachable(
            NewEndpoint(name="agent", kind=EndpointKind.WORKFLOW, address=address), ACME, Allowed(signals=ANY)
        )
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
        ids.promotion(tenant, of),
        ids.reflection(tenant),
    ]
    assert {each.partition("/")[0] for each in own} == set(OWN_PROCESSES)


@pytest.mark.parametrize(
    ("allowed", "is_taken"),
    [
        (set[str](), False),
        ({"acme:agent-"}, True),
        ({"acme:agent-7"}, True),
        ({"acme:agent-8", "acme:agent-"}, True),
        ({"acme:agent-77"}, False),
        ({"acme:gent-"}, False),
        ({"acme:Agent-"}, False),
        ({"other:agent-"}, False),
        ({"acm:e:agent-"}, False),
        ({"acme:other:agent-"}, False),
    ],
)
def test_what_is_allowed_to_the_tenant_is_taken(allowed: set[str], is_taken: bool) -> None:
    if is_taken:
        assert signal_target("agent-7#due", ACME, allowed) == SignalTarget("agent-7", "due")
        return
    with pytest.raises(InvalidInput, match="KEEPWELL_SIGNAL_TARGETS"):
        signal_target("agent-7#due", ACME, allowed)


@pytest.mark.parametrize("entry", ["acme:agent-", "a.b-c_d:agents/of:7#", "7:ä"])
def test_an_entry_stays_as_it_is(entry: str) -> None:
    assert allowed_target(entry) == entry


@pytest.mark.parametrize(
    "entry", ["*", "acme", "acme:", ":agent-", "*:agent-", "Acme:agent-", "acme: agent-", "acme:\n"]
)
def test_what_is_no_entry_is_refused_with_the_remedy(entry: str) -> None:
    with pytest.raises(ValueError, match="TENANT:PREFIX, such as acme:agent-"):
        allowed_target(entry)
