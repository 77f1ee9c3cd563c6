"""Before and after something that happened: by what the asker may see of it, and nothing is left out."""

from datetime import UTC, datetime

from models.principals import PrincipalKind
from models.recall import RecallAnswer, RecallRequest
from models.statements import Statement
from tests.policies import applied, read_by
from tests.world import STAGING, World, event

EARLY, LATE = "Backups go to tape.", "Backups go to the cloud."
QUERY = "Where do backups go"


async def told(world: World, scope: dict[str, str] = STAGING) -> None:
    """Two talks about backups, ten days apart, and in between, on the fifth day, a migration."""
    receipts = await world.publish(
        world.lead,
        event(0, activity_id="early", type="feedback", text=EARLY),
        event(10, activity_id="late", type="feedback", text=LATE),
        event(
            5,
            activity_id="moving",
            type="feedback",
            text="The Frankfurt migration is done.",
            scope=scope,
        ),
    )
    await world.digest(receipts)


def fits(answer: RecallAnswer) -> dict[str, float]:
    return {each.text.removeprefix("dana: "): each.terms.temporal for each in answer.passages}


async def test_what_lies_on_the_side_that_is_asked_about_comes_first_and_the_rest_after(world: World) -> None:
    await told(world)
    before = await world.recall(query=f"{QUERY} before the Frankfurt migration?")
    after = await world.recall(query=f"{QUERY} since the Frankfurt migration?")
    assert fits(before)[EARLY] == fits(after)[LATE] == 1
    assert 0 < fits(before)[LATE] < 1
    assert 0 < fits(after)[EARLY] < 1
    order = [text for text in fits(before) if text in {EARLY, LATE}]
    assert order == [EARLY, LATE]
    assert [text for text in fits(after) if text in {EARLY, LATE}] == [LATE, EARLY]
    [early, *_] = [each for each in before.passages if EARLY in each.text]
    asked = RecallRequest(scope=STAGING, query=f"{QUERY} before the Frankfurt migration?")
    explained = await world.service.explain(world.agent, early.episode_id, asked)
    assert "temporal 1.000" in " ".join(check.detail for check in explained.checks)


async def test_a_date_in_the_question_goes_first_and_what_nobody_knows_of_changes_nothing(
    world: World,
) -> None:
    await told(world)
    dated = await world.recall(query=f"{QUERY} since the Frankfurt migration, before 2026-03-05")
    assert (fits(dated)[EARLY], fits(dated)[LATE] < 1) == (1, True)
    unknown = await world.recall(query=f"{QUERY} before the Lisbon migration?")
    assert set(fits(unknown).values()) == {0}


async def test_what_the_asker_does_not_reach_tells_nothing(world: World) -> None:
    await told(world, {"workspace": "production"})
    answer = await world.recall(query=f"{QUERY} before the Frankfurt migration?")
    assert set(fits(answer)) == {EARLY, LATE}
    assert set(fits(answer).values()) == {0}


async def test_a_fact_of_a_class_that_the_asker_may_not_read_tells_nothing(world: World) -> None:
    await told(world, {"workspace": "production"})
    await world.service.remember(
        world.lead,
        Statement(
            scope=STAGING,
            attribute="owner",
            entity="the Frankfurt migration",
            value="Ana",
            text="Ana owns the Frankfurt migration.",
            valid_from=datetime(2026, 3, 7, tzinfo=UTC),
        ),
    )
    query = f"{QUERY} before the Frankfurt migration?"
    assert fits(await world.recall(query=query))[EARLY] == 1
    await applied(world, read_by("service_dependency", "operator"))
    hidden = await world.recall(world.principal("sam", PrincipalKind.HUMAN, "developer"), query=query)
    assert set(fits(hidden).values()) == {0}
