"""Erasures, legal holds and tombstones as answers: ids, codes, counts and instants, and no word of content."""

from datetime import datetime
from uuid import UUID

from models.erasure.erasures import ErasureBasis, ErasureState
from models.erasure.plan import ErasureDisposition, NodeKind
from models.erasure.targets import Target
from surfaces.http.answers.base import Answer


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
    """What an erasure did, as it stands in the log under `number`.

    `rows` has how many rows were changed or removed, by table. `left_here` are independent records that have some of
    the same words, by table, and `departed` what had left Keepwell by then, which nobody here can take back.
    `without_holder` are fact keys under which nothing governs any more.
    """

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
    """An erasure as it stands.

    `confirmers` is how many people have to confirm the plan beside who asked. `found` is what the last look has found
    of what was erased, by where; empty once it is gone.
    """

    id: UUID
    target: str
    basis: ErasureBasis
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
    target: Target
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
