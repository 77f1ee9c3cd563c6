"""The branches of endpoint deliveries, played to a webhook that is served here."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from models.endpoints import NewEndpoint
from models.intentions import NewIntention
from models.principals import PrincipalKind
from tests.replay.branches import CANARY
from tests.replay.stage import POLL_SECONDS, SUGGEST_CONTINUE_AS_NEW_AT, Stage
from tests.webhooks.server import Receiver, answers, receiving
from tests.world import STAGING
from workflows import ids

HOOKS = f"hooks-{CANARY}"
STEP = "keepwell.deliver_batch"


@asynccontextmanager
async def _served(stage: Stage, status: int) -> AsyncGenerator[tuple[Receiver, str]]:
    """A webhook that answers with a status, and the workflow that delivers there, which is over at the end."""
    admin = stage.world.principal(f"root-{CANARY}", PrincipalKind.HUMAN, "admin")
    async with receiving() as receiver:
        receiver.reaction = answers(status, CANARY)
        new = NewEndpoint(name=HOOKS, address=f"http://127.0.0.1:{receiver.port}/{CANARY}")
        made = await stage.world.service.endpoints.register(admin, new)
        workflow_id = ids.delivery(stage.tenant_id, made.endpoint.id)
        yield receiver, workflow_id
        await stage.client.get_workflow_handle(workflow_id).result()


async def _due(stage: Stage, count: int) -> None:
    """One more intention is due, which makes so many, and the workflow that delivers has been told."""
    at = (datetime.now(UTC) + timedelta(seconds=0.2)).isoformat()
    whole = {"action": CANARY, "scope": STAGING, "at": at, "grace": "PT1H", "deliver_to": HOOKS}
    await stage.world.service.intentions.intend(stage.lead, NewIntention.model_validate(whole))
    while len(await stage.all_of("occurrences", "id")) < count:
        await asyncio.sleep(POLL_SECONDS)
    await stage.delivered()


async def delivered(stage: Stage) -> str:
    """What is due arrives."""
    async with _served(stage, 204) as (_, workflow_id):
        await _due(stage, 1)
    return workflow_id


async def tried_again(stage: Stage) -> str:
    """What is due arrives at the second attempt."""
    async with _served(stage, 503) as (receiver, workflow_id):
        await _due(stage, 1)
        await stage.at_rest(workflow_id)
        receiver.reaction = answers(204)
    return workflow_id


async def look_while_waiting(stage: Stage) -> str:
    """Something more is due while the next attempt of what has failed is waited for."""
    async with _served(stage, 503) as (receiver, workflow_id):
        await _due(stage, 1)
        await stage.at_rest(workflow_id)
        receiver.reaction = answers(204)
        await _due(stage, 2)
    return workflow_id


async def hindered(stage: Stage) -> str:
    """The step fails for good: the run goes on when it is asked."""
    async with _served(stage, 204) as (_, workflow_id):
        stage.answers.failing = STEP
        await _due(stage, 1)
        await stage.at_rest(workflow_id)
        await _due(stage, 2)
    return workflow_id


async def look_as_it_ends(stage: Stage) -> str:
    """Something more is due when the last that was due has just arrived: the run that is ending sees to it."""
    async with _served(stage, 204) as (_, workflow_id):
        with stage.answers.after(STEP):
            await _due(stage, 1)
            await stage.answers.holds.wait()
            await _due(stage, 2)
    return workflow_id


async def continues_as_new(stage: Stage) -> str:
    """The workflow is told to look so often that its history grows long; then what has failed is sent again."""
    async with _served(stage, 503) as (receiver, workflow_id):
        await _due(stage, 1)
        await stage.at_rest(workflow_id)
        receiver.reaction = answers(204)
        handle = stage.client.get_workflow_handle(workflow_id)
        await asyncio.gather(*(handle.signal("look") for _ in range(SUGGEST_CONTINUE_AS_NEW_AT)))
    return workflow_id
