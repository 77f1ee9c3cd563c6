"""The idempotency ledger: a step that was applied answers again what it answered then."""

from typing import Any

from sqlalchemy import insert, select

from store.tables import applied
from store.unit_of_work import UnitOfWork


async def answer_of(work: UnitOfWork, step: str) -> dict[str, Any] | None:
    """What `step` answered when it was applied, or None if it was not."""
    query = select(applied.c.answer).where(applied.c.tenant_id == work.tenant_id, applied.c.step == step)
    row = await work.row(query)
    return None if row is None else row.answer


async def record(work: UnitOfWork, step: str, answer: dict[str, Any]) -> None:
    """Note that `step` is applied by this transaction; a second one at the same time is refused."""
    await work.run(insert(applied).values(tenant_id=work.tenant_id, step=step, answer=answer))
