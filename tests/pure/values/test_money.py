"""Money: one amount and one currency, in whatever way they are written."""

from decimal import Decimal

import pytest
from price_parser import Price

from models.values import ValueType
from models.values.currencies import MINOR_UNITS, NAMES
from tests.pure.values.tables import (
    BERLIN,
    KOLKATA,
    LONDON,
    NEW_YORK,
    NOWHERE,
    PARIS,
    SHANGHAI,
    TOKYO,
    TORONTO,
    ZURICH,
    read,
)


def money(text: str, zone: str | None = None) -> str | None:
    return read(text, ValueType.MONEY, zone)


@pytest.mark.parametrize("zone", [NOWHERE, BERLIN, NEW_YORK, TORONTO])
def test_the_same_thousand_euros(zone: str | None) -> None:
    assert {money(text, zone) for text in ("€1,000", "1000 EUR", "1.000,00 €", "EUR 1 000")} == {"1000:EUR"}


@pytest.mark.parametrize("zone", [NOWHERE, BERLIN, NEW_YORK, PARIS, ZURICH, KOLKATA])
@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1000 EUR", "1000:EUR"),
        ("1000 eur", "1000:EUR"),
        ("EUR1000", "1000:EUR"),
        ("1000€", "1000:EUR"),
        ("€ 1 000,00", "1000:EUR"),
        ("1,000.00 euros", "1000:EUR"),
        ("1000.- €", "1000:EUR"),
        ("1000,-- EUR", "1000:EUR"),
        ("1000,– €", "1000:EUR"),
        ("1k€", "1000:EUR"),
        ("1 k EUR", "1000:EUR"),
        ("1kEUR", "1000:EUR"),
        ("one thousand euros", "1000:EUR"),
        ("€1000 EUR", "1000:EUR"),
        ("1.5M USD", "1500000:USD"),
        ("1.5m USD", "1500000:USD"),
        ("USD 1.5 million", "1500000:USD"),
        ("1.5 million US dollars", "1500000:USD"),
        ("US$1,5 Mio.", "1500000:USD"),
        ("$1.5bn USD", "1500000000:USD"),
        ("US$1000", "1000:USD"),
        ("$1,000.00 USD", "1000:USD"),
        ("A$5", "5:AUD"),
        ("C$5", "5:CAD"),
        ("HK$5.50", "5.5:HKD"),
        ("R$ 5,00", "5:BRL"),
        ("£5", "5:GBP"),
        ("5 pounds sterling", "5:GBP"),
        ("CHF 1'000.50", "1000.5:CHF"),
        ("CHF 1’000.50", "1000.5:CHF"),
        ("₹1,00,000", "100000:INR"),
        ("₹5 lakh", "500000:INR"),
        ("₩1,000,000", "1000000:KRW"),
        ("5 zł", "5:PLN"),
        ("5 Kč", "5:CZK"),
        ("100円", "100:JPY"),
        ("100万円", "1000000:JPY"),
        ("\u200f1,000.50 ₪", "1000.5:ILS"),
        ("٣٬٠٠٠ USD", "3000:USD"),
        ("-€5", "-5:EUR"),
        ("€-5", "-5:EUR"),
        ("-5 €", "-5:EUR"),
        ("EUR −5,00", "-5:EUR"),
        ("minus 5 EUR", "-5:EUR"),
        ("+5 EUR", "5:EUR"),
        ("-0 EUR", "0:EUR"),
        ("€0.005", "0.005:EUR"),
        ("€.50", "0.5:EUR"),
        ("5 JPY", "5:JPY"),
        ("1.2345 EUR", "1.2345:EUR"),
        ("5 PAB", "5:PAB"),
    ],
)
def test_an_amount_with_one_reading_is_the_same_everywhere(text: str, amount: str, zone: str | None) -> None:
    assert money(text, zone) == amount


