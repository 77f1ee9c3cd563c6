"""The measured write path as a whole: every case played on real servers, and every floor met."""

import base64
import json
from uuid import uuid4

import pytest
import structlog
from temporalio.client import Client

from evals.write import leaks
from evals.write.cases import Case
from evals.write.match import judged
from evals.write.play import play
from evals.write.reading import read_cases, read_cast
from evals.write.report import as_json, as_text
from evals.write.stage import policy_of_cases
from models.principals import Principal, PrincipalKind
from providers.rule_extractor import RuleExtractor
from runtime.addresses import Addresses
from tests.evals.stages import stage_on


@pytest.mark.timeout(600)
async def test_every_floor_is_met(addresses: Addresses, client: Client) -> None:
    cast = read_cast()
    async with stage_on(addresses, client, policy_of_cases()) as stage:
        cases = read_cases(cast, stage.policy)
        played = await play(stage, cast, cases)
    found = [judged(case, each) for case, each in zip(cases, played, strict=True)]
    assert [case.case.id for case in found if case.played.refused] == []
    report = as_json(RuleExtractor.name, found, 0)
    assert report["missed"] == [], as_text(report)


async def test_a_planted_string_that_is_there_is_found(addresses: Addresses, client: Client) -> None:
    """The search for secrets is worth what it finds where there is something to find."""
    canary = f"Zebra-{uuid4().hex[:10]}-Canary"
    agent = Principal(
        tenant=f"canary-{uuid4().hex[:8]}", subject="ops-agent", kind=PrincipalKind.AGENT, roles=("agent",)
    )
    said = {"by": "ops-agent", "text": f"the word is {canary}", "type": "milestone", "authorised": False}
    case = Case.model_validate(
        {
            "id": "canary",
            "part": "development",
            "events": [said],
            "planted": [{"string": canary, "secret": True}, {"string": "the word is", "secret": False}],
        }
    )
    event = case.events[0].model_dump(
        mode="json", exclude={"by", "at", "day", "authorised"}, exclude_none=True
    )
    async with stage_on(addresses, client, policy_of_cases()) as stage:
        await stage.service.add_tenant(agent)
        [receipt] = await stage.service.publish(
            agent, [{**event, "activity_id": "a", "occurred_at": "2026-03-02T09:00:00Z"}]
        )
        await stage.service.settle(agent, [receipt.activity_id])
        structlog.get_logger("tests").info("it was said", word=canary)
        there = (await leaks.search(stage, {agent.tenant_id: case}))[agent.tenant_id]
    assert {"table public.events", "table public.postings", "log"} <= there.leaks[0]
    assert there.kept == {0, 1}


def test_payloads_of_histories_are_decoded() -> None:
    payload = base64.b64encode(json.dumps({"text": "zebra"}).encode()).decode()
    assert "zebra" in "".join(leaks.decoded({"payloads": [{"data": payload}]}))
