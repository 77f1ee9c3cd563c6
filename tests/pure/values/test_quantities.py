"""Quantities: the same size in the same dimension is the same value, and nothing else is."""

import pytest

from models.values import ValueType
from models.values.units import FOLDED, NAMES, SYMBOLS
from tests.pure.values.tables import BERLIN, NEW_YORK, read


def size(text: str, zone: str | None = None) -> str | None:
    return read(text, ValueType.QUANTITY, zone)


@pytest.mark.parametrize(
    "same",
    [
        ("5 GB", "5GB", "5000 MB", "5 gigabytes", "5 Gigabyte", "40 Gbit", "5e9 B", "five gigabytes"),
        ("5 GiB", "5120 MiB", "5 gibibytes"),
        ("1 KB", "1 kB", "1000 bytes", "8 kbit", "8 Kb"),
        ("100 Mbit/s", "100 Mbps", "100 megabits per second", "12.5 MB/s", "12.5 MBps", "0.1 Gbps"),
        ("1 km", "1 KM", "1000 m", "1000 metres", "1000 meters", "one kilometer", "100000 cm"),
        ("1 mi", "1 mile", "5280 ft", "1.609344 km", "63360 in"),
        ("5 ft 3 in", "5ft3in", "5 feet and 3 inches", "5 ft, 3 in", "63 inches", "1.6002 m"),
        ("1 kg", "1 KG", "1000 g", "1 kilogram", "1 kilo", "0.001 t"),
        ("1 lb", "16 oz", "453.59237 g", "1 pound"),
        ("1.5 million km", "1500000 km", "1.5e9 m"),
        ("90 min", "1.5 h", "1 h 30 min", "5400 s"),
        ("20 °C", "20°C", "20 ℃", "20 degrees Celsius", "68 F", "68 °F", "293.15 K"),
        ("-40 C", "-40 F", "minus 40 °F"),
        ("50%", "50 %", "50 percent", "50٪", "500 ‰"),
        ("1 kWh", "1 kwh", "1000 Wh", "3.6 MJ", "1 kilowatt-hour", "1 kilowatt hour"),
        ("1 kW", "1 kw", "1000 W", "1000 J/s", "24 kWh/day"),
        ("500 mAh", "500mah", "0.5 Ah"),
        ("2.4 GHz", "2.4ghz", "2400 MHz"),
        ("3.6 km/h", "1 m/s", "3.6 kph", "1 metre per second"),
        ("5 m²", "5 m2", "5㎡", "5 square metres", "5 sqm"),
        ("1 m3", "1000 l", "1000 L", "1000 litres"),
        ("1 µm", "1 μm", "1 um", "1 micrometre", "1000 nm"),
        ("1 bar", "1000 mbar", "1000 hPa", "100 kPa"),
        ("1 kcal", "4184 J", "4.1840 kJ"),
        ("5,000.5 m", "5.000,5 m"),
    ],
)
def test_one_size_is_one_value(same: tuple[str, ...]) -> None:
    keys = {text: size(text) for text in same}
    assert len(set(keys.values())) == 1, keys
    assert None not in keys.values()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 GB", "5 GiB"),
        ("5 MB", "5 Mb"),
        ("5 mW", "5 MW"),
        ("5 m", "5 g"),
        ("5 C", "5 F"),
        ("5 kWh", "5 kW"),
        ("5 Hz", "5 rpm"),
        ("5 %", "5 ppm"),
        ("5 MB", "5 MB/s"),
        ("0 °C", "0 K"),
        ("0 m", "0 g"),
    ],
)
def test_another_size_or_dimension_is_another_value(one: str, other: str) -> None:
    first, second = size(one), size(other)
    assert first is not None
    assert second is not None
    assert first != second


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "GB",
        "5 gb",
        "5 gB",
        "5 mb",
        "5 kb",
        "100 mbps",
        "5 bps",
        "5 mw",
        "2400 mhz",
        "5 M",
        "5k",
        "5 k m",
        "5 Nm",
        "5 mS",
        "5 Mi",
        "5 Cal",
        "5 MG",
        "5 ML",
        "5 gallons",
        "5 tons",
        "5 hp",
        "5 degrees",
        "5 servers",
        "10 requests per second",
        "about 5 GB",
        "5-10 GB",
        "5 GB free",
        "3 in 5 ft",
        "5 ft 13 in",
        "5 ft 3 kg",
        "5 C 3 F",
        "5 ft -3 in",
        "minus 5 ft 3 in",
        "-1 K",
        "-500 C",
        "½ mile",
        "1/2 mile",
        "10² m",
        "5 C/s",
        "5 Mbps/s",
        "5 m/s/s",
        "5 GB/month",
        "1e999 m",
        "5 m per",
    ],
)
def test_what_has_no_unit_or_two_meanings_is_kept_as_text(text: str) -> None:
    assert size(text) is None


def test_the_number_is_read_as_any_number_is() -> None:
    assert size("1.000 km", BERLIN) == size("1000 km")
    assert size("1.000 km", NEW_YORK) == size("1 km")
    assert size("1.000 km") is None


def test_sizes_are_exact() -> None:
    assert size("1 km/h") == "5/18:m/s"
    assert size("70 F") == "52967/180:K"
    assert size("0.1 m") == "0.1:m"
    assert size("-5 ft 3 in") == "-1.6002:m"
    assert size("0.1000000000000000000000000000001 m") != size("0.1 m")


def test_no_spelling_is_two_units() -> None:
    for folded, unit in FOLDED.items():
        assert NAMES.get(folded, unit) == unit
    for symbol, unit in SYMBOLS.items():
        assert NAMES.get(symbol, unit) == unit
        assert size(f"5 {symbol}") is not None
    for name in NAMES:
        assert size(f"5 {name}") == size(f"5 {name.title()}") is not None
