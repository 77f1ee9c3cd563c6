"""Tell intentions, what is due of them, and the endpoints that it goes to, in the shapes of the wire."""

from datetime import UTC, datetime

from capture.endpoints import Registered
from capture.inbox import Due
from capture.intentions import Preview, Set
from models.circuit import state_of
from models.endpoints import Endpoint
from models.intention_words import trigger_told
from models.intentions import Occurrence, Owner
from models.principals import Principal, Speaker
from recall.agenda import AgendaPage, Planned
from runtime.service import Service
from surfaces.http import answers


def intention(planned: Planned) -> answers.IntentionTold:
    there = planned.intention
    return answers.IntentionTold(
        id=there.id,
        status=planned.life,
        action=there.action,
        data=there.data,
        scope=there.scope,
        owner=there.owner,
        set_by=_speaker(there.set_by),
        trigger=there.trigger.model_dump(mode="json", exclude_none=True),
        told=trigger_told(there.trigger, there.timezone, datetime.now(UTC)),
        coming=list(planned.coming),
        not_before=there.not_before,
        deadline=there.deadline,
        grace_seconds=there.grace.total_seconds(),
        timezone=there.timezone,
        endpoint_id=there.endpoint_id,
        premises=list(there.premises),
        reason=there.reason,
        fired=there.fired,
        event_id=there.event_id,
        set_at=there.recorded_at,
    )


def occurrence(each: Occurrence) -> answers.OccurrenceTold:
    return answers.OccurrenceTold.model_validate(each._asdict())


def read(planned: Planned, occurrences: list[Occurrence]) -> answers.IntentionRead:
    return answers.IntentionRead(
        intention=intention(planned), occurrences=[occurrence(each) for each in occurrences]
    )


def page(found: AgendaPage) -> answers.IntentionPage:
    return answers.IntentionPage(intentions=[intention(each) for each in found.planned], next=found.next)


def changed(word: Set, planned: Planned) -> answers.IntentionChanged:
    return answers.IntentionChanged(
        intention=intention(planned), event_id=word.receipt.event_id, duplicate=word.receipt.duplicate
    )


async def changed_by(service: Service, principal: Principal, word: Set) -> answers.IntentionChanged:
    """What a word has made of an intention, as it stands now."""
    planned, _ = await service.agenda.one(principal, word.intention_id)
    return changed(word, planned)


def preview(seen: Preview) -> answers.IntentionPreview:
    return answers.IntentionPreview(told=seen.told, coming=list(seen.coming))


def due(each: Due) -> answers.DueTold:
    there = each.occurrence
    return answers.DueTold(
        occurrence_id=there.id,
        intention_id=each.intention.id,
        action=each.intention.action,
        data=each.intention.data,
        scope=each.intention.scope,
        set_by=_speaker(each.intention.set_by),
        due_at=there.due_at,
        fired_at=there.fired_at,
        cause_id=there.cause_id,
        leases=there.leases,
        lease=each.lease,
        lease_ends_at=there.available_at,
    )


def _speaker(who: Speaker) -> Owner:
    return Owner(subject=who.subject, kind=who.kind)


def endpoint(each: Endpoint) -> answers.EndpointTold:
    return answers.EndpointTold(
        id=each.id,
        name=each.name,
        kind=each.kind,
        address=each.address,
        signed_by=each.signed_by,
        made_by=each.made_by,
        circuit=state_of(each.circuit, datetime.now(UTC)),
        failures=each.circuit.failures,
        disabled_at=each.disabled_at,
        reason=each.reason,
        made_at=each.recorded_at,
    )


def endpoint_made(made: Registered) -> answers.EndpointMade:
    return answers.EndpointMade(endpoint=endpoint(made.endpoint), secret=made.secret)
