"""What is masked, and what passes: texts in many scripts and forms."""

from collections import Counter

import pytest

from models.masking import mask_fields
from tests.secrets.corpora import Planted, digest, innocent, masked, planted
from tests.world import FINDER

PLANTED = planted()
INNOCENT = innocent()


def named(text: str) -> str:
    """A name for a test without a letter of the secret."""
    return f"{len(text)}-{sum(map(ord, text)) % 9973}"


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: named(case.text))
def test_a_secret_becomes_a_mask_and_nothing_else_changes(case: Planted) -> None:
    assert masked(case.text) == case.masked


@pytest.mark.parametrize("case", PLANTED, ids=lambda case: named(case.text))
def test_a_secret_is_found_deep_in_data_too(case: Planted) -> None:
    told = mask_fields({"data": {"steps": [{"note": case.text}, 7]}}, FINDER, digest)
    assert told.fields == {"data": {"steps": [{"note": case.masked}, 7]}}
    assert len(told.kinds) == 1


@pytest.mark.parametrize("text", INNOCENT, ids=named)
def test_what_is_no_secret_passes(text: str) -> None:
    assert masked(text) == text
    fields = {"data": {"steps": [{"note": text, "status": text}], text or "empty": 1}}
    assert mask_fields(fields, FINDER, digest).fields == fields


def test_there_are_texts_enough() -> None:
    assert len(PLANTED) > 240
    assert len(INNOCENT) > 200
    assert len(set(INNOCENT)) == len(INNOCENT)
    assert min(Counter(case.masked.split("[masked:")[1].split(":")[0] for case in PLANTED).values()) > 8


def test_all_at_once() -> None:
    """Texts one after another are masked as they are alone, whatever stands beside them."""
    texts = [case.text for case in PLANTED]
    told = mask_fields({"data": {"texts": texts}}, FINDER, digest)
    assert told.fields["data"]["texts"] == [case.masked for case in PLANTED]
