"""Where a record applies: exactly where its words are the request's, and nowhere else."""

import unicodedata
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.scope import MAX_VALUE_LENGTH, Scope, parse_scope

KNOWN = ("workspace", "project", "team", "user", "conversation", "task")
SCOPES = st.dictionaries(st.sampled_from(KNOWN), st.sampled_from(["a", "b", "%", "_", "A"]), max_size=6)


def applies(record: Scope, request: Scope) -> bool:
    """As the store asks: is the record's key among those of the request's sub-scopes?"""
    return record.key in request.sub_scope_keys()


@given(SCOPES, SCOPES)
@settings(max_examples=300, deadline=None)
def test_a_record_applies_where_its_scope_is_a_part_of_the_requests(
    record: dict[str, str], request: dict[str, str]
) -> None:
    is_part = record.items() <= request.items()
    assert Scope(record).covers(Scope(request)) is is_part
    assert applies(Scope(record), Scope(request)) is is_part


@given(SCOPES)
def test_a_request_has_one_key_for_each_sub_scope(request: dict[str, str]) -> None:
    keys = Scope(request).sub_scope_keys()
    assert len(set(keys)) == len(keys) == 2 ** len(request) <= 64


@given(SCOPES, SCOPES)
def test_equal_scopes_and_no_others_have_equal_keys(one: dict[str, str], other: dict[str, str]) -> None:
    assert (Scope(one).key == Scope(other).key) is (one == other)
    assert (Scope(one) == Scope(other)) is (one == other)
    if one == other:
        assert hash(Scope(one)) == hash(Scope(other))


def test_the_order_of_the_dimensions_is_nothing() -> None:
    one, other = Scope({"user": "a", "task": "b"}), Scope({"task": "b", "user": "a"})
    assert one.key == other.key


ALIKE = [
    ("john_doe", "john-doe"),
    ("acme", "acme-corp"),
    ("acme", "Acme"),
    ("acme", "acme "),
    ("%", "acme"),
    ("_", "a"),
    ("acme%", "acme-corp"),
    ("*", "acme"),
    (".*", "acme"),
    (unicodedata.normalize("NFC", "Auditoría"), unicodedata.normalize("NFD", "Auditoría")),
    ("a,b", "a"),
    ('a","b', "a"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_values_that_look_alike_are_kept_apart(one: str, other: str) -> None:
    for record, request in ((one, other), (other, one)):
        left, right = (parse_scope({"workspace": value}, KNOWN) for value in (record, request))
        assert not left.covers(right)
        assert not applies(left, right)


def test_a_value_in_another_dimension_is_another_scope() -> None:
    assert not applies(Scope({"user": "acme"}), Scope({"workspace": "acme"}))
    assert Scope({"user": "a", "task": "b"}).key != Scope({"user": "b", "task": "a"}).key


@pytest.mark.parametrize(
    ("value", "field", "says"),
    [
        pytest.param(None, "scope", "say where this applies", id="missing"),
        pytest.param([], "scope", "is an object", id="a list"),
        pytest.param("workspace", "scope", "is an object", id="a word"),
        pytest.param({"planet": "mars"}, "scope", "unknown dimension", id="unknown dimension"),
        pytest.param({"Workspace": "a"}, "scope", "unknown dimension", id="another case"),
        pytest.param({5: "a"}, "scope", "unknown dimension", id="no name"),
        pytest.param({**dict.fromkeys(KNOWN, "a"), "more": "a"}, "scope", "at most 6", id="seven dimensions"),
        pytest.param({"user": ""}, "scope.user", "non-empty", id="empty value"),
        pytest.param({"user": " \t"}, "scope.user", "non-empty", id="blank value"),
        pytest.param({"user": None}, "scope.user", "non-empty", id="null value"),
        pytest.param({"user": 7}, "scope.user", "non-empty", id="number"),
        pytest.param({"user": ["a"]}, "scope.user", "non-empty", id="several values"),
        pytest.param({"user": "x" * (MAX_VALUE_LENGTH + 1)}, "scope.user", "at most 200", id="long value"),
        pytest.param({"user": "{user_id}"}, "scope.user", "placeholder", id="placeholder"),
        pytest.param({"user": "u-${id}"}, "scope.user", "placeholder", id="placeholder within"),
        pytest.param({"user": "{{ user }}"}, "scope.user", "placeholder", id="template"),
        *(
            pytest.param({"user": f"a{character}b"}, "scope.user", "control characters", id=ascii(character))
            for character in "\x00\n\r\t\x1b\x7f\x85\x9f\ud83d\udc00"
        ),
    ],
)
def test_a_bad_scope_is_refused(value: object, field: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        parse_scope(value, KNOWN)
    assert refused.value.field == field


def test_the_empty_scope_has_to_be_said() -> None:
    assert dict(parse_scope({}, KNOWN)) == {}
    with pytest.raises(InvalidInput):
        parse_scope(None, KNOWN)


def test_six_dimensions_and_the_longest_value_are_read() -> None:
    longest = dict.fromkeys(KNOWN, "x" * MAX_VALUE_LENGTH)
    scope = parse_scope(longest, KNOWN)
    assert dict(scope) == longest
    assert len(scope.sub_scope_keys()) == 64


def test_a_record_for_the_whole_tenant_applies_everywhere_but_no_other_applies_to_it() -> None:
    whole = Scope({})
    for dimension, value in product(KNOWN, ("a", "%")):
        narrow = Scope({dimension: value})
        assert applies(whole, narrow)
        assert not applies(narrow, whole)
