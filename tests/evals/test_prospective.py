"""The firing of intentions: the scripts are what they should be, and some of them are played as they are measured."""

from collections import Counter

import pytest
from temporalio.client import Client

from evals.prospective.__main__ import policy_of_runs
from evals.prospective.goodai import PROSPECTIVE, RESPONSE, runs_of_definitions, turn_of
from evals.prospective.play import play
from evals.prospective.report import Board, as_text
from evals.prospective.scripts import KINDS, read_runs
from evals.read.data import Absent
from models.events import EventType
from runtime.addresses import Addresses
from tests.evals.stages import stage_on

PLAYED = {
    "instant",
    "cue-that-repeats",
    "other-entity",
    "similar-value",
    "other-scope",
    "after-the-deadline",
    "rescheduled",
    "snoozed",
    "fact-superseded",
    "premise-ends",
}


def test_there_are_enough_runs_of_every_sort() -> None:
    runs = read_runs()
    assert len(runs) >= 150
    assert len({run.id for run in runs}) == len(runs)
    assert {run.setting.about for run in runs} == {"operations", "coding", "support", "personal"}
    assert {kind for run in runs for kind in run.kinds.values()} == set(KINDS.values())
    near = Counter(kind for run in runs for kind in run.near)
    wanted = {"other_entity", "other_field", "similar_value", "similar_words", "other_scope", "too_early"}
    assert wanted | {"after_the_deadline", "cancelled", "rescheduled", "premise_ended"} <= near.keys()


def test_five_to_fifty_unrelated_events_stand_in_each() -> None:
    assert {run.id for run in read_runs() if not 5 <= run.between <= 50} == set()


def test_every_run_is_drawn_the_same_again() -> None:
    first = read_runs()
    read_runs.cache_clear()
    assert read_runs() == first


def test_no_distractor_says_what_a_cue_asks_for() -> None:
    for setting in {run.setting.id: run.setting for run in read_runs()}.values():
        assert setting.value not in {*setting.unrelated, setting.similar}, setting.id
        assert setting.entity != setting.other_entity, setting.id
        assert EventType(setting.type) is not EventType.TOOL_CALL, "the other type of the near miss"


@pytest.mark.timeout(300)
async def test_some_runs_fire_as_they_have_to(addresses: Addresses, client: Client) -> None:
    runs = [
        run
        for run in read_runs()
        if run.id.partition("/")[0] in PLAYED and run.setting.id in {"canary", "parcel"}
    ]
    assert len(runs) == 2 * len(PLAYED)
    async with stage_on(addresses, client, policy_of_runs()) as stage:
        board = Board("Runs", await play(stage.service, stage.database_url, runs))
    assert board.failures == [], as_text(board)
    assert board.score.f1 == 1.0
    assert board.score.right == sum(sum(run.fires.values()) for run in runs)


@pytest.mark.parametrize(
    ("words", "turn"),
    [
        ("Please recite the quote in the 8th new message after this one.", 8),
        (
            "append the quote to your 5th response. Count your response to this message as the first response.",
            4,
        ),
    ],
)
def test_a_definition_says_at_which_message_its_reply_is_due(words: str, turn: int) -> None:
    assert turn_of(words) == turn


def test_words_that_say_it_in_another_way_are_not_guessed_at() -> None:
    with pytest.raises(Absent, match="no known way"):
        turn_of("Recite it some time soon.")


def test_every_public_definition_is_mapped() -> None:
    try:
        runs = runs_of_definitions()
    except Absent as absent:
        pytest.skip(str(absent))
    assert Counter(run.id.partition("/")[0] for run in runs) == {PROSPECTIVE: 12, RESPONSE: 12}
    assert {run.fires["reply"] for run in runs} == {1, 3}
    assert all("$" not in str(run.steps) and run.near for run in runs)