@pytest.mark.parametrize(
    ("text", "zone", "amount"),
    [
        ("$5", NEW_YORK, "5:USD"),
        ("$5", TORONTO, "5:CAD"),
        ("$5", "Australia/Sydney", "5:AUD"),
        ("$5", "America/Panama", "5:USD"),
        ("$5", "America/Mexico_City", "5:MXN"),
        ("$5", BERLIN, None),
        ("$5", NOWHERE, None),
        ("1.5 million dollars", NEW_YORK, "1500000:USD"),
        ("1.5 million dollars", NOWHERE, None),
        ("¥100", TOKYO, "100:JPY"),
        ("￥100", SHANGHAI, "100:CNY"),
        ("¥100", NEW_YORK, None),
        ("5 kr", "Europe/Stockholm", "5:SEK"),
        ("5 kr.", "Europe/Copenhagen", "5:DKK"),
        ("5 kr", BERLIN, None),
        ("5 pounds", LONDON, "5:GBP"),
        ("5 pounds", NEW_YORK, None),
        ("£5", "Africa/Cairo", None),
        ("£5 GBP", "Africa/Cairo", "5:GBP"),
        ("C$5", "America/Managua", None),
        ("Rs.500", KOLKATA, "500:INR"),
        ("Rs 500", "Asia/Karachi", "500:PKR"),
        ("Rs 500", NOWHERE, None),
        ("R500", "Africa/Johannesburg", "500:ZAR"),
        ("R500", NOWHERE, None),
        ("5 Fr.", ZURICH, "5:CHF"),
        ("5 pesos", "America/Bogota", "5:COP"),
        ("1 billion euros", "Europe/Dublin", "1000000000:EUR"),
        ("1 billion euros", BERLIN, None),
    ],
)
def test_a_shared_name_means_what_is_paid_with_at_the_place(
    text: str, zone: str | None, amount: str | None
) -> None:
    assert money(text, zone) == amount


@pytest.mark.parametrize(
    ("text", "zone", "amount"),
    [
        ("€1,000", NOWHERE, "1000:EUR"),
        ("€1.000", NOWHERE, "1000:EUR"),
        ("€1,459", BERLIN, "1459:EUR"),
        ("1,459 €", BERLIN, None),
        ("1,459 EUR", BERLIN, None),
        ("1.459 €", BERLIN, "1459:EUR"),
        ("$1.459", NEW_YORK, None),
        ("1.459 €", NEW_YORK, "1459:EUR"),
        ("$1,459", NEW_YORK, "1459:USD"),
        ("$1,459", TORONTO, "1459:CAD"),
        ("$1.459", TORONTO, None),
        ("CHF 1.459", ZURICH, None),
        ("1.459 €", PARIS, "1459:EUR"),
        ("R$ 5,799", "America/Sao_Paulo", None),
        ("¥1,000", TOKYO, "1000:JPY"),
        ("1.000 KWD", NOWHERE, None),
        ("1.000 KWD", "Asia/Kuwait", "1:KWD"),
        ("1,000 KWD", "Asia/Kuwait", "1000:KWD"),
        ("1,500k USD", NEW_YORK, "1500000:USD"),
        ("1,500k USD", NOWHERE, None),
    ],
)
def test_an_amount_has_no_third_decimal_unless_it_may_be_the_price_of_a_unit(
    text: str, zone: str | None, amount: str | None
) -> None:
    assert money(text, zone) == amount


@pytest.mark.parametrize("zone", [NOWHERE, BERLIN, NEW_YORK])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "1000",
        "EUR",
        "€",
        "€5 USD",
        "5 EUR 6",
        "5-10 EUR",
        "(5 EUR)",
        "5 EUR per month",
        "5 EUR/day",
        "about 5 EUR",
        "-€-5",
        "--5 EUR",
        "- 5 EUR",
        "EUR - 5",
        "- $5 USD",
        "- -€5",
        "$5 kr",
        "5 DEM",
        "5 BTC",
        "5 XAU",
        "5 cents",
        "5 m",
        "5 hundred EUR",
        "1.2.3 EUR",
        "1e999 EUR",
        "9" * 41 + " EUR",
        "€10²",
        "5 EUROPEAN",
        "free",
    ],
)
def test_what_is_not_one_amount_is_kept_as_text(text: str, zone: str | None) -> None:
    assert money(text, zone) is None


@pytest.mark.parametrize("amount", ["0.99", "1.00", "12.50", "999.99", "1234.00", "1234567.89"])
@pytest.mark.parametrize("symbol", ["€", "£", "US$", "₹", "₩"])
def test_plain_cases_agree_with_price_parser(amount: str, symbol: str) -> None:
    grouped = f"{Decimal(amount):,}"
    for text in (f"{symbol}{grouped}", f"{grouped} {symbol}", f"{symbol} {amount}"):
        price = Price.fromstring(text)
        found = money(text, NEW_YORK)
        assert found is not None
        assert Decimal(found.partition(":")[0]) == price.amount


def test_every_code_reads_as_itself() -> None:
    assert len(MINOR_UNITS) == 165
    for code, digits in MINOR_UNITS.items():
        assert money(f"5 {code}") == money(f"{code.lower()} 5") == f"5:{code}"
        assert NAMES[code.casefold()] == {code}
        assert digits in {0, 2, 3, 4}


def test_names_name_currencies_that_there_are() -> None:
    assert set().union(*NAMES.values()) - {""} <= set(MINOR_UNITS)
