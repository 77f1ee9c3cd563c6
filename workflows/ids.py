"""How workflows are called: `<process>/<tenant id>/<internal id>`, never anything that a caller wrote."""

from uuid import UUID


def consolidation(tenant_id: UUID, activity_id: UUID) -> str:
    """The consolidation of one activity."""
    return f"consolidation/{tenant_id}/{activity_id}"


def fact(tenant_id: UUID, key_id: UUID) -> str:
    """The reconciliation of one fact key."""
    return f"fact/{tenant_id}/{key_id}"


def gate(tenant_id: UUID, fact_id: UUID) -> str:
    """The condition gate of one fact."""
    return f"gate/{tenant_id}/{fact_id}"


def intentions(tenant_id: UUID) -> str:
    """The intentions of one tenant."""
    return f"intentions/{tenant_id}"


def delivery(tenant_id: UUID, endpoint_id: UUID) -> str:
    """The deliveries to one endpoint."""
    return f"delivery/{tenant_id}/{endpoint_id}"


def promotion(tenant_id: UUID, proposal_id: UUID) -> str:
    """The promotion of one proposal."""
    return f"promotion/{tenant_id}/{proposal_id}"


def reflection(tenant_id: UUID) -> str:
    """The reflection on one tenant's experience."""
    return f"reflection/{tenant_id}"


def erasure(tenant_id: UUID, erasure_id: UUID) -> str:
    """One erasure."""
    return f"erasure/{tenant_id}/{erasure_id}"


def reembedding(space_id: UUID | None) -> str:
    """The reembedding into one space, for all tenants; None for that into none."""
    return f"reembedding/{space_id or 'none'}"
