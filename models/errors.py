"""The one tree of errors, translated at the edges.

A message names the field and the remedy in one line. It never quotes memory content: errors travel into
logs and workflow histories.
"""

from typing import ClassVar


class KeepwellError(Exception):
    """Base of every error that a caller of Keepwell can meet.

    `code` is stable and meant for programs, `http_status` is what an HTTP surface answers, and `retryable`
    says whether the same call may succeed later without being changed.
    """

    code: ClassVar[str] = "keepwell_error"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(
        self, message: str, *, field: str | None = None, position: int | None = None, unit: str = "item"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.position = position
        self.unit = unit

    def __str__(self) -> str:
        """The line that a person reads: where, then what and the remedy."""
        where = "" if self.position is None else f"{self.unit} {self.position}: "
        name = "" if self.field is None else f"{self.field}: "
        return f"{where}{name}{self.message}"

    def at(self, position: int, unit: str = "item") -> "KeepwellError":
        """The same error, said of the item of a batch, or of the `unit`, at `position` (from 1)."""
        return type(self)(self.message, field=self.field, position=position, unit=unit)


class InvalidInput(KeepwellError):
    """The call is malformed; change the named field and send it again."""

    code = "invalid_input"
    http_status = 422


class TooLarge(KeepwellError):
    """The item is larger than the limit; keep the content in its own store and send a reference."""

    code = "too_large"
    http_status = 413


class Unauthenticated(KeepwellError):
    """Nobody can tell who is calling; send a key or a token that is valid."""

    code = "unauthenticated"
    http_status = 401


class NotPermitted(KeepwellError):
    """The principal lacks the grant; ask for the role that the policy names."""

    code = "not_permitted"
    http_status = 403


class NotFound(KeepwellError):
    """No such record in this tenant."""

    code = "not_found"
    http_status = 404


class Conflict(KeepwellError):
    """The call contradicts what is already stored."""

    code = "conflict"
    http_status = 409


class Unavailable(KeepwellError):
    """A server that Keepwell needs does not answer; try again."""

    code = "unavailable"
    http_status = 503
    retryable = True


class TooManyRequests(KeepwellError):
    """The principal calls more often than the limit; wait and send it again."""

    code = "too_many_requests"
    http_status = 429
    retryable = True

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds after which the call may succeed."""


class PolicyInvalid(KeepwellError):
    """The policy file cannot be used; mend the named line."""

    code = "policy_invalid"
    http_status = 500


class ModelFailed(Unavailable):
    """A language model was no help. Rules complete the pass, unless the model is asked once more.

    `retry_after` is the number of seconds after which to ask again, where anybody knows.
    """

    code = "model_failed"
    retryable = False
    says: ClassVar[str] = "the model was no help"

    def __init__(self, *, retry_after: float | None = None, was_free: bool = False) -> None:
        super().__init__(self.says)
        self.retry_after = retry_after
        self.was_free = was_free
        """Whether the provider refused before it did any work, so that there is nothing to pay for."""


class ModelTimedOut(ModelFailed):
    """The model did not answer in time."""

    code = "model_timed_out"
    retryable = True
    says = "the model did not answer in time; raise KEEPWELL_MODEL_TIMEOUT if this is its usual pace"


class ModelRateLimited(ModelFailed):
    """The provider takes no more calls for now."""

    code = "model_rate_limited"
    retryable = True
    says = "the provider takes no more calls for now; it is asked again when it says so"


class ModelUnreachable(ModelFailed):
    """Nobody answers where the model should be, or its server fails."""

    code = "model_unreachable"
    retryable = True
    says = "nobody answers where the model should be; check KEEPWELL_MODEL_URL and the network"


class ModelUnauthorised(ModelFailed):
    """The provider does not let us ask this model: the key, its quota or the model's name is not good."""

    code = "model_unauthorised"
    says = (
        "the provider does not let us ask this model; check KEEPWELL_MODEL_KEY, its quota, and KEEPWELL_MODEL"
    )


class ModelRefuses(ModelFailed):
    """The provider rejects the request as it is; sent again it would be rejected again."""

    code = "model_refuses"
    says = (
        "the provider rejects the request as it is; choose a model with a larger context or structured output"
    )


class ModelAnswersBadly(ModelFailed):
    """The model never gave an answer in the form that was asked for, though it was told what was wrong."""

    code = "model_answers_badly"
    says = "the model gave no answer in the form that was asked for; choose another model"


class ModelBudgetSpent(ModelFailed):
    """What the tenant may spend on models today is spent."""

    code = "model_budget_spent"
    says = (
        "what the tenant may spend on models today is spent; see KEEPWELL_MODEL_DAILY_TOKENS and …_REQUESTS"
    )


class RerankerFailed(Unavailable):
    """The reranker gave no scores; recall goes on in its own order."""

    code = "reranker_failed"


class EmbedderFailed(Unavailable):
    """The embedder gave no vectors; recall goes by words, and what waits for a vector is tried again."""

    code = "embedder_failed"


class EmbedderRefuses(EmbedderFailed):
    """The embedder takes these texts for what they are: too long, or nothing that its model has a vector for."""

    code = "embedder_refuses"
    retryable = False
