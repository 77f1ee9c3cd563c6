"""Memories that disagree come whole or not at all, and what the class settles does not come up."""

from models.contracts import Precedence
from models.facts import Status
from models.recall import Advice, Reason, RecallAnswer, RecallRequest
from models.statements import Statement
from models.traces import Fate
from tests.world import STAGING, World

PROJECT = {**STAGING, "project": "p-1"}
BENCH = "gpu-bench-01"


async def _state(world: World, value: str, scope: dict[str, str] = STAGING, **fields: str) -> None:
    said = {"attribute": "lifecycle_policy", "entity": BENCH, **fields}
    stated = await world.service.remember(
        world.lead, Statement(scope=scope, value=value, text=f"{said['entity']}: {value}", **said)
    )
    assert stated.governs


async def _ask(world: World, **fields: object) -> RecallAnswer:
    return await world.service.recall(
        world.lead,
        RecallRequest(scope=PROJECT, entities=(BENCH,), **fields),  # pyright: ignore[reportArgumentType]
    )


async def test_an_open_conflict_abstains_with_its_question_and_comes_whole(world: World) -> None:
    await _state(world, "keep running")
    await _state(world, "delete at night", PROJECT)
    answer = await _ask(world)
    assert answer.advice is Advice.ABSTAIN
    [conflict] = answer.conflicts
    assert conflict.unsettled
    assert conflict.carried
    assert set(conflict.members) == {fact.id for fact in answer.facts}
    assert conflict.question is not None
    assert "keep running" in conflict.question
    assert "delete at night" in conflict.question


async def test_a_conflict_that_does_not_fit_is_told_and_left_out_whole(world: World) -> None:
    await _state(world, "keep running")
    await _state(world, "delete at night", PROJECT)
    whole = (await _ask(world)).tokens
    answer = await _ask(world, budget_tokens=whole - 1)
    assert answer.facts == ()
    assert answer.advice is Advice.DEFER
    assert len(answer.missing) == 2
    [conflict] = answer.conflicts
    assert not conflict.carried


async def test_what_the_class_settles_is_not_brought_back(world: World) -> None:
    await _state(world, "terraform", attribute="uses")
    await _state(world, "pulumi", PROJECT, attribute="uses")
    answer = await _ask(world)
    assert [fact.value for fact in answer.facts] == ["pulumi"]
    assert answer.advice is Advice.USE
    [conflict] = answer.conflicts
    assert (conflict.unsettled, conflict.settled_by) == (False, (Precedence.NARROWER_SCOPE,))
    [gone] = conflict.yielded
    explained = await world.service.explain(world.lead, gone, RecallRequest(scope=PROJECT, entities=(BENCH,)))
    assert explained.dropped_at == "conflict"
    # In the wider scope alone there is nothing that it gives way to.
    wide = await world.service.recall(world.lead, RecallRequest(scope=STAGING, entities=(BENCH,)))
    assert [fact.value for fact in wide.facts] == ["terraform"]


async def test_partners_are_pulled_in_that_no_word_brings_up(world: World) -> None:
    await _state(world, "terraform", entity="alpha", attribute="owner")
    await _state(world, "somebody", PROJECT, entity="alpha", attribute="owner")
    answer = await world.service.recall(world.lead, RecallRequest(scope=PROJECT, query="terraform"))
    [conflict] = answer.conflicts
    assert not conflict.unsettled
    assert conflict.settled_by == (Precedence.NARROWER_SCOPE,)


async def test_what_was_found_and_gives_way_brings_in_what_it_gives_way_to(world: World) -> None:
    await _state(world, "terraform", attribute="uses", entity="alpha")
    await _state(world, "pulumi", PROJECT, attribute="uses", entity="alpha")
    answer = await world.service.recall(world.lead, RecallRequest(scope=PROJECT, query="terraform"))
    assert [fact.value for fact in answer.facts] == ["pulumi"]
    assert answer.left_out == 0


async def test_a_challenger_is_shown_beside_what_governs_and_in_force_nowhere(world: World) -> None:
    said = Statement(scope=STAGING, entity=BENCH, attribute="outcome", value="passed", text="QA: passed")
    assert (await world.service.remember(world.pipeline, said)).governs
    other = said.model_copy(update={"value": "failed", "text": "It failed for me."})
    assert not (await world.service.remember(world.lead, other)).governs
    answer = await world.recall(entities=(BENCH,))
    assert [fact.value for fact in answer.facts] == ["passed"]
    [conflict] = answer.conflicts
    [challenger] = conflict.challengers
    assert (challenger.value, challenger.status) == ("failed", Status.DISPUTED)
    assert Reason.PARTNER in challenger.reasons
    assert answer.advice is Advice.ABSTAIN


async def test_the_trace_says_what_became_of_each(world: World) -> None:
    await _state(world, "terraform", attribute="uses")
    await _state(world, "pulumi", PROJECT, attribute="uses")
    answer = await _ask(world, query="pulumi password: hunter2secret")
    assert answer.trace_id is not None
    trace = await world.service.trace(world.lead, answer.trace_id)
    fates = {entry.fate for entry in trace.entries if entry.kind == "fact"}
    assert fates == {Fate.SELECTED, Fate.YIELDED}
    assert [decision.name.value for decision in trace.decisions] == [
        "trigger", "scopes", "eligibility", "conflicts", "query", "rank", "partners", "budget",
    ]  # fmt: skip
    assert "hunter2secret" not in trace.model_dump_json()
