"""Whether the service lives, and whether it can take calls."""

from typing import Literal

from surfaces.http.answers.base import Answer


class Health(Answer):
    """The process is alive."""

    status: Literal["alive"] = "alive"
    version: str


class Lack(Answer):
    """One thing that is not there. Without what is `required` no call can be taken; the rest can wait."""

    name: str
    detail: str
    required: bool


class Readiness(Answer):
    """Whether the service can take calls, and what is missing, needed for that or not."""

    ready: bool
    missing: list[Lack]
