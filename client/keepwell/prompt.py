"""What goes into a model's prompt for one decision: the service's context, or else what is in hand."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from keepwell.asking import Memory, code_of, message_of, within
from keepwell.errors import refused_unsent
from keepwell.recollection import Recollection
from keepwell.types import ContextRequest, ContextTold

_log = logging.getLogger("keepwell")


@dataclass(frozen=True)
class Prompt:
    """Working memory for one decision, as a text for the prompt.

    `known` is what memory has to say to the decision, by which tools are called (`using=prompt.known`). `context` is
    the service's; where it did not come in time, or could not be had, it is None, `error` is the code of why, and
    `text` is that of `known`.
    """

    known: Recollection
    context: ContextTold | None = None
    failure: Exception | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """What goes into the prompt."""
        return self.known.text if self.context is None else self.context.text

    @property
    def visible(self) -> tuple[str, ...]:
        """Ids of the records that the model gets to see, for `used`."""
        if self.context is None:
            return self.known.visible
        shown = (section for section in self.context.sections if section.name in ("facts", "episodes"))
        return tuple(dict.fromkeys(str(each) for section in shown for each in section.ids))

    @property
    def error(self) -> str | None:
        """Why there is no `context`, as a code."""
        return None if self.failure is None else code_of(self.failure)

    @property
    def error_detail(self) -> str | None:
        """What there is to say of it, never content."""
        return None if self.failure is None else message_of(self.failure)


async def prompt_for(memory: Memory, known: Recollection, said: Mapping[str, Any], seconds: float) -> Prompt:
    """The prompt of a decision within `seconds`; `said` are fields of a `ContextRequest`, None where unsaid."""
    fields = {name: value for name, value in said.items() if value is not None}
    try:
        request = ContextRequest.model_validate(fields)
    except ValidationError as invalid:
        raise refused_unsent(invalid) from None
    try:
        return Prompt(known, await within(seconds, memory.context(request)))
    except Exception as error:  # noqa: BLE001 - no failure of memory may be one of the agent's
        _log.warning(
            "a context could not be had (%s); the agent goes on with what is in hand", code_of(error)
        )
        return Prompt(known, failure=error)
