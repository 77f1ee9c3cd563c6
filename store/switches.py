"""What persons have switched off for themselves: a log, of which the last row of a person and a class counts."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.types import Text

from models.controls import Switch, SwitchState
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

_CURRENT = sql(
    """
    SELECT DISTINCT ON (class_name) class_name, state, recorded_at FROM switches
    WHERE tenant_id = :tenant AND subject = :subject
    ORDER BY class_name, number DESC
    """,
    subject=Text,
)
_TURN = sql(
    """
    INSERT INTO switches (tenant_id, subject, class_name, state) VALUES (:tenant, :subject, :class_name, :state)
    RETURNING recorded_at
    """,
    subject=Text,
    class_name=Text,
    state=Text,
)
_OFF = sql(
    """
    SELECT w.subject, w.class_name FROM unnest(:subjects, :classes) AS w(subject, class_name)
    WHERE (
        SELECT s.state FROM switches s
        WHERE s.tenant_id = :tenant AND s.subject = w.subject AND s.class_name = w.class_name
        ORDER BY s.number DESC LIMIT 1
    ) = 'off'
    """,
    subjects=TEXTS,
    classes=TEXTS,
)
_LOG = sql(
    """
    SELECT class_name, state, recorded_at FROM switches
    WHERE tenant_id = :tenant AND subject = :subject ORDER BY number
    """,
    subject=Text,
)


class Turn(NamedTuple):
    """One row of the log."""

    class_name: str
    state: SwitchState
    recorded_at: datetime


async def current(work: UnitOfWork, subject: str) -> dict[str, Switch]:
    """How a person has each class that they have ever switched."""
    rows = await work.rows(_CURRENT, {"subject": subject})
    return {row.class_name: Switch(row.class_name, SwitchState(row.state), row.recorded_at) for row in rows}


async def turn(work: UnitOfWork, subject: str, class_name: str, state: SwitchState) -> Switch:
    """Add a row to the log."""
    values = {"subject": subject, "class_name": class_name, "state": state.value}
    row = await work.row(_TURN, values)
    assert row is not None
    return Switch(class_name, state, row.recorded_at)


async def off_among(work: UnitOfWork, wanted: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Those of these pairs of a person and a class that are switched off."""
    if not wanted:
        return frozenset()
    subjects, classes = zip(*sorted(wanted), strict=True)
    rows = await work.rows(_OFF, {"subjects": list(subjects), "classes": list(classes)})
    return frozenset((row.subject, row.class_name) for row in rows)


async def log_of(work: UnitOfWork, subject: str) -> list[Turn]:
    """Everything that a person has ever switched, oldest first."""
    rows = await work.rows(_LOG, {"subject": subject})
    return [Turn(row.class_name, SwitchState(row.state), row.recorded_at) for row in rows]
