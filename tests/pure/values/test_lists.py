"""Lists: the same items in any order, however they are divided, and only where the division is plain."""

import pytest

from models.values import ValueType
from tests.pure.values.tables import BERLIN, NEW_YORK, NOWHERE, read, spec


def items(text: str, of: ValueType, zone: str | None = None, **said: object) -> list[str] | None:
    """The keys of the items, without their types."""
    found = read(text, spec(ValueType.LIST, of=of, **said), zone)
    return None if found is None else [key.removeprefix(f"{of.value}:") for key in found.split(";")]


@pytest.mark.parametrize(
    "text",
    [
        "a, b and c",
        "a, b, and c",
        "A,B,C.",
        "c; b; a",
        "c\nb\r\na",
        "b and a and c",
        "a AND b, c",
        "a, a, b, c, B",
        "a,, b; ;c,",
        "[a, b, c]",
        '["a", "b", "c"]',
        "- a\n- b\n- c",
        "* a\n* b\n* c",
        "1. a\n2. b\n3. c",
        "a、b，c",
        "a；b；c",
    ],
)
def test_the_same_three_things(text: str) -> None:
    assert items(text, ValueType.TEXT) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "of", "zone", "expected"),
    [
        ("1,2,3", ValueType.INTEGER, NOWHERE, ["1", "2", "3"]),
        ("3; 1; 2", ValueType.INTEGER, NOWHERE, ["1", "2", "3"]),
        ("10 and 20", ValueType.INTEGER, NOWHERE, ["10", "20"]),
        ("[10, 20]", ValueType.INTEGER, NOWHERE, ["10", "20"]),
        ("1,000, 2,000", ValueType.INTEGER, NEW_YORK, ["1000", "2000"]),
        ("1,500 and 2,500", ValueType.INTEGER, NEW_YORK, ["1500", "2500"]),
        ("1,500; 2,500", ValueType.INTEGER, NEW_YORK, ["1500", "2500"]),
        ("1,5; 2,5", ValueType.DECIMAL, BERLIN, ["1.5", "2.5"]),
        ("€1,000 and €2,000", ValueType.MONEY, NOWHERE, ["1000:EUR", "2000:EUR"]),
        ("1,50 €, 2,50 €", ValueType.MONEY, BERLIN, ["1.5:EUR", "2.5:EUR"]),
        ("5 EUR,6 EUR", ValueType.MONEY, NOWHERE, ["5:EUR", "6:EUR"]),
        ("1 GB, 1000 MB, 1 GiB", ValueType.QUANTITY, NOWHERE, ["8000000000:bit", "8589934592:bit"]),
        ("March 2, 2026; March 3, 2026", ValueType.DATE, NOWHERE, ["2026-03-02", "2026-03-03"]),
        ("March 2, 2026", ValueType.DATE, NOWHERE, ["2026-03-02"]),
        ("2026-03-03,2026-03-02", ValueType.DATE, NOWHERE, ["2026-03-02", "2026-03-03"]),
        ("today and tomorrow", ValueType.DATE, NEW_YORK, ["2026-03-01", "2026-03-02"]),
        ("1h30m, 2h", ValueType.DURATION, NOWHERE, ["5400", "7200"]),
        ("1 hour, 2 hours", ValueType.DURATION, NOWHERE, ["3600", "7200"]),
        ("1 day; 2 hours", ValueType.DURATION, NOWHERE, ["7200", "86400"]),
        ("- 5 EUR\n- 6 EUR", ValueType.MONEY, NOWHERE, None),
        ("- $5 USD; - $6 USD", ValueType.MONEY, NOWHERE, None),
        ("- March 2, 2026; - March 3, 2026", ValueType.DATE, NOWHERE, ["2026-03-02", "2026-03-03"]),
        ("* 5 EUR\n* 6 EUR", ValueType.MONEY, NOWHERE, ["5:EUR", "6:EUR"]),
        ("- red", ValueType.TEXT, NOWHERE, ["red"]),
        ("1. red", ValueType.TEXT, NOWHERE, ["1 red"]),
        ("yes, no", ValueType.BOOLEAN, NOWHERE, ["false", "true"]),
        ("db:1, Anna", ValueType.ENTITY, NOWHERE, ["id:db:1", "name:anna"]),
        # What is divided in two ways, or holds something that cannot be read, is one text.
        ("1,500", ValueType.INTEGER, NEW_YORK, None),
        ("1,500", ValueType.INTEGER, NOWHERE, None),
        ("1,000, 2,000", ValueType.INTEGER, NOWHERE, None),
        ("100,200,300", ValueType.INTEGER, NEW_YORK, None),
        ("1,5", ValueType.DECIMAL, BERLIN, None),
        ("1 day, 2 hours", ValueType.DURATION, NOWHERE, None),
        ("1 hour and 30 minutes", ValueType.DURATION, NOWHERE, None),
        ("March 2, 2026, March 3, 2026", ValueType.DATE, NOWHERE, None),
        ("1, x", ValueType.INTEGER, NOWHERE, None),
        ("$5, $6", ValueType.MONEY, BERLIN, None),
        ("1.000; 2.000", ValueType.INTEGER, NOWHERE, None),
        ("", ValueType.TEXT, NOWHERE, None),
        (" , ; and", ValueType.INTEGER, NOWHERE, None),
        ("[]", ValueType.TEXT, NOWHERE, None),
    ],
)
def test_items_of_each_type(text: str, of: ValueType, zone: str | None, expected: list[str] | None) -> None:
    assert items(text, of, zone) == expected


def test_items_of_an_enumeration_are_among_its_values() -> None:
    assert items("blue and RED", ValueType.ENUMERATION, values=["red", "blue"]) == ["blue", "red"]
    assert items("red, pink", ValueType.ENUMERATION, values=["red", "blue"]) is None


def test_items_are_versions_where_the_class_says_so() -> None:
    assert items("v1.2, 1.2.0, 2", ValueType.VERSION, semantic=True) == ["1.2.0", "2.0.0"]
    assert items("v1.2, 1.2.0", ValueType.VERSION) == ["1.2.0", "v1.2"]
