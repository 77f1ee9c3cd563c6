"""Keepwell for agents that run on Temporal already: `pip install keepwell[temporal]`.

`KeepwellInterceptor` publishes what a worker's activities do, without a change to them. `names` says how
Keepwell's own workflows are called, so that a workflow of somebody else's can signal them: publish first, then
signal. A signal carries ids of rows that an authenticated call has written and nothing else, so nobody can pass for
somebody else by it, and no content gets into a history.

In a workflow import it past the sandbox, as it brings no effects along:

    with workflow.unsafe.imports_passed_through():
        from keepwell.temporal import look_from_workflow
"""

from keepwell.temporal.interceptor import KeepwellInterceptor
from keepwell.temporal.names import (
    CONDITION_GATE,
    CONSOLIDATION,
    FACT_RECONCILIATION,
    LOOK,
    TASK_QUEUE,
    consolidation_id,
    fact_id,
    gate_id,
    look,
    look_from_workflow,
    look_now,
)

__all__ = [
    "CONDITION_GATE",
    "CONSOLIDATION",
    "FACT_RECONCILIATION",
    "LOOK",
    "TASK_QUEUE",
    "KeepwellInterceptor",
    "consolidation_id",
    "fact_id",
    "gate_id",
    "look",
    "look_from_workflow",
    "look_now",
]
