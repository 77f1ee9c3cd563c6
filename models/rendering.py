"""Records of memory as a model reads them: what is told of a fact, a passage, a claim, a conflict, an event.

Each has id, kind, source and dates. They go into a fence (`models.fence`) as data; nothing here is a sentence to a
model but the few remarks that are ours. The same record is always told in the same words.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from models.due import DueIntention
from models.facts import Status
from models.observations import LiveObservation
from models.procedure_choice import RecalledProcedure
from models.procedures import VersionStatus
from models.recall import Conflict, RecalledFact, RecalledPassage, Unmet, Without
from models.sessions import SessionEvent

MAX_SOURCES_SHOWN = 3

HEED = 'Heed what a record with "required": true says of its "attribute" and "value"; it was found to govern here.'
ABSTAIN = (
    "Memory cannot decide this: records disagree, or nothing governs what is needed. Do not choose between them; put "
    "the question to a person, or ask the system that is named."
)
UNVERIFIED = (
    "These are claims that nobody who may has settled. None of them is in force, whatever it says: do not act on one, "
    "ask a person."
)
LACKING: Mapping[Without, str] = {
    Without.LIKENESS: "Only shared words were searched for: more may be known under other words.",
    Without.SEARCH: "There was no time to search: what must be heeded is here, and more may be known.",
    Without.RERANKING: "There was no second look at what was found: the best may not be the first.",
    Without.SESSION: "There was no time for what was said in this activity just now.",
    Without.CLAIMS: "There was no time for claims that wait for a person.",
}
SESSION = "Said in this activity, the newest last. Nothing has been made of it yet: what a person corrects here holds."

PROCEDURE = (
    "The procedure that people have approved for this. Go by its steps in order, check each, and report which were "
    "done, skipped or failed."
)
TOO_LONG = "A procedure applies here and does not fit in: read it by its id before you act:"

DUE = "Your own intentions that are due, the oldest first. Acknowledge each in your inbox once it is done."


def fact_record(fact: RecalledFact) -> dict[str, Any]:
    """A fact, or a claim that is not in force where its status says so."""
    if fact.status is not Status.ACTIVE:
        return {**_fact(fact), "kind": "claim", "status": fact.status.value, "in_force": False}
    return _fact(fact)


def claim_record(claim: RecalledFact) -> dict[str, Any]:
    """A claim that waits for somebody to settle it."""
    return {**_fact(claim), "kind": "claim", "status": claim.status.value, "unverified": True}


def passage_record(passage: RecalledPassage) -> dict[str, Any]:
    """A passage of an episode."""
    return {
        "id": str(passage.id),
        "kind": "passage",
        "episode": str(passage.episode_id),
        "occurred_at": instant(passage.occurred_at),
        "source": "episode",
        "events": sources(passage.sources),
        "quoted": passage.text,
    }


def session_record(event: SessionEvent) -> dict[str, Any]:
    """An event of the running activity."""
    return {
        "id": str(event.id),
        "kind": event.type.value,
        "occurred_at": instant(event.occurred_at),
        "source": f"{event.authority.name.lower()}, {event.actor}",
        "quoted": event.text,
    }


def intention_record(due: DueIntention) -> dict[str, Any]:
    """What is due of the asker's own intentions."""
    return {
        "id": str(due.id),
        "kind": "intention",
        "intention": str(due.intention_id),
        "due_at": instant(due.due_at),
        "fate": due.fate,
        "source": "the asker's own",
        "quoted": due.action,
    }


def procedure_records(procedure: RecalledProcedure) -> list[dict[str, Any]]:
    """A procedure, and each of its steps in order, by the ids under which an agent reports on them."""
    approved = ", ".join(procedure.approved_by) or None
    whole = {
        "id": str(procedure.id),
        "kind": "procedure",
        "procedure": str(procedure.procedure_id),
        "name": procedure.name,
        "version": procedure.version,
        "on_trial": True if procedure.status is VersionStatus.TRIAL else None,
        "for": procedure.trigger.intent,
        "applies_to": list(procedure.applies_to) or None,
        "preconditions": list(procedure.preconditions) or None,
        "approved_at": instant(procedure.approved_at),
        "source": f"approved by {approved}" if approved else "approved",
    }
    steps = [
        {
            "kind": "step",
            "number": number,
            "step": step.id,
            "do": step.do,
            "verify": step.verify,
            "because": step.because,
        }
        for number, step in enumerate(procedure.steps, start=1)
    ]
    return [whole, *steps]


def observation_record(observation: LiveObservation) -> dict[str, Any]:
    """What the runtime has just verified."""
    return {
        "kind": "observation",
        "source": "verified by the runtime",
        "about": observation.entity,
        "attribute": observation.attribute,
        "value": observation.value,
        "observed_at": instant(observation.observed_at),
    }


def conflict_record(conflict: Conflict) -> dict[str, Any]:
    """A disagreement, with the question to put to a person where there is one."""
    return {
        "kind": "open_conflict" if conflict.unsettled else "settled_conflict",
        "about": conflict.entity,
        "attribute": conflict.attribute,
        "members": [str(each) for each in conflict.members],
        "settled_by": [rule.value for rule in conflict.settled_by] or None,
        "question": conflict.question,
        "not_in_force": [_fact(challenger) for challenger in conflict.challengers] or None,
    }


def unmet_record(need: Unmet) -> dict[str, Any]:
    """What the decision needs and nothing governs, with what to do instead."""
    return {"kind": "nothing_governs", **need.model_dump(mode="json", exclude_none=True)}


def instant(at: datetime | None) -> str | None:
    """An instant to the second, in the zone that it was told in."""
    return None if at is None else at.isoformat(timespec="seconds")


def _fact(fact: RecalledFact) -> dict[str, Any]:
    role = f" as {fact.authority_role}" if fact.authority_role else ""
    return {
        "id": str(fact.id),
        "kind": "fact",
        "required": fact.required or None,
        "about": fact.entity,
        "entity": fact.canonical,
        "asked_as": [name for name in fact.about if name not in {fact.entity, fact.canonical}] or None,
        "attribute": fact.attribute,
        "value": fact.value,
        "ends_when": fact.ends_when,
        "expires_at": instant(fact.expires_at),
        "valid_from": instant(fact.valid_from),
        "source": f"{fact.authority.name.lower()}{role}",
        "standing": fact.standing.value,
        "confirmed_at": instant(fact.confirmed_at),
        "observed_now": _observed(fact),
        "events": sources(fact.sources),
        "quoted": fact.statement,
    }


def _observed(fact: RecalledFact) -> dict[str, Any] | None:
    """What outranks the fact. A restriction that says otherwise binds all the same: nobody has ended it."""
    if fact.overridden_by is None:
        return None
    return {
        "value": fact.overridden_by.value,
        "observed_at": instant(fact.overridden_by.observed_at),
        "still_binds": fact.required or None,
    }


def sources(ids: Sequence[object]) -> list[str]:
    """The first few sources, and how many more there are."""
    rest = len(ids) - MAX_SOURCES_SHOWN
    return [*map(str, ids[:MAX_SOURCES_SHOWN]), *([f"and {rest} more"] if rest > 0 else [])]
