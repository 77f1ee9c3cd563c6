"""Lists of memories: one page of facts and episodes that apply in a scope and pass a filter, newest first."""

import operator
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Text,
    Uuid,
    and_,
    case,
    exists,
    false,
    func,
    literal,
    not_,
    null,
    or_,
    select,
    tuple_,
    union_all,
)

from models.authority import Authority
from models.controls import Catalogue
from models.facts import Admission, Ending, Status
from models.memories import (
    AllOf,
    AnyOf,
    Condition,
    Filter,
    FilterField,
    MemoryKind,
    NotThis,
    Operator,
    Position,
)
from models.readers import Readable
from store import persons
from store.readable import READERS, WORDS, episode_is_readable, is_readable, values_of
from store.sql import IDS, TEXTS, sql
from store.tables import episode_entities, episodes, fact_keys, facts
from store.unit_of_work import UnitOfWork

_IN_ORDER = {
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
}


_FACT_IS_READABLE = sql(is_readable("fact_keys.attribute"), **READERS)
_FACT_IS_SHOWN = sql(f"NOT {persons.switched_off('facts', persons.ANYTHING_OFF)}", **persons.TYPES)
_EPISODE_IS_READABLE = sql(
    episode_is_readable(
        "episodes.id",
        "SELECT m.id FROM episodes m WHERE m.tenant_id = :tenant AND m.scope_key = ANY(:within)",
    ),
    **WORDS,
    within=IDS,
)


class Listed(NamedTuple):
    """One memory of a page, to be read by its kind."""

    kind: MemoryKind
    id: UUID
    recorded_at: datetime


async def page(
    work: UnitOfWork,
    scope_keys: Sequence[UUID],
    readable: Readable,
    wanted: Filter | None,
    meant: Mapping[str, UUID | None],
    as_of: datetime,
    after: Position | None,
    most: int,
    shown: Mapping[str, Any],
) -> list[Listed]:
    """Up to `most` memories after a position that the reader may see, newest first.

    `meant` says which entity each mention of the filter means, None for one that means nothing here; `shown` has the
    values of `store.persons.values_of`.
    """
    parts = [_facts(work, scope_keys, as_of), _episodes(work, scope_keys)]
    memories = union_all(*parts).subquery("memories")
    query = select(memories.c.kind, memories.c.id, memories.c.recorded_at)
    if wanted is not None:
        query = query.where(_translated(wanted, memories.c, meant, work.tenant_id))
    if after is not None:
        query = query.where(tuple_(memories.c.recorded_at, memories.c.id) < (after.recorded_at, after.id))
    query = query.order_by(memories.c.recorded_at.desc(), memories.c.id.desc()).limit(most)
    bound = {"tenant": work.tenant_id, "within": list(scope_keys), **values_of(readable), **shown}
    return [Listed(MemoryKind(row.kind), row.id, row.recorded_at) for row in await work.rows(query, bound)]


_PAGE_ABOUT = sql(
    f"""
    SELECT f.id, f.recorded_at
    FROM ({persons.LIKELY}) AS likely
    JOIN facts f ON f.tenant_id = :tenant AND f.id = likely.id
    JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
    WHERE k.attribute <> ALL(:closed) AND subject_of(:tenant, f.id, f.key_id, :personal) = :person
        AND (:recorded_at IS NULL OR (f.recorded_at, f.id) < (:recorded_at, :id))
    ORDER BY f.recorded_at DESC, f.id DESC LIMIT :most
    """,
    person=Text,
    personal=TEXTS,
    closed=TEXTS,
    recorded_at=DateTime(timezone=True),
    id=Uuid,
)


async def page_about(
    work: UnitOfWork,
    person: str,
    known: Catalogue,
    closed: Sequence[str],
    after: Position | None,
    most: int,
) -> list[Listed]:
    """Up to `most` facts about a person after a position, newest first, but for those of `closed` attributes."""
    values = {
        "person": person,
        "personal": list(known.personal),
        "closed": list(closed),
        "recorded_at": None if after is None else after.recorded_at,
        "id": None if after is None else after.id,
        "most": most,
    }
    rows = await work.rows(_PAGE_ABOUT, values)
    return [Listed(MemoryKind.FACT, row.id, row.recorded_at) for row in rows]


