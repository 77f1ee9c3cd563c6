"""What a change of policy does to memories that are there: a table of changes, each with the one memory it touches."""

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.authority import Authority, Standing
from models.controls import About
from models.policy import Policy
from models.policy_change import (
    MOST_IDS,
    EffectKind,
    Existing,
    Reckoning,
    effects_on,
    touched_by,
)
from models.scope import Scope
from tests.contracts import memory_class

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ONE = UUID(int=1)
K = EffectKind
Change = Callable[[dict[str, Any]], object]

BEFORE: dict[str, Any] = {
    "version": 2,
    "dimensions": ["workspace", "user"],
    "roles": {
        "lead": {"may": ["read", "confirm"], "scopes": {"workspace": "any", "user": "self"}},
        "helper": {"may": ["read"], "scopes": {"workspace": "any"}},
    },
    "systems": {"billing": {"scopes": {"workspace": "any"}}},
    "classes": {
        "ownership": memory_class(
            {
                "owner": {"write": ["lead", "billing"], "confirm": ["lead"]},
                "channel": {"type": "enumeration", "values": ["e-mail", "phone"], "write": ["lead"]},
                "limit": {"type": "integer", "write": ["lead"]},
            },
            levels=["workspace", "user"],
            retention={"held": "P30D", "keep": "P365D"},
            controls=["inspect", "export", "withdraw"],
        )
    },
}


def memory(attribute: str = "owner", **fields: Any) -> Existing:
    """A fact in force that a lead said an hour ago, with `fields` in place of the defaults."""
    plain: dict[str, Any] = {
        "id": ONE,
        "attribute": attribute,
        "scope": Scope({"workspace": "a"}),
        "value": "Ana",
        "held": False,
        "waits": False,
        "authority": Authority.HUMAN_INSTRUCTION,
        "authority_role": "lead",
        "standing": Standing.OBSERVED,
        "zone": None,
        "stated_at": NOW - timedelta(hours=1),
        "restated_at": NOW - timedelta(hours=1),
        "recorded_at": NOW - timedelta(hours=1),
    }
    return Existing(**{**plain, **fields})


def after(change: Change) -> Policy:
    document = deepcopy(BEFORE)
    change(document)
    return Policy.model_validate(document)


OLD = Policy.model_validate(BEFORE)


def contract(**fields: Any) -> Change:
    """Another contract of the class."""
    return lambda document: document["classes"]["ownership"].update(fields)


def attribute(name: str = "owner", **fields: Any) -> Change:
    """Another rule of an attribute."""
    return lambda document: document["classes"]["ownership"]["attributes"][name].update(fields)


def renamed(document: dict[str, Any]) -> None:
    attributes = document["classes"]["ownership"]["attributes"]
    attributes["holder"] = attributes.pop("owner") | {"synonyms": ["owner"]}


def moved(document: dict[str, Any]) -> None:
    """The attribute goes to a class of its own, which others read."""
    owner = document["classes"]["ownership"]["attributes"].pop("owner")
    document["classes"]["people"] = memory_class(
        {"owner": owner},
        levels=["workspace", "user"],
        readers=["lead"],
        retention={"held": "P30D", "keep": "P365D"},
        controls=["inspect", "export", "withdraw"],
    )


def gone(document: dict[str, Any]) -> None:
    del document["classes"]["ownership"]["attributes"]["owner"]


def lead_gone(document: dict[str, Any]) -> None:
    del document["roles"]["lead"]
    for each in document["classes"]["ownership"]["attributes"].values():
        each["write"], each["confirm"] = ["helper"], []


def dimension_gone(document: dict[str, Any]) -> None:
    document["dimensions"] = ["workspace"]
    document["roles"]["lead"]["scopes"] = {"workspace": "any"}
    document["classes"]["ownership"]["levels"] = ["workspace"]


def narrowed(**scopes: Any) -> Change:
    return lambda document: document["roles"]["lead"].update(scopes=scopes)


