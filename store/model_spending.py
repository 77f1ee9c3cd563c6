"""What each tenant spends on models, by day: reserved before a call, and set right after it."""

from datetime import date

from sqlalchemy.types import BigInteger, Date

from models.extractions import Budget, Usage
from store.sql import sql
from store.unit_of_work import UnitOfWork

# One statement: of two calls that want the last of a budget, the second waits for the row and gets nothing.
_RESERVE = sql(
    """
    INSERT INTO model_spending AS s (tenant_id, day, requests, tokens)
    SELECT :tenant, :day, :requests, :tokens WHERE :requests <= :most_requests AND :tokens <= :most_tokens
    ON CONFLICT (tenant_id, day) DO UPDATE
        SET requests = s.requests + EXCLUDED.requests, tokens = s.tokens + EXCLUDED.tokens
        WHERE s.requests + EXCLUDED.requests <= :most_requests AND s.tokens + EXCLUDED.tokens <= :most_tokens
    RETURNING s.day
    """,
    day=Date,
    requests=BigInteger,
    tokens=BigInteger,
    most_requests=BigInteger,
    most_tokens=BigInteger,
)
_SET_RIGHT = sql(
    """
    UPDATE model_spending SET requests = requests + :requests, tokens = tokens + :tokens
    WHERE tenant_id = :tenant AND day = :day
    """,
    day=Date,
    requests=BigInteger,
    tokens=BigInteger,
)
_SPENT = sql("SELECT requests, tokens FROM model_spending WHERE tenant_id = :tenant AND day = :day", day=Date)


async def reserve(work: UnitOfWork, day: date, most: Usage, budget: Budget) -> bool:
    """Put aside what a call may take at most; False, and nothing is put aside, where the budget has less left."""
    values = {
        "day": day,
        "requests": most.requests,
        "tokens": most.tokens,
        "most_requests": budget.requests,
        "most_tokens": budget.tokens,
    }
    return await work.row(_RESERVE, values) is not None


async def set_right(work: UnitOfWork, day: date, reserved: Usage, taken: Usage) -> None:
    """Put back what a call has not taken of what was put aside for it on `day`."""
    values = {
        "day": day,
        "requests": taken.requests - reserved.requests,
        "tokens": taken.tokens - reserved.tokens,
    }
    await work.run(_SET_RIGHT, values)


async def spent(work: UnitOfWork, day: date) -> Budget:
    """What is spent or put aside on `day`."""
    row = await work.row(_SPENT, {"day": day})
    return Budget(0, 0) if row is None else Budget(row.tokens, row.requests)
