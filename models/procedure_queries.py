"""Which procedures and which proposals to list."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from models.proposals import WAITING, ProposalState


class _Query(BaseModel):
    """`scope` is `{}` for all within reach. `after` is the `next` of the page before."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str]
    after: UUID | None = None
    limit: int = Field(default=50, ge=1, le=200, strict=True)


class ProcedureQuery(_Query):
    """Procedures of scopes that have the dimensions of `scope`; `{}` for all within reach.

    `after` is the `next` of the page before.
    """


class ProposalQuery(_Query):
    """Proposals for procedures of scopes that have these dimensions, the oldest first; `{}` for all within reach.

    Without `states` those that wait for somebody are listed. `after` is the `next` of the page before.
    """

    states: tuple[ProposalState, ...] = tuple(state for state in ProposalState if state in WAITING)
