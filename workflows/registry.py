"""Every workflow that a worker runs and a replay checks."""

from workflows.cascading_erasure import CascadingErasure
from workflows.condition_gate import ConditionGate
from workflows.consolidation import Consolidation
from workflows.deferred_intentions import DeferredIntentions
from workflows.endpoint_delivery import EndpointDelivery
from workflows.fact_reconciliation import FactReconciliation
from workflows.procedure_promotion import ProcedurePromotion
from workflows.reembedding import Reembedding
from workflows.reflection import Reflection

WORKFLOWS: list[type] = [
    Consolidation,
    FactReconciliation,
    CascadingErasure,
    ConditionGate,
    DeferredIntentions,
    EndpointDelivery,
    ProcedurePromotion,
    Reembedding,
    Reflection,
]
