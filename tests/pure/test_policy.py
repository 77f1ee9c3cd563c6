"""Who may do what. Whatever no role grants is refused, and no two roles add up."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from models.authority import Authority
from models.contracts import RecallPriority
from models.errors import NotPermitted, PolicyInvalid
from models.events import EventType
from models.policy import Grant, Policy
from models.principals import Principal, PrincipalKind, Speaker
from models.readers import readable_by, recalled_for
from models.scope import Scope
from models.verbs import Verb
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY
from tests.contracts import memory_class

HUMAN, AGENT, SYSTEM = PrincipalKind
A, B = Scope({"workspace": "a"}), Scope({"workspace": "b"})
AB = Scope({"workspace": "a", "project": "b"})
WHOLE = Scope({})
MAY = {"may": ["publish", "recall", "read"]}
EVERYTHING = {**MAY, "scopes": {"workspace": "any", "project": "any"}, "tenant_wide": True}

POLICY = Policy.model_validate(
    {
        "version": 2,
        "dimensions": ["workspace", "project", "user"],
        "roles": {
            "nothing": {},
            "wide": EVERYTHING,
            "reader": EVERYTHING,
            "owner_in_a": {**MAY, "scopes": {"workspace": ["a"]}},
            "lifecycle_in_b": {**MAY, "scopes": {"workspace": ["b"]}},
            "workspace_a": {**MAY, "scopes": {"workspace": ["a"]}},
            "project_b": {**MAY, "scopes": {"project": ["b"]}},
            "oneself": {**MAY, "scopes": {"user": "self"}},
            "reads_b": {"may": ["read"], "scopes": {"project": ["b"]}},
            "publisher": {"may": ["publish"], "scopes": {"workspace": "any"}},
            "called_any": {**MAY, "scopes": {"workspace": ["any", "self"]}},
        },
        "systems": {
            "pipeline": {**MAY, "scopes": {"workspace": "any"}},
            "billing": {**MAY, "scopes": {"workspace": "any"}},
        },
        "classes": {
            "ownership": memory_class(
                {
                    "owner": {
                        "synonyms": ["owned_by"],
                        "write": ["wide", "owner_in_a", "oneself", "billing"],
                        "confirm": ["wide", "owner_in_a"],
                        "authoritative": ["billing"],
                    }
                },
                levels=["workspace", "user"],
                readers=["wide", "billing"],
            ),
            "restriction": memory_class(
                {
                    "lifecycle": {
                        "write": ["wide", "lifecycle_in_b"],
                        "confirm": ["wide", "lifecycle_in_b", "pipeline"],
                    }
                },
                levels=["tenant", "workspace"],
                recall="restriction",
            ),
        },
    }
)


def who(*roles: str, subject: str = "dana", kind: PrincipalKind = HUMAN) -> Principal:
    return Principal(tenant="acme", subject=subject, kind=kind, roles=roles)


@pytest.mark.parametrize(
    ("principal", "scope", "reached"),
    [
        pytest.param(who(), A, False, id="no role"),
        pytest.param(who("unheard_of"), A, False, id="a role that the policy does not know"),
        pytest.param(who("nothing"), A, False, id="a role without grants"),
        pytest.param(who("workspace_a"), A, True, id="a listed value"),
        pytest.param(who("workspace_a"), B, False, id="a value that is not listed"),
        pytest.param(who("workspace_a"), AB, False, id="a dimension more than granted"),
        pytest.param(who("workspace_a", "project_b"), AB, False, id="two narrow roles"),
        pytest.param(who("reader"), AB, True, id="any value"),
        pytest.param(who("workspace_a"), WHOLE, False, id="the whole tenant, by a narrow role"),
        pytest.param(who("reader"), WHOLE, True, id="the whole tenant, granted"),
        pytest.param(who("oneself", subject="u-1"), Scope({"user": "u-1"}), True, id="oneself"),
        pytest.param(who("oneself", subject="u-1"), Scope({"user": "u-10"}), False, id="somebody alike"),
        pytest.param(who("oneself", subject="self"), Scope({"user": "u-1"}), False, id="called self"),
        pytest.param(who("called_any"), B, False, id="a list with the word any"),
        pytest.param(who("called_any"), Scope({"workspace": "any"}), True, id="a value called any"),
        pytest.param(who(subject="pipeline", kind=SYSTEM), A, True, id="a declared system"),
        pytest.param(who(subject="pipeline", kind=HUMAN), A, False, id="a person called like a system"),
        pytest.param(who(subject="pipeline", kind=AGENT), A, False, id="an agent called like a system"),
        pytest.param(who("pipeline"), A, False, id="a role called like a system"),
        pytest.param(who(subject="other", kind=SYSTEM), A, False, id="an undeclared system"),
        pytest.param(who("workspace_a", kind=AGENT), A, True, id="an agent reads by its role"),
    ],
)
def test_which_scopes_a_principal_reaches(principal: Principal, scope: Scope, reached: bool) -> None:
    assert POLICY.allows(principal, Verb.RECALL, scope) is reached
    if reached:
        POLICY.require(principal, Verb.RECALL, scope)
    else:
        with pytest.raises(NotPermitted) as refused:
            POLICY.require(principal, Verb.RECALL, scope)
        assert refused.value.field == "scope"


@pytest.mark.parametrize("verb", Verb)
def test_a_role_allows_the_verbs_that_it_names_and_no_other(verb: Verb) -> None:
    assert POLICY.allows(who("publisher"), verb, A) is (verb is Verb.PUBLISH)
    assert POLICY.may_know(who("publisher"), verb, WHOLE) is (verb is Verb.PUBLISH)


def test_the_role_that_allows_the_verb_must_reach_the_scope() -> None:
    assert not POLICY.allows(who("publisher", "reads_b"), Verb.PUBLISH, Scope({"project": "b"}))


STAGING, CREDENTIAL = Scope({"workspace": "staging"}), {"workspace": "staging"}


@pytest.mark.parametrize(
    ("scope", "allowed", "known"),
    [
        (STAGING, True, True),
        (Scope({"workspace": "staging", "project": "x"}), True, True),
        (Scope({"workspace": "staging-2"}), False, False),
        (Scope({"project": "x"}), False, True),
        (WHOLE, False, True),
    ],
    ids=["itself", "narrower", "a sibling", "another dimension", "the whole tenant"],
)
def test_a_credential_narrows_its_holder(scope: Scope, allowed: bool, known: bool) -> None:
    """What applies to requests within it may be known; a request of its own has to name it."""
    narrowed = who("reader").model_copy(update={"within": CREDENTIAL})
    assert POLICY.allows(narrowed, Verb.READ, scope) is allowed
    assert POLICY.may_know(narrowed, Verb.READ, scope) is known
    assert not POLICY.allows(who("workspace_a").model_copy(update={"within": CREDENTIAL}), Verb.READ, A)


@pytest.mark.parametrize("verb", [Verb.PUBLISH, Verb.RECALL, Verb.READ])
def test_a_credential_leaves_out_verbs(verb: Verb) -> None:
    sending = who("reader").model_copy(update={"only": frozenset({Verb.PUBLISH})})
    assert POLICY.allows(sending, verb, A) is (verb is Verb.PUBLISH)
    assert POLICY.may_know(sending, verb, WHOLE) is (verb is Verb.PUBLISH)
    if verb is not Verb.PUBLISH:
        with pytest.raises(NotPermitted, match="credential"):
            POLICY.require(sending, verb, A)


def test_a_credential_gives_nothing_that_no_role_gives() -> None:
    wide = who("nothing").model_copy(update={"only": frozenset(Verb), "within": {}})
    assert not any(POLICY.allows(wide, verb, A) or POLICY.may_know(wide, verb, WHOLE) for verb in Verb)


@pytest.mark.parametrize(
    ("principal", "attribute", "scope", "role"),
    [
        pytest.param(who(), "owner", A, None, id="no role"),
        pytest.param(who("owner_in_a"), "owner", A, "owner_in_a", id="granted"),
        pytest.param(who("owner_in_a"), "owned_by", A, "owner_in_a", id="by a synonym"),
        pytest.param(who("owner_in_a"), "owner", B, None, id="granted elsewhere"),
        pytest.param(who("owner_in_a"), "lifecycle", A, None, id="another attribute"),
        pytest.param(who("owner_in_a", "lifecycle_in_b"), "lifecycle", A, None, id="two narrow roles"),
        pytest.param(who("owner_in_a", "reader"), "owner", B, None, id="a narrow writer and a wide reader"),
        pytest.param(who("owner_in_a", "wide"), "owner", B, "wide", id="the role that grants it whole"),
        pytest.param(who("owner_in_a"), "owner", WHOLE, None, id="the whole tenant, by a narrow role"),
        pytest.param(who("wide"), "unheard_of", A, None, id="an attribute that is not declared"),
        pytest.param(who("wide", kind=AGENT), "owner", A, None, id="an agent never"),
        pytest.param(
            who("wide", subject="other", kind=SYSTEM), "owner", A, None, id="an undeclared system never"
        ),
        pytest.param(
            who("wide", subject="pipeline", kind=SYSTEM), "owner", A, "wide", id="a declared system"
        ),
    ],
)
def test_who_may_write(principal: Principal, attribute: str, scope: Scope, role: str | None) -> None:
    assert POLICY.permitted_writer(principal, attribute, scope) == role


@pytest.mark.parametrize(
    ("principal", "attribute", "scope", "role"),
    [
        pytest.param(who("owner_in_a"), "owner", A, "owner_in_a", id="granted"),
        pytest.param(who("owner_in_a"), "owner", B, None, id="granted elsewhere"),
        pytest.param(who("owner_in_a", "lifecycle_in_b"), "lifecycle", A, None, id="two narrow roles"),
        pytest.param(who("oneself", subject="u"), "owner", Scope({"user": "u"}), None, id="writes only"),
        pytest.param(who(subject="pipeline", kind=SYSTEM), "lifecycle", A, "pipeline", id="a system"),
        pytest.param(who(subject="pipeline", kind=SYSTEM), "owner", A, None, id="a system, not that"),
        pytest.param(who(subject="pipeline", kind=HUMAN), "lifecycle", A, None, id="a person posing"),
        pytest.param(who("wide", kind=AGENT), "lifecycle", A, None, id="an agent never"),
        pytest.param(who("wide", subject="pipeline", kind=AGENT), "lifecycle", A, None, id="an agent posing"),
        pytest.param(
            who("wide", subject="other", kind=SYSTEM), "lifecycle", A, None, id="an undeclared system never"
        ),
    ],
)
def test_who_may_confirm(principal: Principal, attribute: str, scope: Scope, role: str | None) -> None:
    assert POLICY.permitted_confirmer(principal, attribute, scope) == role


@pytest.mark.parametrize(
    ("speaker", "kind", "authority"),
    [
        (who("wide"), EventType.INSTRUCTION, Authority.HUMAN_INSTRUCTION),
        (who(), EventType.OBSERVATION, Authority.HUMAN_INSTRUCTION),
        (who("wide"), EventType.TOOL_RESULT, Authority.UNTRUSTED),
        (who("wide", kind=AGENT), EventType.MESSAGE, Authority.MODEL_INFERRED),
        (who("wide", kind=AGENT), EventType.VERIFICATION_PASSED, Authority.MODEL_INFERRED),
        (who(kind=AGENT), EventType.TOOL_RESULT, Authority.UNTRUSTED),
        (who(subject="pipeline", kind=SYSTEM), EventType.VERIFICATION_PASSED, Authority.VERIFIED_OUTCOME),
        (who(subject="pipeline", kind=SYSTEM), EventType.TOOL_RESULT, Authority.UNTRUSTED),
        (who(subject="other", kind=SYSTEM), EventType.OBSERVATION, Authority.UNTRUSTED),
        (who("pipeline", subject="other", kind=SYSTEM), EventType.OBSERVATION, Authority.UNTRUSTED),
        (who(subject="pipeline"), EventType.OBSERVATION, Authority.HUMAN_INSTRUCTION),
    ],
)
def test_what_kind_of_source_speaks(speaker: Speaker, kind: EventType, authority: Authority) -> None:
    assert POLICY.authority_of(speaker, kind) is authority


@pytest.mark.parametrize(
    ("speaker", "attribute", "recorded", "authority"),
    [
        (who(subject="billing", kind=SYSTEM), "owner", Authority.VERIFIED_OUTCOME, Authority(4)),
        (who(subject="billing", kind=SYSTEM), "lifecycle", Authority.VERIFIED_OUTCOME, Authority(3)),
        (who(subject="billing", kind=SYSTEM), "owner", Authority.UNTRUSTED, Authority(0)),
        (who(subject="pipeline", kind=SYSTEM), "owner", Authority.VERIFIED_OUTCOME, Authority(3)),
        (who(subject="billing"), "owner", Authority.HUMAN_INSTRUCTION, Authority(2)),
        (who(subject="billing"), "owner", Authority.VERIFIED_OUTCOME, Authority(3)),
    ],
)
def test_a_system_of_record_is_that_for_its_attributes_alone(
    speaker: Speaker, attribute: str, recorded: Authority, authority: Authority
) -> None:
    assert POLICY.authority_for(speaker, attribute, recorded) is authority


def refused(text: str | bytes, folder: Path) -> str:
    path = folder / "policy.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PolicyInvalid) as error:
        load_policy(path)
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize("text", ["", "[]", "just words", b"\xff\xfe\x00"], ids=repr)
def test_what_is_no_policy_is_refused(tmp_path: Path, text: str | bytes) -> None:
    assert refused(text, tmp_path).startswith(":")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolicyInvalid, match="cannot be read"):
        load_policy(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("principal", "readable"),
    [
        (who("wide"), {"owner", "owned_by", "lifecycle"}),
        (who("reader"), {"lifecycle"}),
        (who("wide", kind=AGENT), {"owner", "owned_by", "lifecycle"}),
        (who(subject="billing", kind=SYSTEM), {"owner", "owned_by", "lifecycle"}),
        (who(subject="billing"), {"lifecycle"}),
        (who(), {"lifecycle"}),
    ],
)
def test_who_may_see_memories_of_a_class(principal: Principal, readable: set[str]) -> None:
    assert POLICY.readable(principal) == readable


@pytest.mark.parametrize(
    ("reader", "shown", "undeclared"),
    [
        (who("wide"), {"owner", "owned_by", "lifecycle"}, False),
        (who("reader"), {"lifecycle"}, False),
        (who("root"), {"lifecycle"}, True),
        (who("root", kind=AGENT), {"lifecycle"}, True),
        (who("root").model_copy(update={"only": frozenset({Verb.READ})}), {"lifecycle"}, False),
        (who("root").model_copy(update={"within": {"workspace": "a"}}), {"lifecycle"}, False),
        (who("wide", "root"), {"owner", "owned_by", "lifecycle"}, True),
    ],
)
def test_what_no_class_declares_is_seen_by_administrators_who_do_not_recall(
    reader: Principal, shown: set[str], undeclared: bool
) -> None:
    roles = {**POLICY.roles, "root": Grant(may=frozenset({Verb.ADMINISTER}), tenant_wide=True)}
    policy = POLICY.model_copy(update={"roles": roles})
    listed, recalled = readable_by(policy, reader), recalled_for(policy, reader)
    for name in ("owner", "owned_by", "lifecycle"):
        assert listed.shows(name) == recalled.shows(name) == (name in shown)
    assert (listed.shows("mood"), recalled.shows("mood")) == (undeclared, False)


@pytest.mark.parametrize(
    ("reader", "present", "hides"),
    [
        pytest.param(who("wide"), {"owner", "lifecycle", "owned_by"}, False, id="reads all that is there"),
        pytest.param(who("wide"), set(), False, id="nothing is there"),
        pytest.param(who("wide"), {"mood"}, True, id="something is there that no class declares"),
        pytest.param(who("wide"), None, True, id="nobody has looked"),
        pytest.param(who("reader"), {"lifecycle"}, True, id="a class is not read"),
    ],
)
def test_whether_something_may_be_hidden(reader: Principal, present: set[str] | None, hides: bool) -> None:
    assert readable_by(POLICY, reader, present).hides is hides
    assert recalled_for(POLICY, reader, present).hides is hides


def test_recall_looks_up_the_attributes_of_restrictions() -> None:
    assert POLICY.recalled_as(RecallPriority.RESTRICTION) == {"lifecycle"}
    assert POLICY.recalled_as(RecallPriority.BACKGROUND) == {"owner", "owned_by"}
    assert POLICY.recalled_as(RecallPriority.INSTRUCTION) == set()


def test_who_may_write_the_shipped_attributes() -> None:
    shipped = load_policy(SHIPPED_POLICY)
    assert shipped.permitted_writer(who("developer"), "lifecycle_policy", A) is None
    assert shipped.permitted_writer(who("infra_lead"), "lifecycle_policy", A) == "infra_lead"


@pytest.mark.parametrize(
    "fields", [{"tenant": "Acme"}, {"tenant": ""}, {"tenant": "a/b"}, {"subject": ""}, {"kind": "god"}]
)
def test_a_malformed_principal_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Principal.model_validate({"tenant": "acme", "subject": "dana", "kind": "human", **fields})
