"""Where the public data lies that is no part of this project, and what to do where it does not."""

import os
from pathlib import Path

from models.errors import InvalidInput

FOLDER = "KEEPWELL_DATA"
BESIDE = Path(__file__).parents[3] / "shared" / "data"


class Absent(InvalidInput):
    """A data set is not at hand."""


def data_file(*parts: str) -> Path:
    """A file of the data; raises `Absent` where it is not there."""
    root = Path(os.environ.get(FOLDER, BESIDE))
    path = root.joinpath(*parts)
    if not path.is_file():
        raise Absent(f"no {'/'.join(parts)} in {root}; get the data set and name its folder in {FOLDER}")
    return path
