"""The running session is part of an answer until an episode tells of it, within the rules that hold for passages."""

from datetime import timedelta

import pytest

from models.principals import PrincipalKind
from models.recall import Advice, RecallAnswer, RecallRequest
from models.statements import Statement
from tests.household import Household
from tests.policies import applied, read_by
from tests.world import MONDAY, STAGING, World, event

RUN = "act-run"


async def _say(world: World, minutes: float, text: str, kind: str = "instruction", **fields: object) -> None:
    who = fields.pop("who", world.agent)
    said = event(minutes / 1440, activity_id=RUN, type=kind, text=text, **fields)
    await world.publish(who, said)  # pyright: ignore[reportArgumentType]


def _told(answer: RecallAnswer) -> list[str]:
    return [each.text for each in answer.session]


async def test_what_was_said_a_moment_ago_is_in_the_answer_the_newest_last(world: World) -> None:
    await _say(world, 1, "Look at gpu-bench-01.")
    await _say(world, 2, "Use the other cluster.", who=world.lead)
    answer = await world.recall(activity_id=RUN)
    assert _told(answer) == ["Look at gpu-bench-01.", "Use the other cluster."]
    assert [each.actor for each in answer.session] == ["ops-agent", "dana"]
    assert answer.session[1].occurred_at == MONDAY + timedelta(minutes=2)
    assert answer.tokens > 0
    assert (await world.recall()).session == ()
    assert (await world.recall(activity_id="act-other")).session == ()


async def test_what_an_episode_tells_of_is_no_longer_of_the_session(world: World) -> None:
    receipts = await world.publish(
        world.lead, event(activity_id=RUN, type="feedback", text="Use the other cluster.")
    )
    await world.digest(receipts)
    answer = await world.recall(activity_id=RUN, query="cluster")
    assert (answer.session, [each.text for each in answer.passages]) == ((), ["dana: Use the other cluster."])


async def test_routine_events_have_no_episode_and_stay_of_the_session(world: World) -> None:
    receipts = await world.publish(
        world.agent,
        event(activity_id=RUN, type="observation", text="The disk is full."),
        event(activity_id=RUN, type="activity_completed", text="done"),
    )
    await world.digest(receipts)
    assert _told(await world.recall(activity_id=RUN)) == ["The disk is full.", "done"]


async def test_it_is_within_the_scope_and_the_instant(world: World) -> None:
    await _say(world, 1, "Here and now.")
    await _say(world, 2, "Elsewhere.", scope={"workspace": "production"})
    await _say(world, 60, "Later.")
    asked = RecallRequest(
        scope={**STAGING, "project": "p"}, activity_id=RUN, as_of=MONDAY + timedelta(minutes=30)
    )
    assert _told(await world.service.recall(world.agent, asked)) == ["Here and now."]


async def test_it_takes_a_share_of_the_budget_and_what_corrects_comes_first(world: World) -> None:
    await _say(world, 1, "Never touch the blue cluster.", kind="instruction")
    for minute in range(2, 12):
        await _say(world, minute, f"step {minute} " + "went on and on " * 10, kind="note")
    answer = await world.recall(activity_id=RUN, budget_tokens=400)
    assert answer.tokens <= 100
    assert _told(answer)[0] == "Never touch the blue cluster."
    assert [text.split()[1] for text in _told(answer)[1:]] == ["11"]


async def test_no_room_is_taken_from_what_must_be_heeded(world: World) -> None:
    await world.say(world.lead, "Keep gpu-bench-01 running until the audit is over.", activity_id="act-1")
    await _say(world, 1, "Use the other cluster.")
    needed = (await world.recall(entities=("gpu-bench-01",), triggers=(), limit=1)).tokens
    answer = await world.recall(
        entities=("gpu-bench-01",), triggers=(), limit=1, activity_id=RUN, budget_tokens=needed
    )
    assert len(answer.required) == 1
    assert (answer.session, answer.advice) == ((), Advice.USE)


async def test_what_is_remembered_holds_at_once_without_it(world: World) -> None:
    stated = await world.service.remember(
        world.lead,
        Statement(
            scope=STAGING,
            attribute="lifecycle_policy",
            entity="gpu-bench-01",
            value="keep running",
            text="Keep gpu-bench-01 running.",
            activity_id=RUN,
        ),
    )
    assert stated.governs
    answer = await world.recall(entities=("gpu-bench-01",), activity_id=RUN)
    assert [fact.value for fact in answer.required] == ["keep running"]


async def test_words_of_a_hidden_memory_are_told_to_its_readers_alone(world: World) -> None:
    """The session of somebody else is told of nothing that nobody has looked at yet, where anything is hidden."""
    await world.say(world.lead, "Keep gpu-bench-01 running until the audit is over.", activity_id=RUN)
    await applied(world, read_by("operational_restriction", "infra_lead"))
    other = world.principal("other-agent", PrincipalKind.AGENT, "agent")
    await world.publish(other, event(1, activity_id=RUN, type="note", text="I am here as well."))
    await world.publish(world.agent, event(2, activity_id=RUN, type="note", text="And so am I."))
    for who, told in ((other, "I am here as well."), (world.agent, "And so am I.")):
        answer = await world.recall(who, activity_id=RUN)
        assert "gpu-bench-01" not in " ".join(_told(answer))
        assert set(_told(answer)) <= {told}


async def test_who_runs_the_activity_hears_what_others_say_in_it(world: World) -> None:
    await applied(world, read_by("operational_restriction", "infra_lead"))
    await _say(world, 1, "I look at gpu-bench-01.")
    await _say(world, 2, "Look at web-1 first.", who=world.developer)
    assert _told(await world.recall(activity_id=RUN)) == ["I look at gpu-bench-01.", "Look at web-1 first."]
    other = world.principal("other-agent", PrincipalKind.AGENT, "agent")
    assert (await world.recall(other, activity_id=RUN)).session == ()


@pytest.fixture
def household(world: World) -> Household:
    return Household(world)


async def test_words_of_what_a_person_has_switched_off_are_told_to_nobody(household: Household) -> None:
    await household.remembered(
        household.operator, "preference", "tea", text="Ana prefers tea.", activity_id=RUN
    )
    assert _told(await household.recall(activity_id=RUN)) == ["Ana prefers tea."]
    await household.service.switch_off(household.ana, "user_preference")
    assert (await household.recall(activity_id=RUN)).session == ()
