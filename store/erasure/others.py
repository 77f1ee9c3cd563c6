"""How episodes, intentions, proposals, versions, names and traces go."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import TextClause
from sqlalchemy.types import Integer, Text, Uuid

from store import outbox, search
from store.erasure.rows import Rows, changed
from store.news import CHANNEL
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

_PASSAGES = sql("SELECT id FROM passages WHERE tenant_id = :tenant AND episode_id = ANY(:ids)", ids=IDS)
_EPISODE_STEPS = {
    "passages": sql("DELETE FROM passages WHERE tenant_id = :tenant AND episode_id = ANY(:ids)", ids=IDS),
    "episode_entities": sql(
        "DELETE FROM episode_entities WHERE tenant_id = :tenant AND episode_id = ANY(:ids)", ids=IDS
    ),
    "experiences": sql(
        "DELETE FROM experiences WHERE tenant_id = :tenant AND episode_id = ANY(:ids)", ids=IDS
    ),
    "record_uses": sql(
        "DELETE FROM record_uses WHERE tenant_id = :tenant AND record_id = ANY(:ids)", ids=IDS
    ),
    "evidence": sql("DELETE FROM evidence WHERE tenant_id = :tenant AND record_id = ANY(:ids)", ids=IDS),
    "lineage": sql(
        "DELETE FROM lineage WHERE tenant_id = :tenant AND (child_id = ANY(:ids) OR parent_id = ANY(:ids))",
        ids=IDS,
    ),
    "episodes": sql("DELETE FROM episodes WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS),
}
_EPISODE_MADE_ANEW = sql(
    "UPDATE episodes SET recomputed_at = clock_timestamp() WHERE tenant_id = :tenant AND id = :id", id=Uuid
)


async def empty_episodes(work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
    """Remove the passages of episodes and what was read out of them; the episodes themselves stay."""
    told = {"ids": list(ids)}
    rows: Rows = {}
    passages = [row.id for row in await work.rows(_PASSAGES, told)]
    await search.drop(work, passages)
    for table in ("passages", "experiences"):
        changed(rows, table, await work.run(_EPISODE_STEPS[table], told))
    return rows


async def delete_episodes(work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
    """Remove episodes with their passages and vectors, and what they have taught."""
    told = {"ids": list(ids)}
    rows: Rows = {}
    passages = [row.id for row in await work.rows(_PASSAGES, told)]
    await search.drop(work, passages)
    changed(rows, "record_uses", await work.run(_EPISODE_STEPS["record_uses"], {"ids": passages}))
    for table, statement in _EPISODE_STEPS.items():
        changed(rows, table, await work.run(statement, told))
    return rows


async def made_anew(work: UnitOfWork, episode_id: UUID) -> None:
    """Note that an episode was told anew, so that nobody who has read it before makes anything of it."""
    await work.run(_EPISODE_MADE_ANEW, {"id": episode_id})


_INTENTION_STEPS = {
    "cues": sql("DELETE FROM cues WHERE tenant_id = :tenant AND intention_id = ANY(:ids)", ids=IDS),
    "watches": sql("DELETE FROM watches WHERE tenant_id = :tenant AND intention_id = ANY(:ids)", ids=IDS),
    "occurrences": sql(
        "DELETE FROM occurrences WHERE tenant_id = :tenant AND intention_id = ANY(:ids)", ids=IDS
    ),
    "lineage": sql(
        "DELETE FROM lineage WHERE tenant_id = :tenant AND (child_id = ANY(:ids) OR parent_id = ANY(:ids))",
        ids=IDS,
    ),
    "evidence": sql("DELETE FROM evidence WHERE tenant_id = :tenant AND record_id = ANY(:ids)", ids=IDS),
}
_SENT = sql(
    """
    SELECT count(*) AS sent FROM occurrences
    WHERE tenant_id = :tenant AND intention_id = ANY(:ids) AND endpoint_id IS NOT NULL AND first_sent_at IS NOT NULL
    """,
    ids=IDS,
)
_DEPARTED = sql(
    "INSERT INTO departures (tenant_id, kind, records) SELECT :tenant, :kind, :records",
    kind=Text,
    records=Integer,
)
_DECLARE_INTENTIONS = sql(
    """
    INSERT INTO transitions (
        tenant_id, record_kind, record_id, from_status, to_status, rule, reason, actor, effective_at
    )
    SELECT tenant_id, 'intention', id, state, 'erased', 'erase', 'erased', 'keepwell', now()
    FROM intentions WHERE tenant_id = :tenant AND id = ANY(:ids)
    """,
    ids=IDS,
)
_DELETE_INTENTIONS = sql("DELETE FROM intentions WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS)


async def delete_intentions(work: UnitOfWork, ids: Sequence[UUID]) -> tuple[Rows, int]:
    """Remove intentions with all that was due by them; and how many of their deliveries had been sent to endpoints."""
    told = {"ids": list(ids)}
    rows: Rows = {}
    sent = await work.row(_SENT, told)
    assert sent is not None
    await work.run(_DECLARE_INTENTIONS, told)
    work.announce(CHANNEL)
    for table, statement in _INTENTION_STEPS.items():
        changed(rows, table, await work.run(statement, told))
    changed(rows, "intentions", await work.run(_DELETE_INTENTIONS, told))
    await outbox.put(work, outbox.Kind.INTEND, [work.tenant_id])
    return rows, sent.sent


_PROPOSAL_STEPS = {
    "proposal_decisions": sql(
        "DELETE FROM proposal_decisions WHERE tenant_id = :tenant AND proposal_id = ANY(:ids)", ids=IDS
    ),
    "lineage": sql(
        "DELETE FROM lineage WHERE tenant_id = :tenant AND (child_id = ANY(:ids) OR parent_id = ANY(:ids))",
        ids=IDS,
    ),
}
_DECLARE = """
    INSERT INTO transitions (
        tenant_id, record_kind, record_id, from_status, to_status, rule, reason, actor, effective_at
    )
    SELECT tenant_id, '{kind}', id, {status}, 'erased', 'erase', 'erased', 'keepwell', now()
    FROM {table} WHERE tenant_id = :tenant AND id = ANY(:ids)
