"""Integers and decimals: read where there is one reading, and where the place leaves one."""

import pytest

from models.values import ValueType
from tests.pure.values.tables import (
    BERLIN,
    KOLKATA,
    LONDON,
    NEW_YORK,
    NOWHERE,
    PARIS,
    TORONTO,
    ZURICH,
    read,
)

ANYWHERE = (NOWHERE, BERLIN, NEW_YORK, PARIS, ZURICH, KOLKATA)


@pytest.mark.parametrize("zone", ANYWHERE)
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.0", "0"),
        ("007", "7"),
        ("1000", "1000"),
        ("1000.", "1000"),
        ("  1000 ", "1000"),
        ('"1000"', "1000"),
        ("-5", "-5"),
        ("+5", "5"),
        ("−5", "-5"),
        ("–5", "-5"),
        ("minus 5", "-5"),
        ("negative 5", "-5"),
        ("1.5", "1.5"),
        ("1,5", "1.5"),
        ("1.50", "1.5"),
        ("0.125", "0.125"),
        ("0,125", "0.125"),
        (".5", "0.5"),
        ("1234.567", "1234.567"),
        ("1234,567", "1234.567"),
        ("1,000.50", "1000.5"),
        ("1.000,50", "1000.5"),
        ("1,000.000", "1000"),
        ("1.000,000", "1000"),
        ("1,000,000", "1000000"),
        ("1.000.000", "1000000"),
        ("1.000.000,25", "1000000.25"),
        ("1 000", "1000"),
        ("1 000 000,5", "1000000.5"),
        ("1\u00a0000", "1000"),
        ("1\u202f000", "1000"),
        ("1\u2009000", "1000"),
        ("1'000", "1000"),
        ("1’000.25", "1000.25"),
        ("1_000_000", "1000000"),
        ("1,00,000", "100000"),
        ("12,34,567.89", "1234567.89"),
        ("1e3", "1000"),
        ("1.5e3", "1500"),
        ("1.5E-7", "0.00000015"),
        ("2e+40", "2" + "0" * 40),
        ("2k", "2000"),
        ("2 k", "2000"),
        ("2K", "2000"),
        ("1.5M", "1500000"),
        ("1.5 million", "1500000"),
        ("2 bn", "2000000000"),
        ("5 lakh", "500000"),
        ("2 crore", "20000000"),
        ("３", "3"),
        ("１，０００，０００", "1000000"),
        ("٣٫٥", "3.5"),
        ("٣٬٠٠٠", "3000"),
        ("१२३", "123"),
        ("۱۲۳٫۵", "123.5"),
        ("twelve", "12"),
        ("Twenty", "20"),
        ("two thousand", "2000"),
        ("9" * 40, "9" * 40),
    ],
)
def test_one_reading_holds_everywhere(text: str, number: str, zone: str | None) -> None:
    assert read(text, ValueType.DECIMAL, zone) == number
    assert read(text, ValueType.INTEGER, zone) == (None if "." in number else number)


@pytest.mark.parametrize(
    ("text", "zone", "number"),
    [
        ("1.000", BERLIN, "1000"),
        ("1.000", NEW_YORK, "1"),
        ("1.000", LONDON, "1"),
        ("1.000", KOLKATA, "1"),
        ("1.000", "Europe/Brussels", "1000"),
        ("1.000", PARIS, None),
        ("1.000", ZURICH, None),
        ("1.000", TORONTO, None),
        ("1.000", NOWHERE, None),
        ("1.000", "UTC", None),
        ("1.000", "CET", None),
        ("1.000", "Europe/Nowhere", None),
        ("1.000", "../../etc/passwd", None),
        ("1.000", "Asia/Calcutta", "1"),
        ("1.000", "Europe/Kiev", None),
        ("1.000", "America/Sao_Paulo", "1000"),
        ("1.000", "America/Mexico_City", "1"),
        ("1,000", BERLIN, "1"),
        ("1,000", PARIS, "1"),
        ("1,000", NEW_YORK, "1000"),
        ("1,000", TORONTO, None),
        ("1,000", NOWHERE, None),
        ("-12.345", BERLIN, "-12345"),
        ("-12.345", NEW_YORK, "-12.345"),
        ("1,500k", NEW_YORK, "1500000"),
        ("1,500k", BERLIN, "1500"),
        ("1,500k", NOWHERE, None),
        ("1 billion", NEW_YORK, "1000000000"),
        ("1 billion", NOWHERE, "1000000000"),
        ("1 billion", BERLIN, None),
        ("1 billion", TORONTO, None),
        ("1 Mrd.", BERLIN, "1000000000"),
    ],
)
def test_two_readings_are_settled_by_the_place_or_not_at_all(
    text: str, zone: str | None, number: str | None
) -> None:
    assert read(text, ValueType.DECIMAL, zone) == number


@pytest.mark.parametrize("zone", ANYWHERE)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-",
        ".",
        "5 -",
        "--5",
        "- 5",
        "1.2.3",
        "1,0000,000",
        "1'00",
        "1,000'000",
        "0,000,000",
        "1 00",
        "10²",
        "1e²",
        "²",
        "½",
        "5½",
        "①",
        "Ⅻ",
        "5m",
        "5b",
        "5 k m",
        "about 5",
        "5-10",
        "5+",
        "~5",
        "5%",
        "5 servers",
        "1/2",
        "(5)",
        "0x10",
        "1e",
        "e3",
        "1,5e3",
        "NaN",
        "inf",
        "-Infinity",
        "9" * 41,
        "1e41",
        "1e-41",
        "1e999999999",
        "1e-999999999",
        "1" + ",000" * 400,
        "a dozen",
    ],
)
def test_what_is_no_number_or_not_one_alone_is_kept_as_text(text: str, zone: str | None) -> None:
    assert read(text, ValueType.DECIMAL, zone) is None
    assert read(text, ValueType.INTEGER, zone) is None


def test_numbers_are_exact_at_any_length() -> None:
    longest = "1234567890" * 3 + "." + "0123456789"
    assert read(longest, ValueType.DECIMAL) == longest
    assert read("0.1", ValueType.DECIMAL) != read("0.1000000000000000000000001", ValueType.DECIMAL)
    assert read(f"-{longest}", ValueType.DECIMAL) == f"-{longest}"
