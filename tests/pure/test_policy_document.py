"""A policy as a document: read back it is the same one, and equal policies have one digest."""

import json
from typing import Any

import pytest

from models.policy import Policy
from models.policy_document import digest_of, document_of
from tests.contracts import memory_class
from tests.policies import otherwise, read_by

PLAIN: dict[str, Any] = {
    "version": 2,
    "dimensions": ["workspace", "team"],
    "roles": {"lead": {"may": ["read", "publish"], "scopes": {"workspace": ["b", "a"], "team": "self"}}},
    "systems": {"crm": {}},
    "classes": {
        "customers": memory_class(
            {
                "tier": {"type": "enumeration", "values": ["gold", "basic"], "synonyms": ["level", "grade"]},
                "tags": {"type": "list", "of": "text", "cardinality": "many", "authoritative": ["crm"]},
            },
            readers=["lead", "crm"],
            retention={"held": "P1DT1H", "keep": "P365D"},
            fallback={"system_of_record": "the CRM"},
        )
    },
}


@pytest.mark.parametrize("policy", [Policy.model_validate(PLAIN), otherwise(lambda document: None)])
def test_a_document_reads_back_as_the_same_policy(policy: Policy) -> None:
    document = document_of(policy)
    assert Policy.model_validate(json.loads(json.dumps(document))) == policy
    assert document_of(Policy.model_validate(document)) == document


def test_the_order_of_a_set_makes_no_other_digest_and_the_order_of_values_does() -> None:
    other = json.loads(json.dumps(PLAIN))
    other["dimensions"].reverse()
    other["roles"]["lead"]["scopes"]["workspace"].reverse()
    other["classes"]["customers"]["readers"].reverse()
    assert digest_of(Policy.model_validate(other)) == digest_of(Policy.model_validate(PLAIN))
    other["classes"]["customers"]["attributes"]["tier"]["values"].reverse()
    assert digest_of(Policy.model_validate(other)) != digest_of(Policy.model_validate(PLAIN))


def test_whatever_says_something_else_has_another_digest() -> None:
    shipped = otherwise(lambda document: None)
    assert digest_of(shipped) != digest_of(otherwise(read_by("decision", "operator")))
    assert len(digest_of(shipped)) == 64
