"""Import conversations in the format of LoCoMo: each session an activity, each turn an event.

The file is read to its end and every event of it checked before the first is published. All turns of a
conversation are published before the checkpoints of its sessions, so no session is consolidated by halves.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from capture.accept import Receipt
from models.errors import InvalidInput, KeepwellError
from models.events import MAX_BATCH, EventType, parse_event
from models.principals import PrincipalKind, Speaker
from runtime.service import Service
from surfaces.importing.actors import participant, principal_of, turn_type
from surfaces.importing.conversations import Conversation, parse_conversations
from surfaces.importing.report import ImportReport, OnProgress

BETWEEN_TURNS = timedelta(seconds=1)
"""The file states one time a session; its turns follow one another at this distance, the first at that time."""

IMPORTER = Speaker(subject="locomo-import", kind=PrincipalKind.AGENT, roles=("agent",))
"""Who ends a session. An agent reaches conversations by the shipped policy and may propose, never decide; a
system that the policy does not declare would count as untrusted, and so would the episode that it ends."""


class Planned(NamedTuple):
    """An event that is ready to be published, and who publishes it. `place` is how an error names it."""

    speaker: Speaker
    event: dict[str, Any]
    place: str


class Imported(NamedTuple):
    """The report, and the id of each turn's event by its `evidence_ref`."""

    report: ImportReport
    event_ids: Mapping[str, UUID]


async def import_locomo(
    service: Service, tenant: str, path: Path, on_progress: OnProgress | None = None
) -> ImportReport:
    """Import the file at `path` into `tenant`. Importing it again adds nothing.

    Raises a `KeepwellError` that names line, or conversation, session and turn. Nothing is stored where the
    file is malformed.
    """
    started = time.monotonic()
    if on_progress is not None:
        on_progress(0, None)
    conversations = await asyncio.to_thread(read_conversations, path)
    done = await import_conversations(service, tenant, conversations, on_progress)
    return done.report.model_copy(update={"seconds": time.monotonic() - started})


def read_conversations(path: Path) -> list[Conversation]:
    """The conversations in the file at `path`."""
    try:
        data = path.read_bytes()
    except OSError as unreadable:
        raise InvalidInput(f"{path}: cannot be read; give a LoCoMo file") from unreadable
    return parse_conversations(data)


async def import_conversations(
    service: Service,
    tenant: str,
    conversations: Sequence[Conversation],
    on_progress: OnProgress | None = None,
) -> Imported:
    """Publish conversations, one after the other; see `import_locomo`."""
    started = time.monotonic()
    now = datetime.now(UTC)
    batches = [batch for conversation in conversations for batch in batches_of(conversation, now)]
    total = sum(len(batch) for batch in batches)
    event_ids: dict[str, UUID] = {}
    activities: dict[UUID, None] = {}
    done = new = 0
    for batch in batches:
        receipts = await _publish(service, tenant, batch, done)
        for planned, receipt in zip(batch, receipts, strict=True):
            activities[receipt.activity_id] = None
            new += not receipt.duplicate
            if reference := planned.event.get("evidence_ref"):
                event_ids[reference] = receipt.event_id
        done += len(batch)
        if on_progress is not None:
            on_progress(done, total)
    report = ImportReport(
        events=total,
        new=new,
        duplicates=total - new,
        activities=tuple(activities),
        seconds=time.monotonic() - started,
    )
    return Imported(report, event_ids)


async def _publish(service: Service, tenant: str, batch: Sequence[Planned], stored: int) -> list[Receipt]:
    try:
        return await service.publish(
            principal_of(tenant, batch[0].speaker), [planned.event for planned in batch]
        )
    except KeepwellError as error:
        place = error.field
        if error.position is not None:
            planned = batch[error.position - 1]
            place = planned.place if error.field is None else f"{planned.place}, {error.field}"
        before = f"; the {stored:,} events before it are stored, and are not doubled by importing again"
        raise type(error)(f"{error.message}{before if stored else ''}", field=place) from error


def batches_of(conversation: Conversation, now: datetime) -> list[list[Planned]]:
    """The publish calls that import a conversation: each speaker's turns, then the sessions' checkpoints.

    A call has one speaker, so turns arrive speaker by speaker. Their order is that of their instants, by
    which everything reads them: those of a session all differ, so that the order of arrival decides nothing.
    Raises `InvalidInput` or `TooLarge` for what could not be published.
    """
    turns: dict[str, list[Planned]] = {}
    checkpoints: list[Planned] = []
    for planned in planned_events(conversation, now):
        if planned.speaker is IMPORTER:
            checkpoints.append(planned)
        else:
            turns.setdefault(planned.speaker.subject, []).append(planned)
    return [
        group[start : start + MAX_BATCH]
        for group in (*turns.values(), checkpoints)
        for start in range(0, len(group), MAX_BATCH)
    ]


def planned_events(conversation: Conversation, now: datetime) -> list[Planned]:
    """The events of a conversation in order of time within each session, checked as `publish` checks them."""
    name = conversation.sample_id
    planned: list[Planned] = []
    for session in conversation.sessions:
        common = {"activity_id": activity_name(name, session.number), "scope": {"conversation": name}}
        place = f"{name}, session_{session.number}"
        for index, turn in enumerate(session.turns):
            said = {
                **common,
                "type": turn_type(turn.speaker).value,
                "occurred_at": (session.started_at + index * BETWEEN_TURNS).isoformat(),
                "text": turn.text,
                "evidence_ref": evidence_ref(name, turn.dia_id),
                "idempotency_key": f"locomo/{name}/{turn.dia_id}",
            }
            planned.append(Planned(participant(turn.speaker), said, f"{place}, turn {turn.dia_id}"))
        end = {
            **common,
            "type": EventType.ACTIVITY_COMPLETED.value,
            "occurred_at": (session.started_at + len(session.turns) * BETWEEN_TURNS).isoformat(),
            "idempotency_key": f"locomo/{name}/session_{session.number}/end",
        }
        planned.append(Planned(IMPORTER, end, f"{place}, its end"))
    for item in planned:
        try:
            parse_event(item.event, now)
        except KeepwellError as error:
            place = item.place if error.field is None else f"{item.place}, {error.field}"
            raise type(error)(error.message, field=place) from None
    return planned


def activity_name(sample_id: str, session: int) -> str:
    """The `activity_id` of a session."""
    return f"locomo/{sample_id}/session_{session}"


def evidence_ref(sample_id: str, dia_id: str) -> str:
    """How an event points back at its turn in the file: `locomo:<sample_id>#<dia_id>`."""
    return f"locomo:{sample_id}#{dia_id}"
