"""Reading a LoCoMo file: what comes out, and where an error points."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from models.errors import InvalidInput
from surfaces.importing.conversations import Turn, parse_conversations, with_caption
from surfaces.importing.locomo import IMPORTER, batches_of, planned_events
from tests.importing.samples import packed, sample

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_sessions_turns_times_and_captions() -> None:
    [read] = parse_conversations(b"\xef\xbb\xbf" + packed(sample()))
    assert read.sample_id == "talk-1"
    assert [(session.number, session.started_at) for session in read.sessions] == [
        (1, datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        (2, datetime(2023, 6, 1, 0, 5, tzinfo=UTC)),
    ]
    assert read.sessions[0].turns[2] == Turn("D1:3", "Ada", "The cobalt one. [image: a blue bowl]")
    assert read.sessions[1].turns[1].text == "[image: a cracked bowl]"


@pytest.mark.parametrize(
    ("said", "caption", "text"),
    [
        ("Look!", None, "Look!"),
        ("Look!", "  ", "Look!"),
        (" Look! ", "a dog", "Look! [image: a dog]"),
        ("", "a dog", "[image: a dog]"),
        ("", None, ""),
    ],
)
def test_a_caption_follows_the_text(said: str, caption: str | None, text: str) -> None:
    assert with_caption(said, caption) == text


def test_sessions_are_in_order_of_number_and_not_of_name() -> None:
    talk: dict[str, Any] = {}
    for number in (10, 2, 1):
        talk[f"session_{number}_date_time"] = f"1:00 pm on {number} May, 2023"
        talk[f"session_{number}"] = [{"speaker": "Ada", "dia_id": f"D{number}:1", "text": "Hello."}]
    [read] = parse_conversations(packed(sample(conversation=talk)))
    assert [session.number for session in read.sessions] == [1, 2, 10]


Change = Callable[[dict[str, Any]], object]


def _first(talk: dict[str, Any]) -> dict[str, Any]:
    return talk["conversation"]["session_1"][0]


@pytest.mark.parametrize(
    ("change", "place", "what"),
    [
        (lambda s: s.pop("sample_id"), "conversation 1, sample_id", "a name"),
        (lambda s: s.update(sample_id="x" * 101), "conversation 1, sample_id", "at most 100"),
        (lambda s: s.update(sample_id=" "), "conversation 1, sample_id", "non-empty"),
        (lambda s: s.update(conversation=[]), "conversation 1 (talk-1), conversation", "is an object"),
        (lambda s: s.update(conversation={}), "conversation 1 (talk-1)", "no session"),
        (
            lambda s: s["conversation"].update(session_1={}),
            "conversation 1 (talk-1), session_1",
            "is a list of turns",
        ),
        (
            lambda s: s["conversation"].pop("session_2_date_time"),
            "conversation 1 (talk-1), session_2_date_time",
            "a time such as",
        ),
        (
            lambda s: s["conversation"].update(session_1_date_time="13:56 pm on 8 May, 2023"),
            "conversation 1 (talk-1), session_1_date_time",
            "a time such as",
        ),
        (
            lambda s: s["conversation"].update(session_1_date_time="1:56 pm on 8 Mai, 2023"),
            "conversation 1 (talk-1), session_1_date_time",
            "a time such as",
        ),
        (
            lambda s: s["conversation"].update(session_1_date_time="1:56 pm on 31 June, 2023"),
            "conversation 1 (talk-1), session_1_date_time",
            "no such date",
        ),
        (
            lambda s: s["conversation"]["session_1"].__setitem__(1, "Hello"),
            "conversation 1 (talk-1), session_1, turn 2",
            "is an object",
        ),
        (
            lambda s: _first(s).update(dia_id="1.1"),
            "conversation 1 (talk-1), session_1, turn 1, dia_id",
            "D1:3",
        ),
        (
            lambda s: _first(s).update(dia_id="D2:2"),
            "conversation 1 (talk-1), D2:2",
            "names two turns",
        ),
        (
            lambda s: _first(s).pop("speaker"),
            "conversation 1 (talk-1), session_1, turn 1 (D1:1), speaker",
            "who spoke",
        ),
        (
            lambda s: _first(s).update(speaker="A\x00da"),
            "conversation 1 (talk-1), session_1, turn 1 (D1:1), speaker",
            "control characters",
        ),
        (
            lambda s: _first(s).update(text=None),
            "conversation 1 (talk-1), session_1, turn 1 (D1:1), text",
            "what was said",
        ),
        (
            lambda s: _first(s).update(text=" "),
            "conversation 1 (talk-1), session_1, turn 1 (D1:1), text",
            "says nothing",
        ),
        (
            lambda s: _first(s).update(blip_caption=7),
            "conversation 1 (talk-1), session_1, turn 1 (D1:1), blip_caption",
            "caption",
        ),
    ],
)
def test_an_error_says_where(change: Change, place: str, what: str) -> None:
    broken = sample()
    change(broken)
    with pytest.raises(InvalidInput) as refused:
        parse_conversations(packed(broken))
    assert refused.value.field == place
    assert what in refused.value.message


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"", 1, "not JSON at column 1"),
        (b"{}", None, "a list of conversations"),
        (b"[]", None, "at least one"),
        (b"[\n{},\n{]", 3, "not JSON at column 2"),
        (b"[\n{},\n\xff]", 3, "not UTF-8 at byte 1"),
        (b'[{"sample_id": "a", "sample_id": "b"}]', None, "given twice"),
        (b"[NaN]", None, "no JSON number"),
        (b"[" * 100_000, None, "nested too deeply"),
        (b"[" + b"9" * 5_000 + b"]", None, "too many digits"),
    ],
)
def test_a_file_that_is_not_json_is_refused_with_its_line(data: bytes, line: int | None, what: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_conversations(data)
    assert refused.value.position == line
    assert what in refused.value.message


def test_two_conversations_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInput, match="talk-1: names two conversations"):
        parse_conversations(packed(sample(), sample()))


def test_turns_of_a_session_follow_one_another_and_its_end_comes_last() -> None:
    [read] = parse_conversations(packed(sample()))
    planned = planned_events(read, NOW)
    first = [item.event for item in planned if item.event["activity_id"] == "locomo/talk-1/session_1"]
    instants = [datetime.fromisoformat(event["occurred_at"]) for event in first]
    assert instants == [read.sessions[0].started_at + timedelta(seconds=n) for n in range(5)]
    assert [event["type"] for event in first] == ["message"] * 4 + ["activity_completed"]
    assert first[2]["evidence_ref"] == "locomo:talk-1#D1:3"
    assert [event["idempotency_key"] for event in first[3:]] == [
        "locomo/talk-1/D1:4",
        "locomo/talk-1/session_1/end",
    ]


def test_a_call_has_one_speaker_and_the_ends_are_published_last() -> None:
    [read] = parse_conversations(packed(sample()))
    batches = batches_of(read, NOW)
    assert [[item.speaker.subject for item in batch] for batch in batches] == [
        ["Ada"] * 4,
        ["Ben"] * 2,
        ["locomo-import"] * 2,
    ]
    assert all(item.speaker == IMPORTER for item in batches[-1])


def test_what_publish_would_refuse_is_refused_before_anything_is_published() -> None:
    future = sample()
    future["conversation"]["session_2_date_time"] = "1:00 pm on 1 June, 2093"
    [read] = parse_conversations(packed(future))
    with pytest.raises(InvalidInput, match="talk-1, session_2, turn D2:1, occurred_at: lies in the future"):
        batches_of(read, NOW)