def grant(name: str, **fields: Any) -> Change:
    """Another grant of a role."""
    return lambda document: document["roles"][name].update(fields)


def role_added(verb: str) -> Change:
    """A role that reaches workspaces and may do one thing there."""
    return lambda document: document["roles"].update(auditor={"may": [verb], "scopes": {"workspace": "any"}})


def helper_confirms(document: dict[str, Any]) -> None:
    grant("helper", may=["read", "confirm"])(document)
    attribute(confirm=["helper"])(document)


def class_renamed(document: dict[str, Any]) -> None:
    document["classes"]["belongings"] = document["classes"].pop("ownership")


ANA, ANA_OFF = About("ana", False), About("ana", True)
OF_ANA: dict[str, Any] = {"was": ANA, "becomes": ANA}
WAITS: dict[str, Any] = {"waits": True}
DIABETIC: dict[str, Any] = {"value": "is diabetic"}
EVERYWHERE: dict[str, Any] = {"scope": Scope({})}
NOBODY: tuple[EffectKind, tuple[str, ...]] = (K.NOBODY_CONFIRMS, ())
LESS: tuple[EffectKind, tuple[str, ...]] = (K.CONTROLS_LOST, ("withdraw",))
OF_USER = {"scope": Scope({"user": "u-1"})}
LONG_AGO = NOW - timedelta(days=100)
OLD_FACT = {"stated_at": LONG_AGO, "restated_at": LONG_AGO, "recorded_at": LONG_AGO}
HELD = {"held": True, "authority_role": None}

