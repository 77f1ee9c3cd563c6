"""What a person has switched off for themselves."""

from datetime import datetime

from models.controls import SwitchState
from surfaces.http.answers.base import Answer


class SwitchTold(Answer):
    """How the caller has a class of memory; `since` is None where they have never switched it."""

    class_name: str
    state: SwitchState
    since: datetime | None


class Switches(Answer):
    """How the caller has each class that can be switched off, and each that they have."""

    switches: list[SwitchTold]
