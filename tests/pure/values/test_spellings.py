"""One value, one key: every spelling of a value agrees, and two values never do."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from zoneinfo import ZoneInfo

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from models.values import ValueSpec, ValueType, canonical
from models.values.currencies import MINOR_UNITS
from models.values.numbers import written
from models.values.quantities import exactly
from models.values.units import SYMBOLS
from models.values.zones import TERRITORY
from tests.pure.values.tables import TEXTS, ZONES, read

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=3)
SOME = settings(max_examples=300, deadline=None)


def spelled(value: Decimal, group: str, mark: str) -> str:
    """`value` with three decimals, grouped."""
    return f"{value:,.3f}".translate({ord(","): group, ord("."): mark})


@given(
    NUMBERS,
    st.sampled_from(
        [("Europe/Berlin", ".", ","), ("America/New_York", ",", "."), ("Europe/Paris", "\u202f", ",")]
    ),
)
@SOME
def test_a_number_in_the_way_of_the_place_is_that_number(value: Decimal, way: tuple[str, str, str]) -> None:
    zone, group, mark = way
    expected = written(value)
    for text in (
        spelled(value, group, mark),
        f"{value:.3f}".replace(".", mark),
        f"{value:f}00".replace(".", mark),
    ):
        assert read(text, ValueType.DECIMAL, zone) == expected
        whole = expected if "." not in expected else None
        assert read(text, ValueType.INTEGER, zone) == whole


@given(NUMBERS, st.sampled_from(sorted(MINOR_UNITS)), st.sampled_from(["Europe/Berlin", "America/New_York"]))
@SOME
def test_an_amount_in_the_way_of_the_place_is_that_amount(value: Decimal, code: str, zone: str) -> None:
    value = round(value, 2)
    group, mark = (".", ",") if zone == "Europe/Berlin" else (",", ".")
    number = f"{value:,.2f}".translate({ord(","): group, ord("."): mark})
    for text in (f"{number} {code}", f"{code}{number}", f"{code} {number}", f"{number}{code.lower()}"):
        assert read(text, ValueType.MONEY, zone) == f"{written(value)}:{code}"


@given(NUMBERS, NUMBERS)
@SOME
def test_two_numbers_are_one_value_where_they_are_equal(one: Decimal, other: Decimal) -> None:
    keys = [read(f"{value:f}0", ValueType.DECIMAL, "America/New_York") for value in (one, other)]
    assert None not in keys
    assert (keys[0] == keys[1]) == (one == other)


@given(st.integers(0, 10**9), st.integers(0, 999))
@SOME
def test_a_length_of_time_is_one_value_in_every_form(seconds: int, thousandths: int) -> None:
    days, rest = divmod(seconds, 86_400)
    hours, minutes, left = rest // 3_600, rest // 60 % 60, rest % 60
    part = f"{thousandths:03}0"
    texts = [
        f"{days}d {hours}h {minutes}m {left}.{part}s",
        f"{days} days, {hours} hours, {minutes} minutes and {left}.{part} seconds",
        f"P{days}DT{hours}H{minutes}M{left}.{part}S",
        f"{seconds}.{part} s",
        f"{seconds * 1000 + thousandths} ms",
    ]
    if not days:
        texts.append(f"{hours}:{minutes:02}:{left:02}.{part}")
    expected = exactly(Fraction(seconds * 1000 + thousandths, 1000))
    assert {read(text, ValueType.DURATION) for text in texts} == {expected}


@given(
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6),
    st.sampled_from(sorted(SYMBOLS)),
    st.sampled_from(sorted(SYMBOLS)),
)
@SOME
def test_two_quantities_are_one_value_where_size_and_dimension_are(
    one: int, other: int, of: str, to: str
) -> None:
    first, second = SYMBOLS[of], SYMBOLS[to]
    sizes = [(one + first.offset) * first.factor, (other + second.offset) * second.factor]
    keys = [read(f"{one} {of}", ValueType.QUANTITY), read(f"{other}{to}", ValueType.QUANTITY)]
    below_zero = [unit.base == "K" and size < 0 for unit, size in zip((first, second), sizes, strict=True)]
    assert [key is None for key in keys] == below_zero
    if None not in keys:
        assert (keys[0] == keys[1]) == (first.base == second.base and sizes[0] == sizes[1])


@given(st.dates(), st.sampled_from(sorted(TERRITORY)))
@SOME
def test_a_day_is_one_value_in_every_form(day: date, zone: str) -> None:
    texts = [
        f"{day.year:04}-{day.month}-{day.day}",
        f"{day.year:04}/{day.month:02}/{day.day:02}",
        f"{day.day} {day:%B} {day.year:04}",
        f"{day:%b} {day.day}, {day.year:04}",
        f"{day.year:04}{day.month:02}{day.day:02}",
    ]
    assert {read(text, ValueType.DATE, zone) for text in texts} == {day.isoformat()}


@given(st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1)), st.sampled_from(sorted(TERRITORY)))  # noqa: DTZ001
@SOME
def test_a_local_time_is_an_instant_unless_clocks_were_changed(local: datetime, zone: str) -> None:
    local = local.replace(second=0, microsecond=0)
    found = read(f"{local:%Y-%m-%d %H:%M}", ValueType.INSTANT, zone)
    rules = ZoneInfo(zone)
    instants = {local.replace(tzinfo=rules, fold=fold).astimezone(UTC) for fold in (0, 1)}
    if len(instants) == 1:
        assert found == f"{min(instants).replace(tzinfo=None).isoformat()}Z"
    else:
        assert found is None


@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
@SOME
def test_an_instant_is_one_value_in_every_offset(utc: datetime, minutes: int) -> None:
    try:
        local = utc + timedelta(minutes=minutes)
    except OverflowError:
        return
    sign, size = "-" if minutes < 0 else "+", abs(minutes)
    text = f"{local.isoformat()}{sign}{size // 60:02}:{size % 60:02}"
    assert read(text, ValueType.INSTANT) == read(f"{utc.isoformat()}Z", ValueType.INSTANT) is not None


@given(st.lists(st.sampled_from(["red", "blue", "a b", "5 gb", "naïve", "x:y"]), min_size=1, max_size=5))
@SOME
def test_a_list_is_its_items_in_any_order(items: list[str]) -> None:
    declared = ValueSpec(type=ValueType.LIST, of=ValueType.TEXT)
    texts = [", ".join(order) for order in permutations(items)]
    texts += ["\n".join([*items, *items]), "; ".join(items), " and ".join(items)]
    assert {read(text, declared) for text in texts} == {";".join(sorted(set(items)))}


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
@SOME
def test_two_lists_are_one_value_where_their_items_are(one: list[str], other: list[str]) -> None:
    declared = ValueSpec(type=ValueType.LIST, of=ValueType.TEXT)

    def items(texts: list[str]) -> set[str]:
        found = [canonical(text, declared) for text in texts]
        return {item for entry in found if entry.read for item in entry.key.removeprefix("list:").split(";")}

    # The items of a numbered list are read without their numbers, but only beside others.
    assume(not any(re.search(r"\d[.)]\s", text) for text in (*one, *other)))
    keys = [canonical(";".join(texts), declared) for texts in (one, other)]
    if all(key.read for key in keys):
        assert (keys[0].key == keys[1].key) == (items(one) == items(other))


AGAIN: list[tuple[ValueType, Callable[[str], str]]] = [
    (ValueType.BOOLEAN, str),
    (ValueType.INTEGER, str),
    (ValueType.DECIMAL, lambda key: f"{key}.0" if "." not in key else f"{key}0000"),
    (ValueType.MONEY, lambda key: key.replace(":", "0000 " if "." in key else ".00 ")),
    (ValueType.DATE, str),
    (ValueType.INSTANT, str),
    (ValueType.VERSION, str),
]


@given(TEXTS, st.sampled_from(AGAIN), st.sampled_from(ZONES))
@settings(max_examples=1_000, deadline=None)
def test_what_was_read_reads_as_itself(
    text: str, kind: tuple[ValueType, Callable[[str], str]], zone: str | None
) -> None:
    declared, spelled_again = kind
    key = read(text, declared, zone)
    if key is not None:
        assert read(spelled_again(key), declared, zone) == key
