"""API keys: what one looks like, and whether one that is shown is the one that was made.

A key is `kw_<tenant>_<id>_<secret>`: it says whose it is, and 256 random bits prove it. Of the secret only a
digest is kept, keyed with tenant and id, so that a stored digest is of no use for any other key.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from hmac import compare_digest
from typing import Annotated, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator

from models.errors import InvalidInput
from models.events import aware, written_out
from models.ids import tenant_id
from models.policy import Policy
from models.principals import PLAIN, Principal, PrincipalKind
from models.scope import parse_scope
from models.verbs import Verb

SECRET_BYTES = 32
_TOKEN = re.compile(r"kw_([a-z0-9][a-z0-9._-]{0,99})_([0-9a-f]{32})_([0-9a-f]{64})")


class Token(NamedTuple):
    """A key as its holder has it."""

    tenant: str
    id: UUID
    secret: str

    def __str__(self) -> str:
        return f"kw_{self.tenant}_{self.id.hex}_{self.secret}"

    def digest(self) -> bytes:
        """What is stored in place of the secret: 32 bytes of keyed BLAKE2b."""
        key = tenant_id(self.tenant).bytes + self.id.bytes
        return hashlib.blake2b(bytes.fromhex(self.secret), key=key, digest_size=32).digest()


def looks_like_a_key(text: str) -> bool:
    """Whether `text` is meant as an API key, well-formed or not."""
    return text.startswith("kw_")


def parse_token(text: str) -> Token | None:
    """The parts of a key, or None for what is not one."""
    matched = _TOKEN.fullmatch(text)
    return None if matched is None else Token(matched[1], UUID(matched[2]), matched[3])


class NewApiKey(BaseModel):
    """A key to be made: its name, and the principal that it speaks for.

    It takes a role, unless it speaks for a system that the policy declares.
    `within` narrows it to requests whose scope has these dimensions, `only` to these verbs; None leaves it all
    that its roles allow. Without `expires_at` it holds until it is revoked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=100, pattern=PLAIN)
    subject: str = Field(min_length=1, max_length=200, pattern=PLAIN)
    kind: PrincipalKind
    roles: tuple[Annotated[str, Field(min_length=1, max_length=100, pattern=PLAIN)], ...] = ()
    within: dict[str, str] = Field(default_factory=dict[str, str])
    only: frozenset[Verb] | None = None
    expires_at: datetime | None = None

    @field_validator("expires_at", mode="before")
    @classmethod
    def _is_an_instant(cls, value: object) -> object:
        return None if value is None else written_out(value)

    @field_validator("expires_at")
    @classmethod
    def _has_an_offset(cls, value: datetime | None) -> datetime | None:
        return None if value is None else aware(value)


def require_usable(new: NewApiKey, policy: Policy, now: datetime) -> None:
    """Raise `InvalidInput`, naming what to change, for a key with which nobody could do anything.

    | the key | refused at |
    | --- | --- |
    | is narrowed to what is no scope of the policy's | `within` |
    | has a role that the policy does not know | `roles` |
    | has no role and speaks for a human or an agent | `roles` |
    | has no role and speaks for a system that the policy does not declare | `roles` |
    | has ended by `now` | `expires_at` |
    | any other | nowhere |
    """
    parse_scope(new.within, policy.dimensions, "within")
    if not set(new.roles) <= set(policy.roles):
        raise InvalidInput(f"the policy has no such role; it has {_listed(policy.roles)}", field="roles")
    if not new.roles and new.kind is not PrincipalKind.SYSTEM:
        raise InvalidInput(
            f"a key without a role may do nothing; name one of {_listed(policy.roles)}", field="roles"
        )
    if not new.roles and new.subject not in policy.systems:
        raise InvalidInput(
            "a key without a role may do nothing for a system that the policy does not declare; name a role, or "
            f"speak for one that it declares: {_listed(policy.systems)}",
            field="roles",
        )
    if new.expires_at is not None and new.expires_at <= now:
        raise InvalidInput("lies in the past; name an instant to come", field="expires_at")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


class ApiKey(NamedTuple):
    """A key as it is stored, without its digest. `last_used_at` is exact to a minute."""

    id: UUID
    name: str
    subject: str
    kind: PrincipalKind
    roles: tuple[str, ...]
    within: dict[str, str]
    only: frozenset[Verb] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def principal(self, tenant: str) -> Principal:
        """Whom the key speaks for."""
        return Principal(
            tenant=tenant,
            subject=self.subject,
            kind=self.kind,
            roles=self.roles,
            within=self.within,
            only=self.only,
        )


def admits(key: ApiKey, stored: bytes, token: Token, now: datetime) -> bool:
    """Whether `token` opens what `key` stands for, `stored` being the digest that was kept.

    | the secret | the key | admitted |
    | --- | --- | --- |
    | another | any | no |
    | the one that was made | revoked, or expired by `now` | no |
    | the one that was made | in force | yes |
    """
    genuine = compare_digest(stored, token.digest())
    in_force = key.revoked_at is None and (key.expires_at is None or now < key.expires_at)
    return genuine and in_force
