"""The place of a piece of news: written and read alike, and nothing else is one."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.news import NewsPosition, parse_position

ZERO = "0" * 32


@given(st.integers(0, 2**64 - 1), st.uuids())
def test_a_position_is_read_as_it_was_written(transaction: int, identity: UUID) -> None:
    position = NewsPosition(transaction, identity)
    assert parse_position(str(position)) == position


@given(
    st.lists(
        st.builds(NewsPosition, st.integers(0, 2**64 - 1), st.uuids()), min_size=2, max_size=2, unique=True
    )
)
def test_positions_are_in_the_order_of_their_transactions(two: list[NewsPosition]) -> None:
    one, other = two
    assert (one < other) == ((one.transaction, one.id) < (other.transaction, other.id))


@pytest.mark.parametrize(
    "text",
    [
        "", "0", "-", f"-{ZERO}", "1-", f"1-{ZERO[:-1]}", f"1-{ZERO}0", f"1-{'g' * 32}", f"1-{'A' * 32}",
        f"1 -{ZERO}", f" 1-{ZERO}", f"1-{ZERO} ", f"1-{ZERO}\n", f"+1-{ZERO}", f"-1-{ZERO}", f"1.0-{ZERO}",
        f"1e3-{ZERO}", f"1_0-{ZERO}", f"0x1-{ZERO}", f"{2**64}-{ZERO}", f"{'9' * 21}-{ZERO}", f"{'1' * 9999}-{ZERO}",
        f"٣-{ZERO}", f"１-{ZERO}", f"²-{ZERO}", f"1-{UUID(int=0)}", f"1–{ZERO}", "null", "None", "\x00",
    ],
)  # fmt: skip
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_position(text)
    assert refused.value.field == "Last-Event-ID"
    assert text == "" or text not in refused.value.message


def test_the_first_and_the_last_position() -> None:
    for edge in (NewsPosition(0, UUID(int=0)), NewsPosition(2**64 - 1, UUID(int=2**128 - 1))):
        assert parse_position(str(edge)) == edge
