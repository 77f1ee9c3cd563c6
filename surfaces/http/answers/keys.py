"""API keys, and who is calling."""

from datetime import datetime
from uuid import UUID

from models.principals import PrincipalKind
from surfaces.http.answers.base import Answer, Verbs


class KeyTold(Answer):
    """An API key, without its secret. `last_used_at` is exact to a minute."""

    id: UUID
    name: str
    subject: str
    kind: PrincipalKind
    roles: list[str]
    within: dict[str, str]
    only: Verbs
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class KeyMade(Answer):
    """A new API key. `token` is shown this once: only a digest of it is kept."""

    key: KeyTold
    token: str


class Keys(Answer):
    """All API keys of the tenant."""

    keys: list[KeyTold]


class PrincipalTold(Answer):
    """Who is calling, as the service sees it. `tenant_id` is the id in names of Temporal workflows."""

    tenant: str
    tenant_id: UUID
    subject: str
    kind: PrincipalKind
    roles: list[str]
    within: dict[str, str]
    only: Verbs
