"""What becomes of each record that an erasure reaches, and the plan that says so before anything is done.

Pure: kinds, counts and digests, never a word of content.

| the record | something else bears it out | it is named itself | disposition |
| --- | --- | --- | --- |
| an event | | yes | `redact`: that it happened stays |
| an event that a named record alone was said in | no | | `redact` |
| an event that others were said in as well | yes | | `cut`: the words of the named record go |
| an episode | no | | `delete` |
| an episode | yes | | `recompute`: told anew from what is left |
| a fact or claim | | yes | `delete` |
| a fact or claim | no | | `delete` |
| a fact or claim | yes | no | `recompute`: value, authority and standing of what is left, never higher |
| an intention | | | `delete`: cancelled, and it comes to nobody |
| the trace of what a person has asked | | yes | `delete` |
| a proposal or a version | its own words are erased | | `delete`: out of force, and none takes its place by itself |
| the same | only experience behind it is erased | no | `quarantine`: reviewed, suspended below the minimum |
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.ids import content_digest


class NodeKind(StrEnum):
    """Sorts of records that an erasure reaches, in the order in which they are erased."""

    TRACE = "trace"
    PROCEDURE = "procedure"
    PROPOSAL = "proposal"
    INTENTION = "intention"
    FACT = "fact"
    EVENT = "event"
    EPISODE = "episode"


class ErasureDisposition(StrEnum):
    """What becomes of a record."""

    DELETE = "delete"
    REDACT = "redact"
    CUT = "cut"
    RECOMPUTE = "recompute"
    QUARANTINE = "quarantine"


LEAVES_A_TOMBSTONE = frozenset({ErasureDisposition.DELETE, ErasureDisposition.REDACT})
"""Of what goes whole it is kept for ever that it did. An event that was cut, or a record made anew, is still there."""

ERASING_ORDER = tuple(NodeKind)
"""What rests on something is seen to before that is gone."""


def disposition_of(kind: NodeKind, *, root: bool, survives: bool) -> ErasureDisposition:
    """Apply the table above. `survives` says that something beyond the erasure bears the record out."""
    match kind:
        case NodeKind.EVENT:
            return ErasureDisposition.CUT if survives else ErasureDisposition.REDACT
        case NodeKind.EPISODE | NodeKind.FACT:
            return ErasureDisposition.RECOMPUTE if survives and not root else ErasureDisposition.DELETE
        case NodeKind.INTENTION | NodeKind.TRACE:
            return ErasureDisposition.DELETE
        case NodeKind.PROPOSAL | NodeKind.PROCEDURE:
            return ErasureDisposition.QUARANTINE if survives and not root else ErasureDisposition.DELETE


class Tally(NamedTuple):
    """How many records of one sort are to be treated in one way."""

    kind: NodeKind
    root: bool
    survives: bool
    records: int


class PlannedRecords(BaseModel):
    """A line of a plan."""

    model_config = ConfigDict(frozen=True)

    kind: NodeKind
    disposition: ErasureDisposition
    named: bool
    records: int


class Plan(BaseModel):
    """What an erasure would do, as of an instant. `holds` are the legal holds that forbid it."""

    model_config = ConfigDict(frozen=True)

    lines: tuple[PlannedRecords, ...]
    total: int
    depth: int
    holds: tuple[UUID, ...] = ()
    planned_at: datetime


def plan_of(tallies: Sequence[Tally], depth: int, holds: Sequence[UUID], now: datetime) -> Plan:
    """The plan of what was counted."""
    lines = [
        PlannedRecords(
            kind=each.kind,
            disposition=disposition_of(each.kind, root=each.root, survives=each.survives),
            named=each.root,
            records=each.records,
        )
        for each in sorted(tallies)
    ]
    return Plan(
        lines=tuple(lines),
        total=sum(line.records for line in lines),
        depth=depth,
        holds=tuple(sorted(holds)),
        planned_at=now,
    )


def digest_of(plan: Plan, nodes: bytes) -> bytes:
    """What tells two plans apart: their lines, and `nodes`, a digest of every record with what becomes of it."""
    lines: list[Mapping[str, object]] = [line.model_dump(mode="json") for line in plan.lines]
    return content_digest({"lines": lines, "nodes": nodes.hex()})
