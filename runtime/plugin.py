"""What every Temporal client, worker and replayer of Keepwell has in common: one converter, one sandbox, no content.

Failures are stripped on their way out of a step: an error of ours says nothing of content by its own rule,
and of any other error only the type's name is let through.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import structlog
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import DefaultFailureConverterWithEncodedAttributes
from temporalio.exceptions import ApplicationError, FailureError
from temporalio.plugin import SimplePlugin
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
    WorkflowRunner,
)
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.workflow import SandboxImportNotificationPolicy

from models.errors import KeepwellError, ModelFailed
from workflows.registry import WORKFLOWS

# Workflows import steps for their signatures alone. All that comes along is passed through the sandbox, once
# for the process and not once for each workflow; linters keep clocks and effects out of these rooms.
_PASSED_THROUGH = (
    "models", "activities", "store", "providers", "workflows", "pydantic", "pydantic_core", "annotated_types",
    "sqlalchemy", "asyncpg", "snowballstemmer", "structlog", "typing_inspection", "greenlet", "zoneinfo",
    "dateutil",
)  # fmt: skip

DATA_CONVERTER = replace(
    pydantic_data_converter, failure_converter_class=DefaultFailureConverterWithEncodedAttributes
)

log = structlog.get_logger("keepwell.steps")


class _ContentFreeFailures(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        try:
            return await super().execute_activity(input)
        except FailureError:
            raise
        except ModelFailed as error:
            pause = None if error.retry_after is None else timedelta(seconds=error.retry_after)
            raise ApplicationError(
                str(error), type=error.code, non_retryable=not error.retryable, next_retry_delay=pause
            ) from None
        except KeepwellError as error:
            raise ApplicationError(str(error), type=error.code, non_retryable=not error.retryable) from None
        except Exception as error:
            name = type(error).__name__
            log.warning("step_failed", error=name, constraint=_constraint(error))
            raise ApplicationError("a step failed and is tried again", type=name) from None


def _constraint(error: BaseException) -> str | None:
    """The constraint that refused, wherever in the chain of causes the driver named it."""
    seen: BaseException | None = error
    while seen is not None:
        name = getattr(seen, "constraint_name", None)
        if isinstance(name, str):
            return name
        seen = seen.__cause__ or getattr(seen, "orig", None)
    return None


class ContentFreeFailures(Interceptor):
    """Lets no word of an unexpected error out of a step."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return _ContentFreeFailures(next)


def _runner(_: WorkflowRunner | None) -> WorkflowRunner:
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*_PASSED_THROUGH)
    strict = replace(
        restrictions,
        import_notification_policy=SandboxImportNotificationPolicy.WARN_ON_DYNAMIC_IMPORT
        | SandboxImportNotificationPolicy.RAISE_ON_UNINTENTIONAL_PASSTHROUGH,
    )
    return SandboxedWorkflowRunner(restrictions=strict)


def keepwell_plugin() -> SimplePlugin:
    """The plugin, for `Client.connect`, `Worker` and `Replayer` alike."""
    return SimplePlugin(
        "keepwell",
        data_converter=DATA_CONVERTER,
        interceptors=[ContentFreeFailures()],
        workflows=WORKFLOWS,
        workflow_runner=_runner,
    )
