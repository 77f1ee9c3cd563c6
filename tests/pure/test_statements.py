"""How far an event has come, and what a caller may state outright."""

from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError

from models.statements import Correction, EvidenceGiven, Stage, Statement, Withdrawal, stage_of

DECISION, CONSOLIDATION, CHECKPOINT, SETTLED = (
    Stage.WAITING_FOR_DECISION,
    Stage.WAITING_FOR_CONSOLIDATION,
    Stage.WAITING_FOR_CHECKPOINT,
    Stage.SETTLED,
)


@pytest.mark.parametrize(
    ("undecided", "consolidated", "checkpoint_seen", "stated", "stage"),
    [
        *((1, *rest, DECISION) for rest in product((True, False), repeat=3)),
        (7, False, False, False, DECISION),
        *((0, True, *rest, SETTLED) for rest in product((True, False), repeat=2)),
        *((0, False, True, stated, CONSOLIDATION) for stated in (True, False)),
        (0, False, False, True, SETTLED),
        (0, False, False, False, CHECKPOINT),
    ],
)
def test_how_far_an_event_has_come(
    undecided: int, consolidated: bool, checkpoint_seen: bool, stated: bool, stage: Stage
) -> None:
    told = stage_of(
        consolidated=consolidated, checkpoint_seen=checkpoint_seen, undecided=undecided, stated=stated
    )
    assert told is stage


STATEMENT: dict[str, Any] = {"scope": {"workspace": "a"}, "attribute": "owner", "value": "Ana"}
SOUND: dict[type[Any], dict[str, Any]] = {
    Statement: STATEMENT,
    Correction: {"value": "Ana"},
    Withdrawal: {"text": "Ana has left."},
}


@pytest.mark.parametrize("shape", SOUND)
def test_the_least_that_can_be_said(shape: type[Any]) -> None:
    said = shape.model_validate(SOUND[shape])
    assert (said.occurred_at, said.timezone, said.activity_id, said.idempotency_key) == (
        None,
        None,
        None,
        None,
    )
    for field in SOUND[shape]:
        with pytest.raises(ValidationError):
            shape.model_validate({name: value for name, value in SOUND[shape].items() if name != field})


SPOKEN = [
    *(("occurred_at", odd) for odd in (0, "now", "2026-03-02", "2026-03-02T09:00:00", True, ["2026"])),
    *(("activity_id", odd) for odd in ("", "\x00", "x" * 201, 7)),
    *(("evidence_ref", odd) for odd in ("x" * 2_001, 7)),
    *(("idempotency_key", odd) for odd in ("", "\x00", "x" * 201, 7)),
    *((odd, "x") for odd in ("subject", "authority", "speaker", "roles", "tenant", "surplus", "id")),
]
TERMS = [
    *(("value", odd) for odd in ("", "\x00", " ", "...", "x" * 2_001, None, 7, ["Ana"])),
    *(("ends_when", odd) for odd in ("", " ", "!", "2026-03-02", "2026-03-02T09:00:00Z", "x" * 2_001)),
    *(("expires_at", odd) for odd in (7, "", "soon", "2026-03-02", "9999-12-31T23:59:59.999999Z")),
    *(
        ("valid_from", odd)
        for odd in ("2026-03-02T09:00:00", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00")
    ),
    *(("text", odd) for odd in ("", "\x00", "x" * 20_001, 7)),
]
OF_STATEMENTS = [
    *(("scope", odd) for odd in (None, [], "a", {"workspace": 7})),
    *(("attribute", odd) for odd in ("", "x" * 101, None)),
    *(("entity", odd) for odd in ("", " ", "\x00", "x" * 301, 7)),
]


@pytest.mark.parametrize(
    ("shape", "field", "value"),
    [
        *((shape, *odd) for shape in SOUND for odd in SPOKEN),
        *((shape, *odd) for shape in (Statement, Correction) for odd in TERMS),
        *((Statement, *odd) for odd in OF_STATEMENTS),
        *((Withdrawal, "text", odd) for odd in ("", " ", "\x00", "x" * 20_001, None)),
        *((Correction, odd, "x") for odd in ("scope", "attribute", "entity")),
        *((Withdrawal, odd, "x") for odd in ("value", "scope", "ends_when")),
    ],
)
def test_what_cannot_be_stated(shape: type[Any], field: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        shape.model_validate({**SOUND[shape], field: value})


def test_what_is_said_is_kept_as_postgres_can_hold_it() -> None:
    said = Statement.model_validate(
        {
            **STATEMENT,
            "value": "A\x00na",
            "text": "Ana \ud83d owns it",
            "entity": "db\x00-1",
            "activity_id": "a\x00",
            "occurred_at": "2026-03-02T10:00:00+01:00",
        }
    )
    assert (said.value, said.text, said.entity, said.activity_id) == (
        "Ana",
        "Ana \ufffd owns it",
        "db-1",
        "a",
    )
    assert said.occurred_at == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert said.terms.value == "Ana"


@pytest.mark.parametrize("odd", [None, "", "x", 7, [], {}, "00000000-0000-0000-0000-00000000000"])
def test_evidence_is_an_event(odd: Any) -> None:
    with pytest.raises(ValidationError):
        EvidenceGiven.model_validate({"evidence": odd})
