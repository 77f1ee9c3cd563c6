"""Promises, and wishes to be reminded, that people and agents put into words: intentions, proposed or set.

Who said it is whose it is. What is proposed fires nothing before its owner has confirmed it. No model is asked, and
what a tool, a page or a ticket says sets and proposes nothing.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from capture.intentions import Beginning, begin_timed, has_set_many, intention_id
from models.captures import Captured
from models.errors import InvalidInput
from models.events import StoredEvent
from models.intentions import AtInstant, NewIntention, Owner, Recurring, State
from models.policy import Policy
from models.scope import Scope
from models.verbs import Verb
from providers.rule_extractor.promises import Promise, promises_of
from store import intentions, subjects
from store.unit_of_work import UnitOfWork


class Promised(NamedTuple):
    """A promise that counts, in which event it was made, and in which state it begins."""

    promise: Promise
    event: StoredEvent
    state: State


def promised_in(policy: Policy, events: Iterable[StoredEvent]) -> list[Promised]:
    """The promises of `events` that count.

    | who said it | |
    | --- | --- |
    | a tool, a page, a ticket, a system that the policy does not know | counts for nothing |
    | whoever the policy says to ignore | counts for nothing |
    | for themselves, without the right to `intend` in the event's scope | counts for nothing |
    | for somebody else, without the right to `assign` there | counts for nothing |
    | anybody else | is proposed or set, as the policy says of their authority |

    A word on an intention that is set already, such as an acknowledgement, promises nothing by itself.
    """
    found: list[Promised] = []
    for event in events:
        captured = policy.intentions.of(event.authority)
        if captured is Captured.IGNORE or event.directive:
            continue
        state = State.PENDING if captured is Captured.SET else State.PROPOSED
        scope = Scope(event.scope)
        for promise in promises_of(event):
            verb = Verb.INTEND if promise.to is None else Verb.ASSIGN
            if policy.grants(event.speaker, verb, scope):
                found.append(Promised(promise, event, state))
    return found


async def propose(work: UnitOfWork, promised: Sequence[Promised]) -> int:
    """Propose, or set, what was promised; how many intentions that made.

    Each phrase of an event makes one, however often it is tried. One whose time has come by now makes none, nor has
    anybody who has set as many as may be set in a minute another one.
    """
    made = 0
    for each in promised:
        event = each.event
        identity = intention_id(event.id, each.promise.start)
        if await intentions.get(work, identity) is not None or await has_set_many(work, event.speaker):
            continue
        owner = await _owner(work, each)
        new = None if owner is None else _new(each)
        if owner is None or new is None:
            continue
        when = each.promise.when
        trigger = Recurring(recurrence=when.recurrence) if when.recurrence is not None else _at(each.promise)
        try:
            await begin_timed(work, Beginning(new, owner, event, each.state, each.promise.start), trigger)
        except InvalidInput:
            continue
        made += 1
    return made


def _at(promise: Promise) -> AtInstant:
    assert promise.when.at is not None
    return AtInstant(at=promise.when.at)


def _new(promised: Promised) -> NewIntention | None:
    """The intention as it would have been set outright; None where it could not have been."""
    event, when = promised.event, promised.promise.when
    timing = {"at": when.at} if when.recurrence is None else {"every": {"rule": when.recurrence.rule}}
    try:
        return NewIntention.model_validate(
            {
                "action": promised.promise.action,
                "scope": event.scope,
                "timezone": event.timezone,
                "occurred_at": event.occurred_at,
                **timing,
            }
        )
    except ValidationError:
        return None


async def _owner(work: UnitOfWork, promised: Promised) -> Owner | None:
    """Whose it is: the speaker's, or that of the one whom a name means; None where that is nobody, or one of several.

    A name is taken to the letter, and then in small letters.
    """
    speaker, name = promised.event.speaker, promised.promise.to
    if name is None:
        return Owner(subject=speaker.subject, kind=speaker.kind)
    found = await subjects.known(work, [name, name.lower()])
    exact = [each for each in found if each.subject == name] or found
    return exact[0] if len(exact) == 1 else None
