"""The text of an export: sections in order, each record counted once and in the digest, whatever it holds."""

import hashlib
import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.controls import SwitchState
from models.export import Export, ExportedSwitch, ExportHeader, Withheld
from models.export_document import SECTIONS, ExportDocument, canonical

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
HEADER = ExportHeader(tenant="t", subject="ana", requested_by="ana", generated_at=AT)
WITHHELD = Withheld(kind="event", id=UUID(int=1), reason="beyond_reach", sources=[])


def switched(name: str) -> ExportedSwitch:
    return ExportedSwitch(class_name=name, state=SwitchState.OFF, attributes=[], recorded_at=AT)


def test_an_empty_export_is_a_whole_document() -> None:
    read = Export.model_validate_json(ExportDocument(HEADER).finished())
    assert [getattr(read, section) for section in SECTIONS] == [[]] * len(SECTIONS)
    assert set(read.counts.model_dump().values()) == {0}
    assert (
        read.digest
        == hashlib.blake2b(canonical(HEADER.model_dump(mode="json")) + b"\n", digest_size=32).hexdigest()
    )


def test_the_sections_are_the_lists_of_the_format() -> None:
    fields = [name for name in Export.model_fields if name not in ExportHeader.model_fields]
    assert tuple(fields) == (*SECTIONS, "counts", "digest")


@given(st.lists(st.lists(st.text(), max_size=3), max_size=4))
def test_pages_of_a_section_are_one_list(pages: list[list[str]]) -> None:
    document = ExportDocument(HEADER)
    for page in pages:
        document.add("switches", [switched(name) for name in page])
    document.add("withheld", [WITHHELD])
    text = document.finished()
    read = Export.model_validate_json(text)
    names = [name for page in pages for name in page]
    assert [each.class_name for each in read.switches] == names
    assert (read.counts.switches, read.counts.withheld, read.withheld) == (len(names), 1, [WITHHELD])
    raw = json.loads(text)
    lines = [HEADER.model_dump(mode="json"), *raw["switches"], *raw["withheld"]]
    written = b"".join(canonical(line) + b"\n" for line in lines)
    assert read.digest == hashlib.blake2b(written, digest_size=32).hexdigest()


def test_a_section_that_is_over_is_not_begun_again() -> None:
    document = ExportDocument(HEADER)
    document.add("switches", [switched("a")])
    with pytest.raises(ValueError, match="in one go"):
        document.add("events", [])
