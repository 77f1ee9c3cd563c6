"""The tables behind the zones are whole, and agree with the tz database that runs."""

from collections import defaultdict
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest

from models.values import territories
from models.values.currencies import MINOR_UNITS
from models.values.places import NOWHERE, place_of
from models.values.zones import TERRITORY

ANTARCTICA = "AQ"


def zones_of_tz() -> dict[str, str]:
    lines = (files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {row[2]: row[0] for row in rows if row[0] != ANTARCTICA}


def test_every_zone_lies_where_the_tz_database_has_it() -> None:
    """Where a release of it adds or moves a zone, `models/values/zones.py` follows."""
    assert {zone: TERRITORY.get(zone) for zone in zones_of_tz()} == zones_of_tz()


def test_every_zone_of_the_table_is_one() -> None:
    for zone in TERRITORY:
        assert ZoneInfo(zone).key == zone


@pytest.mark.parametrize("zone", [None, "", "UTC", "GMT", "Etc/GMT+1", "CET", "EST5EDT", "no zone", "\0"])
def test_nothing_is_told_from_what_lies_nowhere(zone: str | None) -> None:
    assert place_of(zone) == NOWHERE


@pytest.mark.parametrize(
    ("zone", "territory", "decimal", "group", "currencies"),
    [
        ("Europe/Berlin", "DE", ",", ".", {"EUR"}),
        ("America/New_York", "US", ".", ",", {"USD"}),
        ("US/Pacific", "US", ".", ",", {"USD"}),
        ("Europe/Paris", "FR", ",", " ", {"EUR"}),
        ("Europe/Zurich", "CH", ",.", "'", {"CHF"}),
        ("Asia/Calcutta", "IN", ".", ",", {"INR"}),
        ("America/Panama", "PA", ".", ",", {"PAB", "USD"}),
        ("Iceland", "IS", ",", ".", {"ISK"}),
        ("Europe/Sofia", "BG", ",", " ", {"EUR"}),
    ],
)
def test_conventions(zone: str, territory: str, decimal: str, group: str, currencies: set[str]) -> None:
    place = place_of(zone)
    assert (place.territory, place.decimal, place.group) == (territory, decimal, group)
    assert place.currencies == currencies


def test_each_territory_stands_once_in_a_table_and_has_a_zone() -> None:
    for table in (territories.NUMBERS, territories.SYMBOL_FIRST, territories.DATES):
        members = [territory for row in table.values() for territory in row.split()]
        assert len(members) == len(set(members))
        assert set(members) <= set(TERRITORY.values())


def test_what_is_paid_with_is_a_currency() -> None:
    found: defaultdict[str, int] = defaultdict(int)
    for zone in TERRITORY:
        for code in place_of(zone).currencies:
            found[code] += 1
    assert set(found) <= set(MINOR_UNITS)
    assert len(found) > 150
