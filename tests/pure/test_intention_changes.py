"""What is said of an intention once it is set: what is refused, and with which remedy."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from models.intention_changes import Rescheduling, Snooze


@pytest.mark.parametrize(("change", "field"), [(Snooze, "until"), (Rescheduling, "at")])
@pytest.mark.parametrize(
    ("instant", "remedy"),
    [
        ("9999-12-31T23:00:00Z", "before 2200"),
        ("2200-01-01T00:00:00Z", "before 2200"),
        ("0001-01-01T00:00:00+14:00", "from 1970 on"),
        ("2026-12-01T09:00:00", "offset"),
    ],
)
def test_an_instant_beyond_the_years_or_without_an_offset_is_refused(
    change: type[BaseModel], field: str, instant: str, remedy: str
) -> None:
    said: dict[str, Any] = {field: instant}
    with pytest.raises(ValidationError) as refused:
        change.model_validate(said)
    (error,) = refused.value.errors()
    assert (error["loc"], remedy in error["msg"]) == ((field,), True)


def test_the_last_instant_of_the_years_is_taken() -> None:
    assert Snooze.model_validate({"until": "2199-12-31T23:59:59Z"}).until is not None
