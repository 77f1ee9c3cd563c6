"""What a well-formed event is, and that a refusal names the field and the remedy but never the content."""

import json
import traceback
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from models.errors import InvalidInput, KeepwellError, TooLarge
from models.events import MAX_DEPTH, MAX_EVENT_BYTES, NewEvent, parse_event, scrub
from tests.pure.samples import START, at

NOW = at(60)
CANARY = "ZEBRA-7731"
SOUND: dict[str, Any] = {
    "activity_id": "act-1",
    "type": "note",
    "scope": {"workspace": "staging-cloud"},
    "occurred_at": START.isoformat(),
}


def parse(**fields: Any) -> NewEvent:
    return parse_event({**SOUND, **fields}, NOW)


def nested(levels: int) -> dict[str, Any]:
    inner: Any = "end"
    for _ in range(levels):
        inner = [inner]
    return {"inner": inner}


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("2026-03-02T09:00:00Z", START),
        ("2026-03-02T09:00:00z", START),
        ("2026-03-02T10:00:00+01:00", START),
        ("2026-03-02T14:30:00+05:30", START),
        ("2026-03-02 03:00:00-06:00", START),
        ("1900-01-01T00:00:00Z", datetime(1900, 1, 1, tzinfo=UTC)),
        ((NOW + timedelta(minutes=5)).isoformat(), NOW + timedelta(minutes=5)),
    ],
)
def test_an_instant_is_read_into_utc(written: object, instant: datetime) -> None:
    occurred_at = parse(occurred_at=written).occurred_at
    assert occurred_at == instant
    assert occurred_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("2026-03-02T09:00:00", "naive instant"),
        ("2026-03-02", "naive instant"),
        ("2026-02-30T09:00:00Z", "valid datetime"),
        ("2026-13-45T09:00:00Z", "valid datetime"),
        ("2026-03-02T25:00:00Z", "valid datetime"),
        ("2026-03-02T09:00:00 Europe/Berlin", "valid datetime"),
        ("yesterday", "ISO 8601"),
        ("", "ISO 8601"),
        ("0000-01-01T00:00:00Z", "year 0"),
        ("10000-01-01T00:00:00Z", "ISO 8601"),
        ("0001-01-01T00:00:00+05:00", "outside the years"),
        ("9999-12-31T23:59:59-05:00", "outside the years"),
        ("1899-12-31T23:59:59Z", "before 1900"),
        ((NOW + timedelta(minutes=5, seconds=1)).isoformat(), "in the future"),
        ("9999-01-01T00:00:00Z", "in the future"),
        (1_772_442_000, "ISO 8601"),
        (1.5, "ISO 8601"),
        ("1772442000", "ISO 8601"),
        ("20260302", "ISO 8601"),
        ("-1.5", "ISO 8601"),
        (True, "ISO 8601"),
        (None, "ISO 8601"),
        ([2026, 3, 2], "ISO 8601"),
        ("inf", "ISO 8601"),
    ],
)
def test_what_is_no_past_instant_is_refused(written: object, says: str) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        parse(occurred_at=written)
    assert refused.value.field == "occurred_at"


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Chicago", "UTC", None])
def test_a_zone_is_kept(zone: str | None) -> None:
    assert parse(timezone=zone).timezone == zone


@pytest.mark.parametrize(
    "zone",
    [
        "",
        "Mars/Base",
        "Europe",
        "../etc/passwd",
        "/etc/localtime",
        "tzdata.zi",
        "a\x00b",
        "é",
        "A" * 400,
        "+01:00",
    ],
)
def test_what_is_no_zone_is_refused(zone: str) -> None:
    with pytest.raises(InvalidInput, match="not an IANA zone") as refused:
        parse(timezone=zone)
    assert refused.value.field == "timezone"


