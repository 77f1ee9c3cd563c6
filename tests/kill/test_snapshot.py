"""The comparison of two runs can fail: whatever differs in any column of any table is found."""

import copy
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from tests.kill.snapshot import RECORD_TIME, Dump, Row, difference, lines_of

NOT_COMPARED = RECORD_TIME | {"tenant_id", "id"}
"""Ids are made anew in each run; one that is referred to is compared where it is referred to."""


def _changed(value: Any) -> Any:
    """Another value of the same sort."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if len(value) == 36 and value.count("-") == 4:
            return str(uuid4())
        case str():
            return f"{value} and more"
        case list():
            return [*value, "more"]
        case dict():
            return {**value, "more": 1}
        case _:
            return "no longer null"


def _rows(found: Dump) -> Iterator[tuple[str, list[Row]]]:
    return ((table, rows) for table, rows in found.items() if rows)


def test_every_table_that_a_worker_fills_is_filled(undisturbed: Dump) -> None:
    """The outbox is empty when all is delivered; what callers and models do is no work of this worker."""
    empty = {table for table, rows in undisturbed.items() if not rows}
    by_callers = {"api_keys", "policies", "settlements", "switches", "switched_attributes", "traces"}
    by_callers |= {"reports", "exposures", "record_uses", "mismatches", "procedure_runs"}
    by_callers |= {"erasures", "erasure_confirmations", "erasure_nodes", "erasure_log", "erased_keys"}
    by_callers |= {"tombstones", "legal_holds", "departures"}
    assert empty == by_callers | {"outbox", "stimuli", "extractions", "model_spending"}


def test_no_id_is_left_without_a_name(undisturbed: Dump) -> None:
    """Scopes alone keep their ids, which are the same in every run."""
    scopes = {row["scope_key"] for row in undisturbed["events"]}
    made = {row["id"] for rows in undisturbed.values() for row in rows if "id" in row}
    text = "\n".join(lines_of(undisturbed))
    assert scopes
    assert not [identity for identity in made - scopes if identity in text]


def test_a_change_of_any_column_is_found(undisturbed: Dump) -> None:
    expected = lines_of(undisturbed)
    unseen: list[str] = []
    for table, rows in _rows(undisturbed):
        for column in rows[0].keys() - NOT_COMPARED:
            planted = copy.deepcopy(undisturbed)
            planted[table][0][column] = _changed(rows[0][column])
            if not difference(expected, lines_of(planted)):
                unseen.append(f"{table}.{column}")
    assert unseen == []


def test_a_row_lost_or_doubled_is_found(undisturbed: Dump) -> None:
    expected = lines_of(undisturbed)
    for table, rows in _rows(undisturbed):
        lost = {**undisturbed, table: rows[1:]}
        doubled = {**undisturbed, table: [*rows, rows[0]]}
        assert f"-{table} " in difference(expected, lines_of(lost))
        assert f"+{table} " in difference(expected, lines_of(doubled))


def test_a_row_that_waits_in_the_outbox_is_found(undisturbed: Dump) -> None:
    waiting = {"id": 7, "tenant_id": undisturbed["events"][0]["tenant_id"], "kind": "gate"}
    found = difference(lines_of(undisturbed), lines_of({**undisturbed, "outbox": [waiting]}))
    assert found.splitlines()[-1] == '+outbox {"kind": "gate", "tenant_id": "<tenant>"}'
