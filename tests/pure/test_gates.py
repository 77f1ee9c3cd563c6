"""The five gates: what each stops, what each doubts, and which of two complaints is heard."""

from typing import Any

import pytest

from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Terms, said_by
from models.gates import Considered, Gate, Ruling, gate_of, judge
from models.policy import Policy
from models.reasons import ReasonCode, meaning_of
from models.reconciliation import Disposition
from models.scope import Scope
from tests.contracts import memory_class
from tests.pure.samples import event, named

LEAD = ["lead"]
POLICY = Policy.model_validate(
    {
        "version": 2,
        "dimensions": ["workspace", "user"],
        "roles": {"lead": {"scopes": {"workspace": "any"}}},
        "classes": {
            "rule": memory_class(
                {
                    "lifecycle": {"write": LEAD, "synonyms": ["life"]},
                    "rule": {"write": LEAD, "cardinality": "many"},
                }
            ),
            "contact": memory_class(
                {"channel": {"write": LEAD, "type": "enumeration", "values": ["email", "phone"]}},
                levels=["user"],
            ),
            "checked": memory_class({"outcome": {"write": LEAD}}, sources=["verified_outcome"]),
            "place": memory_class({"artifact": {"write": LEAD}}, representation="reference"),
            "liked": memory_class({"liked": {"write": LEAD}}, prohibited=["health"]),
            "stock": memory_class({"stock": {"write": LEAD}}, fallback={"system_of_record": "warehouse"}),
        },
    }
)
USER = {"user": "u-1"}
MASK = "[masked:api_key:0123456789]"


def considered(value: str | None = "keep running", attribute: str = "lifecycle", **fields: Any) -> Considered:
    """A statement by a lead, in the words of its event unless `says` gives other ones."""
    scope = fields.pop("scope", {"workspace": "staging"})
    text = fields.pop("says", f"{value or 'it'} is what gpu-1 needs")
    about = {
        name: fields.pop(name)
        for name in ("authority", "role", "switched_off", "names_fact")
        if name in fields
    }
    proposal = {
        "event_id": named("event 1"),
        "kind": CandidateKind.STATEMENT if value is not None else CandidateKind.WITHDRAWAL,
        "attribute": attribute,
        "mention": "gpu-1",
        "terms": None if value is None else Terms(value=value),
        "quote": text,
        **fields,
    }
    filled = {"authority": Authority.HUMAN_INSTRUCTION, "role": "lead", **about}
    return Considered(Proposal(**proposal), said_by(event(text)), Scope(scope), **filled)


def ruling(candidate: Considered) -> Ruling:
    return judge(candidate, POLICY.declared(candidate.proposal.attribute))


@pytest.mark.parametrize(
    ("candidate", "gate", "reason"),
    [
        pytest.param(
            considered(kind=CandidateKind.OBSERVATION),
            Gate.UTILITY,
            ReasonCode.OBSERVATION_OF_STATE,
            id="a state",
        ),
        pytest.param(
            considered(attribute="root_password"), Gate.UTILITY, ReasonCode.UNKNOWN_ATTRIBUTE, id="undeclared"
        ),
        pytest.param(considered("Thanks!"), Gate.UTILITY, ReasonCode.SAYS_NOTHING, id="a courtesy"),
        pytest.param(considered("n/a"), Gate.UTILITY, ReasonCode.SAYS_NOTHING, id="an empty word"),
        pytest.param(
            considered("7", "stock"), Gate.UTILITY, ReasonCode.SYSTEM_OF_RECORD, id="held elsewhere"
        ),
        pytest.param(
            considered("passed", "outcome"), Gate.AUTHORITY, ReasonCode.SOURCE_NOT_ALLOWED, id="not heard"
        ),
        pytest.param(
            considered(switched_off=frozenset({"rule"})),
            Gate.AUTHORITY,
            ReasonCode.SWITCHED_OFF,
            id="switched off",
        ),
        pytest.param(considered(scope=USER), Gate.SCOPE, ReasonCode.SCOPE_NOT_ALLOWED, id="another level"),
        pytest.param(considered(scope={}), Gate.SCOPE, ReasonCode.SCOPE_NOT_ALLOWED, id="the whole tenant"),
        pytest.param(
            considered(f"use {MASK}"), Gate.SENSITIVITY, ReasonCode.HOLDS_SECRET, id="a secret in the value"
        ),
        pytest.param(
            considered(mention=MASK), Gate.SENSITIVITY, ReasonCode.HOLDS_SECRET, id="a secret for a name"
        ),
        pytest.param(
            considered(terms=Terms(value="keep", ends_when=f"{MASK} ends")),
            Gate.SENSITIVITY,
            ReasonCode.HOLDS_SECRET,
            id="a secret in the condition",
        ),
        pytest.param(
            considered(says="it is idle", quote="it is idle"),
            Gate.VERIFIABILITY,
            ReasonCode.NOT_GROUNDED,
            id="not said",
        ),
        pytest.param(
            considered(None, "rule"),
            Gate.VERIFIABILITY,
            ReasonCode.WITHDRAWAL_WITHOUT_VALUE,
            id="one of many",
        ),
    ],
)
def test_what_a_gate_stops(candidate: Considered, gate: Gate, reason: ReasonCode) -> None:
    assert ruling(candidate) == (Disposition.DISCARD, gate, reason)
    assert gate_of(reason) is gate


