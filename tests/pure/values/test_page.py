"""What the page about values shows is what happens."""

import re
from pathlib import Path

import pytest

from models.values import ValueSpec, ValueType, canonical
from tests.pure.values.tables import BERLIN, NEW_YORK, NOWHERE, PARIS, read

PAGE = (Path(__file__).parents[3] / "docs/values.md").read_text("utf-8")


def rows_of(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("row", rows_of("Examples"), ids=lambda row: row[1])
def test_each_example_is_so(row: list[str]) -> None:
    kind, written, where, outcome = row
    declared = ValueSpec(type=ValueType(kind))
    [zone] = codes(where) or [None]
    assert codes(written)
    for text in codes(written):
        found = canonical(text, declared, zone=zone)
        if outcome == "not read":
            assert not found.read, text
        else:
            assert ([found.key], found.read) == (codes(outcome), True), text


@pytest.mark.parametrize("row", rows_of("Three digits after one mark"), ids=lambda row: row[0])
def test_each_doubt_is_settled_so(row: list[str]) -> None:
    [text] = codes(row[0])
    kind = ValueType.DECIMAL if "as a number" in row[0] else ValueType.MONEY
    for zone, outcome in zip((BERLIN, NEW_YORK, PARIS, NOWHERE), row[1:], strict=True):
        found = read(text, kind, zone)
        assert (found or "not read").partition(":")[0] == outcome, zone


def test_the_page_leaves_no_type_out() -> None:
    named = [name for row in rows_of("Types") for name in codes(row[0])]
    assert sorted(named) == sorted(ValueType)
