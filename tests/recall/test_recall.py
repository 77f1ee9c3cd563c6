"""What comes back: the restriction that nobody asked for, never what is over, never what is another's."""

from datetime import UTC, datetime, timedelta

import pytest

from models.errors import InvalidInput, NotFound, NotPermitted
from models.recall import Advice, Reason, RecallRequest
from models.statements import Withdrawal
from tests.world import MASKER, MONDAY, SERVER, STAGING, World, event

KEEP = "Keep gpu-bench-01 running until the audit is over."


async def test_a_restriction_comes_with_its_reason_and_episode(world: World) -> None:
    said = await world.say(world.lead, f"The cleanup broke QA. {KEEP}", activity_id="act-9")
    before = await world.recall(query="Run the weekly cleanup.")
    assert before.required == ()
    answer = await world.recall(query="Run the weekly cleanup.", entities=("gpu-bench-01",))
    [fact] = answer.required
    assert answer.facts[0] == fact
    assert Reason.RESTRICTION_IN_PLAY in fact.reasons
    assert fact.sources == (said.event_id,)
    episode = await world.service.episode_of(world.lead, said.activity_id)
    assert episode is not None
    assert fact.episodes == (episode.id,)
    evidence = [passage for passage in answer.passages if Reason.EVIDENCE in passage.reasons]
    assert [passage.episode_id for passage in evidence] == [episode.id]
    assert "broke QA" in evidence[0].text


async def test_a_name_in_the_query_puts_the_thing_in_play(world: World) -> None:
    await world.say(world.lead, KEEP)
    answer = await world.recall(query="Please stop GPU-bench-01, it is idle")
    assert [fact.value for fact in answer.required] == ["keep running"]


async def test_standing_instructions_come_on_every_recall_of_their_scope(world: World) -> None:
    await world.say(world.lead, "From now on post a summary in the ops channel after every cleanup.")
    answer = await world.recall(query="something else entirely")
    assert [fact.attribute for fact in answer.required] == ["standing_instruction"]
    elsewhere = await world.service.recall(world.lead, RecallRequest(scope={"workspace": "production"}))
    assert elsewhere.facts == ()


@pytest.mark.parametrize(
    "other", ["staging_cloud", "staging", "staging-cloud-2", "%", "_______-_____", "STAGING-CLOUD"]
)
async def test_scope_values_are_compared_to_the_letter(world: World, other: str) -> None:
    await world.say(world.lead, KEEP)
    answer = await world.service.recall(
        world.lead, RecallRequest(scope={"workspace": other}, query=KEEP, entities=("gpu-bench-01",))
    )
    assert (answer.facts, answer.passages) == ((), ())


async def test_a_record_applies_within_its_scope_and_not_beside_it(world: World) -> None:
    await world.say(world.lead, KEEP)
    narrower = RecallRequest(scope={**STAGING, "project": "p"}, entities=("gpu-bench-01",))
    assert (await world.service.recall(world.lead, narrower)).required
    wider = RecallRequest(scope={"project": "p"}, query=KEEP, entities=("gpu-bench-01",))
    assert (await world.service.recall(world.lead, wider)).facts == ()


async def test_a_scope_beyond_the_role_is_refused(world: World) -> None:
    for scope in ({}, {"user": "somebody-else"}):
        with pytest.raises(NotPermitted):
            await world.service.recall(world.agent, RecallRequest(scope=scope))
    with pytest.raises(InvalidInput, match="unknown dimension"):
        await world.service.recall(world.agent, RecallRequest(scope={"planet": "mars"}))
    nobody = world.principal("nobody")
    with pytest.raises(NotPermitted):
        await world.service.recall(nobody, RecallRequest(scope=STAGING))


async def test_another_tenant_sees_nothing(world: World) -> None:
    await world.say(world.lead, KEEP)
    other = World(world.service, world.database, f"{world.tenant}-x")
    await other.service.add_tenant(other.agent)
    answer = await other.recall(query=KEEP, entities=("gpu-bench-01", SERVER["id"]))
    assert (answer.facts, answer.passages, answer.left_out) == ((), (), 0)
    [fact] = (await world.recall(entities=("gpu-bench-01",))).required
    for call in (
        other.service.history_of_fact(other.lead, fact.id),
        other.service.explain(other.lead, fact.id, RecallRequest(scope=STAGING)),
        other.service.confirm(other.pipeline, fact.id, fact.sources[0]),
    ):
        with pytest.raises(NotFound):
            await call


