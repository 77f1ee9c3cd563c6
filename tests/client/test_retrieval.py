"""When to recall, and what to ask: one row for each trigger, and for each that does not hold."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keepwell import EntityMention, RecallRequest
from keepwell.names import keys_of
from keepwell.retrieval import (
    ALWAYS,
    MAX_ENTITIES,
    MAX_QUERY_CHARACTERS,
    RetrievalPolicy,
    Situation,
    Trigger,
    build_query,
    should_retrieve,
)

BENCH = EntityMention(id="cloud-instance:i-09a8f", name="gpu-bench-01")
SANDBOX = EntityMention(name="dev-sandbox-04")
QUIET = Situation(
    goal="Clean up idle machines",
    subtask="stop gpu-bench-01",
    entities=(BENCH,),
    covered=frozenset(keys_of(BENCH)),
    decisions_since=1,
    seconds_since=1.0,
)
"""Nothing calls for a recall."""


@pytest.mark.parametrize(
    ("situation", "reasons"),
    [
        (QUIET, []),
        (replace(QUIET, decisions_since=None, seconds_since=None), [Trigger.FIRST_DECISION]),
        (
            replace(QUIET, decisions_since=None, seconds_since=None, covered=frozenset()),
            [Trigger.FIRST_DECISION, Trigger.NEW_ENTITY],
        ),
        (replace(QUIET, entities=(BENCH, SANDBOX)), [Trigger.NEW_ENTITY]),
        (replace(QUIET, covered=frozenset({"gpu-bench-01"})), [Trigger.NEW_ENTITY]),
        (replace(QUIET, entities=(EntityMention(name="GPU‑bench-01"),)), []),
        (replace(QUIET, entities=()), []),
        (replace(QUIET, cues=("task:outage",)), [Trigger.NEW_ENTITY]),
        (replace(QUIET, cues=("task:outage",), covered=QUIET.covered | {"task:outage"}), []),
        (replace(QUIET, returning=frozenset({"gpu-bench-01"})), [Trigger.RETURNING_ENTITY]),
        (replace(QUIET, returning=frozenset({"dev-sandbox-04"})), []),
        (replace(QUIET, new_errors=("stop: TimeoutError",)), [Trigger.NEW_ERROR]),
        (replace(QUIET, failures=1), []),
        (replace(QUIET, failures=2), [Trigger.FAILED_STRATEGY]),
        (replace(QUIET, corrected=True), [Trigger.USER_CORRECTION]),
        (replace(QUIET, new_task_class="cleanup"), [Trigger.KNOWN_TASK_CLASS]),
        (replace(QUIET, new_task_class="release"), []),
        (replace(QUIET, decisions_since=9), []),
        (replace(QUIET, decisions_since=10), [Trigger.STALE]),
        (replace(QUIET, seconds_since=59.9), []),
        (replace(QUIET, seconds_since=60.0), [Trigger.STALE]),
        (replace(QUIET, spent=True), [Trigger.STALE]),
        (replace(QUIET, explicit=True), [Trigger.EXPLICIT_NEED]),
        (replace(QUIET, explicit=True, corrected=True), [Trigger.USER_CORRECTION, Trigger.EXPLICIT_NEED]),
    ],
)
def test_each_trigger_by_its_rule(situation: Situation, reasons: list[Trigger]) -> None:
    retrieval = should_retrieve(situation, RetrievalPolicy(task_classes=frozenset({"cleanup"})))

    assert list(retrieval.reasons) == reasons
    assert retrieval.recall is bool(reasons)


def test_there_is_a_rule_for_every_trigger() -> None:
    assert should_retrieve.__doc__ is not None
    assert all(f"`{trigger.value}`" in should_retrieve.__doc__ for trigger in Trigger)


def test_a_policy_counts_the_triggers_that_it_names() -> None:
    policy = RetrievalPolicy(triggers=ALWAYS)
    noisy = replace(QUIET, corrected=True, failures=9, spent=True, new_errors=("x",))

    assert not should_retrieve(noisy, policy).recall
    assert should_retrieve(replace(noisy, covered=frozenset()), policy).reasons == (Trigger.NEW_ENTITY,)


@pytest.mark.parametrize(
    "options",
    [
        {"triggers": frozenset({Trigger.STALE})},
        {"triggers": frozenset(Trigger) - {Trigger.NEW_ENTITY}},
        {"failures": 0},
        {"stale_decisions": 0},
        {"stale_seconds": 0.0},
        {"stale_seconds": float("nan")},
        {"in_play_for": -1},
        {"query_characters": 0},
        {"query_characters": MAX_QUERY_CHARACTERS + 1},
    ],
)
def test_a_policy_that_means_nothing_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"switched off|at least|lies between"):
        RetrievalPolicy(**options)  # pyright: ignore[reportArgumentType]


def test_ids_and_names_of_what_is_in_play_are_looked_up() -> None:
    retrieval = should_retrieve(replace(QUIET, entities=(SANDBOX, BENCH)))

    assert retrieval.entities == ("dev-sandbox-04", "cloud-instance:i-09a8f", "gpu-bench-01")
    assert retrieval.left_out == 0


def test_beyond_the_limit_of_the_service_the_most_recent_are_looked_up_and_the_rest_is_counted() -> None:
    many = tuple(EntityMention(id=f"machine:{number}", name=f"web-{number}") for number in range(600))

    retrieval = should_retrieve(replace(QUIET, entities=many))

    assert len(retrieval.entities) == MAX_ENTITIES
    assert retrieval.looked_up == many[:500]
    assert retrieval.left_out == 100


def test_a_query_is_about_now_and_not_about_how_it_began() -> None:
    query = build_query("Clean up", "stop gpu-bench-01", "0 % CPU\n over  48 h", ["gpu-bench-01", "web-7"])

    assert query == "stop gpu-bench-01\n0 % CPU over 48 h\ngpu-bench-01 web-7\nClean up"


def test_a_long_output_leaves_room_for_the_rest() -> None:
    query = build_query("the goal", "the subtask", "word " * 10_000, ["web-7"] * 5_000, characters=200)

    assert len(query) <= 200
    assert query.startswith("the subtask\nword")
    assert query.endswith("the goal")


@pytest.mark.parametrize(
    ("characters", "query"),
    [
        (100, "subtask\nseen\nname\ngoal"),
        (17, "subtask\nseen\nname"),
        (9, "subtask\ns"),
        (3, "sub"),
        (1, "s"),
    ],
)
def test_what_does_not_fit_falls_off_the_end(characters: int, query: str) -> None:
    assert build_query("goal", "subtask", "seen", ["name"], characters=characters) == query


words = st.text(max_size=200) | st.text(alphabet="a \n\ud83d\U0001f600漢", max_size=400)


@given(words, words, words, st.lists(st.text(max_size=50), max_size=1_100), st.integers(1, 30_000))
@settings(deadline=None)
def test_the_service_takes_every_query(
    goal: str, subtask: str, observation: str, entities: list[str], characters: int
) -> None:
    query = build_query(goal, subtask, observation, entities, characters=characters)

    assert len(query) <= min(characters, MAX_QUERY_CHARACTERS)
    RecallRequest(scope={}, query=query).as_json().decode()


mentions = st.builds(
    EntityMention,
    id=st.none() | st.from_regex(r"\A[a-z]{1,3}:[a-z0-9]{1,4}\Z"),
    name=st.none() | st.from_regex(r"\A[a-z]{1,3}-[0-9]{1,2}\Z"),
)


@given(st.lists(mentions, max_size=8), st.lists(mentions, max_size=8))
def test_what_is_in_play_and_was_never_looked_up_is_always_looked_up(
    in_play: list[EntityMention], earlier: list[EntityMention]
) -> None:
    covered = frozenset(key for mention in earlier for key in keys_of(mention))

    retrieval = should_retrieve(replace(QUIET, entities=tuple(in_play), covered=covered))

    asked = {key for mention in in_play for key in keys_of(mention)}
    assert (Trigger.NEW_ENTITY in retrieval.reasons) is bool(asked - covered)
    assert {mention.id for mention in in_play if mention.id} <= set(retrieval.entities)
    assert {mention.name for mention in in_play if mention.name} <= set(retrieval.entities)
