"""How steps are called: how long one may take, and how it is tried again."""

from datetime import timedelta
from typing import TypedDict

from temporalio.common import RetryPolicy


class StepOptions(TypedDict):
    """The part of Temporal's activity options that every step shares."""

    start_to_close_timeout: timedelta
    retry_policy: RetryPolicy


class LongStepOptions(StepOptions):
    """The same for a step whose work grows with an activity's length; it sends heartbeats."""

    heartbeat_timeout: timedelta


_UNHEARD = timedelta(seconds=10)
"""When a worker dies, the next try of its step starts after this time."""
_RETRY = RetryPolicy(
    initial_interval=timedelta(milliseconds=200),
    backoff_coefficient=2.0,
    maximum_interval=timedelta(seconds=30),
)

STEP: StepOptions = {"start_to_close_timeout": _UNHEARD, "retry_policy": _RETRY}
LONG_STEP: LongStepOptions = {
    "start_to_close_timeout": timedelta(minutes=15),
    "heartbeat_timeout": _UNHEARD,
    "retry_policy": _RETRY,
}

PROMPT_STEP: LongStepOptions = {**LONG_STEP, "heartbeat_timeout": timedelta(seconds=5)}
"""A step that is short as a rule, sends heartbeats all the same, and whose being late somebody would notice."""

ATTENDED_STEP: LongStepOptions = {
    **LONG_STEP,
    "retry_policy": RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=5),
}
"""A long step whose end somebody waits for, who can mend what hinders it and ask again."""
