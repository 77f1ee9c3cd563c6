"""Consolidation: once an activity falls silent, make an episode of it and propose what it may have taught.

One workflow an activity. Looks that come in a burst are one pass; events that come during a pass, or long
after it, lead to another pass over the same episode.
"""

from datetime import timedelta

from temporalio import workflow

from activities.consolidation import ConsolidationSteps
from models.messages import (
    ActivityPass,
    ActivityRef,
    Completed,
    ConsolidationInput,
    EpisodeWritten,
    FactsProposed,
)
from workflows.options import LONG_STEP
from workflows.search_attributes import State, show

LONGEST_WAIT_IN_QUIET_PERIODS = 10
"""An activity that never falls silent is consolidated all the same after so many quiet periods."""


@workflow.defn(name="keepwell.consolidation")
class Consolidation:
    """Started by the dispatcher with a `look`; ends when there is nothing new to see."""

    def __init__(self) -> None:
        self._asked = False

    @workflow.run
    async def run(self, start: ConsolidationInput) -> None:
        while True:
            await self._fall_silent(start.quiet_seconds)
            more = await self._pass(start)
            if not more and not self._asked:
                return
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(start)

    @workflow.signal(name="look")
    def look(self) -> None:
        """Something has happened in the activity that is worth a look."""
        self._asked = True

    async def _fall_silent(self, quiet_seconds: float) -> None:
        workflow.set_current_details("Waiting for the activity to fall silent.")
        quiet = timedelta(seconds=quiet_seconds)
        deadline = workflow.now() + quiet * LONGEST_WAIT_IN_QUIET_PERIODS
        self._asked = False
        while (left := deadline - workflow.now()) > timedelta(0):
            try:
                await workflow.wait_condition(lambda: self._asked, timeout=min(quiet, left))
            except TimeoutError:
                return
            self._asked = False

    async def _pass(self, start: ConsolidationInput) -> bool:
        """One look at the whole activity; whether events came meanwhile."""
        self._asked = False
        activity = ActivityRef(tenant_id=start.tenant_id, activity_id=start.activity_id)
        episode = await workflow.execute_activity_method(
            ConsolidationSteps.build_episode,
            activity,
            summary="Build the episode from its events",
            **LONG_STEP,
        )
        seen = ActivityPass(**activity.model_dump(), through_seq=episode.through_seq)
        proposed = await workflow.execute_activity_method(
            ConsolidationSteps.propose_facts,
            seen,
            summary="Propose facts, hand them to their keys, end the pass",
            **LONG_STEP,
        )
        workflow.set_current_details(_story(episode, proposed))
        show(State.KEPT if episode.kept else State.SKIPPED)
        return proposed.more


def _story(episode: EpisodeWritten, proposed: FactsProposed) -> str:
    """What an operator reads in the Web UI: numbers and states, no content."""
    if episode.kept:
        what = (
            f"**Episode kept**, built from {episode.through_seq} events into {episode.passages} passages; "
            f"execution {episode.execution_status}."
        )
    else:
        what = f"**No episode**: {episode.through_seq} routine events stay in the log as evidence."
    told = (
        f"{what}\n\n{proposed.proposals} facts and observations proposed; "
        f"{proposed.handed_over} fact keys handed to reconciliation."
    )
    return "\n\n".join([told, *_by_rule("Narrative", episode), *_by_rule("Facts", proposed)])


def _by_rule(what: str, completed: Completed) -> list[str]:
    """The mark of what a model was to help with and did not."""
    if completed.by_rule is None:
        return []
    after = f" after {completed.attempts} attempts" if completed.attempts > 1 else ""
    return [f"**{what} completed by rule**: {completed.by_rule}{after}."]
