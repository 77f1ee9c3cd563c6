"""What the runtime has just verified marks what is recalled, ends nothing, and is remembered nowhere."""

from datetime import timedelta
from typing import Any

import pytest

from models.context import ContextRequest
from models.errors import InvalidInput
from models.observations import LiveObservation
from models.recall import RecallAnswer
from models.statements import Statement
from tests.world import MONDAY, STAGING, World

NOW = MONDAY + timedelta(days=30)


def observed(value: str, attribute: str = "owner", **fields: Any) -> LiveObservation:
    filled = {"entity": "gpu-bench-01", "observed_at": NOW, **fields}
    return LiveObservation(attribute=attribute, value=value, **filled)


async def state(
    world: World, value: str, attribute: str = "owner", entity: str | None = "gpu-bench-01"
) -> None:
    stated = await world.service.remember(
        world.lead,
        Statement(
            scope=STAGING,
            attribute=attribute,
            entity=entity,
            value=value,
            text=f"{attribute} is {value}",
            valid_from=MONDAY,
        ),
    )
    assert stated.governs


async def recall(world: World, *observations: LiveObservation, **fields: Any) -> RecallAnswer:
    return await world.recall(observations=observations, as_of=NOW, **fields)


async def test_what_says_otherwise_is_marked_and_what_agrees_is_confirmed(world: World) -> None:
    await state(world, "Ana")
    [fact] = (await recall(world, observed("Bo"))).facts
    assert fact.overridden_by is not None
    assert (fact.overridden_by.value, fact.overridden_by.observed_at) == ("Bo", NOW)
    [fact] = (await recall(world, observed("  ana "))).facts
    assert (fact.overridden_by, fact.confirmed_at) == (None, NOW)


async def test_the_thing_that_was_observed_is_in_play(world: World) -> None:
    await state(world, "Ana")
    assert (await recall(world)).facts == ()
    [fact] = (await recall(world, observed("Bo"))).facts
    assert fact.about == ("gpu-bench-01",)


async def test_a_restriction_binds_whatever_is_observed(world: World) -> None:
    await state(world, "keep running", "lifecycle_policy")
    answer = await recall(world, observed("stopped", "lifecycle_policy"))
    [fact] = answer.required
    assert fact.overridden_by is not None
    told = await world.service.context(
        world.agent,
        ContextRequest(scope=STAGING, observations=(observed("stopped", "lifecycle_policy"),), as_of=NOW),
    )
    assert '"observed_now": {"value": "stopped"' in told.text
    assert '"still_binds": true' in told.text
    assert '"source": "verified by the runtime"' in told.text


async def test_the_trace_says_what_was_overridden(world: World) -> None:
    await state(world, "Ana")
    await state(world, "terraform", "uses")
    answer = await recall(world, observed("Bo"), observed("Terraform", "uses"))
    assert answer.trace_id is not None
    trace = await world.service.trace(world.agent, answer.trace_id)
    assert {entry.observed for entry in trace.entries} == {"overrode", "confirmed"}


async def test_nothing_of_it_is_remembered(world: World) -> None:
    await state(world, "Ana")
    await recall(world, observed("Bo"))
    [fact] = (await world.recall(entities=("gpu-bench-01",))).facts
    assert (fact.value, fact.overridden_by) == ("Ana", None)
    assert len(await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")) == 1


async def test_what_no_class_declares_or_lies_ahead_is_refused_with_the_remedy(world: World) -> None:
    with pytest.raises(InvalidInput, match=r"observations: .*see the policy"):
        await recall(world, observed("Bo", "shoe_size"))
    with pytest.raises(InvalidInput, match="observations: lies after the instant"):
        await recall(world, observed("Bo", observed_at=NOW + timedelta(hours=1)))
