"""How the tables are asked: the key of what was read without its type, or None for what was kept as text."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from models.text import fold
from models.values import Canonical, ValueSpec, ValueType, canonical

BERLIN, NEW_YORK, LONDON = "Europe/Berlin", "America/New_York", "Europe/London"
PARIS, ZURICH, TORONTO = "Europe/Paris", "Europe/Zurich", "America/Toronto"
KOLKATA, TOKYO, SHANGHAI = "Asia/Kolkata", "Asia/Tokyo", "Asia/Shanghai"
NOWHERE = None

SUNDAY_NIGHT = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
"""Already Monday in Berlin, still Sunday in New York."""

ZONES = [
    None,
    "UTC",
    "no/zone",
    "Europe/Berlin",
    "America/New_York",
    "Europe/Paris",
    "Europe/Zurich",
    "Asia/Tokyo",
]

PIECES = st.sampled_from(
    [
        *"0123456789.,'- +/:;%()",
        "\u00a0",
        "€",
        "$",
        "EUR",
        "k",
        "million ",
        "km",
        "GB",
        "h",
        "min",
        "PT",
        "T",
        "Z",
        "٣",
        "²",
        "½",
        "march ",
        "2026",
        " and ",
        "v",
        "true",
        "tomorrow",
        "e9",
        "\n",
        "one ",
        "x:",
    ]
)
TEXTS = st.one_of(st.text(max_size=2_000), st.lists(PIECES, max_size=30).map("".join))
"""Any texts, and texts that come near to values."""


def spec(kind: ValueType, **said: object) -> ValueSpec:
    return ValueSpec.model_validate({"type": kind, **said})


def whole(text: str, declared: ValueSpec, zone: str | None = None) -> Canonical:
    return canonical(text, declared, zone=zone, at=SUNDAY_NIGHT)


def read(text: str, declared: ValueSpec | ValueType, zone: str | None = None) -> str | None:
    """What stands after the type in the key; None where the value is kept as the text that it is."""
    if isinstance(declared, ValueType):
        declared = ValueSpec(type=declared)
    found = whole(text, declared, zone)
    if not found.read:
        assert found.key.removeprefix("text:") == " ".join(fold(text).split())
        return None
    assert found.key.startswith(f"{declared.type.value}:")
    return found.key.partition(":")[2]
