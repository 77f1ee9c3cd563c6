"""The branches of erasures: carried out at once, after somebody has looked at the plan, and called off."""

import asyncio
from uuid import UUID

from models.erasure.erasures import ErasureState, NewErasure, PlanConfirmation
from models.principals import Principal, PrincipalKind
from store.erasure import requests
from tests.replay.branches import CANARY
from tests.replay.stage import POLL_SECONDS, Stage
from workflows import ids


def _officer(stage: Stage) -> Principal:
    return stage.world.principal(f"officer-{CANARY}", PrincipalKind.HUMAN, "operator")


async def _ask(stage: Stage, *, dry_run: bool) -> UUID:
    """Ask for the erasure of an event that was made much of; the erasure's id."""
    said = await stage.say(f"Keep it running until {CANARY} is over.", 0)
    new = NewErasure.model_validate({"target": {"kind": "event", "id": str(said)}, "dry_run": dry_run})
    asked = await stage.world.service.erasures.ask(_officer(stage), new)
    await stage.delivered()
    return asked.id


async def _until_planned(stage: Stage, identity: UUID) -> PlanConfirmation:
    while True:
        async with stage.world.database.transaction(stage.tenant_id) as work:
            erasure = await requests.get(work, identity)
        assert erasure is not None
        if erasure.state is ErasureState.PLANNED and erasure.digest is not None:
            await stage.at_rest(ids.erasure(stage.tenant_id, identity))
            return PlanConfirmation(digest=erasure.digest.hex())
        await asyncio.sleep(POLL_SECONDS)


async def erased(stage: Stage) -> str:
    """Nobody has to look at the plan."""
    return ids.erasure(stage.tenant_id, await _ask(stage, dry_run=False))


async def confirmed_after_a_look(stage: Stage) -> str:
    """Somebody looks at the plan first."""
    identity = await _ask(stage, dry_run=True)
    confirmation = await _until_planned(stage, identity)
    await stage.world.service.erasures.confirm(_officer(stage), identity, confirmation)
    return ids.erasure(stage.tenant_id, identity)


async def withdrawn(stage: Stage) -> str:
    """Somebody looks at the plan, and calls it off."""
    identity = await _ask(stage, dry_run=True)
    await _until_planned(stage, identity)
    await stage.world.service.erasures.withdraw(_officer(stage), identity)
    return ids.erasure(stage.tenant_id, identity)
