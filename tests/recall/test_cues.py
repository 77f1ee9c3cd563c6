"""A standing instruction with a cue comes with its cue, however unlike the query it is, and not without."""

import pytest

from models.entities import cues_of, is_cue
from models.recall import Reason, RecallRequest
from models.statements import Statement
from tests.world import STAGING, World

INSTRUCTION = "state the version"


async def instructed(world: World, cue: str | None) -> None:
    said = Statement(
        scope=STAGING,
        attribute="standing_instruction",
        entity=cue,
        value=INSTRUCTION,
        text="Always state the version.",
    )
    assert (await world.service.remember(world.lead, said)).governs


async def heeded(world: World, query: str, *entities: str) -> bool:
    request = RecallRequest(scope=STAGING, query=query, entities=entities)
    answer = await world.service.recall(world.agent, request)
    required = [fact for fact in answer.required if fact.value == INSTRUCTION]
    assert all(Reason.STANDING_INSTRUCTION in fact.reasons for fact in required)
    return bool(required)


@pytest.mark.parametrize(
    ("cue", "query", "entities", "comes"),
    [
        ("topic:Libraries", "Which LIBRARIES parse YAML?", (), True),
        ("topic:libraries", "lunch", ("topic:Libraries",), True),
        ("tool:Terraform", "apply it", ("tool:terraform",), True),
        (None, "lunch", (), True),
        ("topic:libraries", "Which libraries parse YAML?", (), True),
        ("topic:release-notes", "Write the release notes.", (), True),
        ("topic:libraries", "lunch", ("topic:libraries",), True),
        ("topic:libraries", "lunch", (), False),
        ("type:server", "restart it", ("server:web-1",), True),
        ("type:server", "restart it", ("bucket:web-1",), False),
        ("tool:terraform", "apply it", ("tool:terraform",), True),
        ("tool:terraform", "apply it", ("tool:pulumi",), False),
        ("task:deploy", "go on", ("task:deploy",), True),
        ("task:deploy", "state the version now", (), False),
        ("service:billing", "lunch", (), True),
    ],
)
async def test_it_comes_with_its_cue(
    world: World, cue: str | None, query: str, entities: tuple[str, ...], comes: bool
) -> None:
    await instructed(world, cue)
    assert await heeded(world, query, *entities) is comes


@pytest.mark.parametrize(
    ("query", "entities", "comes"),
    [
        ("restart the old workhorse", (), True),
        ("restart it", ("Old Workhorse",), True),
        ("restart the old mule", (), False),
        ("restart the big bucket", (), False),
    ],
)
async def test_a_thing_that_is_named_gives_the_cue_of_its_type(
    world: World, query: str, entities: tuple[str, ...], comes: bool
) -> None:
    await instructed(world, "type:server")
    things = [
        {"id": "server:web-1", "name": "the old workhorse"},
        {"id": "server:web-1", "name": "old workhorse"},
        {"id": "bucket:logs", "name": "big bucket"},
    ]
    await world.say(world.lead, "We have looked at all of it.", entities=things)
    assert await heeded(world, query, *entities) is comes


async def test_it_is_found_by_its_words_like_any_other_and_binds_nobody_then(world: World) -> None:
    await instructed(world, "task:deploy")
    answer = await world.recall(query="always state the version")
    assert [(fact.value, fact.required) for fact in answer.facts] == [(INSTRUCTION, False)]


def test_what_gives_a_cue() -> None:
    assert cues_of(["server:web-1", "server:web-2"], ["release", "release notes"]) == [
        "type:server",
        "topic:release",
        "topic:release-notes",
    ]
    assert is_cue("topic:libraries")
    assert not is_cue("server:topic")
    assert not is_cue(None)
