"""What is due goes to a real server that answers, fails, hangs and redirects, and to a workflow of somebody else's."""

import asyncio
from uuid import UUID, uuid4

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client
from temporalio.worker import Worker

from models.attempts import DELAYS
from models.circuit import OPENS_AFTER
from models.endpoints import EndpointKind, NewEndpoint
from models.intention_changes import Cancellation, Snooze
from tests.delivery.agent import Agent
from tests.delivery.post import HOOKS, Post
from tests.journeys.test_canary import CANARY, everything_that_temporal_has
from tests.webhooks.server import Reaction, Wire, answers, breaks_off, hangs, receiving
from tests.world import SIGNAL_TARGETS, STAGING
from workflows import ids


async def test_it_is_delivered_once_and_its_signature_is_good(post: Post) -> None:
    [identity] = await post.due(data={"canary": 7})
    await post.desk.until(identity, "delivered")
    await post.hurry()
    [witness] = await post.due()
    await post.desk.until(witness, "delivered")
    first, _ = post.receiver.received
    _, [occurrence] = await post.desk.one(identity)
    assert first.heads["webhook-id"] == str(occurrence.id)
    told = post.verified(first)
    assert told.pop("timestamp") == occurrence.fired_at.isoformat()
    assert 0 <= told["data"].pop("lateness") < 10
    assert told == {
        "type": "intention.due",
        "data": {
            "occurrence": str(occurrence.id),
            "intention": str(identity),
            "action": "check the canary",
            "data": {"canary": 7},
            "scope": STAGING,
            "due_at": occurrence.due_at.isoformat(),
        },
    }


@pytest.mark.parametrize("fails", [answers(503), breaks_off("")])
async def test_what_fails_is_sent_again_by_itself_as_the_same_message(post: Post, fails: Reaction) -> None:
    post.receiver.reaction = fails
    [identity] = await post.due()
    await post.stands(lambda endpoint: endpoint.circuit.failures == 1)
    assert await post.desk.life(identity) == "due"
    post.receiver.reaction = answers(204)
    await post.desk.until(identity, "delivered")
    first, second = post.receiver.received
    assert (first.heads["webhook-id"], first.body) == (second.heads["webhook-id"], second.body)
    there = await post.endpoint()
    assert (there.circuit.failures, there.reason) == (0, None)


async def test_no_answer_is_a_failure(post: Post) -> None:
    post.receiver.reaction = hangs
    [hanging] = await post.due()
    there = await post.stands(lambda endpoint: endpoint.reason is not None)
    assert there.reason is not None
    assert "did not answer in time" in there.reason
    post.receiver.reaction = answers(200)
    await post.hurry()
    await post.desk.until(hanging, "delivered")


async def test_a_late_answer_is_an_answer(post: Post) -> None:
    async def late(wire: Wire) -> None:
        done = asyncio.Event()
        asyncio.get_running_loop().call_later(3, done.set)
        await done.wait()
        await answers(200)(wire)

    post.receiver.reaction = late
    [identity] = await post.due()
    await post.desk.until(identity, "delivered")
    assert len(post.receiver.received) == 1


async def test_a_redirect_is_not_followed(post: Post) -> None:
    async with receiving() as other:
        post.receiver.reaction = answers(307, location=f"http://127.0.0.1:{other.port}/")
        await post.due()
        there = await post.stands(lambda endpoint: endpoint.reason is not None)
        assert there.reason is not None
        assert "redirects are not followed" in there.reason
        assert other.connections == 0


async def test_gone_switches_it_off_and_what_is_due_waits_until_it_is_on(post: Post) -> None:
    post.receiver.reaction = answers(410)
    [identity] = await post.due()
    there = await post.stands(lambda endpoint: endpoint.disabled_at is not None)
    assert there.reason is not None
    assert "switched off" in there.reason
    post.receiver.reaction = answers(200)
    await post.hurry()
    await post.world.service.endpoints.enable(post.admin, HOOKS)
    await post.desk.until(identity, "delivered")
    assert len(post.receiver.received) == 2


async def test_a_circuit_opens_and_one_message_closes_it(post: Post) -> None:
    post.receiver.reaction = answers(500)
    identities = await post.due(30)
    opened = await post.stands(lambda endpoint: endpoint.circuit.open_until is not None)
    assert opened.circuit.failures >= OPENS_AFTER
    tried = len(post.receiver.received)
    assert tried < 30
    await post.hurry()
    again = await post.stands(lambda endpoint: endpoint.circuit.failures > opened.circuit.failures)
    assert again.circuit.failures == opened.circuit.failures + 1
    assert len(post.receiver.received) == tried + 1
    post.receiver.reaction = answers(200)
    await post.hurry()
    for identity in identities:
        await post.desk.until(identity, "delivered")
    assert (await post.endpoint()).circuit.failures == 0


async def test_two_hundred_due_at_once_go_out_by_one_workflow(post: Post, client: Client) -> None:
    identities = await post.due(200)
    await post.got(200)
    for identity in identities:
        await post.desk.until(identity, "delivered")
    told = [post.verified(each)["data"]["intention"] for each in post.receiver.received]
    assert sorted(told) == sorted(map(str, identities))
    tenant = post.world.agent.tenant_id
    query = f"KeepwellTenant = '{tenant}' AND KeepwellProcess = 'endpoint_delivery'"
    found = {execution.id async for execution in client.list_workflows(query)}
    assert found == {ids.delivery(tenant, post.endpoint_id)}


