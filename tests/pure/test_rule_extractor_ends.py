"""Where a statement ends: instants, conditions in words, and what is refused; structured data and states."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from models.candidates import CandidateKind, Terms
from models.events import EntityMention, EventType
from providers.rule_extractor import RuleExtractor
from providers.rule_extractor.dates import End, read_end
from providers.rule_extractor.sentences import sentences
from tests.pure.spoken import BENCH, WEDNESDAY, only, propose, said

ENDS = [
    # connective, words, instant in UTC of an event on Wednesday 2026-03-04 at 10:00 UTC in Berlin
    ("until", "2026-12-01", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("through", "2026-12-01", datetime(2026, 12, 1, 23, tzinfo=UTC)),
    ("before", "1 December 2026", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("until", "December 1st, 2026", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("until", "1 December", datetime(2026, 11, 30, 23, tzinfo=UTC)),
    ("until", "4 March", datetime(2027, 3, 3, 23, tzinfo=UTC)),
    ("until", "the 15th", datetime(2026, 3, 14, 23, tzinfo=UTC)),
    ("until", "29 February", datetime(2028, 2, 28, 23, tzinfo=UTC)),
    ("until", "2026-12-01 18:00", datetime(2026, 12, 1, 17, tzinfo=UTC)),
    ("until", "2026-12-01T18:00:00Z", datetime(2026, 12, 1, 18, tzinfo=UTC)),
    ("until", "2026-12-01T18:00:00+05:30", datetime(2026, 12, 1, 12, 30, tzinfo=UTC)),
    ("until", "tomorrow", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("through", "tomorrow", datetime(2026, 3, 5, 23, tzinfo=UTC)),
    ("until", "today", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("until", "Friday", datetime(2026, 3, 5, 23, tzinfo=UTC)),
    ("through", "Friday", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "Wednesday", datetime(2026, 3, 10, 23, tzinfo=UTC)),
    ("until", "next Monday", datetime(2026, 3, 8, 23, tzinfo=UTC)),
    ("until", "Saturday 7 March 2026", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "the end of the day", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("until", "end of day Friday", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "after Friday", datetime(2026, 3, 6, 23, tzinfo=UTC)),
    ("until", "the end of the month", datetime(2026, 3, 31, 22, tzinfo=UTC)),
    ("until", "the end of 2026", datetime(2026, 12, 31, 23, tzinfo=UTC)),
    ("until", "next month", datetime(2026, 3, 31, 22, tzinfo=UTC)),
    ("until", "next week", datetime(2026, 3, 8, 23, tzinfo=UTC)),
    ("until", "January", datetime(2026, 12, 31, 23, tzinfo=UTC)),
    ("until", "6pm", datetime(2026, 3, 4, 17, tzinfo=UTC)),
    ("until", "9 a.m.", datetime(2026, 3, 5, 8, tzinfo=UTC)),
    ("until", "11:00", datetime(2026, 3, 5, 10, tzinfo=UTC)),
    ("until", "noon UTC", None),
    ("until", "12:00 UTC", datetime(2026, 3, 4, 12, tzinfo=UTC)),
    ("until", "midnight", datetime(2026, 3, 4, 23, tzinfo=UTC)),
    ("until", "Friday at 6:30pm", datetime(2026, 3, 6, 17, 30, tzinfo=UTC)),
    ("until", "noon tomorrow", datetime(2026, 3, 5, 11, tzinfo=UTC)),
    ("until", "6pm on Friday", datetime(2026, 3, 6, 17, tzinfo=UTC)),
    # Daylight saving: 02:30 is skipped on 29 March and comes twice on 25 October.
    ("until", "2026-03-29 02:30", datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
    ("until", "2026-10-25 02:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
]


@pytest.mark.parametrize(("connective", "words", "instant"), ENDS)
def test_ends_that_are_instants(connective: str, words: str, instant: datetime | None) -> None:
    expected = End(expires_at=instant) if instant else End(ends_when=words)
    assert read_end(connective, words, WEDNESDAY, "Europe/Berlin") == expected


@pytest.mark.parametrize(
    "words",
    [
        *("2026-13-45", "2026-02-30", "31 February 2026", "February 31", "the 45th", "Friday 7 March 2026"),
        *(
            "25:00",
            "13pm",
            "6",
            "01/12/2026",
            "1.12.2026",
            "26-12-01",
            "2026-12-01 or so",
            "9999-12-31T25:00",
        ),
        *("", "  ", "..."),
    ],
)
def test_what_looks_like_a_date_and_is_none_is_refused(words: str) -> None:
    assert read_end("until", words, WEDNESDAY, None) is None


def test_an_end_beyond_the_calendar_or_in_an_unknown_zone_is_refused() -> None:
    assert read_end("through", "9999-12-31", WEDNESDAY, None) is None
    assert read_end("until", "0001-01-01", WEDNESDAY, "Asia/Tokyo") is None
    assert read_end("until", "Friday", WEDNESDAY, "Mars/Olympus") is None


@pytest.mark.parametrize(
    "words", ["QA signs off", "the end of the week", "Friday evening", "may day is over"]
)
def test_other_ends_are_conditions_in_words(words: str) -> None:
    assert read_end("until", words, WEDNESDAY, None) == End(ends_when=words)


async def test_an_end_is_read_in_the_zone_of_the_speaker() -> None:
    late = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
    text = "Keep gpu-bench-01 running until Friday."
    in_utc = await only(said(text, at=late))
    in_tokyo = await only(said(text, at=late, timezone="Asia/Tokyo"))
    assert in_utc.terms == Terms(value="keep running", expires_at=datetime(2026, 3, 6, tzinfo=UTC))
    assert in_tokyo.terms == Terms(value="keep running", expires_at=datetime(2026, 3, 12, 15, tzinfo=UTC))


async def test_structured_candidates_are_statements_and_win_over_the_text() -> None:
    data = {
        "candidates": [
            {
                "attribute": "lifecycle_policy",
                "value": "keep reserved",
                "entity": "GPU-bench-01",
                "ends_when": "Y",
            },
            {"attribute": "standing_instruction", "value": "be brief"},
            {"attribute": "shoe_size", "value": "43"},
        ]
    }
    event = said("Keep gpu-bench-01 running. Do not touch a-1.", BENCH, kind=EventType.OBSERVATION, data=data)
    found = await propose(event)
    assert [(p.attribute, p.mention, p.terms) for p in found] == [
        ("lifecycle_policy", "cloud-instance:i-09a8f", Terms(value="keep reserved", ends_when="Y")),
        ("standing_instruction", None, Terms(value="be brief")),
    ]
    assert {p.quote for p in found} == {event.text}
    both = await propose(event.model_copy(update={"type": EventType.NOTE}))
    assert [p.attribute for p in both] == ["lifecycle_policy", "standing_instruction", "change_policy"]
    wordless = await propose(said(None, kind=EventType.TOOL_CALL, data=data))
    assert [p.quote for p in wordless] == ["keep reserved", "be brief"]
    assert await propose(said("Keep a-1 running.", data={"candidates": 3})) == []


async def test_an_observation_reports_a_state_of_each_entity() -> None:
    event = said("Keep it running. CPU is at 1%.", BENCH, EntityMention(name="b"), kind=EventType.OBSERVATION)
    found = await RuleExtractor().propose([event], ())
    assert [(p.kind, p.attribute, p.mention, p.terms, p.quote) for p in found] == [
        (CandidateKind.OBSERVATION, "observed_state", "cloud-instance:i-09a8f", None, event.text),
        (CandidateKind.OBSERVATION, "observed_state", "b", None, event.text),
    ]
    named = await propose(said("a-1 idles, so does b-2.", kind=EventType.OBSERVATION))
    assert [p.mention for p in named] == ["a-1", "b-2"]
    wordless = await propose(said(None, BENCH, kind=EventType.OBSERVATION))
    assert [p.quote for p in wordless] == [""]


READ = {
    *(EventType.INSTRUCTION, EventType.MESSAGE, EventType.FEEDBACK, EventType.CORRECTION, EventType.NOTE),
    *(
        EventType.TOOL_RESULT,
        EventType.MILESTONE,
        EventType.VERIFICATION_PASSED,
        EventType.VERIFICATION_FAILED,
    ),
}


@pytest.mark.parametrize("kind", [kind for kind in EventType if kind is not EventType.OBSERVATION])
async def test_the_text_of_events_that_bear_words_is_read(kind: EventType) -> None:
    assert bool(await propose(said("Keep a-1 running.", kind=kind))) is (kind in READ)


async def test_only_known_attributes_are_proposed_and_events_keep_their_order() -> None:
    first = said("Keep a-1 running. Do not touch a-1.")
    second = first.model_copy(update={"id": UUID(int=9), "text": "Do not touch b-2."})
    found = await RuleExtractor().propose([first, second], {"change_policy"})
    assert [(p.event_id.int, p.mention) for p in found] == [(1, "a-1"), (9, "b-2")]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Use v1.2.0 of db.internal. Then stop.", ["Use v1.2.0 of db.internal.", "Then stop."]),
        ("Wait, e.g. until noon. Go!", ["Wait, e.g. until noon.", "Go!"]),
        ("until 5 p.m. Friday. Thanks", ["until 5 p.m. Friday.", "Thanks"]),
        ("It took until 5 p.m. We slept.", ["It took until 5 p.m.", "We slept."]),
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("- one\n- two\n1. three", ["one", "two", "three"]),
        ("Stop a-1\nKeep b-2 up", ["Stop a-1", "Keep b-2 up"]),
        ("Really?! “Yes.” No…", ["Really?!", "“Yes.”", "No…"]),
        (" \n\t ", []),
    ],
)
def test_sentences(text: str, pieces: list[str]) -> None:
    spans = [text[sentence.start : sentence.end] for sentence in sentences(text)]
    assert [span for span in spans if not span.rstrip(".").isdigit()] == pieces
