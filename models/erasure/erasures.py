"""An erasure from its request to its receipt."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.erasure.plan import Plan
from models.erasure.targets import Target

PLAN_KEPT = timedelta(days=7)
"""How long a plan waits for whoever is to confirm it, before the request lapses visibly."""

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A digest in hexadecimal digits."""


class ErasureBasis(StrEnum):
    """Why something is erased. A code and no words, as the receipt stays for ever."""

    REQUEST = "request"
    CONSENT_WITHDRAWN = "consent_withdrawn"
    WRONG = "wrong"
    RETENTION = "retention"
    SECURITY = "security"
    OTHER = "other"


class ErasureState(StrEnum):
    """Where an erasure is.

    | state | means |
    | --- | --- |
    | planning | what it reaches is looked for |
    | planned | the plan waits for whoever is to confirm it |
    | held | a legal hold forbids it for now |
    | erasing | accepted: nothing new is made of what it reaches, and it is being erased |
    | verifying | erased, and looked for everywhere |
    | done | nothing was found, and the receipt is written |
    | withdrawn | called off before it was accepted |
    | lapsed | nobody has confirmed the plan in time |
    """

    PLANNING = "planning"
    PLANNED = "planned"
    HELD = "held"
    ERASING = "erasing"
    VERIFYING = "verifying"
    DONE = "done"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"


OVER = frozenset({ErasureState.DONE, ErasureState.WITHDRAWN, ErasureState.LAPSED})
CAN_BE_WITHDRAWN = frozenset({ErasureState.PLANNING, ErasureState.PLANNED, ErasureState.HELD})


class NewErasure(BaseModel):
    """A request to erase what `target` names.

    With `dry_run` the plan waits to be confirmed, whatever the policy asks for. `expected` is the digest of a plan that
    was looked at before: where it comes out otherwise, the new plan waits as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: Target
    basis: ErasureBasis = ErasureBasis.REQUEST
    dry_run: bool = False
    expected: Digest | None = None


class PlanConfirmation(BaseModel):
    """The word of somebody who has looked at the plan with this digest, and wants it done."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: Digest


class Erasure(NamedTuple):
    """An erasure as it is stored. `confirmers` is how many people have to confirm its plan beside who asked."""

    id: UUID
    target: str
    basis: ErasureBasis
    asked_by: str
    asked_by_kind: str
    confirmers: int
    goes_on: bool
    expected: bytes | None
    state: ErasureState
    plan: Plan | None
    digest: bytes | None
    residue: dict[str, int] | None
    lapses_at: datetime | None
    accepted_at: datetime | None
    done_at: datetime | None
    recorded_at: datetime


class Step(StrEnum):
    """What comes next for an erasure whose plan is made."""

    WAIT = "wait"
    ERASE = "erase"
    LAPSE = "lapse"


def next_step(erasure: Erasure, confirmed: int, now: datetime) -> tuple[ErasureState, Step]:
    """What becomes of an erasure with a fresh plan that so many people have confirmed.

    | the plan | comes |
    | --- | --- |
    | a legal hold forbids it | `held`, until that is over |
    | is another one than was expected, or than was confirmed | `planned`, until somebody confirms this one |
    | waits for a look, or for a second person | `planned` |
    | has waited for longer than it may | `lapsed` |
    | otherwise | `erasing` |
    """
    assert erasure.plan is not None
    if erasure.plan.holds:
        return ErasureState.HELD, Step.WAIT
    changed = erasure.expected is not None and erasure.expected != erasure.digest
    needed = erasure.confirmers if erasure.goes_on and not changed else max(erasure.confirmers, 1)
    if confirmed >= needed:
        return ErasureState.ERASING, Step.ERASE
    if erasure.lapses_at is not None and erasure.lapses_at <= now:
        return ErasureState.LAPSED, Step.LAPSE
    return ErasureState.PLANNED, Step.WAIT