async def test_the_past_is_asked_for_by_an_instant(world: World) -> None:
    await world.say(world.lead, KEEP)
    early = await world.recall(query=KEEP, entities=("gpu-bench-01",), as_of=MONDAY - timedelta(seconds=1))
    assert (early.facts, early.passages) == ((), ())
    with pytest.raises(InvalidInput, match="naive"):
        await world.recall(as_of=MONDAY.replace(tzinfo=None))


async def test_what_came_later_takes_no_place_in_an_answer_about_the_past(world: World) -> None:
    receipts = await world.publish(
        world.lead,
        *(event(n, activity_id=f"act-{n}", type="feedback", text=f"cleanup report {n}") for n in range(8)),
    )
    await world.digest(receipts)
    answer = await world.recall(query="cleanup report", limit=1, as_of=MONDAY)
    assert [passage.text for passage in answer.passages] == ["dana: cleanup report 0"]
    assert answer.left_out == 0


async def test_a_budget_too_small_for_what_binds_says_to_defer(world: World) -> None:
    await world.say(world.lead, KEEP)
    answer = await world.recall(entities=("gpu-bench-01",), budget_tokens=5)
    assert answer.advice is Advice.DEFER
    assert answer.facts == ()
    [missing] = answer.missing
    explained = await world.service.explain(
        world.lead, missing, RecallRequest(scope=STAGING, entities=("gpu-bench-01",), budget_tokens=5)
    )
    assert explained.dropped_at == "budget"


async def test_words_find_passages_in_many_scripts(world: World) -> None:
    texts = [
        "会议改到周五下午",
        "बैठक शुक्रवार को होगी",
        "الاجتماع يوم الجمعة",
        "การประชุมเลื่อนไปวันศุกร์",
        "ERR_RATE_LIMIT hit v1.2.0",
    ]
    receipts = await world.publish(
        world.lead,
        *(event(activity_id=f"act-{n}", type="feedback", text=text) for n, text in enumerate(texts)),
    )
    await world.digest(receipts)
    for query, text in zip(
        ["会议 周五", "शुक्रवार", "الجمعة", "การประชุม", "err_rate_limit"], texts, strict=True
    ):
        answer = await world.recall(query=query)
        assert [text in passage.text for passage in answer.passages] == [True], query


async def test_explain_names_the_step(world: World) -> None:
    await world.say(world.lead, KEEP)
    await world.say(
        world.lead,
        "Keep gpu-bench-01 reserved until the benchmark is done.",
        occurred_at=(MONDAY + timedelta(1)).isoformat(),
    )
    old, new = await world.service.history_of_entity(world.lead, STAGING, "gpu-bench-01")

    async def dropped(record: object, **fields: object) -> object:
        request = RecallRequest.model_validate({"scope": STAGING, **fields})
        return (await world.service.explain(world.lead, record, request)).dropped_at  # type: ignore[arg-type]

    assert await dropped(new.fact.id, entities=["gpu-bench-01"]) is None
    assert await dropped(new.fact.id, scope={"workspace": "other"}) == "scope"
    assert await dropped(old.fact.id, entities=["gpu-bench-01"]) == "status"
    assert await dropped(new.fact.id, query="lunch menu") == "candidate"
    for n in range(3):
        await world.say(world.lead, f"disk-{n} is owned by team-red.", activity_id=f"o-{n}")
    [fact] = [life.fact for life in await world.service.history_of_entity(world.lead, STAGING, "disk-2")]
    ranked = [await dropped(fact.id, query="owned by team-red", limit=limit) for limit in (1, 10)]
    assert ranked[1] is None
    episode = await world.service.episode_of(
        world.lead, (await world.say(world.lead, "hello", activity_id="e")).activity_id
    )
    assert episode is not None
    assert await dropped(episode.id, query="hello") is None
    assert await dropped(episode.id, query="nothing alike") == "candidate"


