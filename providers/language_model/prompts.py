"""Prompts: files whose name ends with a version. A prompt that has been used is never changed, but followed."""

from functools import lru_cache
from pathlib import Path
from string import Template
from typing import NamedTuple

_FOLDER = Path(__file__).with_name("prompts")


class Prompt(NamedTuple):
    """A prompt by its name, such as `extract_facts.v1`, with places for what is filled in."""

    name: str
    template: Template

    def filled(self, **words: object) -> str:
        """The text, complete."""
        return self.template.substitute(words)


@lru_cache
def prompt(name: str) -> Prompt:
    """The prompt of this name and version."""
    return Prompt(name, Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8")))
