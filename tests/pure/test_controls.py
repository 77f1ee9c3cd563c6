"""Whom a memory is about, and what that person may do with it: every row of the tables."""

from itertools import product
from typing import Any

import pytest

from models.authority import Authority
from models.contracts import Control, MemoryClass
from models.controls import (
    About,
    Switch,
    SwitchState,
    Word,
    catalogue,
    may_see,
    permits,
    permits_call,
    person_of,
    require_in_person,
    require_switchable,
    switchable,
)
from models.errors import InvalidInput, NotPermitted
from models.policy import Policy
from models.principals import Principal, PrincipalKind, Speaker
from models.scope import Scope
from models.verbs import Verb
from models.withholding import withheld_memory, withheld_record
from tests.contracts import memory_class

HUMAN, AGENT, SYSTEM = PrincipalKind
OFF, ON = SwitchState
MINE, SHARED = Scope({"user": "ana"}), Scope({"workspace": "w"})
ALL = [each.value for each in Control]
PERSONAL: dict[str, Any] = {
    "sensitivity": "personal",
    "personal": {"purpose": "to serve", "lawful_basis": "consent"},
    "levels": ["user", "workspace"],
}
POLICY = Policy.model_validate(
    {
        "version": 2,
        "dimensions": ["user", "workspace"],
        "roles": {
            "reader": {"may": ["read"], "scopes": {"user": "any", "workspace": "any"}},
            "elsewhere": {"may": ["read", "retract"], "scopes": {"workspace": ["another"]}},
            "root": {"may": ["read", "administer"], "scopes": {"user": "any"}, "tenant_wide": True},
            "mute": {"may": ["publish"], "scopes": {"workspace": "any"}},
        },
        "classes": {
            "liking": memory_class({"likes": {"synonyms": ["prefers"]}}, controls=ALL, **PERSONAL),
            "secret": memory_class({"knows": {}}, controls=["correct"], **PERSONAL),
            "fact": memory_class({"owner": {}}, controls=["inspect", "withdraw"]),
        },
    }
)
LIKING, SECRET, FACT = (POLICY.classes[name] for name in ("liking", "secret", "fact"))


def word(
    subject: str = "ana",
    kind: PrincipalKind = HUMAN,
    authority: Authority = Authority.HUMAN_INSTRUCTION,
    *,
    counts: bool = True,
) -> Word:
    return Word(subject, kind, authority, counts)


def caller(subject: str = "ana", kind: PrincipalKind = HUMAN, *roles: str, **narrowed: Any) -> Principal:
    return Principal(tenant="t", subject=subject, kind=kind, roles=roles, **narrowed)


TOOL = word(authority=Authority.UNTRUSTED)
ECHO = word("bot", AGENT, Authority.MODEL_INFERRED, counts=False)
CLAIM = word()
"""Of what is no more than a claim, and of what a reviewer has accepted, the words count."""


@pytest.mark.parametrize(
    ("scope", "of", "words", "person"),
    [
        pytest.param(MINE, FACT, [word("olga")], "ana", id="the scope names somebody"),
        pytest.param(MINE, LIKING, [word("ben"), ECHO], "ana", id="whoever has said it"),
        pytest.param(MINE, None, [], "ana", id="whatever is declared"),
        pytest.param(Scope({"user": "ben"}), LIKING, [word()], "ben", id="not whoever said it of another"),
        pytest.param(SHARED, LIKING, [word()], "ana", id="the own words of one person"),
        pytest.param(SHARED, LIKING, [word(), word()], "ana", id="said twice"),
        pytest.param(SHARED, LIKING, [CLAIM], "ana", id="a claim of one person"),
        pytest.param(SHARED, LIKING, [word(), ECHO], "ana", id="repeated without a right to"),
        pytest.param(
            SHARED, LIKING, [ECHO, CLAIM], "ana", id="an agent has said so before, and nobody accepted"
        ),
        pytest.param(SHARED, LIKING, [CLAIM, word("ben")], "ana", id="a claim that somebody accepted"),
        pytest.param(SHARED, LIKING, [word(), word("ben")], "ana", id="somebody else has repeated it"),
        pytest.param(SHARED, LIKING, [word("Ana"), word()], "Ana", id="of two of similar names the first"),
        pytest.param(SHARED, LIKING, [word(kind=AGENT)], None, id="an agent's of the same name"),
        pytest.param(SHARED, LIKING, [word(kind=SYSTEM)], None, id="a system's of the same name"),
        pytest.param(
            SHARED, LIKING, [word(kind=AGENT), word("ben")], None, id="an agent's that somebody accepted"
        ),
        pytest.param(SHARED, LIKING, [TOOL], None, id="what a tool gave a person"),
        pytest.param(SHARED, LIKING, [], None, id="nobody's words"),
        pytest.param(SHARED, FACT, [word()], None, id="no personal data"),
        pytest.param(SHARED, None, [word()], None, id="not declared any more"),
    ],
)
def test_whom_a_memory_is_about(
    scope: Scope, of: MemoryClass | None, words: list[Word], person: str | None
) -> None:
    assert person_of(scope, of, words) == person