CASES: list[tuple[str, Change, dict[str, Any], list[tuple[EffectKind, tuple[str, ...]]]]] = [
    ("nothing", lambda document: None, {}, []),
    ("words of the contract", contract(owner="another team", version=2), {}, []),
    ("gone", gone, {}, [(K.NO_LONGER_DECLARED, ())]),
    ("gone, held", gone, HELD, [(K.NO_LONGER_DECLARED, ())]),
    ("renamed", renamed, {}, [(K.KNOWN_BY_ANOTHER_NAME, ("holder",))]),
    ("moved to a class of fewer readers", moved, {}, [(K.BECOMES_UNREADABLE_FOR, ("billing", "helper"))]),
    (
        "readers narrowed",
        contract(readers=["lead"]),
        HELD,
        [(K.BECOMES_UNREADABLE_FOR, ("billing", "helper"))],
    ),
    ("a reader added", contract(readers=["lead", "helper", "billing"]), {}, []),
    ("a restriction", contract(recall="restriction"), {}, [(K.BECOMES_RESTRICTION, ())]),
    ("an instruction", contract(recall="instruction"), {}, [(K.BECOMES_INSTRUCTION, ())]),
    ("a preference", contract(recall="preference"), {}, []),
    ("no retention", contract(retention={"held": "P30D"}), {}, []),
    ("kept longer", contract(retention={"held": "P30D", "keep": "P999D"}), {}, []),
    ("kept for less", contract(retention={"held": "P30D", "keep": "P50D"}), {}, [(K.LAPSES_SOONER, ())]),
    ("outlived", contract(retention={"held": "P30D", "keep": "P50D"}), OLD_FACT, [(K.OUTLIVED, ())]),
    (
        "restated since",
        contract(retention={"held": "P30D", "keep": "P50D"}),
        {**OLD_FACT, "restated_at": NOW},
        [(K.LAPSES_SOONER, ())],
    ),
    ("a claim, held for less", contract(retention={"held": "P1D"}), HELD, [(K.LAPSES_SOONER, ())]),
    ("a claim, lapsed before", contract(retention={"held": "P1D"}), {**HELD, **OLD_FACT}, []),
    (
        "personal",
        contract(sensitivity="personal", personal={"purpose": "p", "lawful_basis": "consent"}),
        {},
        [(K.SENSITIVITY_CHANGED, ("personal",))],
    ),
    (
        "a dimension gone",
        dimension_gone,
        OF_USER,
        [(K.DIMENSION_GONE, ("user",)), (K.SCOPE_NO_LONGER_FITS, ()), (K.WRITER_LOST, ("lead",))],
    ),
    ("a dimension gone elsewhere", dimension_gone, {}, []),
    ("a level gone", contract(levels=["workspace"]), OF_USER, [(K.SCOPE_NO_LONGER_FITS, ())]),
    (
        "sources narrowed",
        contract(sources=["authoritative_source"]),
        {},
        [(K.SOURCE_NO_LONGER_HEARD, ("human_instruction",))],
    ),
    ("a writer less", attribute(write=["billing"]), {}, [(K.WRITER_LOST, ("lead",))]),
    ("another writer less", attribute(write=["lead"]), {}, []),
    ("a writer less, of a claim", attribute(write=["billing"]), HELD, []),
    ("a writer gone", lead_gone, {}, [(K.WRITER_LOST, ("lead",))]),
    ("reach narrowed", narrowed(workspace=["b"], user="self"), {}, [(K.WRITER_LOST, ("lead",))]),
    ("reach narrowed elsewhere", narrowed(workspace=["a"], user="self"), {}, []),
    ("one's own no more", narrowed(workspace="any", user=["u-2"]), OF_USER, [(K.WRITER_LOST, ("lead",))]),
    ("one's own still", narrowed(workspace=["b"], user="self"), OF_USER, []),
    ("confidence raised", contract(confidence="confirmed"), {}, [(K.STANDING_TOO_LOW, ("observed",))]),
    ("confidence raised, confirmed", contract(confidence="confirmed"), {"standing": Standing.CONFIRMED}, []),
    ("confidence raised, a claim", contract(confidence="confirmed"), HELD, []),
    ("many values", attribute(cardinality="many"), {}, [(K.CARDINALITY_CHANGED, ("many",))]),
    ("another type", attribute(type="instant"), {}, [(K.VALUE_NO_LONGER_READS, ("instant",))]),
    ("nobody confirms", attribute(confirm=[]), {"waits": True}, [(K.NOBODY_CONFIRMS, ())]),
    ("its confirmer does not reach it", narrowed(user="self"), WAITS, [(K.WRITER_LOST, ("lead",)), NOBODY]),
    ("its confirmer lacks the verb", grant("lead", may=["read"]), WAITS, [NOBODY]),
    ("another confirmer", attribute(confirm=["helper"]), WAITS, [NOBODY]),
    ("another confirmer that may", helper_confirms, WAITS, []),
    ("nobody confirms what does not wait", attribute(confirm=[]), {}, []),
    ("another rule of conflict", contract(conflict="supersede"), {}, [(K.CONFLICT_CHANGED, ("supersede",))]),
    ("prohibits what it says", contract(prohibited=["health"]), DIABETIC, [(K.NOW_PROHIBITED, ("health",))]),
    ("prohibits something else", contract(prohibited=["health"]), {}, []),
    ("another name of the class", class_renamed, {}, []),
    ("a new role that reads", role_added("read"), {}, [(K.BECOMES_READABLE_FOR, ("auditor",))]),
    ("a new role that recalls", role_added("recall"), {}, [(K.BECOMES_READABLE_FOR, ("auditor",))]),
    ("a new role that reads elsewhere", role_added("read"), OF_USER, []),
    ("a new role that publishes", role_added("publish"), {}, []),
    (
        "what is everybody's, for a new role",
        role_added("read"),
        EVERYWHERE,
        [(K.BECOMES_READABLE_FOR, ("auditor",))],
    ),
    ("of a person, gone", gone, OF_ANA, [(K.NO_LONGER_DECLARED, ()), (K.CONTROLS_LOST, ("withdraw",))]),
    (
        "controls emptied",
        contract(controls=[]),
        OF_ANA,
        [(K.CONTROLS_LOST, ("export", "inspect", "withdraw"))],
    ),
    ("a control less", contract(controls=["export", "inspect"]), OF_ANA, [(K.CONTROLS_LOST, ("withdraw",))]),
    ("controls emptied, of nobody's", contract(controls=[]), {}, []),
    (
        "nobody's from now on",
        contract(owner="another team"),
        {"was": ANA},
        [(K.NO_LONGER_ABOUT_ANYBODY, ())],
    ),
    (
        "back from off",
        contract(owner="another team"),
        {"was": ANA_OFF, "becomes": ANA},
        [(K.NO_LONGER_SWITCHED_OFF, ())],
    ),
    (
        "off from now on",
        contract(owner="another team"),
        {"was": ANA, "becomes": ANA_OFF},
        [(K.BECOMES_SWITCHED_OFF, ())],
    ),
    ("off before and after", gone, {"was": ANA_OFF, "becomes": ANA_OFF}, [(K.NO_LONGER_DECLARED, ()), LESS]),
    (
        "a system of record",
        contract(fallback={"system_of_record": "the CRM"}),
        {},
        [(K.KEPT_ELSEWHERE, ("the CRM",))],
    ),
]


