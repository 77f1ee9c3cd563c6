"""Values said in other words: one fact and more evidence, or another value, as the class declares its type."""

from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import Client

from models.policy import Policy
from models.statements import Statement
from runtime.addresses import Addresses
from tests.contracts import memory_class
from tests.stores import own_world
from tests.world import STAGING, World, event

EVERYTHING = {
    "may": ["publish", "recall", "read", "remember", "correct", "retract"],
    "scopes": {"workspace": "any"},
}
TYPES: dict[str, dict[str, Any]] = {
    "refund_threshold": {"type": "money"},
    "retention": {"type": "duration"},
    "disk": {"type": "quantity"},
    "release": {"type": "version", "semantic": True},
    "tag": {"type": "version"},
    "label": {"type": "money", "cardinality": "many"},
    "standby": {"type": "entity"},
}
POLICY = Policy.model_validate(
    {
        "version": 2,
        "dimensions": ["workspace"],
        "roles": {"infra_lead": EVERYTHING},
        "classes": {
            "typed": memory_class({name: {**each, "write": ["infra_lead"]} for name, each in TYPES.items()})
        },
    }
)
BERLIN, LONDON = "Europe/Berlin", "Europe/London"


@pytest.fixture(scope="module")
async def typed(addresses: Addresses, client: Client) -> AsyncGenerator[World]:
    """A database of its own: what a worker finds waiting it decides by its own policy."""
    async with own_world(addresses, POLICY, client) as made:
        yield made


@pytest.fixture
async def world(typed: World) -> World:
    made = World(typed.service, typed.database, f"tenant-{uuid4().hex[:12]}")
    await typed.service.add_tenant(made.principal("setup"))
    return made


async def state(world: World, attribute: str, *said: tuple[str, str | None]) -> list[str]:
    """The verdicts on these values, each with the zone in which it was said, one after the other."""
    verdicts: list[str] = []
    for value, zone in said:
        statement = Statement(scope=STAGING, attribute=attribute, entity="shop-1", value=value, timezone=zone)
        stated = await world.service.remember(world.lead, statement)
        assert stated.decided is not None
        verdicts.append(stated.decided.verdict)
    return verdicts


@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("refund_threshold", [("€1,000", LONDON), ("1000 EUR", None), ("1.000,00 €", BERLIN)]),
        ("retention", [("48h", None), ("2 days", None), ("PT48H", None)]),
        ("disk", [("5 GB", None), ("5000 MB", None)]),
        ("release", [("v1.2", None), ("1.2.0", None)]),
        ("label", [("€5", None), ("5.00 EUR", None)]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_the_same_value_in_other_words_is_one_fact(
    world: World, attribute: str, said: list[tuple[str, str | None]]
) -> None:
    assert await state(world, attribute, *said) == ["establish", *["restate"] * (len(said) - 1)]
    [life] = await world.service.history_of_entity(world.lead, STAGING, "shop-1")
    assert len(life.sources) == len(said)
    assert life.fact.terms.value == said[0][0], "the words stay those in which it was first said"


@pytest.mark.parametrize(
    ("attribute", "said", "last"),
    [
        ("disk", [("5 GB", None), ("5 GiB", None)], "supersede"),
        ("tag", [("v1.2", None), ("1.2.0", None)], "supersede"),
        ("refund_threshold", [("1,459 €", BERLIN), ("1459 EUR", None)], "supersede"),
        ("label", [("€5", None), ("€6", None)], "establish"),
    ],
    ids=["binary units", "a version that is only a name", "an amount that cannot be read", "one of many"],
)
async def test_another_value_is_another_fact(
    world: World, attribute: str, said: list[tuple[str, str | None]], last: str
) -> None:
    assert await state(world, attribute, *said) == ["establish", last]


async def test_a_thing_is_the_same_by_its_name_and_by_its_id(world: World) -> None:
    thing = {"id": "cloud-instance:i-1", "name": "gpu-1"}
    done = [event(text="seen", entities=[thing]), event(type="activity_completed")]
    await world.digest(await world.publish(world.lead, *done))
    said = [("gpu-1", None), ("cloud-instance:i-1", None), ("GPU‑1", None), ("gpu-2", None)]
    assert await state(world, "standby", *said) == ["establish", "restate", "restate", "supersede"]
