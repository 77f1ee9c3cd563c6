"""Promises and wishes to be reminded, as the rules read them, and as they leave alone what only looks like one."""

import time

import pytest

from evals.prospective_capture.__main__ import PRECISION, RECALL
from evals.prospective_capture.measure import PARTS, Case, cases_of, event_of, figures_of
from models.authority import Authority
from models.captures import Captured, IntentionRules
from models.events import EventType
from models.policy import Policy
from providers.rule_extractor.promises import MOST_PROMISES, READ, promises_of

CHECK = "I'll check the canary tomorrow at 9."


@pytest.mark.parametrize("case", cases_of("development"), ids=lambda case: f"{case.by}: {case.says}")
def test_a_sentence_is_read_as_its_case_says(policy: Policy, case: Case) -> None:
    assert figures_of(policy, [case]).wrong == ()


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold_their_floors(policy: Policy, part: str) -> None:
    cases = cases_of(part)
    figures = figures_of(policy, cases)
    assert figures.precision >= PRECISION
    assert figures.recall >= RECALL[part]
    assert sum(not case.wants for case in cases) * 2 >= len(cases)


def test_there_are_enough_sentences_and_none_twice() -> None:
    cases = [case for part in PARTS for case in cases_of(part)]
    assert len(cases) >= 100
    assert len({(case.says, case.by, case.type, case.zone) for case in cases}) == len(cases)


@pytest.mark.parametrize("kind", list(EventType))
def test_only_what_somebody_says_is_read(policy: Policy, kind: EventType) -> None:
    event = event_of(policy, Case(says=CHECK, type=kind, wants=()))
    assert bool(promises_of(event)) is (kind in READ)


def test_each_promise_has_its_place_in_the_text(policy: Policy) -> None:
    said = f"Done. {CHECK} Please remind me in 40 minutes to call Ana."
    first, second = promises_of(event_of(policy, Case(says=said, wants=())))
    assert said[first.start :].startswith("I'll check")
    assert said[second.start :].startswith("Please remind me")
    assert (first.action, second.action) == ("check the canary", "call Ana")


def test_without_a_zone_it_is_read_in_utc(policy: Policy) -> None:
    event = event_of(policy, Case(says=CHECK, wants=())).model_copy(update={"timezone": None})
    [promise] = promises_of(event)
    assert promise.when.at is not None
    assert promise.when.at.isoformat() == "2026-12-02T09:00:00+00:00"


def test_a_long_list_is_cut_and_a_long_text_is_read_in_no_time(policy: Policy) -> None:
    listed = promises_of(event_of(policy, Case(says=f"{CHECK} " * 50, wants=())))
    assert len(listed) == MOST_PROMISES
    texts = (
        "I'll " + "check and " * 20_000 + "tomorrow at 9",
        f"I'll check{' please thanks' * 18} because so. " * 800,
        "Remind me to " * 20_000,
        "I'll check at 25:99. " * 10_000,
    )
    began = time.process_time()
    assert [promises_of(event_of(policy, Case(says=said, wants=()))) for said in texts] == [[]] * len(texts)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("captured", list(Captured))
def test_untrusted_text_counts_for_nothing_whatever_the_policy_says(captured: Captured) -> None:
    every = dict.fromkeys(("model_inferred", "human_instruction", "verified_outcome"), captured)
    rules = IntentionRules.model_validate({"captured": every})
    assert rules.of(Authority.UNTRUSTED) is Captured.IGNORE
    assert {rules.of(each) for each in (Authority.MODEL_INFERRED, Authority.HUMAN_INSTRUCTION)} == {captured}
    with pytest.raises(ValueError, match="untrusted"):
        IntentionRules.model_validate({"captured": {"untrusted": "propose"}})
