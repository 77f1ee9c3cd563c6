"""The declared mapping: in which room a turn is said, and who may read there. Pure.

A room is a scope. It is derived from roles, relationships and names alone, never from what a checkpoint asks.

| office | |
| --- | --- |
| a turn that names a project | the room of the project that it names first |
| any other | the room of the speaker's only project, else the open room |
| readers of a project's room | whoever is its member, owner, reviewer or sponsor: not its contractors, not delegates |

| clinic | |
| --- | --- |
| a turn of reception, scheduling, billing or family | the desk of the patient |
| any other | the care room of the patient, who is whoever it names, else the speaker, else the first patient |
| readers of a desk | everybody but clinicians and family of other patients |
| readers of a care room | the patient, their clinicians, nurses, pharmacists, laboratory and social workers |

Where an episode states no relationships, every clinician and all family are taken to be the first patient's.
"""

import re
from collections.abc import Mapping

from evals.read.gatemem.cases import Episode, Turn

Room = Mapping[str, str]

_OUTSIDE = frozenset({"contractor_for_project", "executive_delegate", "people_manager"})
_DESK = frozenset({"reception", "scheduler", "billing", "family_member"})
_CARE = frozenset({"nurse", "pharmacist", "lab_tech", "social_worker", "agent"})
OPEN: Room = {"workspace": "shared"}
CARE = "care"


def subjects(episode: Episode) -> list[str]:
    """The projects of an office, the patients of a clinic."""
    if episode.domain == "office":
        return sorted({each["project_id"] for each in episode.relationships if "project_id" in each})
    return [name for name, role in episode.roles.items() if role == "patient"]


def room_of(episode: Episode, turn: Turn) -> Room:
    """Where a turn was said."""
    named = _named_first(episode, turn.text)
    if episode.domain == "office":
        projects = [each for each in subjects(episode) if is_reader(episode, turn.speaker, each, "")]
        named = named or (projects[0] if len(projects) == 1 else None)
        return OPEN if named is None else _room(named, "")
    patients = subjects(episode)
    patient = named or (turn.speaker if turn.speaker in patients else patients[0])
    return _room(patient, "" if turn.role in _DESK else CARE)


def asked_in(episode: Episode, asker: str, query: str) -> Room:
    """The widest room in which the asker may read that the question is about."""
    named = _named_first(episode, query)
    reached = [each for each in subjects(episode) if is_reader(episode, asker, each, "")]
    subject = named or (reached[0] if reached else None)
    if subject is None or not is_reader(episode, asker, subject, ""):
        return OPEN
    return _room(subject, CARE if is_reader(episode, asker, subject, CARE) else "")


def is_reader(episode: Episode, principal: str, subject: str, room: str) -> bool:
    """Whether a principal may read in the room of a project, at the desk of a patient, or in their care room."""
    if episode.domain == "office":
        return not room and any(
            each.get("project_id") == subject
            and each.get("principal_id") == principal
            and each["type"] not in _OUTSIDE
            for each in episode.relationships
        )
    role = episode.roles[principal]
    if role == "clinician":
        return _is_related(episode, "clinician_id", principal, subject)
    if role == "family_member":
        return not room and _is_related(episode, "family_id", principal, subject)
    return principal == subject or role in _CARE or (role in _DESK and not room)


def _is_related(episode: Episode, as_what: str, principal: str, patient: str) -> bool:
    stated = [each for each in episode.relationships if as_what in each]
    if not stated:
        return patient == subjects(episode)[0]
    return any(each[as_what] == principal and each["patient_id"] == patient for each in stated)


def _room(subject: str, room: str) -> Room:
    return {**OPEN, "project": subject, **({"team": room} if room else {})}


def _named_first(episode: Episode, text: str) -> str | None:
    """The project or patient that `text` names first: a project by its name, a patient by their full name."""
    found: dict[str, int] = {}
    for subject in subjects(episode):
        name = episode.names.get(subject) or subject.removeprefix("project_").replace("_", " ")
        if match := re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
            found[subject] = match.start()
    return min(found, key=lambda subject: found[subject], default=None)


def policy_of(episode: Episode) -> dict[str, object]:
    """The policy of the organisation: everybody speaks anywhere; a role for each room lets read there."""
    everywhere = {"workspace": "any", "project": "any", "team": "any"}
    roles: dict[str, object] = {
        "admin": {"may": ["administer"], "tenant_wide": True, "scopes": everywhere},
        "voice": {"may": ["publish", "read"], "scopes": everywhere},
        "open": {"may": ["recall"], "scopes": {"workspace": "any"}},
    }
    for subject in subjects(episode):
        reach = {"workspace": "any", "project": [subject]}
        roles[_role(subject, "")] = {"may": ["recall"], "scopes": reach}
        roles[_role(subject, CARE)] = {"may": ["recall"], "scopes": {**reach, "team": [CARE]}}
    return {"version": 2, "dimensions": ["workspace", "project", "team"], "roles": roles}


def roles_of(episode: Episode, principal: str) -> tuple[str, ...]:
    """The roles of a principal in that policy."""
    rooms = [
        _role(subject, room)
        for subject in subjects(episode)
        for room in ("", CARE)
        if is_reader(episode, principal, subject, room)
    ]
    return ("voice", "open", *rooms)


def _role(subject: str, room: str) -> str:
    return f"reads_{subject}_{room}" if room else f"reads_{subject}"
