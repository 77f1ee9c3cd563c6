"""The memories that a change of policy may touch, some at a time: all of some attributes that have not ended."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.types import DateTime, Integer, Uuid

from models.authority import Authority, Standing
from models.controls import About, SwitchState, catalogue
from models.facts import Admission
from models.policy import Policy
from models.policy_change import Existing, touched_by
from models.scope import Scope
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

_AT_ONCE = 2_000
_PORTION = sql(
    """
    SELECT f.id, k.attribute, k.scope, f.value, f.admission, f.ends_when IS NOT NULL AS waits, f.authority,
        f.authority_role, f.standing, f.stated_at, f.restated_at, f.recorded_at,
        (SELECT e.timezone FROM evidence v JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
            WHERE v.tenant_id = f.tenant_id AND v.record_id = f.id
            ORDER BY v.occurred_at, v.event_id LIMIT 1) AS zone,
        subject_of(:tenant, f.id, f.key_id, :old_personal) AS was_about,
        subject_of(:tenant, f.id, f.key_id, :new_personal) AS becomes_about,
        switch_of(:tenant, f.id, f.key_id, :old_personal, :old_attributes, :old_classes, NULL) AS was_switched,
        switch_of(:tenant, f.id, f.key_id, :new_personal, :new_attributes, :new_classes, NULL) AS becomes_switched
    FROM facts f JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    WHERE f.tenant_id = :tenant AND f.id > :after AND k.attribute = ANY(:touched)
        AND (f.ended_at IS NULL OR f.ended_at > :now) AND (f.expires_at IS NULL OR f.expires_at > :now)
        AND (f.lapses_at IS NULL OR f.lapses_at > :now)
    ORDER BY f.id LIMIT :most
    """,
    after=Uuid,
    touched=TEXTS,
    old_personal=TEXTS,
    old_attributes=TEXTS,
    old_classes=TEXTS,
    new_personal=TEXTS,
    new_attributes=TEXTS,
    new_classes=TEXTS,
    now=DateTime(timezone=True),
    most=Integer,
)


async def portions(
    work: UnitOfWork, old: Policy, new: Policy, now: datetime
) -> AsyncGenerator[list[Existing]]:
    """All memories that a change may touch and that have not ended by `now`, in the order of their ids, each once."""
    touched, after = touched_by(old, new), UUID(int=0)
    known = {
        f"{when}_{column}": list(names)
        for when, policy in (("old", old), ("new", new))
        for column, names in catalogue(policy)._asdict().items()
    }
    while touched:
        values = {**known, "touched": sorted(touched), "now": now, "after": after, "most": _AT_ONCE}
        rows = await work.rows(_PORTION, values)
        yield [_existing(row) for row in rows]
        if len(rows) < _AT_ONCE:
            return
        after = rows[-1].id


def _existing(row: Row[Any]) -> Existing:
    return Existing(
        id=row.id,
        attribute=row.attribute,
        scope=Scope(row.scope),
        value=row.value,
        held=Admission(row.admission) is not Admission.ADMITTED,
        waits=row.waits,
        authority=Authority(row.authority),
        authority_role=row.authority_role,
        standing=Standing(row.standing),
        zone=row.zone,
        stated_at=row.stated_at,
        restated_at=row.restated_at,
        recorded_at=row.recorded_at,
        was=About(row.was_about, row.was_switched == SwitchState.OFF),
        becomes=About(row.becomes_about, row.becomes_switched == SwitchState.OFF),
    )
