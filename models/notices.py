"""Notices: what endpoints are told of proposals and versions of procedures. Ids, states and instants, never content."""

from typing import Any
from uuid import UUID

from models.intentions import Intention, Owner
from models.principals import PrincipalKind, Speaker
from models.procedure_rules import ProcedureClass

NOTIFIER = Speaker(subject="keepwell", kind=PrincipalKind.SYSTEM)
"""Who sets notices: Keepwell, for itself."""
OWNER = Owner(subject=NOTIFIER.subject, kind=NOTIFIER.kind)


def told_of(rules: ProcedureClass, rule: str) -> list[str]:
    """The names of the endpoints that are told of a change that `rule` has brought about, each once.

    | the change | is told to |
    | --- | --- |
    | nobody has decided in time, so that it is overdue | `escalate_to`, and `notify` |
    | any other | `notify` |
    """
    names = [*rules.notify, *(rules.escalate_to if rule == "escalate" else ())]
    return list(dict.fromkeys(names))


def notice_of(
    kind: str, identity: UUID, procedure_id: UUID, change: tuple[str | None, str], rule: str
) -> dict[str, Any]:
    """What a notice tells; `kind` is `proposal` or `procedure`, and `id` that of the proposal, or of the version."""
    was, state = change
    return {
        "kind": kind,
        "id": str(identity),
        "procedure_id": str(procedure_id),
        "was": was,
        "state": state,
        "rule": rule,
    }


def is_notice(intention: Intention) -> bool:
    """Whether Keepwell has set an intention for itself, to tell an endpoint."""
    return intention.set_by == NOTIFIER and intention.owner == OWNER


def type_of(notice: dict[str, Any]) -> str:
    """The type of the message: `proposal.open`, `proposal.lapsed`, `procedure.current`."""
    return f"{notice['kind']}.{notice['state']}"
