"""The walk: from what was named down its lineage to the end, in batches, with everything kept in the database.

Each record is entered once, however many ways lead to it, so that diamonds and cycles come to an end. What survives is
found out when all is entered: by what bears it out from beyond the erasure, never by records of a cycle that bear out
each other.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.types import Integer, Text, Uuid

from models.erasure.plan import ErasureDisposition, NodeKind, Tally, disposition_of
from store.sql import IDS, sql
from store.unit_of_work import UnitOfWork

# What is said in a version or proposal whose words go was said by somebody: their words go as well.
_WORDS_OF_DYING = """
    SELECT t.event_id AS id FROM erasure_nodes n
    JOIN transitions t ON t.tenant_id = n.tenant_id AND t.record_id = n.id AND t.event_id IS NOT NULL
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND NOT n.survives AND (
        n.kind = 'intention'
        OR (n.kind = 'proposal' AND t.rule IN ('propose', 'revise', 'withdraw'))
        OR (n.kind = 'procedure' AND t.from_status IS NULL)
    )
    UNION
    SELECT d.event_id FROM erasure_nodes n
    JOIN proposal_decisions d ON d.tenant_id = n.tenant_id AND d.proposal_id = n.id
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND NOT n.survives AND n.kind = 'proposal'
    UNION
    SELECT r.event_id FROM erasure_nodes n
    JOIN procedure_runs r ON r.tenant_id = n.tenant_id AND r.version_id = n.id
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND NOT n.survives AND n.kind = 'procedure'
    UNION
    SELECT i.event_id FROM erasure_nodes n
    JOIN intentions i ON i.tenant_id = n.tenant_id AND i.id = n.id
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'intention'
    UNION
    SELECT o.event_id FROM erasure_nodes n
    JOIN occurrences o ON o.tenant_id = n.tenant_id AND o.intention_id = n.id AND o.event_id IS NOT NULL
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'intention'
"""
_ADD_WORDS = sql(
    f"""
    INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth)
    SELECT :tenant, :erasure, w.id, 'event', false, 1 FROM ({_WORDS_OF_DYING}) AS w
    JOIN events e ON e.tenant_id = :tenant AND e.id = w.id AND e.directive AND e.erased_at IS NULL
    ON CONFLICT DO NOTHING
    """,
    erasure=Uuid,
)
# A withdrawal of a record that goes repeats what it said. So does what asked to forget it.
_ADD_WITHDRAWALS = sql(
    """
    INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth)
    SELECT DISTINCT :tenant, :erasure, c.event_id, 'event', false, n.depth + 1 FROM erasure_nodes n
    JOIN candidates c ON c.tenant_id = n.tenant_id AND c.about_id = n.id AND c.kind = 'withdrawal'
    JOIN events e ON e.tenant_id = c.tenant_id AND e.id = c.event_id AND e.erased_at IS NULL
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'fact' AND NOT n.survives
    ON CONFLICT DO NOTHING
    """,
    erasure=Uuid,
)
# The words in which a named fact was said. What else was said in the same event stays.
_ADD_STATEMENTS = sql(
    """
    INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth, survives)
    SELECT :tenant, :erasure, v.event_id, 'event', false, 1, EXISTS (
            SELECT FROM evidence o WHERE o.tenant_id = :tenant AND o.event_id = v.event_id AND o.record_kind = 'fact'
                AND o.supports <> 'echo' AND NOT EXISTS (
                    SELECT FROM erasure_nodes b
                    WHERE b.tenant_id = :tenant AND b.erasure_id = :erasure AND b.id = o.record_id AND b.root
                )
        )
    FROM erasure_nodes n
    JOIN evidence v ON v.tenant_id = n.tenant_id AND v.record_id = n.id AND v.supports <> 'echo'
    JOIN events e ON e.tenant_id = v.tenant_id AND e.id = v.event_id AND e.erased_at IS NULL
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'fact' AND n.root
    GROUP BY v.event_id
    ON CONFLICT DO NOTHING
    """,
    erasure=Uuid,
)
# A version that says the same as one whose words go says them too, and so does the proposal that it came from.
_ADD_SAME_CONTENT = sql(
    """
    INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth)
    SELECT :tenant, :erasure, o.id, 'procedure', true, n.depth + 1 FROM erasure_nodes n
    JOIN procedure_versions v ON v.tenant_id = n.tenant_id AND v.id = n.id
    JOIN procedure_versions o ON o.tenant_id = v.tenant_id AND o.procedure_id = v.procedure_id AND o.digest = v.digest
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'procedure' AND NOT n.survives
    UNION
    SELECT :tenant, :erasure, v.proposal_id, 'proposal', true, n.depth + 1 FROM erasure_nodes n
    JOIN procedure_versions v ON v.tenant_id = n.tenant_id AND v.id = n.id AND v.proposal_id IS NOT NULL
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'procedure' AND NOT n.survives
    ON CONFLICT DO NOTHING
    """,
    erasure=Uuid,
)
_EXPAND = sql(
    """
    WITH frontier AS MATERIALIZED (
        SELECT id, kind, depth, survives FROM erasure_nodes
        WHERE tenant_id = :tenant AND erasure_id = :erasure AND NOT expanded ORDER BY depth, id LIMIT :most
    ), born AS (
        INSERT INTO erasure_nodes (tenant_id, erasure_id, id, kind, root, depth)
        SELECT DISTINCT ON (l.child_id) :tenant, :erasure, l.child_id, l.child_kind, false, f.depth + 1
        FROM frontier f JOIN lineage l ON l.tenant_id = :tenant AND l.parent_id = f.id
        WHERE f.kind <> 'event' OR NOT f.survives OR l.child_kind = 'episode'
        ORDER BY l.child_id, f.depth
        ON CONFLICT DO NOTHING
    )
    UPDATE erasure_nodes n SET expanded = true FROM frontier f
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.id = f.id
    """,
    erasure=Uuid,
    most=Integer,
)
_EXPAND_AGAIN = sql(
    "UPDATE erasure_nodes SET expanded = false WHERE tenant_id = :tenant AND erasure_id = :erasure",
    erasure=Uuid,
)

_DIES = "d.tenant_id = :tenant AND d.erasure_id = :erasure AND NOT d.survives"
# At first, what is not named itself survives if anything can bear it out; versions and proposals do until their own
# words go. What is fenced already has been decided on.
_SURVIVE = [
    sql(
        f"""
        UPDATE erasure_nodes n SET survives = EXISTS (
            SELECT FROM evidence v WHERE v.tenant_id = :tenant AND v.record_id = n.id
                AND NOT EXISTS (SELECT FROM erasure_nodes d WHERE {_DIES} AND d.id = v.event_id)
        )
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'episode' AND NOT n.root AND NOT n.fenced
        """,
        erasure=Uuid,
    ),
    sql(
        """
        UPDATE erasure_nodes n SET survives = true
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind IN ('proposal', 'procedure')
            AND NOT n.root AND NOT n.fenced AND NOT n.survives
        """,
        erasure=Uuid,
    ),
    # A fact that was made of others needs one of them still; what nobody states any more is a fact no longer.
    sql(
        f"""
        UPDATE erasure_nodes n SET survives = EXISTS (
            SELECT FROM evidence v JOIN facts f ON f.tenant_id = v.tenant_id AND f.id = v.record_id
            WHERE v.tenant_id = :tenant AND v.record_id = n.id
                AND (v.supports = 'statement' OR (v.supports = 'claim' AND f.admission <> 'admitted'))
                AND NOT EXISTS (SELECT FROM erasure_nodes d WHERE {_DIES} AND d.id = v.event_id)
        ) AND (
            NOT EXISTS (
                SELECT FROM lineage l WHERE l.tenant_id = :tenant AND l.child_id = n.id AND l.parent_kind = 'fact'
            ) OR EXISTS (
                SELECT FROM lineage l WHERE l.tenant_id = :tenant AND l.child_id = n.id AND l.parent_kind = 'fact'
                    AND NOT EXISTS (
                        SELECT FROM erasure_nodes o
                        WHERE o.tenant_id = :tenant AND o.erasure_id = :erasure AND o.id = l.parent_id
                    )
            )
        )
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'fact' AND NOT n.root AND NOT n.fenced
        """,
        erasure=Uuid,
    ),
]
# Then on, until nothing changes any more: a fact that others bear out which survive, and what dies with its source.
_ON = [
    sql(
        f"""
        UPDATE erasure_nodes n SET survives = true
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'fact'
            AND NOT n.root AND NOT n.fenced AND NOT n.survives
            AND EXISTS (
                SELECT FROM lineage l JOIN erasure_nodes o
                    ON o.tenant_id = :tenant AND o.erasure_id = :erasure AND o.id = l.parent_id AND o.survives
                WHERE l.tenant_id = :tenant AND l.child_id = n.id AND l.parent_kind = 'fact'
            ) AND EXISTS (
                SELECT FROM evidence v WHERE v.tenant_id = :tenant AND v.record_id = n.id AND v.supports = 'statement'
                    AND NOT EXISTS (SELECT FROM erasure_nodes d WHERE {_DIES} AND d.id = v.event_id)
            )
        """,
        erasure=Uuid,
    ),
    sql(
        f"""
        UPDATE erasure_nodes n SET survives = false
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind IN ('proposal', 'procedure') AND n.survives
            AND NOT n.fenced AND EXISTS (
                SELECT FROM lineage l JOIN erasure_nodes d ON {_DIES} AND d.id = l.parent_id
                WHERE l.tenant_id = :tenant AND l.child_id = n.id
                    AND l.parent_kind IN ('event', 'proposal', 'procedure')
            )
        """,
        erasure=Uuid,
    ),
]
_TALLY = sql(
    """
    SELECT kind, root, survives, count(*) AS records FROM erasure_nodes
    WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind <> 'entity' GROUP BY kind, root, survives
    """,
    erasure=Uuid,
)
_DEPTH_AND_DIGEST = sql(
    """
    SELECT COALESCE(max(depth), 0) AS depth,
        sha256(convert_to(COALESCE(
            string_agg(id::text || kind || root || survives, ',' ORDER BY id), ''
        ), 'UTF8')) AS digest
    FROM erasure_nodes WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind <> 'entity'
    """,
    erasure=Uuid,
)
_CLEAR = sql("DELETE FROM erasure_nodes WHERE tenant_id = :tenant AND erasure_id = :erasure", erasure=Uuid)


class Extent(NamedTuple):
    """How far an erasure reaches. `digest` tells two extents apart by every record and what becomes of it."""

    tallies: list[Tally]
    depth: int
    digest: bytes


async def expand(work: UnitOfWork, erasure_id: UUID, most: int) -> bool:
    """Enter what was made of up to `most` records, the nearest first; False where none was left to look at."""
    return await work.run(_EXPAND, {"erasure": erasure_id, "most": most}) > 0


async def expand_again(work: UnitOfWork, erasure_id: UUID) -> None:
    """Have every record looked at once more, as something may have been made of it since."""
    await work.run(_EXPAND_AGAIN, {"erasure": erasure_id})


async def add_statements(work: UnitOfWork, erasure_id: UUID) -> None:
    """Enter the events in which named facts were said, once and before the walk."""
    await work.run(_ADD_STATEMENTS, {"erasure": erasure_id})


async def survey(work: UnitOfWork, erasure_id: UUID) -> bool:
    """Find out what survives, and enter the words that go with what does not; False where there were none to enter."""
    told = {"erasure": erasure_id}
    for statement in _SURVIVE:
        await work.run(statement, told)
    for statement in _ON:
        while await work.run(statement, told):
            pass
    added = [await work.run(each, told) for each in (_ADD_WORDS, _ADD_WITHDRAWALS, _ADD_SAME_CONTENT)]
    return any(added)


async def extent(work: UnitOfWork, erasure_id: UUID) -> Extent:
    """How far the erasure reaches by now."""
    told = {"erasure": erasure_id}
    tallies = [
        Tally(NodeKind(row.kind), row.root, row.survives, row.records)
        for row in await work.rows(_TALLY, told)
    ]
    row = await work.row(_DEPTH_AND_DIGEST, told)
    assert row is not None
    return Extent(tallies, row.depth, row.digest)


async def clear(work: UnitOfWork, erasure_id: UUID) -> None:
    """Forget what an erasure, or a hold, reaches."""
    await work.run(_CLEAR, {"erasure": erasure_id})


_NEXT = sql(
    """
    SELECT id, root, survives FROM erasure_nodes
    WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind = :kind AND NOT erased ORDER BY id LIMIT :most
    """,
    erasure=Uuid,
    kind=Text,
    most=Integer,
)
_ERASED = sql(
    "UPDATE erasure_nodes SET erased = true WHERE tenant_id = :tenant AND erasure_id = :erasure AND id = ANY(:ids)",
    erasure=Uuid,
    ids=IDS,
)
_ERASE_AGAIN = sql(
    "UPDATE erasure_nodes SET erased = false WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind <> 'entity'",
    erasure=Uuid,
)
_OF_KIND = sql(
    """
    SELECT id FROM erasure_nodes
    WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind = :kind AND (:after IS NULL OR id > :after)
    ORDER BY id LIMIT :most
    """,
    erasure=Uuid,
    kind=Text,
    after=Uuid,
    most=Integer,
)


async def to_erase(
    work: UnitOfWork, erasure_id: UUID, kind: NodeKind, most: int
) -> Mapping[ErasureDisposition, Sequence[UUID]]:
    """Up to `most` records of one sort that are still there, by what is to become of them."""
    found: dict[ErasureDisposition, list[UUID]] = {}
    told = {"erasure": erasure_id, "kind": kind.value, "most": most}
    for row in await work.rows(_NEXT, told):
        disposition = disposition_of(kind, root=row.root, survives=row.survives)
        found.setdefault(disposition, []).append(row.id)
    return found


async def mark_erased(work: UnitOfWork, erasure_id: UUID, ids: Sequence[UUID]) -> None:
    """Note that these records are as they are to be."""
    await work.run(_ERASED, {"erasure": erasure_id, "ids": list(ids)})


async def erase_again(work: UnitOfWork, erasure_id: UUID) -> None:
    """Have everything seen to once more, as something of it was found."""
    await work.run(_ERASE_AGAIN, {"erasure": erasure_id})


async def of_kind(
    work: UnitOfWork, erasure_id: UUID, kind: NodeKind, after: UUID | None, most: int
) -> list[UUID]:
    """Up to `most` records of one sort that the erasure reaches, by id after `after`."""
    told = {"erasure": erasure_id, "kind": kind.value, "after": after, "most": most}
    return [row.id for row in await work.rows(_OF_KIND, told)]


_OVERLAP = sql(
    """
    SELECT EXISTS (
        SELECT FROM erasure_nodes n JOIN erasure_nodes h ON h.tenant_id = n.tenant_id AND h.id = n.id
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND h.erasure_id = :other
    ) AS held
    """,
    erasure=Uuid,
    other=Uuid,
)
_CONCERNED = sql(
    """
    SELECT e.activity_id AS id FROM erasure_nodes n JOIN events e ON e.tenant_id = n.tenant_id AND e.id = n.id
    WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.kind = 'event'
    UNION
    SELECT id FROM erasure_nodes
    WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind IN ('fact', 'proposal') AND NOT survives
    UNION
    SELECT id FROM tombstones WHERE tenant_id = :tenant AND erasure_id = :erasure AND kind = 'fact_key'
    """,
    erasure=Uuid,
)


async def overlap(work: UnitOfWork, erasure_id: UUID, other: UUID) -> bool:
    """Whether two of them reach a record in common."""
    row = await work.row(_OVERLAP, {"erasure": erasure_id, "other": other})
    return row is not None and bool(row.held)


async def concerned(work: UnitOfWork, erasure_id: UUID) -> frozenset[UUID]:
    """The activities, fact keys, facts and proposals that an erasure reaches: workflows are called by their ids."""
    return frozenset(row.id for row in await work.rows(_CONCERNED, {"erasure": erasure_id}))
