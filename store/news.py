"""Read decisions and transitions in the order in which they were committed for good."""

from collections.abc import Collection
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.types import Text, Uuid

from models.news import (
    IntentionTold,
    News,
    NewsPosition,
    ProposalTold,
    TransitionTold,
    VerdictTold,
    VersionTold,
)
from models.principals import Speaker
from models.readers import Readable
from models.reconciliation import Verdict
from models.scope import Scope
from store.readable import READERS, is_readable, is_told, values_of
from store.sql import TEXTS, sql
from store.unit_of_work import UnitOfWork

CHANNEL = "keepwell_news"

# A row below the oldest transaction that still runs has no earlier one to come. Both parts walk their index
# from the position on.
_AFTER = sql(
    f"""
    WITH settled AS (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS below)
    SELECT * FROM (
        (
            SELECT d.written_by::text AS transaction, d.written_by, d.candidate_id AS id, e.scope,
                'verdict' AS sort, e.id AS event_id, c.kind, c.attribute, d.verdict, d.reason, d.fact_id,
                d.target_id, NULL::uuid AS record_id, NULL AS from_status, NULL AS to_status, NULL AS rule,
                NULL::timestamptz AS effective_at, d.recorded_at
            FROM decisions d
            JOIN candidates c ON c.tenant_id = d.tenant_id AND c.id = d.candidate_id
            JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id
            WHERE d.tenant_id = :tenant AND (d.written_by, d.candidate_id) > (CAST(:transaction AS xid8), :id)
                AND d.written_by < (SELECT below FROM settled)
                AND e.subject = :subject AND e.subject_kind = :kind
                AND {is_told("c.attribute", "d.fact_id", "d.target_id")}
            ORDER BY d.written_by, d.candidate_id LIMIT :most
        )
        UNION ALL
        (
            SELECT t.written_by::text, t.written_by, t.id, k.scope, 'transition', NULL, NULL, NULL, NULL,
                t.reason, NULL, NULL, t.record_id, t.from_status, t.to_status, t.rule, t.effective_at,
                t.recorded_at
            FROM transitions t
            JOIN facts f ON f.tenant_id = t.tenant_id AND f.id = t.record_id
            JOIN fact_keys k ON k.tenant_id = f.tenant_id AND k.id = f.key_id
            WHERE t.tenant_id = :tenant AND (t.written_by, t.id) > (CAST(:transaction AS xid8), :id)
                AND t.written_by < (SELECT below FROM settled) AND {is_readable("k.attribute")}
                AND EXISTS (
                    SELECT FROM evidence v
                    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id
                    WHERE v.tenant_id = t.tenant_id AND v.record_id = t.record_id
                        AND e.subject = :subject AND e.subject_kind = :kind
                )
            ORDER BY t.written_by, t.id LIMIT :most
        )
        UNION ALL
        (
            SELECT t.written_by::text, t.written_by, t.id, i.scope, 'intention', NULL, NULL, NULL, NULL,
                t.reason, NULL, NULL, t.record_id, t.from_status, t.to_status, t.rule, t.effective_at,
                t.recorded_at
            FROM transitions t
            JOIN intentions i ON i.tenant_id = t.tenant_id AND i.id = t.record_id
            WHERE t.tenant_id = :tenant AND (t.written_by, t.id) > (CAST(:transaction AS xid8), :id)
                AND t.written_by < (SELECT below FROM settled)
                AND (
                    (i.owner = :subject AND i.owner_kind = :kind) OR (i.set_by = :subject AND i.set_by_kind = :kind)
                )
            ORDER BY t.written_by, t.id LIMIT :most
        )
        UNION ALL
        (
            SELECT t.written_by::text, t.written_by, t.id, o.scope, 'proposal', NULL, NULL, NULL, NULL,
                t.reason, o.id, NULL, t.record_id, t.from_status, t.to_status, t.rule, t.effective_at,
                t.recorded_at
            FROM transitions t
            JOIN proposals p ON p.tenant_id = t.tenant_id AND p.id = t.record_id
            JOIN procedures o ON o.tenant_id = p.tenant_id AND o.id = p.procedure_id
            WHERE t.tenant_id = :tenant AND (t.written_by, t.id) > (CAST(:transaction AS xid8), :id)
                AND t.written_by < (SELECT below FROM settled) AND o.class = ANY(:playbooks)
                AND (
                    o.class = ANY(:decides) OR EXISTS (
                        SELECT FROM jsonb_array_elements(p.drafters) AS d
                        WHERE d ->> 'subject' = :subject AND d ->> 'kind' = :kind
                    )
                )
            ORDER BY t.written_by, t.id LIMIT :most
        )
        UNION ALL
        (
            SELECT t.written_by::text, t.written_by, t.id, o.scope, 'procedure', NULL, NULL, NULL, NULL,
                t.reason, o.id, NULL, t.record_id, t.from_status, t.to_status, t.rule, t.effective_at,
                t.recorded_at
            FROM transitions t
            JOIN procedure_versions v ON v.tenant_id = t.tenant_id AND v.id = t.record_id
            JOIN procedures o ON o.tenant_id = v.tenant_id AND o.id = v.procedure_id
            WHERE t.tenant_id = :tenant AND (t.written_by, t.id) > (CAST(:transaction AS xid8), :id)
                AND t.written_by < (SELECT below FROM settled) AND o.class = ANY(:playbooks)
            ORDER BY t.written_by, t.id LIMIT :most
        )
    ) AS news
    ORDER BY written_by, id LIMIT :most
    """,
    id=Uuid,
    transaction=Text,
    playbooks=TEXTS,
    decides=TEXTS,
    subject=Text,
    kind=Text,
    **READERS,
)
_NOW = sql(
    "SELECT pg_snapshot_xmin(snapshot)::text AS oldest, pg_snapshot_xmax(snapshot)::text AS next"
    " FROM pg_current_snapshot() AS snapshot"
)


