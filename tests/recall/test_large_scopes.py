"""Where a scope holds very much, the rarest words and the signs of vectors find what would be found by all of them."""

from collections.abc import AsyncGenerator

import pytest
from temporalio.client import Client

from models.explanation import Step
from models.policy import Policy
from models.recall import RecallAnswer, RecallRequest
from models.statements import Statement
from providers.embedders.bundled import BundledEmbedder
from recall import explain as explaining
from recall import recall as asking
from runtime.addresses import Addresses
from store import keywords, likeness
from tests.policies import applied, read_by
from tests.stores import own_world
from tests.world import STAGING, World, event

COMMON = 30
RARE = 6
QUERY = "restart the kiln"


@pytest.fixture(scope="module")
async def world(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[World]:
    """Thirty passages speak of a restart, and six of them of a kiln as well."""
    async with own_world(addresses, policy, client, embedder=BundledEmbedder()) as made:
        texts = [
            f"The restart of machine {number} was quick{', and so was the kiln' if number < RARE else ''}."
            for number in range(COMMON)
        ]
        said = [
            event(number / 1_440, activity_id=f"act-{number}", type="feedback", text=text)
            for number, text in enumerate(texts)
        ]
        await made.digest(await made.publish(made.lead, *said))
        await made.service.embedded(made.agent)
        yield made


def _scored(answer: RecallAnswer) -> dict[str, float]:
    return {passage.text: passage.terms.words for passage in answer.passages if passage.terms is not None}


async def test_signs_of_vectors_find_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"query": "rebooting a computer", "limit": 40}
    exact = await world.recall(**asked)
    monkeypatch.setattr(likeness, "EXACT", 5)
    by_signs = await world.recall(**asked)
    assert exact.passages
    assert [each.id for each in by_signs.passages] == [each.id for each in exact.passages]
    assert [each.terms for each in by_signs.passages] == [each.terms for each in exact.passages]


async def test_what_is_hidden_takes_no_place_among_the_nearest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may not read some of it finds what they may, however much of the rest lies nearer."""
    await world.say(world.lead, "Keep gpu-bench-01 running until QA has migrated.", activity_id="act-hidden")
    await world.service.embedded(world.agent)
    asked = {"query": "keep the bench running", "limit": 40}
    with monkeypatch.context() as patched:
        patched.setattr(likeness, "EXACT", 5)
        await applied(world, read_by("operational_restriction", "infra_lead"))
        hidden = await world.recall(**asked)
    exact = await world.recall(**asked)
    assert [each.id for each in hidden.passages] == [each.id for each in exact.passages]
    assert not any("gpu-bench-01" in each.text for each in hidden.passages)


async def test_a_common_word_counts_for_what_the_rare_ones_find(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"query": QUERY, "limit": 40}
    by_all = _scored(await world.recall(**asked))
    monkeypatch.setattr(keywords, "MOST_POSTINGS", 10)
    by_rare = _scored(await world.recall(**asked))
    found = {text: words for text, words in by_rare.items() if words > 0}
    assert len(found) == RARE
    assert all("kiln" in text for text in found)
    assert found == pytest.approx({text: by_all[text] for text in found})
    assert sum(words > 0 for words in by_all.values()) == COMMON


async def test_a_word_that_nobody_has_used_hides_none_that_somebody_has(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keywords, "MOST_POSTINGS", 10)
    found = _scored(await world.recall(query="restart gpu-bench-99x", limit=40))
    assert sum(words > 0 for words in found.values()) >= COMMON


async def test_of_much_about_one_thing_comes_what_is_needed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [("owner", "the data team"), *(("depends_on", f"volume {number}") for number in range(6))]
    for attribute, value in said:
        stated = Statement(
            attribute=attribute, value=value, entity="lake", scope=STAGING, text=f"lake: {value}."
        )
        await world.service.remember(world.lead, stated)
    for room in (asking, explaining):
        monkeypatch.setattr(room, "most_in_play", lambda _: 3)
    asked = {"entities": ("lake",), "limit": 40}
    plain = await world.recall(**asked)
    assert len(plain.facts) == 3
    needing = await world.recall(**asked, needs=("owner",))
    [owner] = [fact.id for fact in needing.facts if fact.attribute == "owner"]
    assert needing.unmet == ()
    assert owner not in {fact.id for fact in plain.facts}
    why = await world.service.explain(world.agent, owner, RecallRequest(scope=STAGING, **asked))
    assert why.checks[-1].step is Step.CANDIDATE
    assert why.checks[-1].detail.startswith("not like the query, and not among the first")
