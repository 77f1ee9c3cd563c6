"""Read conversations in the format of LoCoMo: bytes in, conversations out, nothing else.

A malformed file is refused with an error that names conversation, session and turn; no text is quoted.
"""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from models.errors import InvalidInput
from models.scope import parse_scope
from surfaces.importing.actors import require_plain
from surfaces.strict_json import parse_json, without_mark

MAX_NAME_LENGTH = 100
"""Of a conversation's `sample_id`: it is part of an idempotency key, which has at most 200 characters."""

_SESSION = re.compile(r"session_([1-9]\d{0,5})")
_ROUND = str.maketrans("[]", "()")
_TURN_ID = re.compile(r"D\d{1,6}:\d{1,6}")
_DATE = re.compile(
    r"\s*(\d{1,2}):(\d{2})\s*([ap]m)\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})\s*", re.IGNORECASE
)
# fmt: off
_MONTHS: tuple[str, ...] = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)
# fmt: on


class Turn(NamedTuple):
    """What one speaker said; a picture's caption is part of `text`."""

    dia_id: str
    speaker: str
    text: str


class Session(NamedTuple):
    """Turns in order. The file states one time for all of them, without a zone: it is read as UTC."""

    number: int
    started_at: datetime
    turns: tuple[Turn, ...]


class Conversation(NamedTuple):
    """The sessions of one sample, by number."""

    sample_id: str
    sessions: tuple[Session, ...]


def parse_conversations(data: bytes) -> list[Conversation]:
    """Read a whole file. Questions, summaries and whatever else stands beside a conversation are ignored."""
    document = parse_json(without_mark(data))
    if not isinstance(document, list) or not document:
        raise InvalidInput("a LoCoMo file is a list of conversations, with at least one")
    read: list[Conversation] = []
    seen: set[str] = set()
    for number, item in enumerate(cast("list[object]", document), start=1):
        conversation = _conversation(item, f"conversation {number}")
        if conversation.sample_id in seen:
            raise InvalidInput("names two conversations; give each its own", field=conversation.sample_id)
        seen.add(conversation.sample_id)
        read.append(conversation)
    return read


def _conversation(item: object, place: str) -> Conversation:
    sample = _object(item, place)
    sample_id = sample.get("sample_id")
    if not isinstance(sample_id, str) or len(sample_id) > MAX_NAME_LENGTH:
        raise InvalidInput(
            f"a name of at most {MAX_NAME_LENGTH} characters for the conversation",
            field=f"{place}, sample_id",
        )
    try:
        parse_scope({"conversation": sample_id}, ["conversation"])
    except InvalidInput as error:
        raise InvalidInput(error.message, field=f"{place}, sample_id") from None
    place = f"{place} ({sample_id})"
    talk = _object(sample.get("conversation"), f"{place}, conversation")
    numbers = sorted(int(match[1]) for key in talk if (match := _SESSION.fullmatch(key)))
    read = [_session(talk, number, f"{place}, session_{number}") for number in numbers]
    sessions = tuple(session for session in read if session.turns)
    if not sessions:
        raise InvalidInput("has no session with a turn: session_1, session_2 and so on", field=place)
    seen: set[str] = set()
    for session in sessions:
        for turn in session.turns:
            if turn.dia_id in seen:
                raise InvalidInput(
                    "names two turns; each has an id of its own", field=f"{place}, {turn.dia_id}"
                )
            seen.add(turn.dia_id)
    return Conversation(sample_id, sessions)


def _session(talk: dict[str, Any], number: int, place: str) -> Session:
    turns = talk[f"session_{number}"]
    if not isinstance(turns, list):
        raise InvalidInput("is a list of turns", field=place)
    started_at = _instant(talk.get(f"session_{number}_date_time"), f"{place}_date_time")
    return Session(
        number,
        started_at,
        tuple(
            _turn(turn, f"{place}, turn {position}")
            for position, turn in enumerate(cast("list[object]", turns), start=1)
        ),
    )


def _turn(item: object, place: str) -> Turn:
    turn = _object(item, place)
    dia_id = turn.get("dia_id")
    if not isinstance(dia_id, str) or not _TURN_ID.fullmatch(dia_id):
        raise InvalidInput("an id such as D1:3, session and turn", field=f"{place}, dia_id")
    place = f"{place} ({dia_id})"
    speaker = turn.get("speaker")
    if not isinstance(speaker, str) or len(speaker) > 200:
        raise InvalidInput("the name of who spoke, at most 200 characters", field=f"{place}, speaker")
    require_plain(speaker, f"{place}, speaker")
    said = turn.get("text")
    if not isinstance(said, str):
        raise InvalidInput("what was said, as a string", field=f"{place}, text")
    caption = turn.get("blip_caption")
    if caption is not None and not isinstance(caption, str):
        raise InvalidInput("the caption of a picture, as a string", field=f"{place}, blip_caption")
    text = with_caption(said, caption)
    if not text:
        raise InvalidInput(
            "says nothing: neither text nor caption; take the turn out", field=f"{place}, text"
        )
    return Turn(dia_id, speaker, text)


def with_caption(said: str, caption: str | None) -> str:
    """`said`, followed by `[image: caption]` where there is a caption that is not blank.

    A caption is not the speaker's word, so it cannot close its brackets and go on as if it were.
    """
    shown = (caption or "").strip().translate(_ROUND)
    picture = f"[image: {shown}]" if shown else ""
    return " ".join(part for part in (said.strip(), picture) if part)


def _instant(stated: object, place: str) -> datetime:
    """A time such as `1:56 pm on 8 May, 2023`, read as UTC and independently of the machine's locale."""
    found = _DATE.fullmatch(stated) if isinstance(stated, str) else None
    if found is None or found[5].lower() not in _MONTHS or not 1 <= int(found[1]) <= 12:
        raise InvalidInput("a time such as 1:56 pm on 8 May, 2023", field=place)
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "pm" else 0)
    month = _MONTHS.index(found[5].lower()) + 1
    try:
        return datetime(int(found[6]), month, int(found[4]), hour, int(found[2]), tzinfo=UTC)
    except ValueError:
        raise InvalidInput("no such date or time; one such as 1:56 pm on 8 May, 2023", field=place) from None


def _object(item: object, place: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise InvalidInput("is an object", field=place)
    return cast("dict[str, Any]", item)
