"""What of a tenant is not done, by what Postgres alone says: everything that a workflow should be seeing to."""

from collections import Counter

from models.conditions import ConfirmationState, GateState
from models.events import CHECKPOINTS
from store import outbox
from store.outbox import Kind
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

_HAND_OVER = sql(
    """
    WITH unfinished AS (
        SELECT 'consolidate' AS kind, a.id FROM activities a
        WHERE a.tenant_id = :tenant AND a.consolidated_seq < a.last_seq AND (
            a.consolidated_seq > 0 OR EXISTS (
                SELECT FROM events e
                WHERE e.tenant_id = :tenant AND e.activity_id = a.id AND e.type = ANY(:checkpoints)
            )
        )
        UNION
        SELECT 'reconcile', c.key_id FROM candidates c
        LEFT JOIN decisions d ON d.tenant_id = c.tenant_id AND d.candidate_id = c.id
        WHERE c.tenant_id = :tenant AND c.key_id IS NOT NULL AND d.candidate_id IS NULL
        UNION
        SELECT 'gate', fact_id FROM gates WHERE tenant_id = :tenant AND state = :open
        UNION
        SELECT 'gate', fact_id FROM confirmations WHERE tenant_id = :tenant AND state = :pending
        UNION
        SELECT 'intend', tenant_id FROM timers WHERE tenant_id = :tenant AND wakes_at IS NOT NULL
        UNION
        SELECT 'intend', tenant_id FROM stimuli WHERE tenant_id = :tenant
        UNION
        SELECT 'promote', id FROM proposals WHERE tenant_id = :tenant AND lapses_at IS NOT NULL
        UNION
        SELECT 'promote', proposal_id FROM proposal_decisions WHERE tenant_id = :tenant AND state = 'pending'
        UNION
        SELECT 'erase', id FROM erasures WHERE tenant_id = :tenant AND done_at IS NULL
        UNION
        SELECT 'deliver', endpoint_id FROM occurrences
        WHERE tenant_id = :tenant AND endpoint_id IS NOT NULL AND fate = 'due'
    )
    INSERT INTO outbox (tenant_id, kind, subject_id) SELECT :tenant, kind, id FROM unfinished
    RETURNING kind
    """,
    checkpoints=TEXTS,
)


async def hand_over(work: UnitOfWork) -> Counter[Kind]:
    """Have a workflow look at everything that is not done, whether one does already or not; how much there is."""
    asked = {
        "checkpoints": sorted(CHECKPOINTS),
        "open": GateState.OPEN.value,
        "pending": ConfirmationState.PENDING.value,
    }
    found = Counter(Kind(row.kind) for row in await work.rows(_HAND_OVER, asked))
    if found:
        work.announce(outbox.CHANNEL)
    return found
