"""The policy of the tenant: what it says, what a change of it does, and who changed it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field, StrictBool

from keepwell.types.wire import Answer, Request
from keepwell.types.words import EffectKind, PrincipalKindTold, VerbTold

_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]+$"


class NewPolicy(Request):
    """A policy to be applied: `content` is the YAML of its file, `reason` stands in the log beside it.

    With `dry_run` nothing is applied, and the answer tells what would be. `expected_version` is the version that
    the change was made from: where another is in force by now, the call is refused.
    """

    content: str = Field(min_length=1, max_length=100_000)
    reason: str = Field(min_length=1, max_length=1_000, pattern=_PLAIN)
    dry_run: StrictBool = False
    expected_version: int | None = Field(default=None, ge=0, le=2**31 - 2)


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
    verbs: list[VerbTold]
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
    applied_kind: PrincipalKindTold
    reason: str
    recorded_at: datetime


class PolicyLog(Answer):
    """The latest 200 changes, newest first."""

    changes: list[PolicyApplied]
