"""What persons have switched off for themselves: a log, whose last row of a class or an attribute counts."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.types import Boolean, Text

from models.controls import Switch, SwitchState
from models.switches import Switched, Turned
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

_OF = sql(
    """
    SELECT * FROM (
        SELECT DISTINCT ON (s.subject, s.class_name) s.subject, s.class_name AS name, true AS is_class, s.state,
            s.recorded_at, false AS personal,
            ARRAY(SELECT w.attribute FROM switched_attributes w
                WHERE w.tenant_id = s.tenant_id AND w.subject = s.subject AND w.number = s.number) AS attributes
        FROM switches s WHERE s.tenant_id = :tenant AND s.subject = ANY(:subjects)
        ORDER BY s.subject, s.class_name, s.number DESC
    ) classes
    UNION ALL
    SELECT * FROM (
        SELECT DISTINCT ON (w.subject, w.attribute) w.subject, w.attribute, false, w.state, w.recorded_at, w.personal,
            CAST('{}' AS text[])
        FROM switched_attributes w WHERE w.tenant_id = :tenant AND w.subject = ANY(:subjects)
        ORDER BY w.subject, w.attribute, w.number DESC
    ) attributes
    """,
    subjects=TEXTS,
)
_TURN = sql(
    """
    WITH turned AS (
        INSERT INTO switches (tenant_id, subject, class_name, state)
        VALUES (:tenant, :subject, :class_name, :state) RETURNING number, recorded_at
    ), covered AS (
        INSERT INTO switched_attributes (tenant_id, number, subject, attribute, state, personal)
        SELECT :tenant, turned.number, :subject, attribute, :state, :personal
        FROM turned, unnest(:attributes) AS attribute
    )
    SELECT recorded_at FROM turned
    """,
    subject=Text,
    class_name=Text,
    state=Text,
    attributes=TEXTS,
    personal=Boolean,
)
_LOG = sql(
    """
    SELECT s.class_name, s.state, s.recorded_at,
        ARRAY(SELECT w.attribute FROM switched_attributes w
            WHERE w.tenant_id = s.tenant_id AND w.subject = s.subject AND w.number = s.number
            ORDER BY w.attribute) AS attributes
    FROM switches s WHERE s.tenant_id = :tenant AND s.subject = :subject ORDER BY s.number
    """,
    subject=Text,
)


class Turn(NamedTuple):
    """One row of the log, with the attributes that it covers."""

    class_name: str
    state: SwitchState
    attributes: list[str]
    recorded_at: datetime


async def of(work: UnitOfWork, subjects: Collection[str]) -> Mapping[str, Switched]:
    """What each of these persons has ever switched."""
    classes: dict[str, dict[str, Turned]] = {subject: {} for subject in subjects}
    attributes: dict[str, dict[str, Turned]] = {subject: {} for subject in subjects}
    for row in await work.rows(_OF, {"subjects": sorted(classes)}) if classes else ():
        last = Turned(SwitchState(row.state), row.recorded_at, frozenset(row.attributes), row.personal)
        (classes if row.is_class else attributes)[row.subject][row.name] = last
    return {subject: Switched(classes[subject], attributes[subject]) for subject in classes}


async def turn(
    work: UnitOfWork,
    subject: str,
    class_name: str,
    state: SwitchState,
    attributes: Collection[str],
    *,
    as_personal: bool,
) -> Switch:
    """Add a row to the log, with the attributes that it covers, and whether their class holds personal data."""
    values = {
        "subject": subject,
        "class_name": class_name,
        "state": state.value,
        "attributes": sorted(attributes),
        "personal": as_personal,
    }
    row = await work.row(_TURN, values)
    assert row is not None
    return Switch(class_name, state, row.recorded_at)


async def log_of(work: UnitOfWork, subject: str) -> list[Turn]:
    """Everything that a person has ever switched, oldest first."""
    rows = await work.rows(_LOG, {"subject": subject})
    return [
        Turn(row.class_name, SwitchState(row.state), list(row.attributes), row.recorded_at) for row in rows
    ]
