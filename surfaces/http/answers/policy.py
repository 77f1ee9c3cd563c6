"""The policy, what a change of it does, and who changed it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from models.policy_change import EffectKind
from models.principals import PrincipalKind
from models.verbs import Verb
from surfaces.http.answers.base import Answer


class PolicyTold(Answer):
    """A policy: `document` has all that it says, in the names of its file. Version 0 is the one of the process.

    `content` is YAML, as it was applied, and is told to administrators alone. What says the same has the same
    `digest`.
    """

    version: int
    digest: str
    document: dict[str, Any]
    content: str | None


class PolicyEffect(Answer):
    """What becomes of memories of one attribute: how many, and up to twenty of their ids.

    `concerns` names what it is about, such as the roles for which they become unreadable.
    """

    kind: EffectKind
    attribute: str
    concerns: list[str]
    memories: int
    ids: list[UUID]


class GrantLostTold(Answer):
    """What a role, or a system, may do no more: verbs, and dimensions of which it reaches less."""

    name: str
    gone: bool
    verbs: list[Verb]
    scopes: list[str]
    tenant_wide: bool


class PolicyChangeTold(Answer):
    """What a change does, or would do where it is not `applied`. `version` is the one that it makes."""

    version: int
    digest: str
    applied: bool
    effects: list[PolicyEffect]
    grants: list[GrantLostTold]


class PolicyApplied(Answer):
    """One change of the policy, as the log has it."""

    version: int
    digest: str
    applied_by: str
    applied_kind: PrincipalKind
    reason: str
    recorded_at: datetime


class PolicyLog(Answer):
    """The latest 200 changes, newest first."""

    changes: list[PolicyApplied]
