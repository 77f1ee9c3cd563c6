"""Verification: what was erased is looked for in every table that the schema has, by its ids and by its words.

The tables are read off the schema, so that a new one is looked through without anybody thinking of it.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import Table, TextClause
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import Text, Uuid

from store.sql import TEXTS, sql
from store.tables import metadata
from store.unit_of_work import UnitOfWork

_OF_THE_ERASURE = frozenset(
    {
        "erasures",
        "erasure_confirmations",
        "erasure_nodes",
        "erasure_log",
        "erased_keys",
        "tombstones",
        "legal_holds",
    }
)
CONFIGURED = frozenset(
    {"tenants", "policies", "api_keys", "endpoints", "departures", "switches", "switched_attributes"}
)
"""What an operator or a person has set, and no memory: its words are told of, and do not hinder."""

_SKELETON = {
    "redact": frozenset({"events.id", "transitions.event_id", "candidates.event_id", "proposals.event_id"}),
    "delete": frozenset({"transitions.record_id", "episodes.id"}),
}
"""Where the id of what was erased may stand for ever: that it happened, and when it changed.

An episode may come to be once more, of other events.
"""


def tables_of_tenants() -> list[Table]:
    """Every table that has rows of tenants, but those of erasure itself."""
    return [
        table
        for name, table in sorted(metadata.tables.items())
        if "tenant_id" in table.c and name not in _OF_THE_ERASURE
    ]


def _ids_in(table: Table, disposition: str) -> list[str]:
    """Queries that count the rows of `table` in which an id of what went so stands where it must not."""
    counts: list[str] = []
    gone = f"gone.tenant_id = :tenant AND gone.erasure_id = :erasure AND gone.disposition = '{disposition}'"
    for column in table.c:
        if column.name == "tenant_id" or f"{table.name}.{column.name}" in _SKELETON[disposition]:
            continue
        if isinstance(column.type, Uuid):
            each, where = f"{table.name} t", f"t.{column.name}"
        elif isinstance(column.type, ARRAY) and isinstance(column.type.item_type, Uuid):  # pyright: ignore[reportUnknownMemberType]
            each, where = f"{table.name} t CROSS JOIN LATERAL unnest(t.{column.name}) AS x(id)", "x.id"
        else:
            continue
        counts.append(
            f"(SELECT count(*) FROM {each} JOIN tombstones gone ON gone.id = {where}"
            f" WHERE t.tenant_id = :tenant AND {gone} AND gone.kind <> 'fact_key')"
        )
    return counts


def _by_ids() -> Mapping[str, TextClause]:
    found: dict[str, TextClause] = {}
    for table in tables_of_tenants():
        counts = [count for disposition in _SKELETON for count in _ids_in(table, disposition)]
        if counts:
            found[table.name] = sql(f"SELECT {' + '.join(counts)} AS found", erasure=Uuid)
    return found


def _words_of(table: Table) -> str | None:
    """All words of a row of `table`, as `t`, in lower case."""
    texts: list[str] = []
    for column in table.c:
        kind = column.type
        if isinstance(kind, Text | JSONB) or (
            isinstance(kind, ARRAY) and isinstance(kind.item_type, Text)  # pyright: ignore[reportUnknownMemberType]
        ):
            texts.append(f"COALESCE(t.{column.name}::text, '')")
    return f"lower(concat_ws(' ', {', '.join(texts)}))" if texts else None


def _by_words() -> Mapping[str, TextClause]:
    found: dict[str, TextClause] = {}
    for table in tables_of_tenants():
        words = _words_of(table)
        if words is not None:
            tenant = "t.id" if table.name == "tenants" else "t.tenant_id"
            found[table.name] = sql(
                f"""
                SELECT w.word, count(*) AS found FROM (
                    SELECT {words} AS words FROM {table.name} t WHERE {tenant} = :tenant
                ) said JOIN unnest(:words) AS w(word) ON strpos(said.words, w.word) > 0
                GROUP BY w.word
                """,
                words=TEXTS,
            )
    return found


BY_IDS = _by_ids()
BY_WORDS = _by_words()


async def found_by_ids(work: UnitOfWork, erasure_id: UUID) -> dict[str, int]:
    """How often ids of what an erasure took stand where they must not, by table."""
    found: dict[str, int] = {}
    for name, statement in BY_IDS.items():
        row = await work.row(statement, {"erasure": erasure_id})
        if row is not None and row.found:
            found[name] = row.found
    return found


async def found_by_words(work: UnitOfWork, name: str, words: Sequence[str]) -> dict[str, int]:
    """Which of these words stand in how many rows of a table."""
    if not words:
        return {}
    return {row.word: row.found for row in await work.rows(BY_WORDS[name], {"words": list(words)})}
