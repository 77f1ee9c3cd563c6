"""Play cases through the service: what is given, then what is judged, and read what became of it.

Each case has a tenant of its own. All cases publish before anybody waits, so that they are digested together.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from evals.write import leaks
from evals.write.cases import Case, Said, Voice
from evals.write.outcomes import DISPOSITIONS, Content, Disposition, Outcome, Played
from evals.write.stage import Stage
from models.errors import InvalidInput, KeepwellError, Unavailable
from models.events import EventType
from models.facts import Fact
from models.principals import Principal, PrincipalKind
from models.statements import Decided
from recall.memories import FactRead
from runtime.service import Service

PATIENCE_SECONDS = 400
"""For all cases together: many times what they take, as a busy machine is no fault."""
AGO = timedelta(days=14)
"""How long ago the cases begin: all of it has happened, and nothing is so old that its class lets it lapse."""


class _Staged(NamedTuple):
    """A case with a tenant of its own: who reads there, and when what is given and what is judged happened."""

    case: Case
    reader: Principal
    given: Sequence[datetime]
    judged: Sequence[datetime]


class _Told(NamedTuple):
    """An activity: the ids of its events by position, and the codes of the errors of those that were refused."""

    activity: UUID
    ids: Mapping[int, UUID]
    refused: Mapping[int, str]


async def play(stage: Stage, cast: Mapping[str, Voice], cases: Sequence[Case]) -> list[Played]:
    """What became of each case, in their order. Raises `Unavailable` where that takes too long."""
    begin = (datetime.now(UTC) - AGO).replace(hour=9, minute=0, second=0, microsecond=0)
    staged = [_staged(case, f"write-{uuid4().hex[:12]}", begin) for case in cases]
    for each in staged:
        await stage.service.add_tenant(each.reader)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await _give(stage.service, cast, [each for each in staged if each.case.given])
            told = await _judge(stage.service, cast, staged)
    except TimeoutError:
        raise Unavailable(
            f"not digested after {PATIENCE_SECONDS} s; see that nothing else keeps the machine"
        ) from None
    found = await leaks.search(stage, {each.reader.tenant_id: each.case for each in staged})
    return [
        Played(
            case_id=each.case.id,
            outcomes=await _outcomes(stage, each.reader, activity.ids),
            refused=activity.refused,
            leaks=found[each.reader.tenant_id].leaks,
            kept=found[each.reader.tenant_id].kept,
        )
        for each, activity in zip(staged, told, strict=True)
    ]


def _staged(case: Case, tenant: str, begin: datetime) -> _Staged:
    reader = Principal(tenant=tenant, subject="reader", kind=PrincipalKind.SYSTEM, roles=("operator",))
    return _Staged(case, reader, *case.instants(begin))


async def _give(service: Service, cast: Mapping[str, Voice], staged: Sequence[_Staged]) -> None:
    told = [await _tell(service, cast, each.reader, "given", each.case.given, each.given) for each in staged]
    for each, activity in zip(staged, told, strict=True):
        if activity.refused:
            raise InvalidInput(f"{each.case.id}: what is given is refused; mend the case")
        await service.settle(each.reader, [activity.activity])


async def _judge(service: Service, cast: Mapping[str, Voice], staged: Sequence[_Staged]) -> list[_Told]:
    told = [
        await _tell(service, cast, each.reader, "judged", each.case.events, each.judged) for each in staged
    ]
    for each, activity in zip(staged, told, strict=True):
        await service.settle(each.reader, [activity.activity])
    return told


async def _tell(
    service: Service,
    cast: Mapping[str, Voice],
    reader: Principal,
    name: str,
    events: Sequence[Said],
    instants: Sequence[datetime],
) -> _Told:
    """Publish an activity, one event after the other, and end it, which is what has it consolidated."""
    ids: dict[int, UUID] = {}
    refused: dict[int, str] = {}
    for position, (said, at) in enumerate(zip(events, instants, strict=True)):
        voice = cast[said.by]
        speaker = Principal(tenant=reader.tenant, subject=said.by, kind=voice.kind, roles=voice.roles)
        try:
            [receipt] = await service.publish(speaker, [_event(name, said, at)])
            ids[position] = receipt.event_id
        except KeepwellError as error:
            refused[position] = error.code
    end = Said(by=reader.subject, scope=events[0].scope, type=EventType.ACTIVITY_COMPLETED)
    [receipt] = await service.publish(reader, [_event(name, end, max(instants))])
    return _Told(receipt.activity_id, ids, refused)


def _event(activity: str, said: Said, at: datetime) -> dict[str, Any]:
    content = said.model_dump(mode="json", exclude={"by", "at", "day", "authorised"}, exclude_none=True)
    return {**content, "activity_id": activity, "occurred_at": at.isoformat()}


async def _outcomes(stage: Stage, reader: Principal, ids: Mapping[int, UUID]) -> tuple[Outcome, ...]:
    positions = {event_id: position for position, event_id in ids.items()}
    decided = await stage.service.became_of(reader, list(positions))
    return tuple([await _outcome(stage, reader, positions[each.event_id], each) for each in decided])


async def _outcome(stage: Stage, reader: Principal, position: int, decided: Decided) -> Outcome:
    declared = stage.policy.declared(decided.attribute)
    persists = DISPOSITIONS[decided.verdict] is Disposition.PERSIST
    record = decided.fact_id or (decided.target_id if persists else None)
    read = None if record is None else await stage.service.memory(reader, record)
    return Outcome(
        event=position,
        verdict=decided.verdict.value,
        reason=decided.reason,
        attribute=decided.attribute if declared is None else declared.name,
        memory_class=None if declared is None else declared.class_name,
        made=decided.fact_id is not None,
        content=_content(read.fact) if isinstance(read, FactRead) else None,
    )


def _content(fact: Fact) -> Content:
    return Content(
        entities=tuple(name for name in (fact.subject.canonical, fact.subject.name) if name is not None),
        scope=fact.scope,
        value=fact.terms.value,
        ends_when=fact.terms.ends_when,
        expires_at=fact.terms.expires_at,
        valid_from=fact.valid_from,
    )
