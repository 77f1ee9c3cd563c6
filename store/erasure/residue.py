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

RECORDS = frozenset(
    {
        *(
            "candidates",
            "confirmations",
            "cues",
            "decisions",
            "disclosures",
            "episode_entities",
            "episodes",
            "events",
        ),
        *(
            "evidence",
            "experiences",
            "exposures",
            "fact_keys",
            "facts",
            "gates",
            "intentions",
            "lineage",
            "mismatches",
        ),
        *("occurrences", "passages", "postings", "procedure_runs", "procedure_versions", "procedures"),
        *(
            "proposal_decisions",
            "proposals",
            "record_uses",
            "search_cells",
            "settlements",
            "transitions",
            "vectors",
        ),
        "watches",
    }
)
"""Records and what hangs on them by their ids, by which they are looked for. Words that stand in one that is there yet
are those of an independent record, or of one that was made anew without what is erased: a person may judge them."""

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


_CODES = frozenset(
    {
        *(
            "rule",
            "reason",
            "from_status",
            "to_status",
            "state",
            "status",
            "verdict",
            "fate",
            "outcome",
            "origin",
        ),
        *(
            "kind",
            "type",
            "record_kind",
            "child_kind",
            "parent_kind",
            "subject_kind",
            "owner_kind",
            "set_by_kind",
        ),
        *(
            "supports",
            "standing",
            "admission",
            "ending",
            "authority_role",
            "role",
            "choice",
            "purpose",
            "doubt",
        ),
        *(
            "execution_status",
            "goal_outcome",
            "extractor",
            "narrator",
            "step",
            "advice",
            "triggers",
            "timezone",
        ),
        *("decisions", "entries", "answer"),
    }
)
"""Columns that hold codes of ours, in which a word is nobody's, and ids, which are looked for by themselves."""
_ALL_THEIRS = frozenset({"data"})
"""Columns of JSON whose keys are a caller's own as well; of any other the values alone are words."""


def _words_of(table: Table) -> str | None:
    """All words of a row of `table`, as `t`, in lower case."""
    texts: list[str] = []
    for column in table.c:
        kind = column.type
        if column.name in _CODES:
            continue
        if isinstance(kind, JSONB) and column.name not in _ALL_THEIRS:
            strings = f"""jsonb_path_query(t.{column.name}, '$.** ? (@.type() == "string")')"""
            texts.append(f"(SELECT string_agg(s #>> '{{}}', ' ') FROM {strings} AS s)")
        elif isinstance(kind, Text | JSONB) or (
            isinstance(kind, ARRAY) and isinstance(kind.item_type, Text)  # pyright: ignore[reportUnknownMemberType]
        ):
            texts.append(f"t.{column.name}::text")
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


_QUOTING = {
    table: sql(
        f"""
        UPDATE erasure_nodes n SET survives = false, fenced = false, erased = false FROM {table} t
        WHERE n.tenant_id = :tenant AND n.erasure_id = :erasure AND n.survives AND n.kind = '{kind}'
            AND t.tenant_id = n.tenant_id AND t.id = n.id
            AND EXISTS (SELECT FROM unnest(:words) AS word WHERE strpos({_words_of(metadata.tables[table])}, word) > 0)
        """,
        erasure=Uuid,
        words=TEXTS,
    )
    for kind, table in (("proposal", "proposals"), ("procedure", "procedure_versions"))
}
_TRACES = sql(
    f"""
    DELETE FROM traces t WHERE t.tenant_id = :tenant
        AND EXISTS (SELECT FROM unnest(:words) AS word WHERE strpos({_words_of(metadata.tables["traces"])}, word) > 0)
    """,
    words=TEXTS,
)


async def give_up_on_words(work: UnitOfWork, erasure_id: UUID, words: Sequence[str]) -> dict[str, int]:
    """Have proposals and versions go that are reviewed for what they lost, and still say one of these words."""
    told = {"erasure": erasure_id, "words": list(words)}
    found = {table: await work.run(statement, told) for table, statement in _QUOTING.items() if words}
    return {table: number for table, number in found.items() if number}


async def delete_traces_that_say(work: UnitOfWork, words: Sequence[str]) -> int:
    """Remove every trace of a question that has one of these words, which nobody else has said."""
    return await work.run(_TRACES, {"words": list(words)}) if words else 0
