"""Words of time that name something which happened, and when that was by what is known of it."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.anchors import Anchored, Relation, anchored, window_by
from models.facts import Status
from models.time_words import Window
from tests.pure.found import passage, recalled_fact

MARCH = datetime(2026, 3, 2, 9, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 9, tzinfo=UTC)
MIGRATED = recalled_fact(
    canonical="job:migration-7",
    entity="the Frankfurt migration",
    attribute="outcome",
    value="done",
    valid_from=MARCH,
)


@pytest.mark.parametrize(
    ("query", "relation", "words"),
    [
        ("Who owned it before the migration?", Relation.BEFORE, "the migration"),
        ("Before the migration to Frankfurt, who owned it?", Relation.BEFORE, "the migration to frankfurt"),
        ("Before the migration who owned it", Relation.BEFORE, "the migration"),
        ("what changed AFTER the Outage that Ana caused", Relation.AFTER, "the outage"),
        ("What broke since v2.1 was released?", Relation.SINCE, "v2.1 was released"),
        ("we were on call until the audit. And now?", Relation.UNTIL, "the audit"),
        ("after Black Friday", Relation.AFTER, "black friday"),
        ("since a b c d e f g h i j", Relation.SINCE, "a b c d e f g h"),
    ],
)
def test_a_question_names_an_anchor(query: str, relation: Relation, words: str) -> None:
    assert anchored(query) == [Anchored(relation, words)]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "stop idle machines",
        "before you stop the server",
        "before stopping the server",
        "after all, keep it",
        "since then",
        "after the",
        "the beforehand migration",
        "since",
    ],
)
def test_what_names_nothing_that_happened_is_no_anchor(query: str) -> None:
    assert anchored(query) == []


def test_several_anchors_come_in_their_order() -> None:
    found = anchored("after the outage before the migration")
    assert [each.words for each in found] == ["the outage", "the migration"]


@pytest.mark.parametrize(
    ("query", "window"),
    [
        ("before the migration", Window(None, MARCH)),
        ("until the migration", Window(None, MARCH)),
        ("since the migrations", Window(MARCH, None)),
        ("after the Frankfurt migration", Window(MARCH, None)),
        ("after the migration outcome", Window(MARCH, None)),
        ("after the outage, since the migration", Window(MARCH, None)),
        ("after the Berlin migration", None),
        ("the migration", None),
    ],
)
def test_a_fact_that_has_all_the_words_tells_when_it_was(query: str, window: Window | None) -> None:
    assert window_by(query, [MIGRATED], []) == window


def test_a_day_as_a_value_is_that_day_in_the_askers_zone_whenever_it_was_stated() -> None:
    released = recalled_fact(
        canonical="release:v2.1", entity="v2.1", attribute="released_on", value="2026-02-01", valid_from=APRIL
    )
    other = released.model_copy(update={"attribute": "status", "value": "released"})
    begin, end = datetime(2026, 1, 31, 23, tzinfo=UTC), datetime(2026, 2, 1, 23, tzinfo=UTC)
    for query, window in (
        ("since v2.1 was released", Window(begin, None)),
        ("after v2.1 was released", Window(end, None)),
        ("before v2.1 was released", Window(None, begin)),
        ("until v2.1 was released", Window(None, end)),
    ):
        assert window_by(query, [other, released], [], "Europe/Berlin") == window
    nonsense = released.model_copy(update={"value": "2026-02-31"})
    assert window_by("since v2.1 was released", [nonsense], []) == Window(APRIL, None)


def test_being_of_a_type_is_nothing_that_happened() -> None:
    for entity in ("v2.1", "release:v2.1"):
        owned = recalled_fact(canonical="release:v2.1", entity=entity, value="Ana")
        assert window_by("since v2.1 was released", [owned], []) is None
        assert window_by("since v2.1", [owned], []) is not None


def test_the_passages_of_one_episode_tell_from_when_to_when() -> None:
    outage, other = uuid4(), uuid4()
    passages = [
        passage(episode_id=outage, occurred_at=MARCH, text="ops: The payments outage began."),
        passage(
            episode_id=outage,
            occurred_at=MARCH + timedelta(hours=3),
            text="ops: The outage of payments is over.",
        ),
        passage(
            episode_id=other,
            occurred_at=APRIL,
            text="dana: In a long talk about lunch, trains and weather somebody mentioned the payments outage as well.",
        ),
    ]
    assert window_by("before the payments outage", [], passages) == Window(None, MARCH)
    assert window_by("after the payments outage", [], passages) == Window(MARCH + timedelta(hours=3), None)
    assert window_by("after the payments outage", [], passages[2:]) == Window(APRIL, None)


def test_a_fact_goes_before_what_was_said() -> None:
    said = passage(occurred_at=APRIL, text="migration")
    assert window_by("since the migration", [MIGRATED], [said]) == Window(MARCH, None)


def test_of_the_same_sort_the_latest_counts_and_always_the_same() -> None:
    again = MIGRATED.model_copy(update={"id": uuid4(), "valid_from": APRIL})
    for order in ([MIGRATED, again], [again, MIGRATED]):
        assert window_by("since the migration", order, []) == Window(APRIL, None)


def test_what_is_told_in_relation_to_it_or_governs_nothing_does_not_tell_when_it_was() -> None:
    planned = passage(text="dana: Keep it running until the QA migration is over.")
    waits = recalled_fact(attribute="lifecycle_policy", value="keep it until the migration is over")
    disputed = MIGRATED.model_copy(update={"status": Status.DISPUTED})
    conditional = recalled_fact(ends_when="the migration is over", statement="Keep it until the migration.")
    assert window_by("before the migration", [waits, disputed, conditional], [planned]) is None


@settings(max_examples=300)
@given(st.text(alphabet='befor aftsincu.,t\n"?(é', max_size=60), st.sampled_from(Relation))
def test_whatever_is_asked_is_read_in_time_and_never_raises(text: str, relation: Relation) -> None:
    for found in anchored(f"{text} {relation} {text}"):
        assert 0 < len(found.words.split()) <= 8
    window_by(text, [MIGRATED], [passage(text=text)])
