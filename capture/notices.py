"""Notices to endpoints: intentions that Keepwell sets for itself, due at once, in the transaction of what they tell.

They leave by the way of everything that is due: signed, tried again, at least once under one id. That there is no such
endpoint, or that it is switched off, undoes nothing that somebody has decided.
"""

from datetime import timedelta
from typing import Any

import structlog

from capture.accept import OF_AN_INTENTION
from capture.directives import Directive, hear
from capture.intentions import Beginning, begin_timed
from models.intentions import AtInstant, NewIntention, State
from models.notices import NOTIFIER, OWNER, type_of
from models.policy import Policy
from models.scope import Scope
from models.statements import Spoken
from models.verbs import Verb
from store import endpoints
from store.unit_of_work import UnitOfWork

_ALWAYS = timedelta(days=3_650)
"""A notice is delivered however late."""

log = structlog.get_logger("keepwell.notices")


async def notify(
    work: UnitOfWork, policy: Policy, scope: Scope, names: list[str], notice: dict[str, Any]
) -> None:
    """Have these endpoints told, by their names."""
    taking: list[str] = []
    for name in names:
        there = await endpoints.by_name(work, name)
        if there is None or there.disabled_at is not None:
            log.warning(
                "notice_left_out", endpoint=name, reason="unknown" if there is None else "switched_off"
            )
        else:
            taking.append(name)
    if not taking:
        return
    said = Spoken(activity_id=f"{notice['kind']}-{notice['id']}")
    told = {OF_AN_INTENTION: {"notice": notice}}
    _, event = await hear(work, NOTIFIER, policy, Directive(Verb.INTEND, scope, said, told))
    assert event is not None
    due = AtInstant(at=event.occurred_at)
    for place, name in enumerate(taking):
        new = NewIntention(
            action=type_of(notice),
            scope=dict(scope),
            at=due.at,
            grace=_ALWAYS,
            deliver_to=name,
            data=notice,
        )
        await begin_timed(work, Beginning(new, OWNER, event, State.PENDING, place), due)
