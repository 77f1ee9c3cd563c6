"""What an endpoint is told, under which id, and when it is looked at again."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from models.circuit import Circuit
from models.deliveries import message_id, signal_of, wakes_at
from models.intentions import Fate, Occurrence

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
EARLIER, LATER = NOW - timedelta(minutes=1), NOW + timedelta(minutes=1)
ID = UUID(int=7)


def occurrence(leases: int) -> Occurrence:
    return Occurrence(ID, UUID(int=8), NOW, NOW, None, Fate.DUE, 0, leases, NOW, None, None, None)


def test_a_message_has_one_id_until_it_was_put_off() -> None:
    assert message_id(occurrence(0)) == ID
    assert message_id(occurrence(1)) == message_id(occurrence(1))
    assert len({message_id(occurrence(leases)) for leases in range(4)}) == 4


def test_a_signal_holds_ids_and_instants_alone() -> None:
    said = json.loads(signal_of(UUID(int=9), occurrence(0)).model_dump_json())
    assert set(said) == {"tenant_id", "message_id", "occurrence_id", "intention_id", "due_at"}
    assert datetime.fromisoformat(said.pop("due_at")) == NOW
    assert [UUID(each).int for each in said.values()]


@pytest.mark.parametrize(
    ("open_until", "disabled_at", "next_at", "expected"),
    [
        (None, None, None, None),
        (None, None, EARLIER, EARLIER),
        (None, None, LATER, LATER),
        (NOW, None, EARLIER, NOW),
        (NOW, None, LATER, LATER),
        (NOW, None, None, None),
        (None, NOW, EARLIER, None),
        (NOW, NOW, LATER, None),
    ],
)
def test_when_it_is_looked_at_again(
    open_until: datetime | None,
    disabled_at: datetime | None,
    next_at: datetime | None,
    expected: datetime | None,
) -> None:
    assert wakes_at(Circuit(5, open_until), disabled_at, next_at) == expected
