"""Erasures, their plans and receipts, legal holds, and tombstones."""

from datetime import datetime, timedelta
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from keepwell.types.wire import Answer, Instant, Request
from keepwell.types.words import (
    ErasureBasis,
    ErasureBasisTold,
    ErasureDisposition,
    ErasureState,
    NodeKind,
)

_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class RecordTarget(Request):
    """One record by its id, with the words in which it was said; an episode with all events of its activity."""

    kind: Literal["record"]
    id: UUID


class EventTarget(Request):
    """One event by its id."""

    kind: Literal["event"]
    id: UUID


class ActivityTarget(Request):
    """All events of one activity."""

    kind: Literal["activity"]
    activity_id: _Name
    scope: dict[str, str]


class EntityTarget(Request):
    """All that is about, or names, one entity in the scopes that have the dimensions of `scope`."""

    kind: Literal["entity"]
    entity: _Name
    scope: dict[str, str]


class PersonTarget(Request):
    """All that a person has said and done, that names them in its scope, or that is about them."""

    kind: Literal["person"]
    subject: _Name


class ScopeTarget(Request):
    """All in the scopes that have the dimensions of `scope`."""

    kind: Literal["scope"]
    scope: dict[str, str] = Field(min_length=1)


class ClassTarget(Request):
    """All facts and claims of one class that were stated longer ago than `older_than`."""

    kind: Literal["class"]
    class_name: _Name
    older_than: timedelta = timedelta(0)


class TenantTarget(Request):
    """All memory of the tenant."""

    kind: Literal["tenant"]


ErasureTarget = Annotated[
    RecordTarget
    | EventTarget
    | ActivityTarget
    | EntityTarget
    | PersonTarget
    | ScopeTarget
    | ClassTarget
    | TenantTarget,
    Field(discriminator="kind"),
]
"""One of these, told apart by `kind`."""


class NewErasure(Request):
    """A request to erase what `target` names.

    With `dry_run` the plan waits to be confirmed. `expected` is the digest of a plan that was looked at before: where
    it comes out otherwise, the new plan waits as well.
    """

    target: ErasureTarget
    basis: ErasureBasis = "request"
    dry_run: bool = False
    expected: _Digest | None = None


class PlanConfirmation(Request):
    """The word of somebody who has looked at the plan with this digest."""

    digest: _Digest


class NewHold(Request):
    """Forbids that what `target` names be erased."""

    target: ErasureTarget
    reason: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
    until: Instant | None = None


class PlannedTold(Answer):
    """So many records of one sort, and what becomes of them. `named` says that the request names them itself."""

    kind: NodeKind
    disposition: ErasureDisposition
    named: bool
    records: int


class PlanTold(Answer):
    """What an erasure would do: by `digest` it is confirmed. `holds` are the legal holds that forbid it."""

    digest: str
    lines: list[PlannedTold]
    total: int
    depth: int
    holds: list[UUID]
    planned_at: datetime


class ReceiptTold(Answer):
    """What an erasure did, as it stands in the log under `number`."""

    number: int
    digest: str
    previous: str
    key_id: str | None
    signature: str | None
    plan_digest: str
    result: list[PlannedTold]
    result_digest: str
    rows: dict[str, int]
    runs: int
    vacuumed_at: datetime | None
    departed: dict[str, int]
    left_here: dict[str, int]
    without_holder: list[UUID]


class ErasureTold(Answer):
    """An erasure as it stands. `found` is what the last look has found of what was erased, by where."""

    id: UUID
    target: str
    basis: ErasureBasisTold
    state: ErasureState
    asked_by: str
    asked_at: datetime
    confirmers: int
    confirmed_by: list[str]
    plan: PlanTold | None
    found: dict[str, int]
    lapses_at: datetime | None
    accepted_at: datetime | None
    done_at: datetime | None
    receipt: ReceiptTold | None


class ErasureList(Answer):
    """One page of erasures, the newest first; `next` begins the following one."""

    erasures: list[ErasureTold]
    next: UUID | None


class TombstoneTold(Answer):
    """What is left of something that was erased: that it was, when, and by which request."""

    id: UUID
    kind: str
    disposition: str
    erasure_id: UUID
    erased_at: datetime


class HoldTold(Answer):
    """A legal hold. `until` is None where somebody has to release it."""

    id: UUID
    target: ErasureTarget
    reason: str
    owner: str
    until: datetime | None
    released_at: datetime | None
    released_by: str | None
    held_at: datetime


class HoldMade(Answer):
    """The id of a new legal hold."""

    id: UUID


class HoldList(Answer):
    """All legal holds of the tenant, oldest first."""

    holds: list[HoldTold]


class LogFault(Answer):
    """A receipt that is not as it was written, or that does not follow the one before it."""

    number: int
    fault: str


class LogChecked(Answer):
    """Whether the log of receipts holds together, and where it does not."""

    holds: bool
    faults: list[LogFault]
