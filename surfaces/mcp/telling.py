"""Answers in words for a model. What is retrieved stands in the fence; what is ours stands outside of it."""

from typing import Any

from models.fence import fenced, json_line
from models.reasons import meaning_of
from models.recall import Advice, RecallAnswer
from models.reconciliation import Verdict
from models.rendering import (
    ABSTAIN,
    DUE,
    HEED,
    PROCEDURE,
    SESSION,
    UNVERIFIED,
    claim_record,
    conflict_record,
    fact_record,
    instant,
    intention_record,
    passage_record,
    procedure_records,
    session_record,
    sources,
    unmet_record,
)
from surfaces.http.answers import (
    ContextTold,
    ExplanationTold,
    FactTold,
    HistoryTold,
    LifeTold,
    StatementOutcome,
)

_BY_WORDS = "Only shared words were searched for: use the names that memory would have, or ask again later."
_TOO_LONG = (
    "A procedure that people have approved applies here and did not fit: before you act ask with a larger "
    "budget_tokens."
)
_HELD = {
    "not_permitted": "what is said through this interface is a model's word, which puts nothing in force",
    "hedged": "it was said with a hedge",
    "weaker_source": "what is in force comes from a stronger source",
    "holds_secret": "it holds a credential or a personal number, which memory never keeps",
}
_IN_FORCE = frozenset({Verdict.ESTABLISH, Verdict.SUPERSEDE, Verdict.SCHEDULE, Verdict.BACKFILL})


def recalled(answer: RecallAnswer) -> str:
    """What recall brought back: what governs, then, each apart from it, the procedure, the session and claims."""
    parts = [_governing(answer)]
    if answer.procedure is not None:
        parts.append(fenced(procedure_records(answer.procedure), [PROCEDURE]))
    if answer.procedure_over_budget is not None:
        parts.append(_TOO_LONG)
    if answer.session:
        parts.append(fenced([session_record(event) for event in answer.session], [SESSION]))
    if answer.intentions:
        parts.append(fenced([intention_record(due) for due in answer.intentions], [DUE]))
    if answer.unverified:
        # Apart from what governs, so that no claim is read as one of the records that do.
        parts.append(fenced([claim_record(claim) for claim in answer.unverified], [UNVERIFIED]))
    return "\n".join(parts)


def _governing(answer: RecallAnswer) -> str:
    if not (answer.facts or answer.passages or answer.missing or answer.unmet or answer.conflicts):
        nothing = (
            f"Nothing in memory applies here, as of {instant(answer.as_of)}. That permits nothing by itself."
        )
        return f"{nothing} {_BY_WORDS}" if answer.without else nothing
    remarks = [f"As of {instant(answer.as_of)}."]
    if answer.required:
        remarks.insert(0, HEED)
    if answer.missing:
        remarks.append(
            f"Of the records that must be heeded, {len(answer.missing)} did not fit: do not act on this answer, ask "
            "about fewer things or with a larger budget_tokens."
        )
    if answer.without:
        remarks.append(_BY_WORDS)
    if answer.advice is Advice.ABSTAIN:
        remarks.append(ABSTAIN)
    records = [
        *map(conflict_record, answer.conflicts),
        *map(unmet_record, answer.unmet),
        *map(fact_record, answer.facts),
        *map(passage_record, answer.passages),
    ]
    return fenced(records, remarks)


def composed(answer: ContextTold) -> str:
    """The context of a step, as it is. What it leaves out of what must be heeded, it says itself."""
    return answer.text


def remembered(outcome: StatementOutcome) -> str:
    """What was decided on a proposal to remember."""
    return _with_ids(outcome, _decision_to_remember(outcome))


def _decision_to_remember(outcome: StatementOutcome) -> str:
    match outcome.verdict:
        case "pending":
            return "Stored, and not decided yet. It will be decided; until then it is not in force."
        case Verdict.HOLD_UNVERIFIED:
            against = f" {outcome.concerns} stays in force against it." if outcome.concerns else ""
            return (
                f"Kept as a claim and NOT in force: {_reason(outcome)}. Recall does not bring it back as a "
                f"fact.{against} Somebody who may say so has to state it; do not act as if it held."
            )
        case Verdict.DISPUTE:
            return (
                f"Kept as a disputed claim and NOT in force: {_reason(outcome)}. {outcome.concerns} stays in force "
                "against it until a person settles the dispute; do not act as if the claim held."
            )
        case Verdict.RESTATE:
            return "This is in force already, in these terms. Nothing has changed."
        case _ if outcome.verdict in _IN_FORCE:
            return "Accepted. It holds now." if outcome.governs else "Accepted. It does not hold now."
        case _:
            return f"Not kept: {_reason(outcome)}. Nothing has changed."


def forgotten(outcome: StatementOutcome) -> str:
    """What was decided on a proposal to forget."""
    return _with_ids(outcome, _decision_to_forget(outcome))


def _decision_to_forget(outcome: StatementOutcome) -> str:
    match outcome.verdict:
        case "pending":
            return "Stored, and not decided yet. It will be decided; until then the fact stays in force."
        case Verdict.RETRACT:
            return "The fact was taken back. It stays in the history."
        case Verdict.HOLD_UNVERIFIED:
            return (
                f"Kept as a claim: {_reason(outcome)}. The fact STAYS IN FORCE and must still be heeded. Somebody "
                "who may do so has to take it back."
            )
        case _:
            return f"Not kept: {_reason(outcome)}. The fact stays as it was."


def explained(answer: ExplanationTold) -> str:
    """Why a record is in an answer or not."""
    end = (
        "It is in the answer."
        if answer.included
        else f"It is not in the answer: dropped at {answer.dropped_at}."
    )
    steps = [
        f"- {check.step}: {'passed' if check.passed else 'dropped'}; {check.detail}"
        for check in answer.checks
    ]
    return "\n".join([f"{end} As of {instant(answer.as_of)}.", *steps])


def history(told: HistoryTold) -> str:
    """The lives of facts, in order of validity."""
    return fenced([_life(life) for life in told.lives])


def _reason(outcome: StatementOutcome) -> str:
    code = outcome.reason or "no reason was kept"
    words = _HELD.get(code) or meaning_of(code)
    return code if words is None else f"{code} ({words})"


def _with_ids(outcome: StatementOutcome, words: str) -> str:
    return f"{words}\n{json_line(outcome.model_dump(mode='json', exclude_none=True))}"


def _life(life: LifeTold) -> dict[str, Any]:
    fact = life.fact
    return {
        "id": str(fact.id),
        "kind": "fact",
        "status": fact.status,
        "scope": fact.scope,
        "about": fact.entity.name,
        "entity": fact.entity.canonical,
        "attribute": fact.attribute,
        "value": fact.value,
        "ends_when": fact.ends_when,
        "gate": life.gate,
        "expires_at": instant(fact.expires_at),
        "valid_from": instant(fact.valid_from),
        "ended_at": instant(fact.ended_at),
        "ending": fact.ending,
        "source": _source(fact),
        "standing": fact.standing,
        "challenges": fact.challenges and str(fact.challenges),
        "events": sources(life.sources),
        "quoted": fact.statement,
        "changes": [change.model_dump(mode="json", exclude_none=True) for change in life.changes],
        "confirmations": [said.model_dump(mode="json", exclude_none=True) for said in life.confirmations],
    }


def _source(fact: FactTold) -> str:
    return f"{fact.authority} as {fact.authority_role}" if fact.authority_role else str(fact.authority)