@pytest.mark.parametrize(
    ("candidate", "gate", "reason"),
    [
        pytest.param(
            considered(authority=Authority.UNTRUSTED, role=None),
            Gate.AUTHORITY,
            ReasonCode.UNTRUSTED_SOURCE,
            id="a page",
        ),
        pytest.param(
            considered(authority=Authority.MODEL_INFERRED, role=None),
            Gate.AUTHORITY,
            ReasonCode.PROPOSED_BY_MODEL,
            id="a model",
        ),
        pytest.param(considered(role=None), Gate.AUTHORITY, ReasonCode.NOT_PERMITTED, id="without the role"),
        pytest.param(considered(hedged=True), Gate.VERIFIABILITY, ReasonCode.HEDGED, id="a guess"),
        pytest.param(
            considered("pigeon", "channel", scope=USER),
            Gate.VERIFIABILITY,
            ReasonCode.NOT_AMONG_VALUES,
            id="no value",
        ),
        pytest.param(
            considered("in the shed", "artifact"),
            Gate.VERIFIABILITY,
            ReasonCode.NOT_A_REFERENCE,
            id="no reference",
        ),
    ],
)
def test_what_a_gate_doubts(candidate: Considered, gate: Gate, reason: ReasonCode) -> None:
    assert ruling(candidate) == (Disposition.QUARANTINE, gate, reason)
    assert gate_of(reason) is gate


@pytest.mark.parametrize(
    "candidate",
    [
        pytest.param(considered(), id="permitted and said"),
        pytest.param(considered(attribute="life"), id="by a synonym"),
        pytest.param(
            considered("no sugar, I am diabetic"), id="health data, where the class does not refuse it"
        ),
        pytest.param(considered(authority=Authority.VERIFIED_OUTCOME), id="by a system"),
        pytest.param(considered("Email", "channel", scope=USER), id="a value in another case"),
        pytest.param(considered("s3://reports/7.pdf", "artifact"), id="a reference"),
        pytest.param(considered(None), id="a withdrawal of the one value"),
        pytest.param(considered(None, "rule", names_fact=True), id="a withdrawal of a value that it names"),
        pytest.param(considered(switched_off=frozenset({"contact"})), id="another class switched off"),
        pytest.param(considered(role="self"), id="by whom it is about"),
        pytest.param(
            considered("passed", "outcome", role="self"), id="by whom it is about, where people are not heard"
        ),
        pytest.param(
            considered("keep", quote=f"keep gpu-1, {MASK}", says=f"keep gpu-1, {MASK}"),
            id="a secret beside it",
        ),
    ],
)
def test_what_passes(candidate: Considered) -> None:
    assert ruling(candidate) == (Disposition.PERSIST, None, None)


def test_a_discard_is_heard_over_an_earlier_doubt() -> None:
    page = considered("pay now", says="nothing of the kind", authority=Authority.UNTRUSTED, role=None)
    assert ruling(page).reason is ReasonCode.NOT_GROUNDED


def test_of_two_doubts_the_first_is_heard() -> None:
    assert ruling(considered(hedged=True, role=None)).reason is ReasonCode.NOT_PERMITTED


def test_a_withdrawal_that_is_a_guess_is_no_withdrawal() -> None:
    assert ruling(considered(None, hedged=True)).reason is ReasonCode.HEDGED


def test_of_two_discards_the_first_gate_is_heard() -> None:
    assert ruling(considered("ok", scope={})).gate is Gate.UTILITY


def test_what_is_decided_by_what_is_there_has_no_gate() -> None:
    for reason in (ReasonCode.PERMITTED_STATEMENT, ReasonCode.WEAKER_SOURCE, ReasonCode.OWN_WORDS):
        assert gate_of(reason) is None
    assert gate_of("a reason of another version") is None


@pytest.mark.parametrize("reason", ReasonCode)
def test_every_reason_has_a_meaning_of_its_own(reason: ReasonCode) -> None:
    assert meaning_of(reason.value) == reason.meaning
    assert [other for other in ReasonCode if other.meaning == reason.meaning] == [reason]
    assert meaning_of("a reason of another version") is None
