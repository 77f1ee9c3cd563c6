"""Directives: words to Keepwell itself, on an intention or a procedure. Each is an event, stored once.

A directive is marked as one, whatever it holds: nobody makes a memory of it, and it is a cue for nothing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from capture.accept import WAS_ERASED, Accepted, Receipt, append
from capture.recording import digest_of, event_of
from models.errors import Conflict
from models.events import EventType, StoredEvent
from models.policy import Policy
from models.principals import Speaker
from models.scope import Scope
from models.statements import Spoken
from models.verbs import Verb
from store import events as event_log
from store.unit_of_work import UnitOfWork


class Directive(NamedTuple):
    """What is directed where. `told` is what the event's data holds of it; `about` tells it from others of its verb."""

    verb: Verb
    scope: Scope
    said: Spoken
    told: Mapping[str, Any]
    about: str = ""
    text: str | None = None


class Heard(NamedTuple):
    """A directive that is stored. `event` is None where it had been stored before, and there is nothing more to do."""

    receipt: Receipt
    event: StoredEvent | None


async def hear(work: UnitOfWork, speaker: Speaker, policy: Policy, directive: Directive) -> Heard:
    """Store a directive, or find it stored by an earlier call under its key.

    Raises `Conflict` where the key stands for something else, or for what was erased.
    """
    verb, scope, said, told, about, text = directive
    event = event_of(EventType.NOTE, scope, said, text, told)
    accepted = Accepted(event, scope, digest_of(verb, said, scope, about), directive=True)
    [receipt] = await append(work, speaker, policy, [accepted])
    if receipt.erased:
        raise Conflict(WAS_ERASED, field="idempotency_key")
    if receipt.duplicate:
        return Heard(receipt, None)
    return Heard(receipt, (await event_log.by_ids(work, [receipt.event_id]))[receipt.event_id])
