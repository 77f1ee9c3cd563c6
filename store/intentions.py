"""Intentions as they are stored: set, found, changed. Each change of state is declared by the caller's transition."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.types import Uuid

from models.cues import Cue, waits_under
from models.intentions import Fate, Intention, Life, Owner, State, Trigger, life_of
from models.principals import PrincipalKind, Speaker
from models.scope import Scope
from store.sql import IDS, JSON, TEXTS, among, sql
from store.tables import cues, intentions, watches
from store.unit_of_work import UnitOfWork

_TRIGGER: TypeAdapter[Trigger] = TypeAdapter(Trigger)
TRIGGER, PREMISE = "trigger", "premise"
log = structlog.get_logger("keepwell.intentions")


class Watch(NamedTuple):
    """A fact key that an intention looks at: for its trigger, or as what it rests on."""

    key_id: UUID
    role: str


async def add(work: UnitOfWork, new: Intention, watched: Sequence[Watch]) -> None:
    """Store an intention with what it waits for."""
    await work.run(insert(intentions).values(tenant_id=work.tenant_id, **_columns(new)))
    if isinstance(new.trigger, Cue) and new.state is State.PENDING:
        await wait_for(work, new.id, new.trigger)
    rows = [
        {"tenant_id": work.tenant_id, "key_id": each.key_id, "intention_id": new.id, "role": each.role}
        for each in dict.fromkeys(watched)
    ]
    if rows:
        await work.run(insert(watches), rows)


async def wait_for(work: UnitOfWork, intention_id: UUID, cue: Cue) -> None:
    """Have events find the cue of an intention."""
    keys = [
        {"tenant_id": work.tenant_id, "key": key, "intention_id": intention_id}
        for key in sorted(waits_under(cue))
    ]
    await work.run(insert(cues), keys)


def _columns(new: Intention) -> dict[str, Any]:
    return {
        "id": new.id,
        "scope_key": Scope(new.scope).key,
        "scope": new.scope,
        "event_id": new.event_id,
        "set_by": new.set_by.subject,
        "set_by_kind": new.set_by.kind.value,
        "set_by_roles": list(new.set_by.roles),
        "owner": new.owner.subject,
        "owner_kind": new.owner.kind.value,
        "action": new.action,
        "data": new.data,
        "trigger": new.trigger.model_dump(mode="json", exclude_none=True),
        "not_before": new.not_before,
        "deadline": new.deadline,
        "grace": new.grace,
        "timezone": new.timezone,
        "endpoint_id": new.endpoint_id,
        "premises": list(new.premises),
        "state": new.state.value,
        "reason": new.reason,
        "next_at": new.next_at,
    }


async def get(work: UnitOfWork, identity: UUID) -> Intention | None:
    """One intention, or None."""
    return (await by_ids(work, [identity])).get(identity)


async def hold(work: UnitOfWork, identity: UUID) -> Intention | None:
    """One intention, held until the transaction ends so that nobody else changes it; None where there is none."""
    row = await work.row(_one(work, identity).with_for_update())
    return None if row is None else _intention(row)


async def by_ids(work: UnitOfWork, ids: Sequence[UUID]) -> dict[UUID, Intention]:
    """Intentions by id; an id that does not exist in the tenant is left out."""
    query = select(intentions).where(intentions.c.tenant_id == work.tenant_id, intentions.c.id == among(ids))
    return {row.id: _intention(row) for row in await work.rows(query)}


def _one(work: UnitOfWork, identity: UUID) -> Any:
    return select(intentions).where(intentions.c.tenant_id == work.tenant_id, intentions.c.id == identity)


class Page(NamedTuple):
    """Some intentions, held until the transaction ends, by id; `more_after` is the last one where there may be more."""

    those: list[Intention]
    more_after: UUID | None


def _page_of(rows: Sequence[Row[Any]], most: int) -> Page:
    those, _ = _readable(rows)
    return Page(those, rows[-1].id if len(rows) == most else None)


class Due(NamedTuple):
    """What is due, the earliest first and held until the transaction ends, and the ids of what nobody can read."""

    those: list[Intention]
    unreadable: list[UUID]


async def due(work: UnitOfWork, now: datetime, most: int) -> Due:
    """Up to `most` intentions whose instant has come."""
    query = (
        select(intentions)
        .where(intentions.c.tenant_id == work.tenant_id, intentions.c.next_at <= now)
        .order_by(intentions.c.next_at, intentions.c.id)
        .limit(most)
        .with_for_update()
    )
    return Due(*_readable(await work.rows(query)))


async def put_off(work: UnitOfWork, ids: Sequence[UUID], until: datetime) -> None:
    """Have intentions that nobody can read wait for a version that can."""
    statement = update(intentions).where(
        intentions.c.tenant_id == work.tenant_id, intentions.c.id == among(ids)
    )
    await work.run(statement.values(next_at=until))


_CUED = sql(
    """
    SELECT i.* FROM intentions i
    WHERE i.tenant_id = :tenant AND i.id IN (
        SELECT DISTINCT c.intention_id FROM cues c
        WHERE c.tenant_id = :tenant AND c.key = ANY(:keys)
            AND (CAST(:after AS uuid) IS NULL OR c.intention_id > :after)
        ORDER BY c.intention_id LIMIT :most
    )
    ORDER BY i.id FOR UPDATE
    """,
    keys=IDS,
    after=Uuid,
)


async def cued_by(work: UnitOfWork, keys: Sequence[UUID], after: UUID | None, most: int) -> Page:
    """Up to `most` intentions that may wait for an event which says `keys`."""
    return _page_of(await work.rows(_CUED, {"keys": list(keys), "after": after, "most": most}), most)


_WATCHING = sql(
    """
    SELECT i.*, w.is_trigger FROM intentions i
    JOIN (
        SELECT intention_id, bool_or(role = 'trigger') AS is_trigger FROM watches
        WHERE tenant_id = :tenant AND key_id = :key_id AND (CAST(:after AS uuid) IS NULL OR intention_id > :after)
        GROUP BY intention_id ORDER BY intention_id LIMIT :most
    ) w ON w.intention_id = i.id
    WHERE i.tenant_id = :tenant
    ORDER BY i.id FOR UPDATE OF i
    """,
    after=Uuid,
)


async def watching(
    work: UnitOfWork, key_id: UUID, after: UUID | None, most: int
) -> tuple[Page, frozenset[UUID]]:
    """Up to `most` intentions that look at a fact key; the ids of those whose trigger is there."""
    rows = await work.rows(_WATCHING, {"key_id": key_id, "after": after, "most": most})
    return _page_of(rows, most), frozenset(row.id for row in rows if row.is_trigger)


_TURN = sql(
    """
    UPDATE intentions i SET state = x.state, reason = x.reason, next_at = x.next_at, fired = i.fired + x.fired
    FROM jsonb_to_recordset(:turns) AS x(id uuid, state text, reason text, next_at timestamptz, fired integer)
    WHERE i.tenant_id = :tenant AND i.id = x.id
    """,
    turns=JSON,
)


class Turned(NamedTuple):
    """What an intention has come to. `fired` says whether an occurrence has come about."""

    id: UUID
    state: State
    reason: str
    next_at: datetime | None
    fired: bool


async def turn(work: UnitOfWork, turned: Sequence[Turned]) -> None:
    """Write what intentions have come to. What has ended waits for nothing; what has fired still has its premises."""
    rows = [
        {
            "id": str(each.id),
            "state": each.state.value,
            "reason": each.reason,
            "next_at": None if each.next_at is None else each.next_at.isoformat(),
            "fired": int(each.fired),
        }
        for each in turned
    ]
    if not rows:
        return
    await work.run(_TURN, {"turns": rows})
    await forget_cues(work, [each.id for each in turned if each.state is not State.PENDING])
    await forget_watches(work, [each.id for each in turned if each.state in (State.CANCELLED, State.EXPIRED)])


async def forget_cues(work: UnitOfWork, ids: Sequence[UUID]) -> None:
    """Have no event find these intentions any more."""
    if ids:
        await work.run(
            delete(cues).where(cues.c.tenant_id == work.tenant_id, cues.c.intention_id == among(ids))
        )


async def forget_watches(work: UnitOfWork, ids: Sequence[UUID]) -> None:
    """Have no change of a fact find these intentions any more."""
    if ids:
        await work.run(
            delete(watches).where(watches.c.tenant_id == work.tenant_id, watches.c.intention_id == among(ids))
        )


async def change(work: UnitOfWork, changed: Intention) -> None:
    """Write what somebody has changed of an intention, as a further revision."""
    statement = (
        update(intentions)
        .where(intentions.c.tenant_id == work.tenant_id, intentions.c.id == changed.id)
        .values(
            owner=changed.owner.subject,
            owner_kind=changed.owner.kind.value,
            trigger=changed.trigger.model_dump(mode="json", exclude_none=True),
            state=changed.state.value,
            reason=changed.reason,
            next_at=changed.next_at,
            revision=intentions.c.revision + 1,
        )
    )
    await work.run(statement)


_SET_SINCE = sql(
    "SELECT count(*) AS n FROM intentions"
    " WHERE tenant_id = :tenant AND set_by_kind = :kind AND set_by = :subject AND recorded_at > :since"
)


async def count_set_since(work: UnitOfWork, who: Speaker, since: datetime) -> int:
    """How many intentions somebody has set since an instant."""
    row = await work.row(_SET_SINCE, {"subject": who.subject, "kind": who.kind.value, "since": since})
    return 0 if row is None else row.n


class Listed(NamedTuple):
    """An intention with its status, and its latest occurrence."""

    intention: Intention
    life: Life
    latest: UUID | None


_LISTED = """
    SELECT i.*, latest.id AS latest_id, latest.fate AS latest_fate FROM intentions i
    LEFT JOIN LATERAL (
        SELECT o.id, o.fate FROM occurrences o
        WHERE o.tenant_id = i.tenant_id AND o.intention_id = i.id ORDER BY o.due_at DESC, o.id DESC LIMIT 1
    ) AS latest ON true
    WHERE i.tenant_id = :tenant
