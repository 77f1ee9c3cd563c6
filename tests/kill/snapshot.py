"""The rows of one tenant, comparable between runs: ids become labels, and instants of recording go.

An id that no rule here can name stays as it is. It differs from run to run, so that a record of an unknown
kind shows up as a difference and never passes unseen.
"""

import difflib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

RECORD_TIME = frozenset(
    {
        *("recorded_at", "revised_at", "opened_at", "closed_at", "decided_at", "written_by", "created_at"),
        *("fired_at", "available_at", "settled_at", "first_sent_at"),
        # A webhook of the tests has another port and another secret each time.
        *("address", "secrets"),
        # Claims lapse so long after they were recorded, and so do proposals.
        *("lapses_at", "remind_at", "escalate_at", "read_at"),
    }
)
"""Columns that say when or by which transaction a row was written, in any table."""
_MADE_IDS = {"transitions": "id", "outbox": "id", "stimuli": "id"}
"""Ids that nothing else refers to, by table."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_TABLES = text(
    "SELECT table_name FROM information_schema.columns"
    " WHERE table_schema = 'public' AND column_name = 'tenant_id' ORDER BY table_name"
)

Row = dict[str, Any]
Dump = dict[str, list[Row]]


async def dump(connection: AsyncConnection) -> Dump:
    """Every row of every table that has a tenant, as the database holds it; it holds one tenant."""
    tables = [str(name) for name in (await connection.execute(_TABLES)).scalars()]
    found: Dump = {}
    for table in tables:
        rows = await connection.execute(text(f"SELECT to_jsonb(t) FROM {table} t"))
        found[table] = [dict(row) for row in rows.scalars()]
    return found


def lines_of(found: Dump) -> list[str]:
    """One sorted line for each row, with labels for ids and without instants of recording."""
    labels = _labels(found)

    def labelled(value: Any) -> Any:
        if isinstance(value, str):
            return _UUID.sub(lambda match: labels.get(match.group(), match.group()), value)
        if isinstance(value, Mapping):
            return {key: labelled(each) for key, each in value.items()}
        if isinstance(value, Sequence):
            return [labelled(each) for each in value]
        return value

    lines = [
        f"{table} {json.dumps(labelled(_kept(table, row)), sort_keys=True, ensure_ascii=False)}"
        for table, rows in found.items()
        for row in rows
    ]
    return sorted(lines)


def _kept(table: str, row: Row) -> Row:
    left_out = {*RECORD_TIME, _MADE_IDS.get(table)}
    if table == "events" and _UUID.search(json.dumps(row["data"])):
        # A digest of words that name an id differs from run to run as the id does.
        left_out.add("digest")
    if table == "transitions" and (
        row["rule"] == "deliver" or row["record_kind"] in ("proposal", "procedure")
    ):
        # It takes effect when the endpoint has answered, or when a decision is counted.
        left_out.add("effective_at")
    if table == "procedure_versions":
        row = {**row, "approved": [_undated(each) for each in row["approved"]]}
    return {column: value for column, value in row.items() if column not in left_out}


def _undated(approval: Any) -> Any:
    return {**approval, "at": None} if isinstance(approval, Mapping) else approval


def _labels(found: Dump) -> dict[str, str]:
    """Ids to labels from natural keys, in the order in which one key builds on another."""
    labels: dict[str, str] = {row["tenant_id"]: "<tenant>" for rows in found.values() for row in rows}

    def name(table: str, kind: str, *columns: str) -> None:
        for row in found[table]:
            parts = [str(row[column]) for column in columns]
            labels[row["id"]] = f"<{kind} {' '.join(labels.get(part, part) for part in parts)}>"

    name("activities", "activity", "external_id")
    name("events", "event", "activity_id", "seq")
    name("entities", "entity", "canonical")
    name("episodes", "episode", "activity_id")
    name("passages", "passage", "episode_id", "text")
    name("fact_keys", "key", "entity_id", "attribute", "value_key")
    name("candidates", "candidate", "event_id", "key_id", "attribute", "mention")
    made_by = {row["fact_id"]: row["candidate_id"] for row in found["decisions"] if row["fact_id"]}
    for row in found["facts"]:
        labels[row["id"]] = f"<fact of {labels.get(made_by.get(row['id'], ''), row['statement'])}>"
    name("confirmations", "confirmation", "fact_id", "event_id", "subject")
    name("intentions", "intention", "event_id")
    name("endpoints", "endpoint", "name")
    name("procedures", "procedure", "name")
    name("proposals", "proposal", "event_id")
    name("procedure_versions", "version", "procedure_id", "number")
    name("proposal_decisions", "decision", "event_id")
    name("transitions", "transition", "record_id", "to_status", "rule")
    name("occurrences", "occurrence", "intention_id", "key")
    spaces = Counter(row["space_id"] for row in found["vectors"])
    labels.update({space: f"<space {place}>" for place, (space, _) in enumerate(spaces.most_common())})
    return labels


def difference(expected: Sequence[str], found: Sequence[str]) -> str:
    """The lines that differ, `-` for what is missing and `+` for what is too many; "" where none does."""
    compared = difflib.unified_diff(expected, found, "undisturbed", "killed", lineterm="", n=0)
    return "\n".join(line for line in compared if not line.startswith("@@"))
