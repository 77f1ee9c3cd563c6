"""Reembedding: fill a new space of vectors while the old one serves, switch, and clear the old one away.

It goes through all tenants, and belongs to none. Whoever runs it may end at any time: it goes on where it was.
"""

from temporalio import workflow

from activities.reembedding import ReembeddingSteps
from models.messages import Reembedded, ReembeddingInput, ReembeddingPhase
from workflows.options import ATTENDED_STEP, STEP
from workflows.search_attributes import State, show

_PHASES = list(ReembeddingPhase)
_SUMMARIES = {
    ReembeddingPhase.FILL: "Embed the records of some tenants",
    ReembeddingPhase.FILL_AGAIN: "Embed what has come meanwhile",
    ReembeddingPhase.CLEAR: "Clear away what no longer serves",
}


@workflow.defn(name="keepwell.reembedding")
class Reembedding:
    """Started by `keepwell reembed`; ends when the space serves and no other has vectors."""

    @workflow.run
    async def run(self, start: ReembeddingInput) -> Reembedded:
        at = start
        for phase in _PHASES[_PHASES.index(start.phase) :]:
            if phase is not start.phase:
                at = at.model_copy(update={"phase": phase, "after": None})
            if phase is not ReembeddingPhase.CLEAR and at.space_id is None:
                continue
            if phase is ReembeddingPhase.CLEAR:
                await workflow.execute_activity_method(
                    ReembeddingSteps.serve_space, at, summary="Have the space serve", **STEP
                )
            at = await self._through_all(at)
        workflow.set_current_details(f"**Done**: {at.filled} vectors have come.")
        show(State.SETTLED)
        return Reembedded(filled=at.filled)

    async def _through_all(self, at: ReembeddingInput) -> ReembeddingInput:
        """One phase for every tenant that it is not done with."""
        clears = at.phase is ReembeddingPhase.CLEAR
        step = ReembeddingSteps.clear_spaces if clears else ReembeddingSteps.fill_space
        while True:
            workflow.set_current_details(f"**{_SUMMARIES[at.phase]}**: {at.filled} vectors have come so far.")
            done = await workflow.execute_activity_method(
                step, at, summary=_SUMMARIES[at.phase], **ATTENDED_STEP
            )
            filled = at.filled if clears else at.filled + done.count
            at = at.model_copy(update={"after": done.after, "filled": filled})
            if done.last:
                return at
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(at)
