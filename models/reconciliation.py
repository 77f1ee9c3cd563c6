"""What becomes of a claim, given what is there for its key. Pure: one claim, the key's facts, an instant.

| what comes in | what is there | verdict |
| --- | --- | --- |
| an observation of state | anything | `ignore_observation` |
| terms that are over before they begin | anything | `discard` |
| what names one fact of the key | no fact in force, or another one | `ignore_stale` |
| evidence not newer than the key's last ending | no fact in force | `ignore_stale` |
| a withdrawal | no fact in force | `discard` |
| no permission, or a hedge | no fact in force | `hold_unverified` |
| a permitted statement | no fact in force | `establish` |
| the same terms | a fact in force | `restate` |
| other terms or a withdrawal, older than the fact's latest statement | a fact in force | `ignore_stale` |
| the same, but without permission, hedged, or from a weaker source | a fact in force | `hold_unverified`, linked |
| a permitted withdrawal | a fact in force | `retract` |
| permitted other terms for a time before the fact in force began | a fact in force | `ignore_stale` |
| permitted other terms | a fact in force | `supersede` |

`retire` is decided by `models.conditions`, as it takes a confirmation and not a claim.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from models.authority import Authority
from models.candidates import CandidateKind, Terms
from models.facts import Admission, Fact


class Verdict(StrEnum):
    """The rule that was applied. `discard` keeps nothing but the verdict and its reason."""

    ESTABLISH = "establish"
    HOLD_UNVERIFIED = "hold_unverified"
    IGNORE_STALE = "ignore_stale"
    RESTATE = "restate"
    IGNORE_OBSERVATION = "ignore_observation"
    SUPERSEDE = "supersede"
    RETIRE = "retire"
    RETRACT = "retract"
    DISCARD = "discard"


class Claim(NamedTuple):
    """A candidate as the rules see it: terms, and who said so with what right.

    `holds_from` is the instant from which it claims to hold, `stated_at` the instant of its evidence, and
    `authority` that of the weakest event it cites. `terms` is None for a withdrawal or an observation.
    `about` is the one fact that it speaks of, where it names one: it never hits another.
    """

    kind: CandidateKind
    terms: Terms | None
    holds_from: datetime
    stated_at: datetime
    permitted: bool
    authority: Authority
    hedged: bool
    about: UUID | None = None


class Closing(NamedTuple):
    """A fact whose validity ends, and where."""

    fact: Fact
    at: datetime


class Decision(NamedTuple):
    """A verdict with its machine-readable reason.

    `target` is the fact in force that it concerns; `valid_from` where a new fact begins; `closings` the
    facts that end.
    """

    verdict: Verdict
    reason: str
    target: Fact | None = None
    valid_from: datetime | None = None
    closings: tuple[Closing, ...] = ()


def in_force(facts: Sequence[Fact], now: datetime) -> Fact | None:
    """The admitted fact that governs at `now` or will: of those without an end by then, the latest."""
    holding = [fact for fact in facts if _holds_after(fact, now)]
    return max(holding, key=lambda fact: (fact.valid_from, fact.recorded_at), default=None)


def last_ending(facts: Sequence[Fact], now: datetime) -> datetime | None:
    """The latest instant, up to `now`, at which an admitted fact of the key ended.

    One that was called off before it began has held at no instant: it counts by its statement.
    """
    ends = [
        fact.ends_at if fact.ends_at > fact.valid_from else fact.stated_at
        for fact in facts
        if fact.admission is Admission.ADMITTED and fact.ends_at is not None
    ]
    return max((end for end in ends if end <= now), default=None)


def decide(claim: Claim, facts: Sequence[Fact], now: datetime) -> Decision:
    """Apply the table above. `facts` are all of the key, in any order; `now` is the instant of deciding."""
    if claim.kind is CandidateKind.OBSERVATION:
        return Decision(Verdict.IGNORE_OBSERVATION, "observation_of_state")
    if _is_over_by(claim, claim.holds_from):
        return Decision(Verdict.DISCARD, "over_before_it_begins")
    governing = in_force(facts, now)
    if claim.about is not None and (governing is None or governing.id != claim.about):
        return Decision(Verdict.IGNORE_STALE, "named_fact_not_in_force", target=governing)
    if governing is None:
        return _decide_on_nothing(claim, last_ending(facts, now))
    return _decide_against(claim, governing, facts)


def _decide_on_nothing(claim: Claim, ended: datetime | None) -> Decision:
    if ended is not None and claim.stated_at <= ended:
        return Decision(Verdict.IGNORE_STALE, "older_than_last_ending")
    if claim.kind is CandidateKind.WITHDRAWAL:
        return Decision(Verdict.DISCARD, "nothing_to_withdraw")
    doubt = _doubt(claim)
    if doubt is not None:
        return Decision(Verdict.HOLD_UNVERIFIED, doubt)
    begins = claim.holds_from if ended is None else max(claim.holds_from, ended)
    if _is_over_by(claim, begins):
        return Decision(Verdict.DISCARD, "over_before_it_begins")
    return Decision(Verdict.ESTABLISH, "permitted_statement", valid_from=begins)


def _decide_against(claim: Claim, governing: Fact, facts: Sequence[Fact]) -> Decision:
    if claim.terms is not None and claim.terms.same_as(governing.terms):
        return Decision(Verdict.RESTATE, "same_terms", target=governing)
    if claim.stated_at < governing.restated_at:
        return Decision(Verdict.IGNORE_STALE, "older_than_governing", target=governing)
    doubt = _doubt(claim) or ("weaker_source" if claim.authority < governing.authority else None)
    if doubt is not None:
        return Decision(Verdict.HOLD_UNVERIFIED, doubt, target=governing)
    if claim.kind is CandidateKind.WITHDRAWAL:
        at = max(claim.holds_from, governing.valid_from)
        return Decision(
            Verdict.RETRACT, "permitted_withdrawal", governing, closings=(Closing(governing, at),)
        )
    if claim.holds_from < governing.valid_from <= claim.stated_at:
        return Decision(Verdict.IGNORE_STALE, "before_governing", target=governing)
    return Decision(
        Verdict.SUPERSEDE,
        "permitted_other_terms",
        target=governing,
        valid_from=claim.holds_from,
        closings=_closings(facts, claim.holds_from),
    )


def _is_over_by(claim: Claim, begins: datetime) -> bool:
    expires_at = None if claim.terms is None else claim.terms.expires_at
    return expires_at is not None and expires_at <= begins


def _holds_after(fact: Fact, instant: datetime) -> bool:
    """Whether an admitted fact holds at some instant after `instant`; one that ends as it begins never does."""
    if fact.admission is not Admission.ADMITTED:
        return False
    return fact.ends_at is None or fact.ends_at > max(instant, fact.valid_from)


def _doubt(claim: Claim) -> str | None:
    if not claim.permitted:
        return "not_permitted"
    return "hedged" if claim.hedged else None


def _closings(facts: Sequence[Fact], begins: datetime) -> tuple[Closing, ...]:
    """Every admitted fact that would hold at or after `begins` ends there, or where it would have begun."""
    return tuple(Closing(fact, max(begins, fact.valid_from)) for fact in facts if _holds_after(fact, begins))
