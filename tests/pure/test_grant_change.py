"""What a change of policy takes away from roles and systems, and nothing that it leaves or gives."""

from typing import Any

import pytest

from models.grant_change import GrantLost, grants_lost
from models.policy import Policy
from models.verbs import Verb

WIDE = {"may": ["read", "recall"], "scopes": {"workspace": "any", "user": "self"}, "tenant_wide": True}
LISTED = {"may": ["read"], "scopes": {"workspace": ["a", "b"]}}


def policy(roles: dict[str, Any], systems: dict[str, Any] | None = None) -> Policy:
    return Policy.model_validate(
        {"version": 2, "dimensions": ["workspace", "user"], "roles": roles, "systems": systems or {}}
    )


def lost(name: str = "x", **fields: Any) -> GrantLost:
    nothing: dict[str, Any] = {"gone": False, "verbs": (), "scopes": (), "tenant_wide": False}
    return GrantLost(name, **{**nothing, **fields})


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        pytest.param(WIDE, WIDE, [], id="the same"),
        pytest.param(LISTED, WIDE, [], id="more"),
        pytest.param(
            WIDE,
            None,
            [lost(gone=True, verbs=(Verb.READ, Verb.RECALL), scopes=("user", "workspace"), tenant_wide=True)],
            id="gone",
        ),
        pytest.param({}, None, [lost(gone=True)], id="gone without having had anything"),
        pytest.param(WIDE, {**WIDE, "may": ["recall"]}, [lost(verbs=(Verb.READ,))], id="a verb"),
        pytest.param(WIDE, {**WIDE, "tenant_wide": False}, [lost(tenant_wide=True)], id="the tenant"),
        pytest.param(
            WIDE,
            {**WIDE, "scopes": {"workspace": ["a"], "user": "self"}},
            [lost(scopes=("workspace",))],
            id="any value for a list",
        ),
        pytest.param(
            WIDE,
            {**WIDE, "scopes": {"workspace": "any", "user": ["u-1"]}},
            [lost(scopes=("user",))],
            id="one's own for a list",
        ),
        pytest.param(
            WIDE, {**WIDE, "scopes": {"workspace": "any", "user": "any"}}, [], id="one's own for any"
        ),
        pytest.param(
            LISTED,
            {**LISTED, "scopes": {"workspace": ["a", "c"]}},
            [lost(scopes=("workspace",))],
            id="a value",
        ),
        pytest.param(LISTED, {**LISTED, "scopes": {"workspace": ["a", "b", "c"]}}, [], id="a value more"),
        pytest.param(
            LISTED,
            {**LISTED, "scopes": {"workspace": "self"}},
            [lost(scopes=("workspace",))],
            id="a list for own",
        ),
        pytest.param(LISTED, {"may": ["read"]}, [lost(scopes=("workspace",))], id="a dimension"),
    ],
)
def test_what_a_role_loses(
    before: dict[str, Any], after: dict[str, Any] | None, told: list[GrantLost]
) -> None:
    new = {} if after is None else {"x": after}
    assert grants_lost(policy({"x": before}), policy(new)) == tuple(told)
    assert grants_lost(policy({}, {"x": before}), policy({}, new)) == tuple(told)


def test_a_role_that_becomes_a_system_is_gone() -> None:
    found = grants_lost(policy({"x": LISTED}), policy({}, {"x": LISTED}))
    assert found == (lost(gone=True, verbs=(Verb.READ,), scopes=("workspace",)),)


def test_whoever_loses_something_comes_by_name() -> None:
    found = grants_lost(policy({"b": LISTED, "a": LISTED}, {"c": LISTED}), policy({"d": WIDE}))
    assert [each.name for each in found] == ["a", "b", "c"]
