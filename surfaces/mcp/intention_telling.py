"""What is told of intentions in words. What they say and wait for stands in the fence, or in one line of JSON."""

from collections.abc import Sequence
from typing import Any

from capture.inbox import Due
from models.fence import fenced, record_line
from models.intention_changes import MOST_LEASES
from models.intentions import Life, Owner
from models.principals import Speaker
from models.rendering import instant
from surfaces.http.answers import IntentionChanged, IntentionPage, IntentionTold

_NOTHING_DUE = (
    "Nothing is due in your inbox now. What was handed out and not acknowledged comes again after its lease."
)
_TAKE_CARE = (
    "What is due of your own intentions, the oldest first, yours alone until `lease_ends_at`. See whether each still "
    "makes sense and whether you may: call recall. Then call acknowledge with its occurrence_id, its lease and what "
    f"came of it, or snooze. What is not acknowledged in time comes again, {MOST_LEASES} times at most."
)
_PROPOSED = (
    "What is `proposed` was taken from words of yours and fires nothing as it stands: set what you mean."
)


def intended(answer: IntentionChanged) -> str:
    """What was set, as it was understood."""
    if answer.duplicate:
        return _with_record(
            "This was set before, under the same key. Nothing has changed; it stands so:", answer
        )
    return _with_record(
        "Set. Read `understood` and `coming`: if that is not what you meant, call cancel_intention with the id and set "
        "another. When it is due it comes into your inbox, and up in recall and context.",
        answer,
    )


def listed(page: IntentionPage) -> str:
    """A page of the caller's own intentions."""
    remarks: list[str] = []
    if any(each.status is Life.PROPOSED for each in page.intentions):
        remarks.append(_PROPOSED)
    if page.next is not None:
        remarks.append(f"There are more: call intentions again with before {page.next}.")
    if not page.intentions:
        return " ".join(["None of your own intentions is here.", *remarks])
    return fenced([_record(each) for each in page.intentions], remarks)


def cancelled(answer: IntentionChanged) -> str:
    """What was given up."""
    return _with_record("Given up: nothing comes of it any more.", answer)


def handed_out(found: Sequence[Due]) -> str:
    """What is due, each with the lease under which it is acknowledged."""
    return fenced([_due(each) for each in found], [_TAKE_CARE]) if found else _NOTHING_DUE


def acknowledged(answer: IntentionChanged) -> str:
    """What comes after an acknowledgement."""
    again = " The intention goes on; `coming` says when." if answer.intention.coming else ""
    return _with_record(f"Noted. This will not come again.{again}", answer)


def put_off(answer: IntentionChanged) -> str:
    """What comes of something that was put off."""
    return _with_record("Put off. It comes into your inbox again, under another lease.", answer)


def _with_record(words: str, answer: IntentionChanged) -> str:
    return f"{words}\n{record_line(_record(answer.intention))}"


def _record(told: IntentionTold) -> dict[str, Any]:
    return {
        "id": str(told.id),
        "kind": "intention",
        "status": told.status,
        "understood": told.told,
        "coming": [instant(at) for at in told.coming],
        "not_before": instant(told.not_before),
        "deadline": instant(told.deadline),
        "grace_seconds": told.grace_seconds,
        "scope": told.scope,
        "rests_on": [str(fact) for fact in told.premises] or None,
        "reason": told.reason,
        "source": _source(told.set_by),
        "set_at": instant(told.set_at),
        "quoted": told.action,
    }


def _due(due: Due) -> dict[str, Any]:
    there, intention = due.occurrence, due.intention
    return {
        "occurrence_id": str(there.id),
        "lease": str(due.lease),
        "lease_ends_at": instant(there.available_at),
        "kind": "intention",
        "intention": str(intention.id),
        "due_at": instant(there.due_at),
        "cause": there.cause_id and str(there.cause_id),
        "handed_out": there.leases,
        "scope": intention.scope,
        "source": _source(intention.set_by),
        "data": intention.data or None,
        "quoted": intention.action,
    }


def _source(who: Owner | Speaker) -> str:
    return f"{who.kind.value} {who.subject}"
