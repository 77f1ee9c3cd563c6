"""An agent's own workflow, as somebody else has it: it waits for what is due and says what it was told."""

from typing import Any

from temporalio import workflow


@workflow.defn(name="tests.agent")
class Agent:
    """Ends with the first signal that it gets."""

    def __init__(self) -> None:
        self._told: dict[str, Any] | None = None

    @workflow.run
    async def run(self) -> dict[str, Any]:
        await workflow.wait_condition(lambda: self._told is not None)
        assert self._told is not None
        return self._told

    @workflow.signal(name="intention_due")
    def due(self, told: dict[str, Any]) -> None:
        """Something is due."""
        self._told = told
