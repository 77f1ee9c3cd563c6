"""Claims in recall: never active, and apart from what governs for those who ask for them."""

from models.explanation import Step
from models.facts import Status
from models.principals import PrincipalKind
from models.recall import Reason, RecallRequest
from models.reviews import Acceptance
from models.statements import Statement
from tests.world import MONDAY, SERVER, STAGING, World, event

LIFE = "lifecycle_policy"


async def claimed(world: World, value: str = "may be stopped", **fields: object) -> Statement:
    said = {"scope": STAGING, "entity": SERVER["id"], "attribute": LIFE, "value": value, **fields}
    statement = Statement.model_validate(said)
    stated = await world.service.remember(world.agent, statement)
    assert stated.decided is not None
    assert stated.decided.verdict == "hold_unverified"
    return statement


async def test_a_claim_comes_apart_by_the_entity_in_play_by_id_or_name(world: World) -> None:
    learned = [event(text="seen", entities=[SERVER]), event(type="activity_completed")]
    await world.digest(await world.publish(world.lead, *learned))
    await claimed(world)
    for name in SERVER.values():
        answer = await world.recall(entities=[name], unverified=True)
        assert answer.facts == ()
        [claim] = answer.unverified
        assert (claim.value, claim.status, claim.required) == ("may be stopped", Status.QUARANTINED, False)
        assert claim.about == (name,)
        assert Reason.ENTITY_IN_PLAY in claim.reasons
        assert claim.sources
    assert (await world.recall(entities=[SERVER["id"]])).unverified == ()
    assert (await world.recall(entities=["another"], unverified=True)).unverified == ()


async def test_a_claim_about_the_scope_and_one_that_shares_words_come_too(world: World) -> None:
    await claimed(world, "answer in French", attribute="standing_instruction", entity=None)
    await claimed(world, "may be stopped", entity="kiln-7", text="The kiln is cold.")
    answer = await world.recall(query="Which kilns are cold?", unverified=True)
    assert [(claim.value, claim.reasons) for claim in answer.unverified] == [
        ("answer in French", (Reason.ABOUT_SCOPE,)),
        ("may be stopped", (Reason.KEYWORDS,)),
    ]
    assert answer.facts == ()
    [standing] = (await world.recall(query="anything", unverified=True)).unverified
    assert not standing.required


async def test_what_is_settled_or_lies_elsewhere_is_no_claim_any_more(world: World) -> None:
    await claimed(world)
    elsewhere = RecallRequest(scope={"workspace": "production"}, entities=(SERVER["id"],), unverified=True)
    assert (await world.service.recall(world.agent, elsewhere)).unverified == ()
    [item] = (await world.service.review_queue(world.lead, {})).items
    assert (await world.service.accept(world.lead, item.id, Acceptance())).governs
    answer = await world.recall(entities=[SERVER["id"]], unverified=True)
    assert answer.unverified == ()
    assert [fact.value for fact in answer.facts] == ["may be stopped"]


async def test_a_dispute_shows_its_challenger_as_disputed(world: World) -> None:
    passed = {"attribute": "outcome", "entity": "build-7", "value": "passed"}
    seen = event(type="observation", text="outcome", data={"candidates": [passed]})
    await world.digest(await world.publish(world.pipeline, seen, event(type="activity_completed")))
    failed = Statement(scope=STAGING, entity="build-7", attribute="outcome", value="failed")
    await world.service.remember(world.lead, failed)
    answer = await world.recall(entities=["build-7"], unverified=True)
    assert [fact.value for fact in answer.facts] == ["passed"]
    [claim] = answer.unverified
    assert (claim.value, claim.status) == ("failed", Status.DISPUTED)


async def test_claims_leave_how_facts_rank_as_it_was(world: World) -> None:
    """They are in no index: a flood of them changes no statistics and no score."""
    for number in range(3):
        said = Statement(scope=STAGING, entity=f"kiln-{number}", attribute="uses", value=f"gas line {number}")
        await world.service.remember(world.lead, said)
    before = await world.recall(query="gas line 2")
    for number in range(4):
        await claimed(world, f"gas gas gas {number}", attribute="uses", entity=f"kiln-{number + 10}")
    after = await world.recall(query="gas line 2")
    assert [(fact.id, fact.score) for fact in after.facts] == [(fact.id, fact.score) for fact in before.facts]


async def test_explain_says_that_a_claim_is_quarantined(world: World) -> None:
    await claimed(world)
    asked = RecallRequest(scope=STAGING, entities=(SERVER["id"],), unverified=True)
    [claim] = (await world.service.recall(world.agent, asked)).unverified
    told = await world.service.explain(world.agent, claim.id, asked)
    assert (told.included, told.dropped_at) == (False, Step.STATUS)
    assert told.checks[-1].detail.startswith("quarantined: held unverified")


async def test_nobody_hears_of_a_claim_before_it_was_made(world: World) -> None:
    await claimed(world)
    answer = await world.recall(entities=[SERVER["id"]], unverified=True, as_of=MONDAY)
    assert answer.unverified == ()


async def test_who_may_not_recall_here_is_refused_with_or_without_claims(world: World) -> None:
    await claimed(world)
    pat = world.principal("pat", PrincipalKind.HUMAN, "user")
    asked = RecallRequest(scope={"user": "pat"}, entities=(SERVER["id"],), unverified=True)
    assert (await world.service.recall(pat, asked)).unverified == ()