@pytest.mark.parametrize("control", Control)
@pytest.mark.parametrize("of", [LIKING, SECRET, FACT, None])
def test_a_control_is_the_persons_and_the_classes(control: Control, of: MemoryClass | None) -> None:
    allowed = {Control.INSPECT, Control.EXPORT} if of is None else of.controls
    for subject, kind, person in product(("ana", "Ana"), PrincipalKind, ("ana", "ben", None)):
        speaker = Speaker(subject=subject, kind=kind, roles=("root",))
        own = subject == person and kind is HUMAN
        assert permits(speaker, control, of, person) == (own and control in allowed)


@pytest.mark.parametrize("verb", Verb)
def test_a_call_takes_a_verb_that_has_a_control_and_a_credential_that_leaves_it(verb: Verb) -> None:
    good = verb in {Verb.READ, Verb.CORRECT, Verb.RETRACT}
    assert permits_call(caller(), verb, LIKING, "ana", MINE) is good
    assert permits_call(caller(only=frozenset({verb})), verb, LIKING, "ana", MINE) is good
    assert permits_call(caller(within={"user": "ana"}), verb, LIKING, "ana", MINE) is good
    others = frozenset(Verb) - {verb}
    for narrowed in (caller(only=others), caller(within={"user": "ben"}), caller(within={"workspace": "w"})):
        assert not permits_call(narrowed, verb, LIKING, "ana", MINE)
    assert not permits_call(caller("ben"), verb, LIKING, "ana", MINE)


@pytest.mark.parametrize(
    ("who", "attribute", "about", "shown"),
    [
        pytest.param(caller("ana", HUMAN, "reader"), "likes", About("ben", False), True, id="by a role"),
        pytest.param(caller("ana", HUMAN, "reader"), "likes", About("ben", True), False, id="switched off"),
        pytest.param(caller("ana", HUMAN, "root"), "likes", About("ben", True), False, id="for every role"),
        pytest.param(caller("ana", HUMAN, "mute"), "likes", About("ben", False), False, id="without a role"),
        pytest.param(caller(), "likes", About("ana", False), True, id="one's own, by the class"),
        pytest.param(caller(), "likes", About("ana", True), True, id="one's own, switched off"),
        pytest.param(caller(), "knows", About("ana", False), False, id="one's own, not by the class"),
        pytest.param(
            caller("ana", HUMAN, "reader"), "knows", About("ana", True), True, id="one's own, by a role"
        ),
        pytest.param(
            caller("ana", AGENT, "reader"), "likes", About("ana", True), False, id="an agent so called"
        ),
        pytest.param(caller(), "gone", About("ana", False), True, id="one's own, not declared any more"),
        pytest.param(caller(), "likes", About(None, False), False, id="nobody's"),
    ],
)
def test_who_is_shown_a_fact(who: Principal, attribute: str, about: About, shown: bool) -> None:
    assert may_see(POLICY, who, attribute, MINE, about) is shown


