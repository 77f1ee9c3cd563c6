"""Units of measure as a table: what each is in the base unit of its dimension, exactly.

SI units after the SI Brochure (9th edition), binary prefixes after IEC 80000-13, and feet, pounds and their like
after the international agreement of 1959. What has two sizes (gallon, ton, horsepower) or two meanings (kb, bps,
degrees) is not here, and so is not read. Words for things that are counted are no units.
"""

from fractions import Fraction
from typing import NamedTuple


class Unit(NamedTuple):
    """`offset` is added before the factor is applied, as temperatures need it."""

    base: str
    factor: Fraction
    offset: Fraction = Fraction(0)


# Sign, name and power of a prefix.
_PREFIXES = {
    "n": ("nano", 10, -9),
    "μ": ("micro", 10, -6),
    "u": ("", 10, -6),
    "m": ("milli", 10, -3),
    "c": ("centi", 10, -2),
    "h": ("hecto", 10, 2),
    "k": ("kilo", 10, 3),
    "M": ("mega", 10, 6),
    "G": ("giga", 10, 9),
    "T": ("tera", 10, 12),
    "P": ("peta", 10, 15),
    "E": ("exa", 10, 18),
    "Ki": ("kibi", 2, 10),
    "Mi": ("mebi", 2, 20),
    "Gi": ("gibi", 2, 30),
    "Ti": ("tebi", 2, 40),
    "Pi": ("pebi", 2, 50),
    "Ei": ("exbi", 2, 60),
}
_OF_DATA = "k M G T P E Ki Mi Gi Ti Pi Ei"

# Symbols, names, base unit, size in it, prefixes in use.
_PREFIXED = (
    ("B", "byte", "bit", "8", _OF_DATA),
    ("b bit", "bit", "bit", "1", _OF_DATA),
    ("bps", "", "bit/s", "1", "k M G T"),
    ("Bps", "", "bit/s", "8", "k M G T"),
    ("m", "metre meter", "m", "1", "n μ u m c k"),
    ("g", "gram gramme", "g", "1", "n μ u m k"),
    ("l L", "litre liter", "m3", "0.001", "μ u m c h k"),
    ("W", "watt", "J/s", "1", "n μ u m k M G T"),
    ("Wh", "watt_hour", "J", "3600", "m k M G T"),
    ("J", "joule", "J", "1", "m k M G T"),
    ("V", "volt", "V", "1", "n μ u m k M"),
    ("A", "ampere amp", "C/s", "1", "n μ u m k"),
    ("Ah", "ampere_hour amp_hour", "C", "3600", "m k"),
    ("Hz", "hertz", "Hz", "1", "m k M G T"),
    ("Pa", "pascal", "Pa", "1", "m h k M G"),
    ("N", "newton", "N", "1", "m k M"),
    ("s", "second", "s", "1", "n μ u m"),
)
# Symbols, names with their plurals, base unit, size in it.
_PLAIN = (
    ("KB", "", "bit", "8000"),
    ("Kb", "", "bit", "1000"),
    ("Kbps", "", "bit/s", "1000"),
    ("min", "minute minutes mins", "s", "60"),
    ("h", "hour hours hr hrs", "s", "3600"),
    ("d", "day days", "s", "86400"),
    ("", "week weeks wk wks", "s", "604800"),
    ("sec secs", "", "s", "1"),
    ("in", "inch inches", "m", "0.0254"),
    ("ft", "foot feet", "m", "0.3048"),
    ("yd", "yard yards", "m", "0.9144"),
    ("mi", "mile miles", "m", "1609.344"),
    ("nmi", "nautical_mile nautical_miles", "m", "1852"),
    ("t", "tonne tonnes metric_ton metric_tons", "g", "1000000"),
    ("kg", "kilo kilos", "g", "1000"),
    ("lb lbs", "pound pounds", "g", "453.59237"),
    ("oz", "ounce ounces", "g", "28.349523125"),
    ("m2 sqm", "square_metre square_meter square_metres square_meters", "m2", "1"),
    ("km2", "square_kilometre square_kilometer square_kilometres square_kilometers", "m2", "1000000"),
    ("cm2", "", "m2", "0.0001"),
    ("mm2", "", "m2", "0.000001"),
    ("ha", "hectare hectares", "m2", "10000"),
    ("ft2 sqft", "square_foot square_feet sq_ft", "m2", "0.09290304"),
    ("", "acre acres", "m2", "4046.8564224"),
    ("m3", "cubic_metre cubic_meter cubic_metres cubic_meters", "m3", "1"),
    ("cm3", "", "m3", "0.000001"),
    ("kph kmh", "", "m/s", "5/18"),
    ("mph", "", "m/s", "0.44704"),
    ("kn", "knot knots", "m/s", "463/900"),
    ("rpm r/min", "revolutions_per_minute", "rpm", "1"),
    ("cal", "calorie calories", "J", "4.184"),
    ("kcal", "kilocalorie kilocalories", "J", "4184"),
    ("bar", "bars", "Pa", "100000"),
    ("mbar", "millibar millibars", "Pa", "100"),
    ("%", "percent per_cent pct", "ratio", "0.01"),
    ("‰", "per_mille", "ratio", "0.001"),
    ("ppm", "parts_per_million", "ratio", "0.000001"),
)
_TEMPERATURES = {
    Unit("K", Fraction(1)): ("K", "kelvin kelvins"),
    Unit("K", Fraction(1), Fraction("273.15")): ("C °C degC", "celsius degree_celsius degrees_celsius"),
    Unit("K", Fraction(5, 9), Fraction("459.67")): (
        "F °F degF",
        "fahrenheit degree_fahrenheit degrees_fahrenheit",
    ),
}


