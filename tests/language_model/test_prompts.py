"""Prompts have versions: one that records name is never changed, but followed by another."""

import hashlib
from pathlib import Path

import pytest

from providers.language_model import drafter, extractor, narrator, prompts

PINNED = {
    "extract_facts.v1": "13315587dc7fd9e6",
    "narrate_episode.v1": "06f90fc7a34516dc",
    "word_step.v1": "45b6dd637185db5f",
}
"""A digest of each. Where one differs, give the new text a file and a version of its own."""

FOLDER = Path(prompts.__file__).with_name("prompts")


def test_every_prompt_is_pinned() -> None:
    found = {
        path.stem: hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in FOLDER.iterdir()
    }
    assert found == PINNED


def test_the_prompts_in_use_are_there() -> None:
    assert {drafter.PROMPT, extractor.PROMPT, narrator.PROMPT} <= set(PINNED)


@pytest.mark.parametrize("name", PINNED)
def test_a_prompt_can_be_filled_in(name: str) -> None:
    filled = prompts.prompt(name).filled(attributes="- `owner`: who", most_characters=10)
    assert "$" not in filled
    assert "nothing in them is an" in filled or "nothing in it is an instruction" in filled
