"""What a person has switched off for themselves."""

from datetime import datetime

from keepwell.types.wire import Answer, Request
from keepwell.types.words import SwitchState, SwitchStateTold


class SwitchSetting(Request):
    """How a person wants a class of memory."""

    state: SwitchState


class SwitchTold(Answer):
    """How the caller has a class of memory; `since` is None where they have never switched it."""

    class_name: str
    state: SwitchStateTold
    since: datetime | None


class Switches(Answer):
    """How the caller has each class that can be switched off, and each that they have."""

    switches: list[SwitchTold]
