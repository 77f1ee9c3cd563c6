"""Receipts: what an erasure came to, in a chain in which nobody can change one unseen."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.erasure.erasures import ErasureBasis
from models.erasure.plan import PlannedRecords
from models.ids import content_digest

GENESIS = bytes(32)
"""What the first receipt of a tenant is chained to."""


class Receipt(BaseModel):
    """What an erasure did. Free of content: ids, codes, counts, digests and instants.

    `rows` has how many rows were changed or removed, by table. `left_here` are independent records that have some of
    the same words, by table; `departed` what had left Keepwell before, by kind, which nobody here can take back.
    `without_holder` are fact keys under which nothing governs any more; a person who may can state a fact there again.
    """

    model_config = ConfigDict(frozen=True)

    erasure_id: UUID
    target: str
    basis: ErasureBasis
    asked_by: str
    confirmed_by: tuple[str, ...]
    asked_at: datetime
    accepted_at: datetime
    done_at: datetime
    plan_digest: str
    result: tuple[PlannedRecords, ...]
    result_digest: str
    rows: dict[str, int]
    runs: int
    vacuumed_at: datetime | None
    departed: dict[str, int]
    left_here: dict[str, int]
    without_holder: tuple[UUID, ...]


class Logged(NamedTuple):
    """A receipt in the log of its tenant. `signature` is Ed25519 over `digest`, where the operator has set a key."""

    number: int
    receipt: Receipt
    previous: bytes
    digest: bytes
    key_id: str | None
    signature: bytes | None
    recorded_at: datetime


def chained(number: int, receipt: Receipt, previous: bytes) -> bytes:
    """The digest of a receipt in its place: BLAKE2b of its number, its content and the digest before it."""
    return content_digest(
        {"number": number, "previous": previous.hex(), "receipt": receipt.model_dump(mode="json")}
    )


class Broken(NamedTuple):
    """A place at which the log is not as it was written."""

    number: int
    fault: str


def faults_in(log: Iterable[Logged]) -> Sequence[Broken]:
    """Where a log, from its first receipt on, does not hold together; nothing where it does."""
    faults: list[Broken] = []
    before, number = GENESIS, 0
    for each in log:
        if each.number != number + 1:
            faults.append(Broken(each.number, "a receipt before it is missing"))
        if each.previous != before:
            faults.append(Broken(each.number, "does not follow the receipt before it"))
        if each.digest != chained(each.number, each.receipt, each.previous):
            faults.append(Broken(each.number, "is not as it was written"))
        before, number = each.digest, each.number
    return faults
