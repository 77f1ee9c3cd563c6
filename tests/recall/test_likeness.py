"""What is meant is found without a shared word, by the bundled embedder, and nothing that may not be told is."""

from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta

import pytest
from structlog.testing import capture_logs
from temporalio.client import Client

from models.errors import EmbedderFailed
from models.policy import Policy
from models.recall import Reason, RecallAnswer, RecallRequest, Without
from providers.embedders.bundled import BundledEmbedder
from providers.protocols import Vector
from runtime.addresses import Addresses
from tests.policies import applied, read_by
from tests.stores import own_world
from tests.world import MONDAY, STAGING, World, event

BUNDLED = BundledEmbedder()


class Faltering(BundledEmbedder):
    """The bundled one as if it were elsewhere: it notes what it gets to see, and fails while it is told to."""

    remote = True
    fails = False

    def __init__(self) -> None:
        super().__init__()
        self.saw: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.saw += texts
        if self.fails:
            raise EmbedderFailed("away")
        return await super().embed(texts)


@pytest.fixture(scope="module")
def embedder() -> Faltering:
    return Faltering()


@pytest.fixture(scope="module")
async def own(
    addresses: Addresses, policy: Policy, client: Client, embedder: Faltering
) -> AsyncGenerator[World]:
    async with own_world(addresses, policy, client, embedder=embedder) as made:
        yield made


@pytest.fixture
async def world(own: World, request: pytest.FixtureRequest) -> World:
    """A tenant of its own on the servers that have an embedder."""
    made = World(own.service, own.database, f"{own.tenant}-{request.node.name}"[:90])
    await made.service.add_tenant(made.agent)
    return made


async def heard(world: World, *texts: str, activity: str | None = None) -> None:
    """Have things said, each in an activity of its own unless one is named, and wait for their vectors."""
    receipts = await world.publish(
        world.lead,
        *(
            event(number / 1_440, activity_id=activity or f"act-{number}", type="feedback", text=said)
            for number, said in enumerate(texts)
        ),
    )
    await world.digest(receipts)
    await world.service.embedded(world.agent)


def said(answer: RecallAnswer) -> list[str]:
    return [passage.text.removeprefix("dana: ") for passage in answer.passages]


async def test_a_passage_is_found_by_what_it_means(world: World) -> None:
    await heard(
        world, "The automobile would not start this morning.", "Invoices are due at the end of the month."
    )
    answer = await world.recall(query="vehicle trouble")
    assert said(answer) == ["The automobile would not start this morning."]
    [passage] = answer.passages
    assert passage.reasons == (Reason.LIKENESS,)
    assert passage.terms.words == 0
    assert passage.terms.likeness is not None
    assert passage.terms.likeness >= BUNDLED.floor
    assert answer.without == ()


async def test_a_fact_is_found_by_what_it_means(world: World) -> None:
    await world.say(world.lead, "Keep gpu-bench-01 running until the audit is over.")
    await world.service.embedded(world.agent)
    answer = await world.recall(query="May the server be shut down before the auditors finish?")
    [fact] = answer.facts
    assert Reason.LIKENESS in fact.reasons
    assert Reason.KEYWORDS not in fact.reasons


async def test_words_and_meaning_together_go_before_either(world: World) -> None:
    await heard(
        world,
        "The nightly backup of the database failed.",
        "Copying all tables to the other site every evening went wrong.",
        "The backup singers were excellent.",
    )
    answer = await world.recall(query="did the database backup fail?")
    assert said(answer)[0] == "The nightly backup of the database failed."
    assert answer.passages[0].reasons == (Reason.KEYWORDS, Reason.LIKENESS)


async def test_a_neighbour_comes_along_and_says_why(world: World) -> None:
    """Rounds of one exchange: the answer shares nothing with the question that it stands next to."""
    await heard(
        world,
        "Which colour did we choose for the new logo?",
        "Teal, as it prints well.",
        "Lunch is at noon.",
        "Parking costs nothing on Sundays.",
        "Trains run every hour.",
        activity="meeting",
    )
    answer = await world.recall(query="which colour for the logo")
    by_text = dict(zip(said(answer), answer.passages, strict=True))
    assert said(answer)[:2] == ["Which colour did we choose for the new logo?", "Teal, as it prints well."]
    assert Reason.NEIGHBOUR in by_text["Lunch is at noon."].reasons
    assert "Trains run every hour." not in by_text
    assert by_text["Teal, as it prints well."].terms.neighbours > 0


