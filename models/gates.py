"""The five gates that every candidate passes, whatever produced it: utility, authority, scope, sensitivity, and
verifiability, in this order. Pure: what a candidate says, who said it where, and what the policy declares.

A discard ends the passage and keeps no words. A doubt does not: the candidate goes on, as a later gate may still
discard it, and in the end it is quarantined for the first doubt that was raised.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from models.authority import Authority
from models.candidates import CandidateKind, Proposal, Said, is_grounded
from models.contracts import SELF, Cardinality
from models.masking import holds_mask
from models.policy import Declared
from models.prohibited import prohibited_in
from models.reasons import ReasonCode
from models.reconciliation import Disposition
from models.scope import Scope
from models.text import normalise
from models.values import ValueType, canonical


class Gate(StrEnum):
    """The gates, in order."""

    UTILITY = "utility"
    AUTHORITY = "authority"
    SCOPE = "scope"
    SENSITIVITY = "sensitivity"
    VERIFIABILITY = "verifiability"


class Considered(NamedTuple):
    """A candidate before the gates.

    `said` is what the event that it cites says, `authority` what kind of source speaks there for this attribute,
    `role` the one in which the speaker may write it in `scope`, `self` for whom its class lets say it as it is about
    themselves, None where there is none. `switched_off` are the classes that the person whom it is about does not
    want. `names_fact` says that it speaks of one fact, by id, and `borne_out` that nobody says it, and narrower scopes
    bear it out.
    """

    proposal: Proposal
    said: Said
    scope: Scope
    authority: Authority
    role: str | None
    switched_off: frozenset[str] = frozenset()
    names_fact: bool = False
    borne_out: bool = False


class Ruling(NamedTuple):
    """What the gates say: where it was stopped or doubted, and why; neither for what may go on to be decided."""

    disposition: Disposition
    gate: Gate | None = None
    reason: ReasonCode | None = None


_REASONS: Mapping[Gate, frozenset[ReasonCode]] = {
    Gate.UTILITY: frozenset(
        {
            ReasonCode.UNKNOWN_ATTRIBUTE,
            ReasonCode.SAYS_NOTHING,
            ReasonCode.OBSERVATION_OF_STATE,
            ReasonCode.SYSTEM_OF_RECORD,
        }
    ),
    Gate.AUTHORITY: frozenset(
        {
            ReasonCode.SOURCE_NOT_ALLOWED,
            ReasonCode.SWITCHED_OFF,
            ReasonCode.UNTRUSTED_SOURCE,
            ReasonCode.PROPOSED_BY_MODEL,
            ReasonCode.NOT_PERMITTED,
            ReasonCode.NEEDS_SECOND_WORD,
            ReasonCode.NOT_VALIDATED,
            ReasonCode.BORNE_OUT_BELOW,
        }
    ),
    Gate.SCOPE: frozenset({ReasonCode.SCOPE_NOT_ALLOWED, ReasonCode.AMBIGUOUS_ENTITY}),
    Gate.SENSITIVITY: frozenset({ReasonCode.HOLDS_SECRET, ReasonCode.PROHIBITED_CONTENT}),
    Gate.VERIFIABILITY: frozenset(
        {
            ReasonCode.NOT_GROUNDED,
            ReasonCode.WITHDRAWAL_WITHOUT_VALUE,
            ReasonCode.HEDGED,
            ReasonCode.NOT_AMONG_VALUES,
            ReasonCode.NOT_A_REFERENCE,
        }
    ),
}
"""At which gate each reason is given. What names no gate here was decided by what is there for the key.

