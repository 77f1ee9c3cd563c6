"""API keys, who is calling, and how the service is."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from keepwell.types.wire import Answer, Instant, Open, Request
from keepwell.types.words import PrincipalKind, PrincipalKindTold, Verb, VerbTold

_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]+$"


class NewApiKey(Request):
    """A key to be made: its name, and the principal that it speaks for.

    `within` narrows it to requests whose scope has these dimensions, `only` to these verbs; None leaves it all
    that its roles allow. Without `expires_at` it holds until it is revoked.
    """

    name: str = Field(min_length=1, max_length=100, pattern=_PLAIN)
    subject: str = Field(min_length=1, max_length=200, pattern=_PLAIN)
    kind: PrincipalKind
    roles: tuple[Annotated[str, Field(min_length=1, max_length=100, pattern=_PLAIN)], ...] = ()
    within: dict[str, str] = Field(default_factory=dict[str, str])
    only: frozenset[Verb] | None = None
    expires_at: Instant | None = None


class KeyTold(Answer):
    """An API key, without its secret. `last_used_at` is exact to a minute."""

    id: UUID
    name: str
    subject: str
    kind: PrincipalKindTold
    roles: list[str]
    within: dict[str, str]
    only: list[VerbTold] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class KeyMade(Answer):
    """A new API key. `token` is shown this once: only a digest of it is kept."""

    key: KeyTold
    token: str = Field(repr=False)


class Keys(Answer):
    """All API keys of the tenant."""

    keys: list[KeyTold]


class PrincipalTold(Answer):
    """Who is calling, as the service sees it. `tenant_id` is the id in names of Temporal workflows."""

    tenant: str
    tenant_id: UUID
    subject: str
    kind: PrincipalKindTold
    roles: list[str]
    within: dict[str, str]
    only: list[VerbTold] | None


class Lack(Answer):
    """One thing that is not there. Without what is `required` no call can be taken; the rest can wait."""

    name: str
    detail: str
    required: bool


class Readiness(Answer):
    """Whether the service can take calls, and what is missing, needed for that or not."""

    ready: bool
    missing: list[Lack]


class Health(Answer):
    """The process is alive."""

    status: Annotated[Literal["alive"] | str, Open] = "alive"
    version: str