def _facts(work: UnitOfWork, scope_keys: Sequence[UUID], as_of: datetime) -> Any:
    return (
        select(
            literal(MemoryKind.FACT.value, Text).label("kind"),
            facts.c.id,
            facts.c.recorded_at,
            facts.c.valid_from,
            fact_keys.c.attribute,
            fact_keys.c.entity_id,
            _status(as_of).label("status"),
            facts.c.authority,
            facts.c.standing,
            null().cast(Text).label("execution_status"),
            null().cast(Text).label("goal_outcome"),
        )
        .join(
            fact_keys,
            (fact_keys.c.tenant_id == facts.c.tenant_id) & (fact_keys.c.id == facts.c.key_id),
        )
        .where(facts.c.tenant_id == work.tenant_id, facts.c.scope_key.in_(scope_keys))
        .where(_FACT_IS_READABLE, _FACT_IS_SHOWN)
    )


def _episodes(work: UnitOfWork, scope_keys: Sequence[UUID]) -> Any:
    return select(
        literal(MemoryKind.EPISODE.value, Text),
        episodes.c.id,
        episodes.c.recorded_at,
        episodes.c.started_at,
        null().cast(Text),
        null().cast(Uuid),
        literal(Status.ACTIVE.value, Text),
        episodes.c.authority,
        null().cast(Text),
        episodes.c.execution_status,
        episodes.c.goal_outcome,
    ).where(
        episodes.c.tenant_id == work.tenant_id, episodes.c.scope_key.in_(scope_keys), _EPISODE_IS_READABLE
    )


def _status(as_of: datetime) -> ColumnElement[str]:
    """The status of a fact at an instant; says the same as `models.facts.status_at`."""
    ended = func.coalesce(facts.c.ended_at <= as_of, false())
    expired = func.coalesce(func.least(facts.c.expires_at, facts.c.lapses_at) <= as_of, false())
    is_open = and_(not_(ended), not_(expired))
    return case(
        (and_(ended, facts.c.ending == Ending.RETRACTED.value), Status.RETRACTED.value),
        (and_(is_open, facts.c.admission == Admission.UNVERIFIED.value), Status.QUARANTINED.value),
        (and_(is_open, facts.c.admission == Admission.DISPUTED.value), Status.DISPUTED.value),
        (facts.c.valid_from > as_of, Status.NOT_YET_VALID.value),
        (expired, Status.EXPIRED.value),
        (ended, facts.c.ending),
        else_=Status.ACTIVE.value,
    )


def _translated(
    part: Filter, columns: Any, meant: Mapping[str, UUID | None], tenant_id: UUID
) -> ColumnElement[bool]:
    """A filter as SQL. A memory without the field does not meet a condition, so that its negation holds."""
    match part:
        case Condition():
            return func.coalesce(_compared(part, columns, meant, tenant_id), false())
        case AllOf():
            return and_(*(_translated(each, columns, meant, tenant_id) for each in part.all))
        case AnyOf():
            return or_(*(_translated(each, columns, meant, tenant_id) for each in part.any))
        case NotThis():
            return not_(_translated(part.negated, columns, meant, tenant_id))


def _compared(
    condition: Condition, columns: Any, meant: Mapping[str, UUID | None], tenant_id: UUID
) -> ColumnElement[bool]:
    if condition.field is FilterField.ENTITY:
        known = [meant[mention] for mention in condition.values]
        about = _about([each for each in known if each is not None], columns, tenant_id)
        if condition.op is Operator.NE:
            return and_(_about(None, columns, tenant_id), not_(about))
        return about
    column = columns[condition.field.value]
    values: Sequence[Any] = condition.values
    if condition.field is FilterField.AUTHORITY:
        values = [int(Authority[name.upper()]) for name in values]
    if condition.op in _IN_ORDER:
        return _IN_ORDER[condition.op](column, condition.instant)
    return column.not_in(values) if condition.op is Operator.NE else column.in_(values)


def _about(entity_ids: Sequence[UUID] | None, columns: Any, tenant_id: UUID) -> ColumnElement[bool]:
    """Whether a fact is about one of these entities, or an episode mentions one; None stands for any at all."""
    mentioned = exists().where(
        episode_entities.c.tenant_id == tenant_id, episode_entities.c.episode_id == columns.id
    )
    if entity_ids is None:
        return or_(columns.entity_id.is_not(None), mentioned)
    one_of_them = episode_entities.c.entity_id.in_(entity_ids)
    return or_(func.coalesce(columns.entity_id.in_(entity_ids), false()), mentioned.where(one_of_them))