Three of them are found out later, once it is known who else has said so and which things go by a name.
"""
_GATE_OF: Mapping[str, Gate] = {reason: gate for gate, reasons in _REASONS.items() for reason in reasons}


def gate_of(reason: str) -> Gate | None:
    """The gate that stopped a candidate for `reason`, or doubted it; None for what has passed all five."""
    return _GATE_OF.get(reason)


Finding = tuple[Disposition, ReasonCode]
_DISCARD, _QUARANTINE = Disposition.DISCARD, Disposition.QUARANTINE

# fmt: off
_COURTESIES = frozenset({
    "ok", "okay", "yes", "no", "maybe", "thanks", "thank you", "please", "hello", "hi", "hey", "bye", "none", "null",
    "nil", "unknown", "undefined", "n/a", "na", "tbd", "todo", "nothing", "something", "anything", "it", "this",
    "that", "here", "there", "?", "-", ".", "...", "…",
})
# fmt: on
"""Values that could change no decision."""


def judge(considered: Considered, declared: Declared | None) -> Ruling:
    """Let a candidate pass the gates. `declared` is what the policy has under its attribute.

    | gate | discards | doubts |
    | --- | --- | --- |
    | utility | states, undeclared attributes, courtesies, what a system of record holds | |
    | authority | sources that the class does not hear, classes switched off | tools, models, no permission, nobody |
    | scope | scopes at levels that the class does not have | |
    | sensitivity | masked secrets, kinds of content that the class refuses | |
    | verifiability | what its event does not say, withdrawals that name no value among many | hedges, unfit values |
    """
    if considered.proposal.kind is CandidateKind.OBSERVATION:
        return Ruling(_DISCARD, Gate.UTILITY, ReasonCode.OBSERVATION_OF_STATE)
    if declared is None:
        return Ruling(_DISCARD, Gate.UTILITY, ReasonCode.UNKNOWN_ATTRIBUTE)
    doubt: Ruling | None = None
    for gate, passage in _GATES.items():
        finding = passage(considered, declared)
        if finding is None:
            continue
        ruling = Ruling(finding[0], gate, finding[1])
        if ruling.disposition is _DISCARD:
            return ruling
        doubt = doubt or ruling
    return doubt or Ruling(Disposition.PERSIST)


def _utility(considered: Considered, declared: Declared) -> Finding | None:
    if declared.memory_class.system_of_record is not None:
        return _DISCARD, ReasonCode.SYSTEM_OF_RECORD
    terms = considered.proposal.terms
    if (
        terms is not None
        and declared.attribute.type is ValueType.TEXT
        and normalise(terms.value) in _COURTESIES
    ):
        return _DISCARD, ReasonCode.SAYS_NOTHING
    return None


def _authority(considered: Considered, declared: Declared) -> Finding | None:
    if considered.borne_out:
        # The class has heard whoever said it in the narrower scopes.
        return _QUARANTINE, ReasonCode.BORNE_OUT_BELOW
    # A class that lets people correct or withdraw what is about them hears them in that.
    if not declared.memory_class.hears(considered.authority) and considered.role != SELF:
        return _DISCARD, ReasonCode.SOURCE_NOT_ALLOWED
    if declared.class_name in considered.switched_off:
        return _DISCARD, ReasonCode.SWITCHED_OFF
    match considered.authority:
        case Authority.UNTRUSTED:
            return _QUARANTINE, ReasonCode.UNTRUSTED_SOURCE
        case Authority.MODEL_INFERRED:
            return _QUARANTINE, ReasonCode.PROPOSED_BY_MODEL
        case _:
            return None if considered.role is not None else (_QUARANTINE, ReasonCode.NOT_PERMITTED)


def _scope(considered: Considered, declared: Declared) -> Finding | None:
    if not declared.memory_class.fits(considered.scope):
        return _DISCARD, ReasonCode.SCOPE_NOT_ALLOWED
    return None


def _sensitivity(considered: Considered, declared: Declared) -> Finding | None:
    proposal = considered.proposal
    terms = () if proposal.terms is None else (proposal.terms.value, proposal.terms.ends_when or "")
    words = (*terms, proposal.mention or "")
    if any(holds_mask(each) for each in words):
        return _DISCARD, ReasonCode.HOLDS_SECRET
    refused = declared.memory_class.prohibited
    if refused and any(refused & prohibited_in(each) for each in (*words, proposal.quote) if each):
        return _DISCARD, ReasonCode.PROHIBITED_CONTENT
    return None


def _verifiability(considered: Considered, declared: Declared) -> Finding | None:
    proposal, attribute = considered.proposal, declared.attribute
    if not is_grounded(proposal, considered.said, by_id=considered.names_fact):
        return _DISCARD, ReasonCode.NOT_GROUNDED
    names_none = attribute.cardinality is Cardinality.MANY and not considered.names_fact
    if proposal.terms is None and names_none:
        return _DISCARD, ReasonCode.WITHDRAWAL_WITHOUT_VALUE
    if proposal.hedged:
        return _QUARANTINE, ReasonCode.HEDGED
    unfit = None if proposal.terms is None else _unfit(proposal.terms.value, declared)
    return None if unfit is None else (_QUARANTINE, unfit)


def _unfit(value: str, declared: Declared) -> ReasonCode | None:
    """Why a value is none of its attribute."""
    attribute = declared.attribute
    if attribute.type is ValueType.ENUMERATION and not canonical(value, attribute).read:
        return ReasonCode.NOT_AMONG_VALUES
    if declared.memory_class.representation == "reference" and len(value.split()) > 1:
        return ReasonCode.NOT_A_REFERENCE
    return None


_GATES: Mapping[Gate, Callable[[Considered, Declared], Finding | None]] = {
    Gate.UTILITY: _utility,
    Gate.AUTHORITY: _authority,
    Gate.SCOPE: _scope,
    Gate.SENSITIVITY: _sensitivity,
    Gate.VERIFIABILITY: _verifiability,
}
