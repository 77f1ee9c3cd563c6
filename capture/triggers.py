"""Triggers as they are stored: delays and words are instants, names are ids, and what cannot come is refused."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pydantic import ValidationError

from capture.reach import fact_within_reach
from capture.values import canonical_in
from models.contracts import Cardinality
from models.cues import require_declared
from models.entities import is_canonical
from models.errors import InvalidInput
from models.events import EntityMention, StoredEvent, first_error
from models.facts import Fact
from models.intentions import AtInstant, Change, NewChange, NewIntention, Recurring, Timing, Trigger
from models.policy import Policy
from models.principals import Principal
from models.readers import readable_by
from models.recurrence import Recurrence, counted_after
from models.scope import Scope
from models.verbs import Verb
from providers.time_phrases import read_phrase
from store import entities, facts
from store.intentions import PREMISE, TRIGGER, Watch
from store.unit_of_work import UnitOfWork

ZONE = "UTC"
"""The zone of whoever says none."""


class Resolved(NamedTuple):
    """A trigger, and the fact keys to look at, which are held."""

    trigger: Trigger
    watches: tuple[Watch, ...] = ()


def timed(timing: Timing, zone: str, now: datetime) -> AtInstant | Recurring:
    """When it is due, of a `timing` that says so. Raises `InvalidInput` for words that could mean two things."""
    if timing.at is not None:
        return AtInstant(at=timing.at)
    if timing.after is not None:
        return AtInstant(at=now + timing.after)
    if timing.words is not None:
        read = read_phrase(timing.words, now, zone)
        if read.at is not None:
            return AtInstant(at=read.at)
        assert read.recurrence is not None
        return Recurring(recurrence=read.recurrence)
    assert timing.every is not None
    every = timing.every
    try:
        recurrence = Recurrence.model_validate(
            {
                "rule": every.rule,
                "timezone": every.timezone or zone,
                # A rule that names no seconds has those of its start; nobody means the second at which they spoke.
                "starts": every.starts or now.replace(second=0, microsecond=0),
                "exceptions": every.exceptions,
            }
        )
    except ValidationError as invalid:
        error = first_error(invalid)
        raise InvalidInput(error.message, field=".".join(filter(None, ("every", error.field)))) from None
    return Recurring(recurrence=counted_after(recurrence, now) if every.starts is None else recurrence)


def as_said(policy: Policy, new: NewIntention, now: datetime) -> Trigger:
    """The trigger of an intention as far as its own words say. Raises `InvalidInput` for what nobody could wait for."""
    if new.on is not None:
        require_declared(new.on, policy.cue_fields)
        return new.on
    if new.change is not None:
        return Change.model_validate(new.change.model_dump())
    return timed(new, new.timezone or ZONE, now)


async def resolved(
    work: UnitOfWork, policy: Policy, principal: Principal, new: NewIntention, event: StoredEvent
) -> Resolved:
    """The trigger of an intention that `event` sets. Raises `InvalidInput`, and as `fact_within_reach` does."""
    if new.change is not None:
        return await _change(work, policy, principal, new.change, event)
    return Resolved(as_said(policy, new, event.occurred_at))


async def held_facts(
    work: UnitOfWork, policy: Policy, principal: Principal, fact_ids: Collection[UUID]
) -> list[Fact]:
    """The facts that an intention rests on, or waits for; none changes before the transaction ends.

    Whoever changes one then sees that it is watched. Raises as `fact_within_reach` does.
    """
    found = [
        await fact_within_reach(work, policy, principal, fact_id, Verb.READ)
        for fact_id in dict.fromkeys(fact_ids)
    ]
    for key_id in sorted({fact.key_id for fact in found}):
        await facts.lock_key(work, key_id)
    held = await facts.by_ids(work, [fact.id for fact in found])
    return sorted(held, key=lambda fact: fact.id)


def watched(found: Collection[Fact]) -> tuple[Watch, ...]:
    """The fact keys of premises."""
    return tuple(Watch(fact.key_id, PREMISE) for fact in found)


async def _change(
    work: UnitOfWork, policy: Policy, principal: Principal, wanted: NewChange, event: StoredEvent
) -> Resolved:
    if wanted.fact_id is not None:
        [fact] = await held_facts(work, policy, principal, [wanted.fact_id])
        return Resolved(Change.model_validate(wanted.model_dump()), (Watch(fact.key_id, TRIGGER),))
    assert wanted.attribute is not None
    declared = policy.declared(wanted.attribute)
    if declared is None or not readable_by(policy, principal).shows(declared.name):
        known = ", ".join(sorted(policy.attributes))
        raise InvalidInput(
            f"no such attribute that you may read; the policy has {known}", field="change.attribute"
        )
    canonical = None
    if wanted.value is not None:
        canonical = await canonical_in(work, event, wanted.value, declared.attribute)
    several = declared.attribute.cardinality is Cardinality.MANY
    if several and canonical is None:
        raise InvalidInput("has several values side by side; say which to wait for", field="change.value")
    entity_id = None if wanted.entity is None else await _meant(work, event, wanted.entity)
    key = facts.FactKey(Scope(event.scope), entity_id, declared.name, canonical if several else None)
    key_id = await facts.ensure_key(work, key)
    # Held, so that whoever decides on it at the same time is either seen by now, or sees that it is watched.
    await facts.lock_key(work, key_id)
    known = {"attribute": declared.name, "canonical": canonical}
    return Resolved(Change.model_validate({**wanted.model_dump(), **known}), (Watch(key_id, TRIGGER),))


async def _meant(work: UnitOfWork, event: StoredEvent, mention: str) -> UUID:
    """The entity that is meant, made where it means nothing yet: it can be waited for before anything is said of it."""
    scope = Scope(event.scope)
    if is_canonical(mention):
        learned = entities.Learned(EntityMention(id=mention), trusted=False)
        [entity_id] = await entities.learn(work, scope, [learned])
        return entity_id
    entity_id = await entities.learn_name(work, scope, mention, trusted=False)
    if entity_id is None:
        raise InvalidInput("means several things here; give a canonical id, `type:id`", field="change.entity")
    return entity_id
