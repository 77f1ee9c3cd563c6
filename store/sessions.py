"""The words of a running activity that no passage tells of yet, for whoever may be brought the passages.

What speaks of a hidden memory, or of one that is switched off, is not told. Of words that nobody has looked at yet it
is not known what they speak of: where there is anything hidden, only who said them, or runs the activity, is told.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy.types import DateTime, Integer, Text

from models.authority import Authority
from models.controls import Catalogue
from models.events import EventType
from models.principals import Speaker
from models.readers import Readable
from models.sessions import (
    MOST_SESSION_CHARACTERS,
    MOST_SESSION_EVENTS,
    SAID_FIRST,
    SessionEvent,
    told_of,
)
from store import persons
from store.readable import WORDS, hidden_words, quotes_nothing_of, values_of
from store.sql import IDS, TEXTS, sql
from store.unit_of_work import UnitOfWork


class Sitting(NamedTuple):
    """Whose session is looked at: the activity by its own name, within scopes, by somebody, as of an instant.

    With `known_at`, only what had been recorded by then.
    """

    activity: str
    scope_keys: Sequence[UUID]
    who: Speaker
    as_of: datetime
    known_at: datetime | None
    readable: Readable
    known: Catalogue


# An episode's revision is the number of the last event that its passages tell of; an activity without one is routine,
# and none of its events is in a passage. Whoever published the first event of an activity runs it.
_WAITING = sql(
    f"""
    WITH off AS (
        SELECT {persons.ANYTHING_OFF} AS anything
    ), running AS (
        SELECT a.id, a.consolidated_seq, COALESCE(s.revision, 0) AS told
        FROM activities a LEFT JOIN episodes s ON s.tenant_id = a.tenant_id AND s.activity_id = a.id
        WHERE a.tenant_id = :tenant AND a.scope_key = ANY(:scope_keys) AND a.external_id = :activity
    ), own AS (
        SELECT e.activity_id FROM running r
        JOIN events e ON e.tenant_id = :tenant AND e.activity_id = r.id AND e.seq = 1
        WHERE e.subject = :subject AND e.subject_kind = :kind
    ), waiting AS MATERIALIZED (
        SELECT e.id, e.seq, e.type, e.subject, e.authority, e.occurred_at, left(e.text, :characters) AS text
        FROM running r JOIN events e ON e.tenant_id = :tenant AND e.activity_id = r.id AND e.seq > r.told
        WHERE e.text IS NOT NULL AND e.occurred_at <= :as_of AND (:known_at IS NULL OR e.recorded_at <= :known_at)
            AND (NOT :hides OR e.seq <= r.consolidated_seq OR (e.subject = :subject AND e.subject_kind = :kind)
                OR e.activity_id IN (SELECT activity_id FROM own))
        ORDER BY (e.type = ANY(:first)) DESC, e.seq DESC LIMIT 10 * :most
    ), hidden_words AS MATERIALIZED (
        {hidden_words("SELECT id FROM waiting")}
    )
    SELECT * FROM (
        SELECT * FROM waiting w
        WHERE {quotes_nothing_of("hidden_words", "ARRAY[w.id]")}
            AND NOT {persons.speak_of_what_is_off("ARRAY[w.id]", "anything FROM off")}
        ORDER BY (w.type = ANY(:first)) DESC, w.seq DESC LIMIT :most
    ) w
    ORDER BY w.occurred_at, w.seq, w.id
    """,
    scope_keys=IDS,
    activity=Text,
    known_at=DateTime(timezone=True),
    subject=Text,
    kind=Text,
    first=TEXTS,
    characters=Integer,
    most=Integer,
    **WORDS,
    **persons.TYPES,
)


async def waiting(work: UnitOfWork, sitting: Sitting) -> list[SessionEvent]:
    """The events of the session that the caller may be told, oldest first; the newest where there are too many."""
    asked: dict[str, Any] = {
        "activity": sitting.activity,
        "scope_keys": list(sitting.scope_keys),
        "as_of": sitting.as_of,
        "known_at": sitting.known_at,
        "subject": sitting.who.subject,
        "kind": sitting.who.kind.value,
        "first": [kind.value for kind in SAID_FIRST],
        "characters": MOST_SESSION_CHARACTERS + 1,
        "most": MOST_SESSION_EVENTS,
    }
    rows = await work.rows(
        _WAITING, {**asked, **values_of(sitting.readable), **persons.values_of(sitting.known)}
    )
    return [
        SessionEvent(
            id=row.id,
            type=EventType(row.type),
            actor=row.subject,
            authority=Authority(row.authority),
            occurred_at=row.occurred_at,
            text=told_of(row.text),
        )
        for row in rows
    ]
