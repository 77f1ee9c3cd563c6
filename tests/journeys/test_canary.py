"""Content stays in Postgres: a planted word is in no history, no search attribute, no failure and no log line."""

import base64
import json
from collections.abc import AsyncGenerator, Collection, Sequence

import pytest
import structlog
from google.protobuf import json_format
from temporalio.client import Client, WorkflowExecutionStatus

from models.candidates import Proposal
from models.errors import KeepwellError
from models.events import StoredEvent
from models.policy import Policy
from providers.rule_extractor import RuleExtractor
from runtime.addresses import Addresses
from tests.stores import own_world
from tests.world import World, event

CANARY = "zebra-7731-canary"


class StumblingExtractor:
    """Fails once with the content in its message, then reads like the bundled one."""

    name = "stumbling/1"

    def __init__(self) -> None:
        self.failures = 0

    async def propose(self, events: Sequence[StoredEvent], attributes: Collection[str]) -> list[Proposal]:
        if self.failures == 0:
            self.failures += 1
            raise RuntimeError(f"cannot read: {events[0].text}") from ValueError(CANARY)
        return await RuleExtractor().propose(events, attributes)


@pytest.fixture
async def stumbling(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[World]:
    async with own_world(addresses, policy, client, StumblingExtractor()) as world:
        yield world


async def everything_that_temporal_has(client: Client, tenant: str) -> tuple[list[str], str]:
    """Types of the tenant's workflows, and all that the server tells of them, decoded, as one text."""
    told: list[str] = []
    types: list[str] = []
    async for execution in client.list_workflows(f"KeepwellTenant = '{tenant}'"):
        handle = client.get_workflow_handle(execution.id, run_id=execution.run_id)
        history = await handle.fetch_history()
        described = await handle.describe()
        types.append(execution.workflow_type)
        told.append(decoded(history.to_json()))
        told.append(decoded(json_format.MessageToJson(described.raw_description)))
        assert described.status in (WorkflowExecutionStatus.COMPLETED, WorkflowExecutionStatus.RUNNING)
    return types, "\n".join(told)


def decoded(document: str) -> str:
    """A JSON document with every payload beside its decoded form."""
    words: list[str] = [document]

    def walk(value: object) -> None:
        if isinstance(value, dict):
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)
        elif isinstance(value, str):
            try:
                words.append(base64.b64decode(value, validate=True).decode())
            except ValueError:
                return

    walk(json.loads(document))
    return "\n".join(words)


async def test_content_stays_in_postgres(
    stumbling: World,
    client: Client,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    thing = {"id": f"vm:{CANARY}", "name": CANARY}
    with structlog.testing.capture_logs() as lines:
        receipts = await stumbling.publish(
            stumbling.lead,
            event(
                activity_id=f"act {CANARY}",
                type="correction",
                text=f"Keep {CANARY} running until {CANARY} is over.",
                entities=[thing],
                evidence_ref=f"ref://{CANARY}",
                data={"secret": CANARY},
                idempotency_key=f"key {CANARY}",
            ),
        )
        await stumbling.digest(receipts)
        [fact] = (await stumbling.recall(entities=(thing["id"],))).required
        [proof] = await stumbling.publish(stumbling.pipeline, event(1, text=f"{CANARY} is over"))
        await stumbling.service.confirm(stumbling.developer, fact.id, proof.event_id)
        await stumbling.service.confirm(stumbling.pipeline, fact.id, proof.event_id)
        with pytest.raises(KeepwellError) as refused:
            await stumbling.publish(stumbling.lead, event(text=CANARY, type=CANARY))
    assert CANARY in fact.value + str(fact.ends_when), "the canary is alive where it belongs"
    types, told = await everything_that_temporal_has(client, str(stumbling.agent.tenant_id))
    assert set(types) == {
        "keepwell.consolidation",
        "keepwell.fact_reconciliation",
        "keepwell.condition_gate",
    }
    assert "RuntimeError" in told, "the failure did get into a history"
    assert any(line["event"] == "step_failed" for line in lines), "and into the log"
    printed = capsys.readouterr()
    for where, text in {
        "histories": told,
        "log": repr(lines) + caplog.text + printed.out + printed.err,
        "error": str(refused.value) + repr(refused.value),
    }.items():
        assert CANARY not in text, f"content is in {where}"
        assert CANARY.encode().hex() not in text


async def test_the_search_would_find_a_canary() -> None:
    payload = base64.b64encode(json.dumps({"text": CANARY}).encode()).decode()
    assert CANARY in decoded(json.dumps({"payloads": [{"data": payload}]}))