@pytest.mark.parametrize(
    ("who", "verb", "may"),
    [
        pytest.param(caller("ana", HUMAN, "elsewhere"), Verb.READ, True, id="who may read anything at all"),
        pytest.param(caller("ana", HUMAN, "elsewhere"), Verb.RETRACT, True, id="and has the verb"),
        pytest.param(caller("ana", HUMAN, "root"), Verb.RETRACT, True, id="without a role for the verb"),
        pytest.param(caller(), Verb.READ, False, id="nobody's role"),
        pytest.param(caller("ana", HUMAN, "mute"), Verb.READ, False, id="a role that reads nothing"),
        pytest.param(caller("ana", AGENT, "reader"), Verb.READ, False, id="an agent"),
        pytest.param(caller("ana", SYSTEM, "reader"), Verb.READ, False, id="a system"),
        pytest.param(caller("ana", HUMAN, "reader", within=dict(MINE)), Verb.READ, False, id="for one scope"),
        pytest.param(
            caller("ana", HUMAN, "reader", only=frozenset({Verb.READ})), Verb.READ, True, id="for it"
        ),
        pytest.param(
            caller("ana", HUMAN, "reader", only=frozenset({Verb.READ})), Verb.RETRACT, False, id="for less"
        ),
        pytest.param(
            caller("ana", HUMAN, "reader", only=frozenset({Verb.RETRACT})),
            Verb.RETRACT,
            False,
            id="for no reading",
        ),
    ],
)
def test_who_calls_in_person(who: Principal, verb: Verb, may: bool) -> None:
    if may:
        require_in_person(POLICY, who, verb)
    else:
        with pytest.raises(NotPermitted):
            require_in_person(POLICY, who, verb)


@pytest.mark.parametrize(
    ("name", "state", "current", "may"),
    [
        ("liking", OFF, ON, True),
        ("liking", ON, OFF, True),
        ("liking", ON, ON, True),
        ("fact", OFF, ON, False),
        ("fact", ON, ON, False),
        ("fact", ON, OFF, True),
        ("fact", OFF, OFF, False),
        ("gone", ON, OFF, True),
        ("gone", OFF, ON, False),
    ],
)
def test_which_classes_can_be_switched(
    name: str, state: SwitchState, current: SwitchState, may: bool
) -> None:
    assert switchable(POLICY) == {"liking"}
    if may:
        require_switchable(POLICY, name, state, current)
    else:
        with pytest.raises(InvalidInput, match="those are liking") as refused:
            require_switchable(POLICY, name, state, current)
        assert refused.value.field == "class"
    assert Switch(name, state, None).since is None


def test_the_catalogue_has_every_name_of_every_attribute() -> None:
    known = catalogue(POLICY)
    assert dict(zip(known.attributes, known.classes, strict=True)) == {
        "likes": "liking",
        "prefers": "liking",
        "knows": "secret",
        "owner": "fact",
    }
    assert known.personal == ("likes", "prefers", "knows")


def test_no_role_and_no_system_is_called_as_whoever_decides_for_themselves() -> None:
    document = {"version": 2, "dimensions": ["user"]}
    for section in ("roles", "systems"):
        with pytest.raises(ValueError, match="decides about themselves"):
            Policy.model_validate({**document, section: {"self": {}}})


ANA = caller("ana", HUMAN, "elsewhere")


@pytest.mark.parametrize(
    ("reader", "attribute", "scope", "about", "reason"),
    [
        pytest.param(None, "knows", MINE, About("ben", True), None, id="all is told"),
        pytest.param(ANA, "likes", MINE, About("ana", True), None, id="one's own"),
        pytest.param(ANA, "gone", MINE, About("ana", False), None, id="one's own, not declared any more"),
        pytest.param(ANA, "knows", MINE, About("ana", False), "class_without_export", id="by the class"),
        pytest.param(ANA, "owner", SHARED, About(None, False), "beyond_reach", id="out of reach"),
        pytest.param(
            ANA, "owner", Scope({"workspace": "another"}), About(None, False), None, id="within reach"
        ),
        pytest.param(
            ANA,
            "likes",
            Scope({"workspace": "another"}),
            About("ben", True),
            "beyond_reach",
            id="switched off",
        ),
    ],
)
def test_which_memories_are_withheld(
    reader: Principal | None, attribute: str, scope: Scope, about: About, reason: str | None
) -> None:
    assert withheld_memory(POLICY, reader, attribute, scope, about) == reason


def test_which_other_records_are_withheld() -> None:
    another = Scope({"workspace": "another"})
    for hidden in (False, True):
        assert withheld_record(POLICY, None, SHARED, theirs=False, quotes_hidden=hidden) is None
        assert withheld_record(POLICY, ANA, SHARED, theirs=True, quotes_hidden=hidden) is None
        assert withheld_record(POLICY, ANA, SHARED, theirs=False, quotes_hidden=hidden) == "beyond_reach"
    assert withheld_record(POLICY, ANA, another, theirs=False, quotes_hidden=False) is None
    assert withheld_record(POLICY, ANA, another, theirs=False, quotes_hidden=True) == "beyond_reach"