async def test_what_waits_for_its_vector_is_found_by_words(world: World, embedder: Faltering) -> None:
    embedder.fails = True
    try:
        receipts = await world.publish(
            world.lead, event(type="feedback", text="The automobile would not start.")
        )
        await world.digest(receipts)
        with capture_logs() as lines:
            answer = await world.recall(query="automobile")
    finally:
        embedder.fails = False
    assert [line["reason"] for line in lines if line["event"] == "recall_without_likeness"] == ["away"]
    assert said(answer) == ["The automobile would not start."]
    assert answer.without == (Without.LIKENESS,)
    await world.service.embedded(world.agent)
    assert said(await world.recall(query="car")) == ["The automobile would not start."]


async def test_without_a_query_nothing_is_missing(world: World, embedder: Faltering) -> None:
    embedder.fails = True
    try:
        assert (await world.recall(query=" ")).without == ()
    finally:
        embedder.fails = False


async def test_another_scope_another_tenant_and_the_past_see_nothing_of_it(own: World, world: World) -> None:
    await heard(world, "The automobile would not start this morning.")
    elsewhere = RecallRequest(scope={"workspace": "production"}, query="vehicle trouble")
    assert (await world.service.recall(world.lead, elsewhere)).passages == ()
    assert (await own.recall(query="vehicle trouble")).passages == ()
    before = await world.recall(query="vehicle trouble", as_of=MONDAY - timedelta(seconds=1))
    assert before.passages == ()


async def test_what_may_not_be_read_is_not_like_anything(world: World) -> None:
    """Nor does it stand next to anything, nor does it take a place in the answer."""
    await heard(world, "The audit dashboard is green.", activity="act-other")
    await world.say(
        world.lead, "Keep gpu-bench-01 running until the audit is over.", activity_id="act-secret"
    )
    await world.service.embedded(world.agent)
    asked = RecallRequest(
        scope=STAGING, query="may the server be shut down before the auditors finish", limit=1
    )
    before = await world.service.recall(world.agent, asked)
    assert before.facts
    await applied(world, read_by("operational_restriction", "infra_lead"))
    lead = await world.service.recall(world.lead, asked)
    assert lead.facts
    answer = await world.service.recall(world.agent, asked)
    assert answer.facts == ()
    assert not [text for text in said(answer) if "running" in text]
    assert answer.left_out == 0
    harmless = await world.service.recall(
        world.agent, RecallRequest(scope=STAGING, query="how is the inspection going?")
    )
    assert said(harmless) == ["The audit dashboard is green."]


async def test_a_hidden_round_is_no_neighbour_and_parts_none(world: World) -> None:
    """To whoever may not read it, those on either side of it stand next to each other."""
    await heard(
        world,
        "Which colour did we choose for the new logo?",
        "Keep gpu-bench-01 running until the audit is over.",
        "Teal, the colour of the sea.",
        activity="meeting",
    )
    asked = RecallRequest(scope=STAGING, query="which colour did we choose for the new logo")
    seen = await world.service.recall(world.agent, asked)
    assert len(said(seen)) == 3
    await applied(world, read_by("operational_restriction", "infra_lead"))
    answer = await world.service.recall(world.agent, asked)
    assert said(answer) == ["Which colour did we choose for the new logo?", "Teal, the colour of the sea."]
    [_, teal] = answer.passages
    [was] = [passage for passage in seen.passages if passage.id == teal.id]
    assert teal.terms.neighbours > was.terms.neighbours


async def test_a_superseded_fact_is_like_nothing(world: World) -> None:
    await world.say(world.lead, "Keep gpu-bench-01 running until the audit is over.")
    await world.say(
        world.lead,
        "Keep gpu-bench-01 reserved until the benchmark is done.",
        occurred_at=(MONDAY + timedelta(1)).isoformat(),
    )
    await world.service.embedded(world.agent)
    answer = await world.recall(query="May I switch the machine for benchmarks off during the audit?")
    assert [fact.value for fact in answer.facts] == ["keep reserved"]


async def test_explain_tells_the_terms_of_the_score(world: World) -> None:
    await heard(world, "The automobile would not start this morning.")
    [passage] = (await world.recall(query="vehicle trouble")).passages
    explained = await world.service.explain(
        world.lead, passage.episode_id, RecallRequest(scope=STAGING, query="vehicle trouble")
    )
    assert explained.included
    [found] = [check for check in explained.checks if check.step == "candidate"]
    assert "likeness" in found.detail


async def test_no_secret_reaches_the_embedder(world: World, embedder: Faltering) -> None:
    """Neither one that was published, nor one that is asked with."""
    secret = "hunter2-zebra-7731"
    await heard(world, f"The password of the staging database is {secret}.")
    await world.recall(query=f"who set the password to password: {secret}")
    seen = [text for text in embedder.saw if "staging database" in text or "who set" in text]
    assert len(seen) == 2
    assert not [text for text in embedder.saw if secret in text]