"""
_DECLARE_PROPOSALS = sql(_DECLARE.format(kind="proposal", status="state", table="proposals"), ids=IDS)
_DECLARE_VERSIONS = sql(
    _DECLARE.format(kind="procedure", status="status", table="procedure_versions"), ids=IDS
)
_DELETE_PROPOSALS = sql("DELETE FROM proposals WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS)
_VERSION_STEPS = {
    "procedure_runs": sql(
        "DELETE FROM procedure_runs WHERE tenant_id = :tenant AND version_id = ANY(:ids)", ids=IDS
    ),
    "lineage": _PROPOSAL_STEPS["lineage"],
    "procedure_versions": sql(
        "DELETE FROM procedure_versions WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS
    ),
}
_EMPTY_PROCEDURES = sql(
    """
    DELETE FROM procedures p WHERE p.tenant_id = :tenant
        AND p.id = ANY(:ids)
        AND NOT EXISTS (SELECT FROM procedure_versions v WHERE v.tenant_id = p.tenant_id AND v.procedure_id = p.id)
        AND NOT EXISTS (SELECT FROM proposals o WHERE o.tenant_id = p.tenant_id AND o.procedure_id = p.id)
    """,
    ids=IDS,
)
_PROCEDURES_OF = sql(
    """
    SELECT procedure_id AS id FROM proposals WHERE tenant_id = :tenant AND id = ANY(:ids)
    UNION
    SELECT procedure_id FROM procedure_versions WHERE tenant_id = :tenant AND id = ANY(:ids)
    """,
    ids=IDS,
)


async def delete_versions(work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
    """Remove versions of procedures. None comes into force for one that was; a procedure without any words goes."""
    return await _delete_written(work, ids, _DECLARE_VERSIONS, _VERSION_STEPS)


async def delete_proposals(work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
    """Remove proposals with what was decided on them. The versions that they became go before."""
    steps = {**_PROPOSAL_STEPS, "proposals": _DELETE_PROPOSALS}
    await outbox.put(work, outbox.Kind.PROMOTE, ids)
    return await _delete_written(work, ids, _DECLARE_PROPOSALS, steps)


async def _delete_written(
    work: UnitOfWork, ids: Sequence[UUID], declare: TextClause, steps: Mapping[str, TextClause]
) -> Rows:
    told = {"ids": list(ids)}
    rows: Rows = {}
    procedures = [row.id for row in await work.rows(_PROCEDURES_OF, told)]
    await work.run(declare, told)
    work.announce(CHANNEL)
    for table, statement in steps.items():
        changed(rows, table, await work.run(statement, told))
    changed(rows, "procedures", await work.run(_EMPTY_PROCEDURES, {"ids": procedures}))
    return rows


_TRACES = sql(
    """
    DELETE FROM traces t WHERE t.tenant_id = :tenant AND EXISTS (
        SELECT FROM jsonb_array_elements(t.entries) AS entry
        JOIN erasure_nodes n ON n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.id = (entry ->> 'id')::uuid
    )
    """,
    erasure=Uuid,
)
_THESE_TRACES = sql("DELETE FROM traces WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=IDS)


async def delete_traces_naming(work: UnitOfWork, erasure_id: UUID) -> int:
    """Remove every trace that names what an erasure reaches, with its reports: its question may repeat the words."""
    return await work.run(_TRACES, {"erasure": erasure_id})


async def delete_traces(work: UnitOfWork, ids: Sequence[UUID]) -> Rows:
    """Remove these traces with their reports."""
    rows: Rows = {}
    changed(rows, "traces", await work.run(_THESE_TRACES, {"ids": list(ids)}))
    return rows