@pytest.mark.parametrize(
    ("raw", "scrubbed"),
    [
        ("a\x00b", "ab"),
        ("\x00", ""),
        ("a\ud83db", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83d\ude00\ud83d", "a😀\ufffd"),
        ("\ud83d\x00\ude00", "😀"),
        ("<|endoftext|>", "<|endoftext|>"),
        ("\n\t\x1b", "\n\t\x1b"),
        ({"a\x00": {"\ud83d": ["x\x00", {"y\x00": "\udc00"}]}}, {"a": {"\ufffd": ["x", {"y": "\ufffd"}]}}),
        (("a\x00",), ["a"]),
        ([1, None, True, 1.5], [1, None, True, 1.5]),
    ],
)
def test_what_postgres_cannot_hold_is_scrubbed(raw: object, scrubbed: object) -> None:
    assert scrub(raw) == scrubbed


_ANY = st.text(st.characters(), max_size=10)  # surrogates and NUL included
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_ANY, inner, max_size=4),
    max_leaves=15,
)


def scrubbed_unless_names_clash(value: object) -> Any:
    """`value` scrubbed. Where two names become one it is refused, which another test is about."""
    try:
        return scrub(value)
    except InvalidInput:
        reject()


@given(_JSON)
@settings(max_examples=150, deadline=None)
def test_whatever_is_scrubbed_can_be_stored(value: object) -> None:
    scrubbed = scrubbed_unless_names_clash(value)
    written = json.dumps(scrubbed, ensure_ascii=False)
    assert "\\u0000" not in written
    assert written.encode("utf-8").decode("utf-8") == written
    assert scrub(scrubbed) == scrubbed


@given(_JSON, _ANY)
@settings(max_examples=150, deadline=None)
def test_any_json_in_data_is_taken_unless_two_names_clash(value: object, text: str) -> None:
    scrubbed = scrubbed_unless_names_clash(value)
    event = parse(data={"value": value}, text=text)
    assert event.data == {"value": scrubbed}
    event.model_dump_json().encode("utf-8")


def test_names_that_would_become_one_are_refused() -> None:
    with pytest.raises(InvalidInput, match="rename one"):
        parse(data={"a": 1, "a\x00": 2})


def test_text_and_keys_of_an_event_are_scrubbed() -> None:
    event = parse(text="a\x00b", data={"k\x00": "v\ud83d"}, entities=[{"name": "n\x00"}])
    assert (event.text, event.data, event.entities[0].name) == ("ab", {"k": "v\ufffd"}, "n")


@pytest.mark.parametrize("levels", [1, MAX_DEPTH - 2])
def test_ordinary_nesting_is_taken_and_can_be_written_again(levels: int) -> None:
    assert json.loads(parse(data=nested(levels)).model_dump_json())["data"] == nested(levels)


@pytest.mark.parametrize("levels", [MAX_DEPTH, 300, 600, 900, 50_000])
def test_endless_nesting_is_refused(levels: int) -> None:
    with pytest.raises(InvalidInput, match="nest"):
        parse(data=nested(levels))


def test_a_value_within_itself_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    with pytest.raises(InvalidInput, match="nest"):
        parse(data=circle)


def sized(size: int) -> dict[str, Any]:
    """A sound event of exactly `size` bytes as JSON, most of them in a script of three bytes a character."""
    bare = len(json.dumps({**SOUND, "text": ""}).encode())
    words, rest = divmod(size - bare, 3)
    return {**SOUND, "text": "会" * words + "x" * rest}


def test_an_event_of_the_largest_size_is_taken() -> None:
    assert parse_event(sized(MAX_EVENT_BYTES), NOW).text


def test_an_event_of_one_byte_more_is_too_large() -> None:
    with pytest.raises(TooLarge, match="evidence_ref") as refused:
        parse_event(sized(MAX_EVENT_BYTES + 1), NOW)
    assert refused.value.http_status == 413


@pytest.mark.parametrize("raw", [None, [], "note", 5, b"{}", [SOUND]], ids=repr)
def test_what_is_no_object_is_refused(raw: object) -> None:
    with pytest.raises(InvalidInput, match="JSON object"):
        parse_event(raw, NOW)


@pytest.mark.parametrize("field", SOUND)
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_event({name: value for name, value in SOUND.items() if name != field}, NOW)
    assert refused.value.field == field


