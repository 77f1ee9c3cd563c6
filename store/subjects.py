"""Who goes by a name in a tenant: whoever holds a key, and people who have spoken."""

from collections.abc import Sequence

from models.intentions import Owner
from models.principals import PrincipalKind
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

_KNOWN = sql(
    """
    SELECT subject, subject_kind AS kind FROM api_keys
    WHERE tenant_id = :tenant AND subject = ANY(:names) AND revoked_at IS NULL
    UNION
    SELECT n.name, 'human' FROM unnest(:names) AS n(name)
    WHERE EXISTS (
        SELECT FROM events e WHERE e.tenant_id = :tenant AND e.subject = n.name AND e.subject_kind = 'human'
    )
    ORDER BY subject, kind
    """,
    names=TEXTS,
)


async def known(work: UnitOfWork, names: Sequence[str]) -> list[Owner]:
    """Everybody who is called one of these names, to the letter."""
    rows = await work.rows(_KNOWN, {"names": list(dict.fromkeys(names))})
    return [Owner(subject=row.subject, kind=PrincipalKind(row.kind)) for row in rows]
