"""Policies of tenants: which one is in force, every one that was applied, and the next one.

A tenant without a policy of its own has the one that the process was started with, as version 0.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import Row, select
from sqlalchemy.types import Integer, LargeBinary

from models.errors import PolicyInvalid
from models.policy import Policy
from models.policy_document import digest_of, document_of
from models.principals import PrincipalKind, Speaker
from store.engine import Database
from store.sql import JSON, sql
from store.tables import policies
from store.unit_of_work import UnitOfWork

FRESH_SECONDS = 1.0
"""For so long what is known to be the newest version is not looked up again: a change that another process made
is obeyed after that at the latest."""

_MOST_REMEMBERED = 1_000
_MOST_LOGGED = 200


class InForce(NamedTuple):
    """A policy with its version, 0 for the one that the process was started with.

    `attributes` are those of which the tenant has memories, whether a class still declares them or not.
    """

    version: int
    policy: Policy
    attributes: frozenset[str]


class Applied(NamedTuple):
    """One change of a policy, as the log has it. `content` is the YAML as it was applied."""

    version: int
    digest: str
    applied_by: str
    applied_kind: PrincipalKind
    reason: str
    recorded_at: datetime


class _Known(NamedTuple):
    """What is known of a tenant's policy, and when it was looked up (monotonic seconds)."""

    in_force: InForce
    looked_at: float