async def test_what_holds_for_the_whole_tenant_can_be_explained_to_whoever_gets_it(world: World) -> None:
    operator = world.principal("op", world.lead.kind, "operator")
    await world.say(operator, "From now on post a summary after every cleanup.", scope={})
    [fact] = (await world.recall(query="cleanup")).required
    told = await world.service.explain(world.agent, fact.id, RecallRequest(scope=STAGING, query="cleanup"))
    assert told.included
    [life] = await world.service.history_of_fact(world.agent, fact.id)
    assert life.fact.id == fact.id


async def test_what_is_known_elsewhere_looks_like_what_is_known_nowhere(world: World) -> None:
    await world.say(world.lead, KEEP)
    outsider = world.principal("u-27", world.lead.kind, "user")
    answers = []
    for mention in ("gpu-bench-01", SERVER["id"], "vm:nobody-knows"):
        with pytest.raises(NotFound) as refused:
            await world.service.history_of_entity(outsider, {"user": "u-27"}, mention)
        answers.append(str(refused.value))
    assert len(set(answers)) == 1


async def test_what_postgres_cannot_hold_is_looked_up_without_it(world: World) -> None:
    await world.say(world.lead, KEEP)
    answer = await world.recall(query="a\x00b \ud83d", entities=("gpu\x00-bench-01", "\ud83d"))
    assert [fact.value for fact in answer.required] == ["keep running"]


async def test_a_round_is_not_known_before_its_answer(world: World) -> None:
    receipts = await world.publish(world.lead, event(0, type="message", text="where is the giraffe?"))
    receipts += await world.publish(
        world.developer, event(1, type="message", text="in the zoo"), event(2, type="activity_completed")
    )
    await world.digest(receipts)
    between = await world.recall(query="giraffe", as_of=MONDAY + timedelta(hours=1))
    assert between.passages == ()
    assert len((await world.recall(query="giraffe")).passages) == 1


async def test_reading_needs_no_worker(world: World) -> None:
    """Recall answers from Postgres alone; only what was consolidated before is there."""
    await world.say(world.lead, KEEP)
    alone = type(world.service)(
        world.database, world.service._policies, None, masker=MASKER, task_queue="nobody-polls-this"
    )
    answer = await alone.recall(world.lead, RecallRequest(scope=STAGING, entities=("gpu-bench-01",)))
    assert [fact.value for fact in answer.required] == ["keep running"]


async def test_a_fact_says_which_of_the_things_asked_for_it_is_about(world: World) -> None:
    """By whatever name: an agent that decides on one machine must not take another's restriction for its own."""
    await world.say(world.lead, "Keep gpu-bench-01 running until the audit is over.", entities=[SERVER])
    answer = await world.recall(
        entities=("dev-sandbox-04", SERVER["id"], "GPU-Bench-01"), query="dev-sandbox-04 or gpu-bench-01?"
    )
    [fact] = answer.required
    assert sorted(fact.about) == sorted([SERVER["id"], "GPU-Bench-01"])
    by_words = await world.recall(query="gpu-bench-01")
    assert [fact.about for fact in by_words.required] == [()]


async def test_what_was_known_is_asked_for_by_an_instant_too(world: World) -> None:
    await world.say(world.lead, KEEP)
    before = datetime.now(UTC)
    [kept] = (await world.recall(entities=("gpu-bench-01",))).required
    await world.service.retract(world.lead, kept.id, Withdrawal(text="It was a mistake."))
    after = datetime.now(UTC)
    assert (await world.recall(entities=("gpu-bench-01",))).required == ()
    # Nobody knew of the withdrawal then, and the fact is what an agent went by.
    known = await world.recall(entities=("gpu-bench-01",), known_at=before, as_of=after)
    assert [fact.id for fact in known.required] == [kept.id]
    assert (await world.recall(entities=("gpu-bench-01",), known_at=after)).required == ()
    nothing = await world.recall(query=KEEP, entities=("gpu-bench-01",), known_at=MONDAY)
    assert (nothing.facts, nothing.passages) == ((), ())
    with pytest.raises(InvalidInput, match="naive"):
        await world.recall(known_at=MONDAY.replace(tzinfo=None))
