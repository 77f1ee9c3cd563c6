"""Every recorded run replays under the code of today, and holds no word of anybody's."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from temporalio.client import WorkflowHistory
from temporalio.plugin import SimplePlugin
from temporalio.worker import Replayer
from temporalio.workflow import NondeterminismError

from runtime.plugin import keepwell_plugin
from tests.replay.branches import ALL, BRANCHES, CANARY, HISTORIES, file_of
from tests.replay.reading import said_in, says
from tests.replay.variants import VARIANTS
from workflows.registry import WORKFLOWS

_OF_A_MACHINE = re.compile(
    r"\d+@|(?:^|[\s\"'(])/\w+/|[A-Za-z]:\\|site-packages|\.py\b|localhost|127\.0\.0\.1"
)
_UPDATED = "EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED"
_MUST_HOLD = {
    ("consolidation", "burst"): "EVENT_TYPE_TIMER_CANCELED",
    ("condition_gate", "retired_by_update"): _UPDATED,
    ("condition_gate", "refused_then_accepted"): _UPDATED,
    ("condition_gate", "confirmed_when_closed"): _UPDATED,
    ("fact_reconciliation", "settled_by_update"): "EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED",
    ("fact_reconciliation", "settle_continues_as_new"): "EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED",
    ("condition_gate", "expired_by_term"): "EVENT_TYPE_TIMER_FIRED",
    ("deferred_intentions", "fired_in_time"): "EVENT_TYPE_TIMER_FIRED",
    ("deferred_intentions", "look_while_waiting"): "EVENT_TYPE_TIMER_CANCELED",
    ("deferred_intentions", "hindered"): "EVENT_TYPE_ACTIVITY_TASK_FAILED",
    ("endpoint_delivery", "hindered"): "EVENT_TYPE_ACTIVITY_TASK_FAILED",
    ("procedure_promotion", "approved_by_update"): _UPDATED,
    ("procedure_promotion", "edited_and_approved"): _UPDATED,
    ("procedure_promotion", "rejected"): _UPDATED,
    ("procedure_promotion", "stale_at_the_door"): _UPDATED,
    ("procedure_promotion", "lapsed_by_term"): "EVENT_TYPE_TIMER_FIRED",
    ("reflection", "asked_by_update"): _UPDATED,
    ("endpoint_delivery", "tried_again"): "EVENT_TYPE_TIMER_FIRED",
    ("endpoint_delivery", "look_while_waiting"): "EVENT_TYPE_TIMER_CANCELED",
}
"""Events without which a history is not of the branch that it is named after."""
_MUST_SAY = {
    ("consolidation", "kept"): ("kept", "completed"),
    ("consolidation", "skipped"): ("skipped",),
    ("consolidation", "step_retried"): ("a step failed and is tried again",),
    ("fact_reconciliation", "single"): ("establish",),
    ("fact_reconciliation", "settled_by_update"): ("establish",),
    ("fact_reconciliation", "many_verdicts"): ("establish", "restate", "hold_unverified", "supersede"),
    ("condition_gate", "retired_by_update"): ("permitted_confirmation", "retired"),
    ("condition_gate", "refused_then_accepted"): ("not_permitted", "permitted_confirmation", "retired"),
    ("condition_gate", "closed_by_supersession"): ("superseded",),
    ("condition_gate", "expired_by_term"): ("expired",),
    ("condition_gate", "confirmation_found_by_look"): ("permitted_confirmation", "retired"),
    ("condition_gate", "look_as_it_closes"): ("superseded", "already_ended"),
    ("condition_gate", "confirmed_when_closed"): ("retired", "already_ended"),
    ("procedure_promotion", "approved_by_update"): ("approved",),
    ("procedure_promotion", "edited_and_approved"): ("changes_asked", "approved"),
    ("procedure_promotion", "rejected"): ("rejected",),
    ("procedure_promotion", "stale_at_the_door"): ("stale", "approved"),
    ("procedure_promotion", "decision_found_by_look"): ("approved",),
    ("procedure_promotion", "lapsed_by_term"): ("lapsed",),
    ("erasure", "erased"): ("erasing", "erase"),
    ("erasure", "confirmed_after_a_look"): ("planned", "erasing"),
    ("erasure", "withdrawn"): ("planned", "withdrawn"),
}
"""Enums that steps have answered in a branch."""

each_branch = pytest.mark.parametrize(("workflow", "branch"), ALL)


def document_of(workflow: str, branch: str) -> dict[str, Any]:
    """The recording of one branch, as it is in its file."""
    return json.loads(file_of(workflow, branch).read_text(encoding="utf-8"))


def history_of(workflow: str, branch: str) -> WorkflowHistory:
    """The recording of one branch, for the replayer."""
    document = document_of(workflow, branch)
    return WorkflowHistory.from_json(document.pop("workflow_id"), document)


def event_types(workflow: str, branch: str) -> list[str]:
    """What happened in a run, in order."""
    return [event["eventType"] for event in document_of(workflow, branch)["events"]]


def replayer(instead: Sequence[type] | None = None) -> Replayer:
    """A replayer as a worker is set up, with other workflows `instead` of ours where given."""
    plugins = [keepwell_plugin()]
    if instead is not None:
        plugins.append(SimplePlugin("changed", workflows=lambda _: list(instead)))
    return Replayer(workflows=[], plugins=plugins)


def test_every_workflow_and_branch_is_recorded() -> None:
    assert {f"keepwell.{name}" for name in BRANCHES} == {
        getattr(each, "__temporal_workflow_definition").name for each in WORKFLOWS
    }
    assert {file_of(*each) for each in ALL} == set(HISTORIES.iterdir())


@each_branch
def test_a_history_is_of_its_branch(workflow: str, branch: str) -> None:
    types = event_types(workflow, branch)
    assert history_of(workflow, branch).workflow_id.startswith(
        {
            "consolidation": "consolidation/",
            "fact_reconciliation": "fact/",
            "condition_gate": "gate/",
            "deferred_intentions": "intentions/",
            "endpoint_delivery": "delivery/",
            "procedure_promotion": "promotion/",
            "reflection": "reflection/",
            "erasure": "erasure/",
            "reembedding": "reembedding/",
        }[workflow]
    )
    ending = "CONTINUED_AS_NEW" if branch.endswith("continues_as_new") else "COMPLETED"
    assert types[-1] == f"EVENT_TYPE_WORKFLOW_EXECUTION_{ending}"
    assert _MUST_HOLD.get((workflow, branch), types[0]) in types
    unsaid = [
        word
        for word in _MUST_SAY.get((workflow, branch), ())
        if not says(document_of(workflow, branch), word)
    ]
    assert unsaid == []


@each_branch
async def test_it_replays(workflow: str, branch: str) -> None:
    await replayer().replay_workflow(history_of(workflow, branch))


@pytest.mark.parametrize(
    ("workflow", "branch"),
    [
        ("consolidation", "kept"),
        ("fact_reconciliation", "single"),
        ("condition_gate", "retired_by_update"),
        ("deferred_intentions", "fired_in_time"),
        ("endpoint_delivery", "tried_again"),
        ("procedure_promotion", "approved_by_update"),
        ("reflection", "asked_by_update"),
        ("erasure", "erased"),
        ("reembedding", "filled"),
    ],
)
async def test_a_changed_workflow_does_not(workflow: str, branch: str) -> None:
    await replayer(WORKFLOWS).replay_workflow(history_of(workflow, branch))
    with pytest.raises(NondeterminismError):
        await replayer([VARIANTS[workflow]]).replay_workflow(history_of(workflow, branch))


@each_branch
def test_no_content_is_in_it(workflow: str, branch: str) -> None:
    assert not says(document_of(workflow, branch), CANARY)


@each_branch
def test_no_machine_is_named_in_it(workflow: str, branch: str) -> None:
    named = [said for said in said_in(document_of(workflow, branch)) if _OF_A_MACHINE.search(said)]
    assert named == []


@pytest.mark.parametrize(
    "named",
    [
        "81@build-7",
        "/home/somebody/keepwell",
        'File "/srv/app/x.pyc"',
        "C:\\\\keepwell",
        "worker.py",
        "127.0.0.1",
    ],
)
def test_a_machine_would_be_seen(named: str) -> None:
    assert _OF_A_MACHINE.search(named)


def test_content_would_be_found_wherever_it_stood() -> None:
    """Plant the canary in the clear and in a payload of each event that has one."""
    document = document_of("consolidation", "step_retried")
    assert says({**document, "workflow_id": f"consolidation/{CANARY.upper()}"}, CANARY)
    places = list(_payloads(document))
    assert len(places) > 10
    for payload in places:
        kept, payload["data"] = payload["data"], _encoded(CANARY)
        assert says(document, CANARY)
        payload["data"] = kept
    assert not says(document, CANARY)


def _encoded(words: str) -> str:
    return base64.b64encode(json.dumps({"told": words}).encode()).decode()


def _payloads(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if "data" in value and "metadata" in value:
            yield value
        for each in value.values():
            yield from _payloads(each)
    elif isinstance(value, list):
        for each in value:
            yield from _payloads(each)
