"""How steps are called: how long one may take, and how it is tried again."""

from datetime import timedelta
from typing import TypedDict

from temporalio.common import RetryPolicy


class StepOptions(TypedDict):
    """The part of Temporal's activity options that every step shares."""

    start_to_close_timeout: timedelta
    retry_policy: RetryPolicy


STEP: StepOptions = {
    # A step is one short transaction. When its worker dies, the next try starts after this time.
    "start_to_close_timeout": timedelta(seconds=10),
    "retry_policy": RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        backoff_coefficient=2.0,
        maximum_interval=timedelta(seconds=30),
    ),
}
