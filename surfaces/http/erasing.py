"""Erasures, holds and tombstones in words of the API."""

from collections.abc import Sequence

from models.erasure.erasures import Erasure
from models.erasure.plan import PlannedRecords
from models.erasure.receipts import Broken, Logged
from recall.erasures import ErasurePage, ErasureRead
from store.erasure.log import Hold
from store.erasure.requests import Tombstone
from surfaces.http.answers import erasures as told


def erasure(read: ErasureRead) -> told.ErasureTold:
    """An erasure with its plan, and its receipt once there is one."""
    there = read.erasure
    plan = None
    if there.plan is not None and there.digest is not None:
        plan = told.PlanTold(
            digest=there.digest.hex(),
            lines=_lines(there.plan.lines),
            total=there.plan.total,
            depth=there.plan.depth,
            holds=list(there.plan.holds),
            planned_at=there.plan.planned_at,
        )
    return told.ErasureTold(
        id=there.id,
        target=there.target,
        basis=there.basis,
        state=there.state,
        asked_by=there.asked_by,
        asked_at=there.recorded_at,
        confirmers=there.confirmers,
        confirmed_by=list(read.confirmed_by),
        plan=plan,
        found=there.residue or {},
        lapses_at=there.lapses_at,
        accepted_at=there.accepted_at,
        done_at=there.done_at,
        receipt=None if read.logged is None else _receipt(read.logged),
    )


def without_receipt(there: Erasure) -> told.ErasureTold:
    """An erasure as a list tells of it."""
    return erasure(ErasureRead(there, (), None))


def page(found: ErasurePage) -> told.ErasureList:
    """One page of erasures."""
    return told.ErasureList(erasures=[without_receipt(each) for each in found.erasures], next=found.next)


def tombstone(stone: Tombstone) -> told.TombstoneTold:
    """What is left of something."""
    return told.TombstoneTold(
        id=stone.id,
        kind=stone.kind,
        disposition=stone.disposition,
        erasure_id=stone.erasure_id,
        erased_at=stone.recorded_at,
    )


def holds(found: Sequence[Hold]) -> told.HoldList:
    """Legal holds."""
    return told.HoldList(
        holds=[
            told.HoldTold(
                id=each.id,
                target=each.target,
                reason=each.reason,
                owner=each.owner,
                until=each.until,
                released_at=each.released_at,
                released_by=each.released_by,
                held_at=each.recorded_at,
            )
            for each in found
        ]
    )


def checked(faults: Sequence[Broken]) -> told.LogChecked:
    """Whether a log holds together."""
    listed = [told.LogFault(number=each.number, fault=each.fault) for each in faults]
    return told.LogChecked(holds=not listed, faults=listed)


def _receipt(logged: Logged) -> told.ReceiptTold:
    receipt = logged.receipt
    return told.ReceiptTold(
        number=logged.number,
        digest=logged.digest.hex(),
        previous=logged.previous.hex(),
        key_id=logged.key_id,
        signature=None if logged.signature is None else logged.signature.hex(),
        plan_digest=receipt.plan_digest,
        result=_lines(receipt.result),
        result_digest=receipt.result_digest,
        rows=dict(receipt.rows),
        runs=receipt.runs,
        vacuumed_at=receipt.vacuumed_at,
        departed=dict(receipt.departed),
        left_here=dict(receipt.left_here),
        without_holder=list(receipt.without_holder),
    )


def _lines(lines: Sequence[PlannedRecords]) -> list[told.PlannedTold]:
    return [
        told.PlannedTold(kind=each.kind, disposition=each.disposition, named=each.named, records=each.records)
        for each in lines
    ]
