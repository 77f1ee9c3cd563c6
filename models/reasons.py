"""Why a candidate came to its verdict: stable codes, each with what it means for whoever asks.

A code is an interface: programs compare it, people look it up, and it is never given another meaning.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self


class ReasonCode(StrEnum):
    """The reasons of decisions on candidates. `meaning` says in one line what happened and what to do."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    # What governs.
    PERMITTED_STATEMENT = "permitted_statement", "nothing was in force for this key; it governs now"
    PERMITTED_OTHER_TERMS = "permitted_other_terms", "it governs now, in place of the fact that it concerns"
    PERMITTED_FOR_LATER = (
        "permitted_for_later",
        "it waits, and takes the place of the fact that it concerns then",
    )
    PERMITTED_FOR_EARLIER = "permitted_for_earlier", "it is history: what governs is untouched"
    SAME_TERMS = "same_terms", "the fact in force says the same, and goes on"
    PERMITTED_WITHDRAWAL = "permitted_withdrawal", "the fact in force was taken back"
    REJECTED_IN_REVIEW = "rejected_in_review", "a reviewer has rejected the claim"

    # What is kept apart, until somebody settles it or it lapses.
    UNTRUSTED_SOURCE = (
        "untrusted_source",
        "a tool, a page, a file or an undeclared system says so: evidence, not authority; a person has to say it",
    )
    PROPOSED_BY_MODEL = (
        "proposed_by_model",
        "an agent says so, and a model only proposes; a person has to say it",
    )
    NOT_PERMITTED = "not_permitted", "no role of whoever said it may `write` the attribute in this scope"
    HEDGED = "hedged", "it was said as a guess; say it outright"
    NEEDS_SECOND_WORD = (
        "needs_second_word",
        "its class asks for two people; a second one has to say or accept it",
    )
    NOT_VALIDATED = (
        "not_validated",
        "a fact goes to a wider scope on two people's word or a verified source; a second one has to say or accept it",
    )
    BORNE_OUT_BELOW = (
        "borne_out_below",
        "several narrower scopes bear it out; a person has to say that it holds in the wider one",
    )
    AMBIGUOUS_ENTITY = (
        "ambiguous_entity",
        "the name means several things here; use the canonical id, `type:id`",
    )
    NOT_AMONG_VALUES = "not_among_values", "the attribute takes one of the values that its class lists"
    NOT_A_REFERENCE = (
        "not_a_reference",
        "the class keeps where a thing lies; give a location or an id without blanks",
    )
    CONTRADICTS_HISTORY = (
        "contradicts_history",
        "another fact held at the time that it speaks of; settle it in review",
    )
    WEAKER_SOURCE = "weaker_source", "what is in force rests on a stronger source; settle it in review"

    # What came too late.
    OLDER_THAN_GOVERNING = "older_than_governing", "it is older than the latest statement of what is in force"
    OLDER_THAN_LAST_ENDING = (
        "older_than_last_ending",
        "it is not newer than the end of what was there; nothing comes back by itself",
    )
    NAMED_FACT_NOT_IN_FORCE = (
        "named_fact_not_in_force",
        "the fact that it names is no longer in force; see its history",
    )
    REVIEWED_ALREADY = "reviewed_already", "the claim is settled, or has lapsed; see its history"

    # What has no claim on memory.
    OBSERVATION_OF_STATE = "observation_of_state", "a state that was seen is no rule; it stays in the log"
    UNKNOWN_ATTRIBUTE = "unknown_attribute", "no class of the policy declares such an attribute"
    SAYS_NOTHING = "says_nothing", "a courtesy or an empty word changes no decision"
    SYSTEM_OF_RECORD = (
        "system_of_record",
        "a system of record holds this; ask that system, as memory would be stale",
    )
    SOURCE_NOT_ALLOWED = "source_not_allowed", "the class takes no word from this kind of source"
    SWITCHED_OFF = "switched_off", "the person whom it is about has switched this class off"
    SCOPE_NOT_ALLOWED = (
        "scope_not_allowed",
        "the class is kept at other scope levels; name one of its dimensions",
    )
    HOLDS_SECRET = "holds_secret", "it holds a secret, which was masked; keep secrets in a vault"
    PROHIBITED_CONTENT = "prohibited_content", "the class refuses this kind of content, such as health data"
    NOT_GROUNDED = "not_grounded", "the event that it cites does not say so"
    WITHDRAWAL_WITHOUT_VALUE = (
        "withdrawal_without_value",
        "the attribute has many values; name the one to take back",
    )
    OVER_BEFORE_IT_BEGINS = "over_before_it_begins", "it expires before it could hold"
    NOTHING_TO_WITHDRAW = "nothing_to_withdraw", "nothing is in force that could be taken back"
    OWN_WORDS = (
        "own_words",
        "the class asks for four eyes: whoever said it cannot accept it; ask somebody else",
    )


_OF_ENDINGS: Mapping[str, str] = {
    "term_ran_out": "its date has come",
    "retention_ran_out": "its class keeps it no longer, as nobody has said it again",
    "permitted_confirmation": "the condition that ends it was confirmed by somebody who may, with evidence",
    "already_ended": "the fact had ended by then",
    "evidence_is_the_statement": "what states a fact cannot prove its end; confirm with another event",
    "evidence_older_than_fact": "it is older than the latest statement of the fact; give newer evidence",
}
"""Reasons of what happens to a fact without a candidate: it runs out, or its end is confirmed."""

_OF_DOUBTS: Mapping[str, str] = {
    "observed_otherwise": "live observations say otherwise, time and again; see which of the two is right",
}
"""Reasons why what governs waits for a person."""

_MEANINGS: Mapping[str, str] = {
    **_OF_ENDINGS,
    **_OF_DOUBTS,
    **{reason.value: reason.meaning for reason in ReasonCode},
}


def meaning_of(code: str) -> str | None:
    """What a stored reason means, in one line; None for a code of another version of Keepwell."""
    return _MEANINGS.get(code)
