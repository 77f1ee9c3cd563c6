"""One question to a model through pydantic-ai: bounded in time, requests and tokens, and repaired by the model itself.

An answer in the wrong form is sent back with what is wrong with it, at most `REPAIRS` times. Nothing else is tried
again here: what the network or the provider does is the caller's matter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, RunContext, RunUsage, UsageLimits
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from models.extractions import Usage
from models.ids import content_digest
from providers.language_model.faults import fault_of
from providers.protocols import Answer

REPAIRS = 2
MOST_ANSWER_TOKENS = 4_000
_BYTES_A_TOKEN = 2
"""A cautious measure: English takes about four bytes a token, Chinese two to three."""

Form = TypeVar("Form", bound=BaseModel)
Content = TypeVar("Content")


class Unfit(Exception):
    """What is wrong with an answer, in words for the model that gave it."""


@dataclass(frozen=True)
class Words:
    """What is put before the model: `instructions` from a prompt, and `material` in a fence."""

    prompt: str
    instructions: str
    material: str


@dataclass(frozen=True)
class Asking(Generic[Form, Content]):
    """A question. `form` is what the answer has to look like; `read` takes it or raises `Unfit`."""

    connection: Model
    model: str
    words: Words
    form: type[Form]
    read: Callable[[Form], Content]
    timeout: float

    @property
    def prompt(self) -> str:
        """Name and version of the prompt."""
        return self.words.prompt

    @property
    def digest(self) -> bytes:
        """A digest of everything that the model is shown."""
        shown = [self.words.instructions, self.words.material, self.form.model_json_schema()]
        return content_digest(shown)

    @property
    def most(self) -> Usage:
        """What the call can take: each repair sends everything before it once more."""
        shown = f"{self.words.instructions}{self.words.material}{self.form.model_json_schema()}"
        once = len(shown.encode()) // _BYTES_A_TOKEN
        requests = 1 + REPAIRS
        sent_again = MOST_ANSWER_TOKENS * sum(range(requests))
        return Usage(requests, once * requests + sent_again, MOST_ANSWER_TOKENS * requests)

    async def ask(self) -> Answer[Content]:
        """The answer; see `providers.protocols.Question.ask`."""
        used = RunUsage()
        limits = UsageLimits(request_limit=1 + REPAIRS)
        try:
            result = await self._agent().run(self.words.material, usage=used, usage_limits=limits)
            content = self.read(result.output)
        except Exception as error:
            failed = fault_of(error)
        else:
            usage = Usage(used.requests, used.input_tokens, used.output_tokens)
            return Answer(content, None if used.unmeasured_requests else usage)
        # Raised here, where no error hangs on to it that quotes what was asked.
        raise failed

    def _agent(self) -> Agent[object, Form]:
        settings = ModelSettings(
            timeout=self.timeout,
            request_timeout=self.timeout,
            max_retries=0,
            max_tokens=MOST_ANSWER_TOKENS,
        )
        # A server that can is held to the form while it writes; another is given it as a tool to call.
        by_schema = self.connection.profile.get("supports_json_schema_output", False)
        output: Any = NativeOutput(self.form) if by_schema else self.form
        agent: Agent[object, Form] = Agent(
            self.connection,
            output_type=output,
            instructions=self.words.instructions,
            retries=REPAIRS,
            model_settings=settings,
        )

        @agent.output_validator
        def fits(_: RunContext[object], answer: Form) -> Form:  # pyright: ignore[reportUnusedFunction]
            try:
                self.read(answer)
            except Unfit as unfit:
                raise ModelRetry(str(unfit)) from None
            return answer

        return agent
