"""What is said of input that does not fit: our words for each kind of complaint that our shapes can make."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from models.api_keys import NewApiKey
from models.events import first_error
from models.policy_proposal import MOST_CHARACTERS, NewPolicy
from models.recall import RecallRequest
from models.statements import Statement

CANARY = "zanzibar-kingfisher-7731"
STATEMENT = {"scope": {"workspace": "w"}, "attribute": "owner", "value": "Ana"}
KEY = {"name": "k", "subject": "s", "kind": "human"}


class Two(BaseModel):
    version: Literal[2]
    some: list[str] = Field(default_factory=list[str], max_length=2)


@pytest.mark.parametrize(
    ("shape", "sent", "said"),
    [
        (Statement, {**STATEMENT, "value": ""}, "value: is empty; write something"),
        (
            Statement,
            {**STATEMENT, "value": CANARY * 100},
            "value: has more than 2,000 characters; shorten it",
        ),
        (Statement, {**STATEMENT, "entity": " "}, "entity: is blank; write something"),
        (Statement, {**STATEMENT, "value": 7}, "value: is not a text; write it as one"),
        (Statement, {**STATEMENT, "scope": CANARY}, "scope: is not an object; send {…}"),
        (
            NewPolicy,
            {"content": "x" * (MOST_CHARACTERS + 1), "reason": "r"},
            "content: has more than 100,000 characters; shorten it",
        ),
        (
            NewApiKey,
            {**KEY, "name": f"{CANARY}\n"},
            "name: is empty or holds a control character; write it on one line",
        ),
        (NewApiKey, {**KEY, "kind": CANARY}, "kind: is unknown; it is one of 'human', 'agent' or 'system'"),
        (RecallRequest, {"scope": {}, "limit": 0}, "limit: is too small; it is 1 or more"),
        (RecallRequest, {"scope": {}, "limit": 1_000}, "limit: is too large; it is 100 at most"),
        (RecallRequest, {"scope": {}, "limit": CANARY}, "limit: is no number; send it without quotes"),
        (RecallRequest, {"scope": {}, "entities": CANARY}, "entities: is not a list; send […]"),
        (Two, {"version": 1}, "version: is unknown; write 2"),
        (Two, {"version": 2, "some": ["a", "b", "c"]}, "some: has too many items; it takes 2 at most"),
    ],
)
def test_a_complaint_names_the_field_and_the_remedy(
    shape: type[BaseModel], sent: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValidationError) as invalid:
        shape.model_validate(sent)
    assert str(first_error(invalid.value)) == said