"""
_BEFORE = """
    AND (CAST(:before AS uuid) IS NULL OR (i.recorded_at, i.id) < (
        SELECT b.recorded_at, b.id FROM intentions b WHERE b.tenant_id = :tenant AND b.id = :before
    ))
    ORDER BY i.recorded_at DESC, i.id DESC LIMIT :most
"""
_NO_NOTICE = "NOT (i.owner_kind = 'system' AND i.owner = 'keepwell')"
_ONE = sql(f"{_LISTED} AND i.id = :id", id=Uuid)
_OF_OWNER = sql(
    f"{_LISTED} AND i.owner_kind = :kind AND i.owner = :owner AND i.state = ANY(:states) {_BEFORE}",
    states=TEXTS,
    before=Uuid,
)
_IN_SCOPES = sql(
    f"{_LISTED} AND i.scope @> :within AND i.state = ANY(:states) AND {_NO_NOTICE} {_BEFORE}",
    states=TEXTS,
    before=Uuid,
    within=JSON,
)


async def one(work: UnitOfWork, identity: UUID) -> Listed | None:
    """One intention with its status; None where there is none."""
    row = await work.row(_ONE, {"id": identity})
    return None if row is None else _listed(row)


async def of_owner(
    work: UnitOfWork, owner: Owner, states: Sequence[State], before: UUID | None, most: int
) -> list[Listed]:
    """Up to `most` intentions of somebody in these states, the latest set first, after the one `before`."""
    values = {"kind": owner.kind.value, "owner": owner.subject, **_page(states, before, most)}
    return [_listed(row) for row in await work.rows(_OF_OWNER, values)]


async def in_scopes(
    work: UnitOfWork, within: Mapping[str, str], states: Sequence[State], before: UUID | None, most: int
) -> list[Listed]:
    """The same of everybody but Keepwell itself, in scopes that have the dimensions of `within`."""
    values = {"within": dict(within), **_page(states, before, most)}
    return [_listed(row) for row in await work.rows(_IN_SCOPES, values)]


def _page(states: Sequence[State], before: UUID | None, most: int) -> dict[str, Any]:
    return {"states": [state.value for state in states], "before": before, "most": most}


def _readable(rows: Sequence[Row[Any]]) -> tuple[list[Intention], list[UUID]]:
    """The intentions of rows, and the ids of those that this version cannot read: one of them holds up no other."""
    those: list[Intention] = []
    unreadable: list[UUID] = []
    for row in rows:
        try:
            those.append(_intention(row))
        except ValidationError:
            unreadable.append(row.id)
            log.warning("intention_unreadable", intention=str(row.id), remedy="run one version of everything")
    return those, unreadable


def _intention(row: Row[Any]) -> Intention:
    set_by = Speaker(subject=row.set_by, kind=PrincipalKind(row.set_by_kind), roles=tuple(row.set_by_roles))
    return Intention(
        id=row.id,
        scope=row.scope,
        event_id=row.event_id,
        set_by=set_by,
        owner=Owner(subject=row.owner, kind=PrincipalKind(row.owner_kind)),
        action=row.action,
        data=row.data,
        trigger=_TRIGGER.validate_python(row.trigger),
        not_before=row.not_before,
        deadline=row.deadline,
        grace=row.grace,
        timezone=row.timezone,
        endpoint_id=row.endpoint_id,
        premises=tuple(row.premises),
        state=State(row.state),
        reason=row.reason,
        next_at=row.next_at,
        fired=row.fired,
        revision=row.revision,
        recorded_at=row.recorded_at,
    )


def _listed(row: Row[Any]) -> Listed:
    """A row of an intention with its latest occurrence."""
    fate = None if row.latest_fate is None else Fate(row.latest_fate)
    return Listed(_intention(row), life_of(State(row.state), fate), row.latest_id)