@pytest.mark.parametrize(
    ("change", "fields", "told"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_what_a_change_does_to_a_memory(
    change: Change, fields: dict[str, Any], told: list[tuple[EffectKind, tuple[str, ...]]]
) -> None:
    new = after(change)
    found = effects_on(OLD, new, [memory(**fields)], NOW)
    assert [(each.kind, each.concerns) for each in found] == told
    assert all((each.attribute, each.memories, each.ids) == ("owner", 1, (ONE,)) for each in found)
    if told:
        assert "owner" in touched_by(OLD, new)


@pytest.mark.parametrize(
    ("change", "fields", "told"),
    [
        (contract(readers=["lead"]), {}, [(K.BECOMES_READABLE_FOR, ("billing", "helper"))]),
        (contract(recall="restriction"), {}, [(K.NO_LONGER_RESTRICTION, ())]),
        (contract(recall="instruction"), {}, [(K.NO_LONGER_INSTRUCTION, ())]),
        (gone, {}, [(K.DECLARED_AGAIN, ("ownership",))]),
        (attribute(cardinality="many"), {}, [(K.CARDINALITY_CHANGED, ("one",))]),
        (contract(fallback={"system_of_record": "the CRM"}), {}, []),
        (contract(retention={"held": "P30D"}), {}, [(K.LAPSES_SOONER, ())]),
        (
            contract(retention={"held": "P30D"}),
            {"restated_at": NOW - timedelta(400)},
            [(K.OUTLIVED, ())],
        ),
        (attribute(type="instant"), {}, []),
        (narrowed(workspace=["b"]), {}, [(K.BECOMES_READABLE_FOR, ("lead",))]),
        (grant("helper", may=[]), {}, [(K.BECOMES_READABLE_FOR, ("helper",))]),
        (grant("helper", may=["recall"]), {}, []),
        (grant("helper", scopes={}), EVERYWHERE, []),
        (contract(prohibited=["health"]), {"value": "is diabetic"}, [(K.PROHIBITS_LESS, ("health",))]),
        (contract(conflict="supersede"), {}, [(K.CONFLICT_CHANGED, ("dispute",))]),
        (contract(controls=["export"]), OF_ANA, []),
        (attribute(confirm=[]), {"waits": True}, []),
    ],
)
def test_what_the_change_back_does(
    change: Change, fields: dict[str, Any], told: list[tuple[EffectKind, tuple[str, ...]]]
) -> None:
    found = effects_on(after(change), OLD, [memory(**fields)], NOW)
    assert [(each.kind, each.concerns) for each in found] == told


@pytest.mark.parametrize(
    ("name", "said", "becomes", "told"),
    [
        ("channel", {"value": "phone"}, {"values": ["phone"]}, []),
        ("channel", {"value": " PHONE"}, {"values": ["phone"]}, []),
        ("channel", {"value": "e-mail"}, {"values": ["phone"]}, [K.VALUE_NO_LONGER_READS]),
        ("channel", {"value": "by pigeon"}, {"values": ["phone"]}, []),
        ("channel", {"value": "e-mail"}, {"values": [], "type": "text"}, [K.COMPARED_OTHERWISE]),
        ("owner", {"value": "48h"}, {"type": "duration"}, [K.COMPARED_OTHERWISE]),
        ("owner", {"value": "a while"}, {"type": "duration"}, [K.VALUE_NO_LONGER_READS]),
        ("owner", {"value": "db-1"}, {"type": "entity"}, [K.COMPARED_OTHERWISE]),
        ("limit", {"value": "1000"}, {"type": "decimal"}, [K.COMPARED_OTHERWISE]),
        ("limit", {"value": "1.000"}, {"type": "decimal"}, []),
        ("limit", {"value": "1.000", "zone": "Europe/Berlin"}, {"type": "decimal"}, [K.COMPARED_OTHERWISE]),
        ("limit", {"value": "many"}, {"type": "decimal"}, []),
    ],
)
def test_a_value_is_read_as_its_type_says(
    name: str, said: dict[str, Any], becomes: dict[str, Any], told: list[EffectKind]
) -> None:
    found = effects_on(OLD, after(attribute(name, **becomes)), [memory(name, **said)], NOW)
    assert [each.kind for each in found] == told


def test_effects_come_in_order_and_name_the_first_memories() -> None:
    def much(document: dict[str, Any]) -> None:
        contract(readers=["lead"], recall="restriction")(document)
        attribute("limit", cardinality="many")(document)

    memories = [memory(name, id=UUID(int=number)) for number in range(50) for name in ("owner", "limit")]
    reckoning = Reckoning(OLD, after(much), NOW)
    for start in range(0, len(memories), 7):
        reckoning.take(memories[start : start + 7])
    found = reckoning.effects()
    assert found == effects_on(OLD, after(much), memories, NOW)
    assert [(each.kind, each.attribute) for each in found] == [
        (K.BECOMES_UNREADABLE_FOR, "limit"),
        (K.BECOMES_UNREADABLE_FOR, "owner"),
        (K.BECOMES_RESTRICTION, "limit"),
        (K.BECOMES_RESTRICTION, "owner"),
        (K.CARDINALITY_CHANGED, "limit"),
    ]
    assert {each.memories for each in found} == {50}
    assert all(each.ids == tuple(UUID(int=number) for number in range(MOST_IDS)) for each in found)


def test_every_kind_is_told_by_some_case() -> None:
    told = {kind for *_, effects in CASES for kind, _ in effects}
    back = {
        K.DECLARED_AGAIN,
        K.BECOMES_READABLE_FOR,
        K.NO_LONGER_RESTRICTION,
        K.NO_LONGER_INSTRUCTION,
        K.PROHIBITS_LESS,
    }
    assert told | back | {K.COMPARED_OTHERWISE} == set(EffectKind)


@given(
    change=st.sampled_from([case[1] for case in CASES]),
    fields=st.sampled_from([{}, HELD, OLD_FACT, OF_USER, WAITS, OF_ANA, DIABETIC, EVERYWHERE]),
    name=st.sampled_from(["owner", "channel", "limit", "unheard_of"]),
    back=st.booleans(),
)
def test_what_is_not_touched_is_not_affected(
    change: Change, fields: dict[str, Any], name: str, back: bool
) -> None:
    """Memories that nobody looks at may have no effect."""
    old, new = (after(change), OLD) if back else (OLD, after(change))
    if name not in touched_by(old, new):
        assert effects_on(old, new, [memory(name, **fields)], NOW) == ()
    assert effects_on(old, old, [memory(name, **fields)], NOW) == ()
