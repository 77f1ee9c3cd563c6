"""What went wrong with a call, as an error of ours. It says nothing of what was asked or answered."""

import structlog
from pydantic_ai import exceptions as theirs

from models.errors import (
    ModelAnswersBadly,
    ModelFailed,
    ModelRateLimited,
    ModelRefuses,
    ModelTimedOut,
    ModelUnauthorised,
    ModelUnreachable,
)

log = structlog.get_logger("keepwell.models")

_LATE = (theirs.ModelRequestTimeout, theirs.ModelTimeoutError, TimeoutError)
_NOT_OURS = (theirs.ModelAuthenticationError, theirs.ModelNotFoundError, theirs.ModelQuotaExceededError)
# Kinds of errors before the kinds that they belong to.
_FREE: list[tuple[type[Exception] | tuple[type[Exception], ...], type[ModelFailed]]] = [
    (theirs.ModelRateLimitError, ModelRateLimited),
    (_NOT_OURS, ModelUnauthorised),
    (theirs.ModelRequestRejectedError, ModelRefuses),
    (theirs.ModelAPIError, ModelUnreachable),
]


def fault_of(error: Exception) -> ModelFailed:
    """The error of ours for an error of pydantic-ai, or for any other that a call came to.

    | their error | ours | it cost nothing |
    | --- | --- | --- |
    | a time-out of the call or of the connection | timed out | |
    | 429 | rate limited, after the seconds that it names | yes |
    | 401, 403, 404, an account without quota | unauthorised | yes |
    | 400, 422, a context that is too small | refuses | yes |
    | 5xx, no connection, an answer that is no answer of a model | unreachable | yes |
    | no answer in the form that was asked for, after all repairs | answers badly | |
    | anything else | answers badly, with its type in the log | |
    """
    if isinstance(error, _LATE):
        return ModelTimedOut()
    for kinds, ours in _FREE:
        if isinstance(error, kinds):
            return ours(retry_after=getattr(error, "retry_after", None), was_free=True)
    if isinstance(error, (theirs.UnexpectedModelBehavior, theirs.UsageLimitExceeded)):
        return ModelAnswersBadly()
    log.warning("model_call_failed", error=type(error).__name__)
    return ModelAnswersBadly()