BAD_FIELDS: list[tuple[str, object, str]] = [
    ("type", CANARY, "type"),
    ("type", None, "type"),
    ("activity_id", "", "activity_id"),
    ("activity_id", "\x00", "activity_id"),
    ("activity_id", CANARY * 50, "activity_id"),
    ("activity_id", 5, "activity_id"),
    ("scope", None, "scope"),
    ("scope", CANARY, "scope"),
    ("scope", {"workspace": [CANARY]}, "scope.workspace"),
    ("text", [CANARY], "text"),
    ("text", {"a": CANARY}, "text"),
    ("timezone", CANARY, "timezone"),
    ("timezone", 5, "timezone"),
    ("occurred_at", CANARY, "occurred_at"),
    ("occurred_at", f"2026-03-02T{CANARY}", "occurred_at"),
    ("entities", CANARY, "entities"),
    ("entities", [CANARY], "entities.0"),
    ("entities", [{"id": "a:b"}, {"id": f"not canonical {CANARY}"}], "entities.1.id"),
    ("entities", [{"name": ""}], "entities.0.name"),
    ("entities", [{"name": " \n"}], "entities.0.name"),
    ("entities", [{"name": CANARY * 50}], "entities.0.name"),
    ("entities", [{"kind": CANARY}], "entities.0.kind"),
    ("entities", [{}] * 201, "entities"),
    ("evidence_ref", CANARY * 300, "evidence_ref"),
    ("idempotency_key", "", "idempotency_key"),
    ("idempotency_key", CANARY * 50, "idempotency_key"),
    ("data", CANARY, "data"),
    ("data", [CANARY], "data"),
    ("authority", CANARY, "authority"),
    ("speaker", {"subject": CANARY}, "speaker"),
    ("id", CANARY, "id"),
]


@pytest.mark.parametrize(("field", "value", "named"), BAD_FIELDS)
def test_a_bad_field_is_named(field: str, value: object, named: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse(**{field: value})
    assert refused.value.field == named


@pytest.mark.parametrize(
    "number",
    [float("nan"), float("inf"), -float("inf"), 10**5_000],
    ids=["NaN", "inf", "-inf", "5,000 digits"],
)
def test_a_number_that_json_cannot_carry_is_refused(number: float) -> None:
    with pytest.raises(InvalidInput, match="JSON cannot carry"):
        parse(data={"deep": [{"number": number}]})


@pytest.mark.parametrize(
    "value", [{"a"}, b"bytes", object(), START], ids=["set", "bytes", "object", "instant"]
)
def test_a_value_that_is_no_json_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="JSON cannot carry"):
        parse(data={"value": value})


def leaks(error: KeepwellError) -> str:
    """Everything of an error that a log or a history may come to hold."""
    return "".join([str(error), repr(error), repr(error.args), *traceback.format_exception(error)])


@pytest.mark.parametrize(
    "fields",
    [
        *({field: value} for field, value, _ in BAD_FIELDS),
        {"data": {"number": float("nan")}},
        {"data": nested(300)},
        {"data": nested(50_000)},
        {"data": {"value": {"a"}}},
        {"occurred_at": "2026-03-02T09:00:00"},
        {"occurred_at": "9999-01-01T00:00:00Z"},
        {"evidence_ref": "x" * MAX_EVENT_BYTES},
        {"what_is_this": 1},
    ],
    ids="-".join,
)
def test_no_refusal_quotes_the_content(fields: dict[str, Any]) -> None:
    sound = {"text": CANARY, "data": {CANARY: CANARY, "deep": [{CANARY: [CANARY]}]}}
    fields = (
        {**fields, "data": {**sound["data"], **fields["data"]}}
        if isinstance(fields.get("data"), dict)
        else fields
    )
    with pytest.raises(KeepwellError) as refused:
        parse(**{**sound, **fields})
    assert CANARY not in leaks(refused.value)
    assert CANARY not in leaks(refused.value.at(3))


def test_the_place_in_a_batch_comes_first() -> None:
    assert str(InvalidInput("is wrong", field="scope").at(3)) == "item 3: scope: is wrong"


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        parse().text = "other"