async def test_what_is_put_off_comes_again_as_another_message(post: Post) -> None:
    [identity] = await post.due()
    await post.desk.until(identity, "delivered")
    _, [occurrence] = await post.desk.one(identity)
    said = Snooze.model_validate({"after": "PT0.2S"})
    await post.world.service.inbox.snooze(post.desk.agent, occurrence.id, said)
    first, second = await post.got(2)
    assert first.heads["webhook-id"] != second.heads["webhook-id"]
    assert first.body == second.body


async def test_what_is_cancelled_while_it_is_tried_is_not_sent_again(post: Post) -> None:
    post.receiver.reaction = answers(503)
    [identity] = await post.due()
    await post.stands(lambda endpoint: endpoint.circuit.failures == 1)
    await post.world.service.intentions.cancel(post.desk.agent, identity, Cancellation())
    post.receiver.reaction = answers(200)
    await post.hurry()
    [witness] = await post.due()
    await post.desk.until(witness, "delivered")
    told = [post.verified(each)["data"]["intention"] for each in post.receiver.received]
    assert told == [str(identity), str(witness)]


async def test_what_never_arrives_is_a_dead_letter_after_its_last_attempt(post: Post) -> None:
    post.receiver.reaction = answers(503)
    [identity] = await post.due()
    for failures in range(1, len(DELAYS) + 2):
        await post.stands(lambda endpoint, failures=failures: endpoint.circuit.failures == failures)
        assert await post.desk.life(identity) == ("due" if failures <= len(DELAYS) else "dead_lettered")
        await post.hurry()
    post.receiver.reaction = answers(200)
    [witness] = await post.due()
    await post.desk.until(witness, "delivered")
    assert len(post.receiver.received) == len(DELAYS) + 2


async def test_both_secrets_sign_after_one_was_replaced(post: Post) -> None:
    made = await post.world.service.endpoints.rotate(post.admin, HOOKS)
    await post.due()
    [received] = await post.got(1)
    post.verified(received)
    assert made.secret is not None
    post.secret = made.secret
    post.verified(received)


async def test_a_workflow_gets_a_signal_with_ids_alone(post: Post, client: Client) -> None:
    queue, workflow_id = f"agents-{uuid4().hex[:8]}", f"agent-{uuid4().hex[:8]}"
    agent = NewEndpoint(name="agent", kind=EndpointKind.WORKFLOW, address=f"{workflow_id}#intention_due")
    post.world.let_signal(workflow_id)
    await post.world.service.endpoints.register(post.admin, agent)
    async with Worker(client, task_queue=queue, workflows=[Agent]):
        running = await client.start_workflow(Agent.run, id=workflow_id, task_queue=queue)
        [identity] = await post.due(deliver_to="agent", action=CANARY, data={"word": CANARY})
        told = await asyncio.wait_for(running.result(), 30)
    await post.desk.until(identity, "delivered")
    _, [occurrence] = await post.desk.one(identity)
    assert UUID(told["message_id"]) == occurrence.id
    assert set(told) == {"tenant_id", "message_id", "occurrence_id", "intention_id", "due_at"}
    assert UUID(told["intention_id"]) == identity


async def failed(post: Post, name: str) -> str:
    """What came of the last failure of an endpoint, once there is one."""
    async with asyncio.timeout(30):
        while True:
            listed = await post.world.service.endpoints.list(post.admin)
            told = next(each.reason for each in listed if each.name == name)
            if told is not None:
                return told
            await asyncio.sleep(0.05)


async def test_a_workflow_that_is_not_running_is_tried_again(post: Post) -> None:
    agent = NewEndpoint(
        name="agent", kind=EndpointKind.WORKFLOW, address=f"nobody-{uuid4().hex[:8]}#intention_due"
    )
    post.world.let_signal("nobody-")
    await post.world.service.endpoints.register(post.admin, agent)
    [identity] = await post.due(deliver_to="agent")
    assert "see that one of its id is running" in await failed(post, "agent")
    assert await post.desk.life(identity) == "due"


async def test_a_workflow_that_the_operator_allows_no_more_gets_nothing(post: Post, client: Client) -> None:
    queue, workflow_id = f"agents-{uuid4().hex[:8]}", f"agent-{uuid4().hex[:8]}"
    agent = NewEndpoint(name="agent", kind=EndpointKind.WORKFLOW, address=f"{workflow_id}#intention_due")
    post.world.let_signal(workflow_id)
    await post.world.service.endpoints.register(post.admin, agent)
    SIGNAL_TARGETS.remove(f"{post.world.tenant}:{workflow_id}")
    running = await client.start_workflow(Agent.run, id=workflow_id, task_queue=queue)
    [identity] = await post.due(deliver_to="agent")
    assert "KEEPWELL_SIGNAL_TARGETS" in await failed(post, "agent")
    assert await post.desk.life(identity) == "due"
    came = [event.event_type async for event in running.fetch_history_events()]
    assert EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED not in came
    await running.terminate()


async def test_content_goes_to_the_endpoint_alone(post: Post, client: Client) -> None:
    post.receiver.reaction = answers(503, CANARY)
    [identity] = await post.due(action=f"check {CANARY}", data={"word": CANARY})
    await post.stands(lambda endpoint: endpoint.circuit.failures == 1)
    post.receiver.reaction = answers(200, CANARY)
    await post.hurry()
    await post.desk.until(identity, "delivered")
    assert CANARY.encode() in post.receiver.received[0].body, "the canary is alive where it belongs"
    types, told = await everything_that_temporal_has(client, str(post.world.agent.tenant_id))
    assert "keepwell.endpoint_delivery" in types
    assert CANARY not in told
    assert post.secret not in told
    assert str(post.receiver.port) not in told
