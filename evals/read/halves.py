"""The two halves of every board: one to tune on, one to report. Which case is in which is written down in a file."""

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml

from models.errors import InvalidInput

Half = Literal["tuning", "reporting"]
FILE = Path(__file__).with_name("halves.yaml")


@lru_cache
def _tuning() -> dict[str, frozenset[str]]:
    return {
        board: frozenset(names) for board, names in yaml.safe_load(FILE.read_text(encoding="utf-8")).items()
    }


def half_of(board: str, case: str) -> Half:
    """The half of a case. What the file does not name is reported."""
    return "tuning" if case in _tuning()[board] else "reporting"


def require_halves(board: str, cases: Collection[str]) -> None:
    """Raise `InvalidInput` where the file names a case that is not there, or leaves a half empty."""
    named = _tuning()[board]
    if gone := sorted(named - set(cases)):
        raise InvalidInput(f"{FILE.name} names cases of {board} that are not there, such as {gone[0]}")
    if not named or len(named) == len(set(cases)):
        raise InvalidInput(f"{FILE.name} leaves a half of {board} empty")