class Now(NamedTuple):
    """The position after which everything is still to come, and the number of the next transaction."""

    position: NewsPosition
    next_transaction: int


async def now(work: UnitOfWork) -> Now:
    """Where the order of news has come to."""
    row = await work.row(_NOW)
    assert row is not None
    return Now(NewsPosition(int(row.oldest) - 1, UUID(int=2**128 - 1)), int(row.next))


class Hears(NamedTuple):
    """What somebody may hear of: which memories, procedures of which classes, and on which of these they decide."""

    readable: Readable
    playbooks: Collection[str]
    decides: Collection[str]


async def after(
    work: UnitOfWork, speaker: Speaker, hears: Hears, position: NewsPosition, most: int
) -> list[tuple[News, Scope]]:
    """Up to `most` pieces of news for `speaker` after `position`, each with the scope that it is about."""
    values = {
        "transaction": str(position.transaction),
        "id": position.id,
        "subject": speaker.subject,
        "kind": speaker.kind.value,
        "most": most,
        "playbooks": sorted(hears.playbooks),
        "decides": sorted(hears.decides),
        **values_of(hears.readable),
    }
    return [(_news(row), Scope(row.scope)) for row in await work.rows(_AFTER, values)]


def _news(row: Row[Any]) -> News:
    position = NewsPosition(int(row.transaction), row.id)
    if row.sort == "verdict":
        verdict = Verdict(row.verdict)
        return News(
            position,
            VerdictTold(
                row.event_id,
                row.kind,
                row.attribute,
                verdict,
                row.reason,
                row.fact_id,
                row.target_id,
                row.recorded_at,
            ),
        )
    change = (row.from_status, row.to_status, row.rule, row.reason, row.effective_at, row.recorded_at)
    match row.sort:
        case "proposal":
            return News(position, ProposalTold(row.record_id, row.fact_id, *change))
        case "procedure":
            return News(position, VersionTold(row.record_id, row.fact_id, *change))
        case "intention":
            return News(position, IntentionTold(row.record_id, *change))
        case _:
            return News(position, TransitionTold(row.record_id, *change))
