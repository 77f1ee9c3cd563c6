"""Which histories there must be: each workflow, and each way through it."""

from pathlib import Path

HISTORIES = Path(__file__).with_name("histories")

CANARY = "canary-7d3f-zwitscher"
"""Stands in every text, name, condition, speaker and error of the recording. No history may hold it."""

RECORDER = "recorder"
"""Stands for every process and host that took part in a recording."""

BRANCHES: dict[str, tuple[str, ...]] = {
    "consolidation": (
        "kept",
        "skipped",
        "burst",
        "events_during_pass",
        "look_during_pass",
        "step_retried",
        "continues_as_new",
        "continued",
    ),
    "fact_reconciliation": (
        "single",
        "many_verdicts",
        "look_during_step",
        "settled_by_update",
        "continues_as_new",
        "continued",
        "settle_continues_as_new",
    ),
    "condition_gate": (
        "retired_by_update",
        "refused_then_accepted",
        "closed_by_supersession",
        "expired_by_term",
        "confirmation_found_by_look",
        "look_as_it_closes",
        "confirmed_when_closed",
        "continues_as_new",
        "continued",
    ),
    "deferred_intentions": (
        "fired_in_time",
        "fired_by_event",
        "look_while_waiting",
        "hindered",
        "look_as_it_ends",
        "continues_as_new",
        "continued",
    ),
    "endpoint_delivery": (
        "delivered",
        "tried_again",
        "look_while_waiting",
        "hindered",
        "look_as_it_ends",
        "continues_as_new",
        "continued",
    ),
    "procedure_promotion": (
        "approved_by_update",
        "edited_and_approved",
        "rejected",
        "stale_at_the_door",
        "decision_found_by_look",
        "rebased",
        "lapsed_by_term",
        "continues_as_new",
        "continued",
    ),
    "reflection": ("asked_by_update", "look_during_pass"),
    "erasure": ("erased", "confirmed_after_a_look", "withdrawn"),
    "reembedding": ("filled", "emptied", "continues_as_new", "continued"),
}
"""Ways through each workflow, by the part of its name after `keepwell.`. `continued` is the run that follows
on `continues_as_new`."""


def file_of(workflow: str, branch: str) -> Path:
    """Where the history of one branch is kept."""
    return HISTORIES / f"{workflow}-{branch}.json"


ALL = tuple((workflow, branch) for workflow, branches in BRANCHES.items() for branch in branches)