def _prefixed() -> list[tuple[str, str, Unit]]:
    """Symbols, names and units of everything that takes prefixes."""
    found: list[tuple[str, str, Unit]] = []
    for symbols, names, base, size, prefixes in _PREFIXED:
        spoken = " ".join(f"{name} {name}s" for name in names.split())
        found.append((symbols, spoken, Unit(base, Fraction(size))))
        for sign in prefixes.split():
            prefix, ten_or_two, power = _PREFIXES[sign]
            shown = " ".join(f"{sign}{symbol}" for symbol in symbols.split())
            long = " ".join(f"{prefix}{name}" for name in spoken.split()) if prefix else ""
            found.append((shown, long, Unit(base, Fraction(size) * Fraction(ten_or_two) ** power)))
    return found


def _all() -> list[tuple[str, str, Unit]]:
    plain = [(symbols, names, Unit(base, Fraction(size))) for symbols, names, base, size in _PLAIN]
    temperatures = [(symbols, names, unit) for unit, (symbols, names) in _TEMPERATURES.items()]
    return [*_prefixed(), *plain, *temperatures]


_UNCLEAR = {"kb", "bps", "Bps"}
"""Kilobits or kilobytes; bits per second or basis points."""

SYMBOLS = {
    symbol: unit for symbols, _, unit in _all() for symbol in symbols.split() if symbol not in _UNCLEAR
}
"""Symbols as they are written: mW is not MW."""

NAMES = {name.replace("_", " "): unit for _, names, unit in _all() for name in names.split()}
"""Names of units, in small letters."""

_ANY_CASE = """
    kg km cm kW kWh GWh TWh Hz kHz GHz kJ kPa hPa kV mAh kbit Mbit Gbit Tbit
    in ft yd lb lbs oz sqm sqft ha kph kmh mph rpm kcal bar mbar ppm min sec secs
"""
FOLDED = {symbol.casefold(): SYMBOLS[symbol] for symbol in _ANY_CASE.split()}
"""Symbols whose case tells nothing: no other unit is written with the same letters."""

SECONDS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hr": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
}
"""What a rate may be given for."""