class Policies:
    """Tells the policy of each tenant. `clock` gives monotonic seconds."""

    def __init__(
        self, database: Database, shipped: Policy, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._shipped = InForce(0, shipped, frozenset())
        self._clock = clock
        self._known: dict[UUID, _Known] = {}
        self._looks: dict[UUID, asyncio.Task[InForce]] = {}
        self._changes = 0

    async def of(self, tenant_id: UUID) -> Policy:
        """The policy that is in force for a tenant.

        Never call it within a transaction: it may take a connection of its own. Raises `Unavailable` where
        Postgres does not answer, and `PolicyInvalid` for a policy that this version of Keepwell cannot read.
        """
        return (await self.in_force(tenant_id)).policy

    async def in_force(self, tenant_id: UUID) -> InForce:
        """The policy with its version; raises as `of` does."""
        known = self._known.get(tenant_id)
        if known is not None and self._clock() - known.looked_at < FRESH_SECONDS:
            return known.in_force
        look = self._looks.get(tenant_id)
        if look is None:
            look = asyncio.create_task(self._look(tenant_id))
            self._looks[tenant_id] = look
            look.add_done_callback(lambda _: self._looks.pop(tenant_id, None))
        # A look belongs to no caller: one that goes away does not end it for the others.
        return await asyncio.shield(look)

    async def of_version(self, tenant_id: UUID, version: int) -> Policy:
        """The policy of a version, 0 for the one that the process was started with; raises as `of` does.

        Of a version that was never applied it is the one in force: there is nothing else to go by.
        """
        if version == 0:
            return self._shipped.policy
        now = await self.in_force(tenant_id)
        if version == now.version:
            return now.policy
        async with self._database.transaction(tenant_id) as work:
            found = await content_of(work, version)
        return now.policy if found is None else found[0]

    def changed(self, tenant_id: UUID) -> None:
        """Forget what is known of a tenant's policy, which this process has just changed."""
        self._changes += 1
        self._known.pop(tenant_id, None)

    async def _look(self, tenant_id: UUID) -> InForce:
        while True:
            changes, looked_at = self._changes, self._clock()
            known = self._known.get(tenant_id)
            async with self._database.trial(tenant_id) as work:
                found = await _newer(work, None if known is None else known.in_force, self._shipped)
            # What was looked up while a policy was being changed may be of before that.
            if changes == self._changes:
                break
        # Taken out and put back, so that the first one is that of whoever has not been asked about for longest.
        self._known.pop(tenant_id, None)
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self._known[tenant_id] = _Known(found, looked_at)
        return found


_NEWEST = sql(
    """
    SELECT version, CASE WHEN version <> :known THEN document END AS document
    FROM policies WHERE tenant_id = :tenant ORDER BY version DESC LIMIT 1
    """,
    known=Integer,
)
# One after the other in their index, however many memories there are.
_ATTRIBUTES = sql(
    """
    WITH RECURSIVE present(attribute) AS (
        (SELECT k.attribute FROM fact_keys k WHERE k.tenant_id = :tenant ORDER BY k.attribute LIMIT 1)
        UNION ALL
        SELECT (
            SELECT k.attribute FROM fact_keys k
            WHERE k.tenant_id = :tenant AND k.attribute > p.attribute ORDER BY k.attribute LIMIT 1
        )
        FROM present p WHERE p.attribute IS NOT NULL
    )
    SELECT attribute FROM present WHERE attribute IS NOT NULL
    """
)
_ADD = sql(
    """
    INSERT INTO policies (tenant_id, version, content, document, digest, applied_by, applied_kind, reason)
    SELECT :tenant, :version, :content, :document, :digest, :applied_by, :applied_kind, :reason
    WHERE :version = 1 + (SELECT COALESCE(max(version), 0) FROM policies WHERE tenant_id = :tenant)
    ON CONFLICT DO NOTHING
    """,
    version=Integer,
    document=JSON,
    digest=LargeBinary,
)


async def _newer(work: UnitOfWork, known: InForce | None, shipped: InForce) -> InForce:
    """The policy that is in force now: that of `known`, where it still is."""
    row = await work.row(_NEWEST, {"known": 0 if known is None else known.version})
    attributes = frozenset(each.attribute for each in await work.rows(_ATTRIBUTES))
    if row is None:
        return shipped._replace(attributes=attributes)
    if known is not None and known.version == row.version:
        return known._replace(attributes=attributes)
    return InForce(row.version, _read(row.version, row.document), attributes)


def _read(version: int, document: Any) -> Policy:
    try:
        return Policy.model_validate(document)
    except ValidationError:
        raise PolicyInvalid(
            f"version {version} of the tenant's policy was applied by another version of Keepwell, which this one"
            " cannot read; run the newer one everywhere"
        ) from None


async def add(work: UnitOfWork, version: int, content: str, policy: Policy, by: Speaker, reason: str) -> bool:
    """Apply a policy as the tenant's next version; False where the next version is another one by now."""
    values = {
        "version": version,
        "content": content,
        "document": document_of(policy),
        "digest": bytes.fromhex(digest_of(policy)),
        "applied_by": by.subject,
        "applied_kind": by.kind.value,
        "reason": reason,
    }
    return await work.run(_ADD, values) == 1


async def content_of(work: UnitOfWork, version: int) -> tuple[Policy, str] | None:
    """A version of the tenant's policy, with its YAML as it was applied; None where there is no such version."""
    query = select(policies.c.document, policies.c.content).where(
        policies.c.tenant_id == work.tenant_id, policies.c.version == version
    )
    row = await work.row(query)
    return None if row is None else (_read(version, row.document), row.content)


async def log(work: UnitOfWork) -> Sequence[Applied]:
    """The latest changes of the tenant's policy, newest first."""
    query = (
        select(policies)
        .where(policies.c.tenant_id == work.tenant_id)
        .order_by(policies.c.version.desc())
        .limit(_MOST_LOGGED)
    )
    return [_applied(row) for row in await work.rows(query)]


async def applied_by(work: UnitOfWork, person: str) -> Sequence[Applied]:
    """The changes of the tenant's policy that a person made, oldest first."""
    query = (
        select(policies)
        .where(
            policies.c.tenant_id == work.tenant_id,
            policies.c.applied_by == person,
            policies.c.applied_kind == PrincipalKind.HUMAN.value,
        )
        .order_by(policies.c.version)
    )
    return [_applied(row) for row in await work.rows(query)]


def _applied(row: Row[Any]) -> Applied:
    return Applied(
        row.version,
        bytes(row.digest).hex(),
        row.applied_by,
        PrincipalKind(row.applied_kind),
        row.reason,
        row.recorded_at,
    )
