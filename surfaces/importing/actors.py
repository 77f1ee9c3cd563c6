"""Who spoke, where a file says so: a principal that the operator vouches for by importing the file."""

from typing import cast

from pydantic import ValidationError

from models.errors import InvalidInput
from models.events import EventType, first_error, scrub
from models.principals import Principal, PrincipalKind, Speaker
from models.text import normalise

_SHAPE = 'an object such as {"subject": "dana", "kind": "human", "roles": ["infra_lead"]}'


def principal_of(tenant: str, speaker: Speaker) -> Principal:
    """`speaker` as a principal of `tenant`; raises `InvalidInput` where that is no name for a tenant."""
    try:
        return Principal(
            tenant=tenant, subject=speaker.subject, kind=speaker.kind, roles=tuple(speaker.roles)
        )
    except ValidationError as invalid:
        error = first_error(invalid)
        raise InvalidInput(error.message, field=error.field) from None


def parse_actor(raw: object) -> Speaker:
    """The actor that a line states; raises `InvalidInput` naming the field."""
    if not isinstance(raw, dict):
        raise InvalidInput(f"say who spoke as {_SHAPE}", field="actor")
    stated = cast("dict[str, object]", raw)
    for name in ("subject", "kind"):
        if name not in stated:
            raise InvalidInput("is missing; an actor has a subject and a kind", field=f"actor.{name}")
    try:
        speaker = Speaker.model_validate(stated)
    except ValidationError as invalid:
        error = first_error(invalid)
        message = error.message
        if error.field is not None and error.field not in Speaker.model_fields and "." not in error.field:
            message = f"unknown field; an actor is {_SHAPE}"
        raise InvalidInput(message, field=f"actor.{error.field}") from None
    require_plain(speaker.subject, "actor.subject")
    for index, role in enumerate(speaker.roles):
        require_plain(role, f"actor.roles.{index}")
    return speaker


def require_plain(name: str, field: str) -> None:
    """Raise `InvalidInput` for a name that is blank, or that holds control characters or lone surrogates."""
    if not name.strip():
        raise InvalidInput("a name that is not blank", field=field)
    if scrub(name) != name or any(ord(character) < 32 for character in name):
        raise InvalidInput("a name has no control characters or lone surrogates", field=field)


_MODELS = frozenset({"assistant", "ai assistant", "chatbot", "bot", "model", "system"})
_TOOLS = frozenset({"tool", "function"})
"""Names that conversation formats give to programs. Whoever bears one as a name proper is a person all the same to
an importer that says so: a line of JSON with an `actor`."""


def participant(name: str) -> Speaker:
    """Who takes part in a conversation, known by name: a person, unless the name is one that is given to programs.

    What an assistant says of a person is not that person's word, so it speaks as the agent that it is.
    """
    if normalise(name) in _MODELS | _TOOLS:
        return Speaker(subject=name, kind=PrincipalKind.AGENT, roles=("agent",))
    return Speaker(subject=name, kind=PrincipalKind.HUMAN, roles=("participant",))


def turn_type(name: str) -> EventType:
    """The type of a turn's event: what a tool gave back is a tool's result and no message."""
    return EventType.TOOL_RESULT if normalise(name) in _TOOLS else EventType.MESSAGE
