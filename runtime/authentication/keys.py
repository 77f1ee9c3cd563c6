"""API keys: made by an administrator, shown once, and afterwards known by a digest alone."""

import secrets
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

from models.api_keys import SECRET_BYTES, ApiKey, NewApiKey, Token, admits, parse_token, require_usable
from models.errors import Conflict, NotFound, Unauthenticated
from models.ids import tenant_id
from models.principals import Principal, PrincipalKind
from models.scope import Scope
from models.verbs import Verb
from store import api_keys, tenants
from store.engine import Database
from store.policies import Policies

TRUSTED_SECONDS = 5.0
"""For so long a key that was found good is not looked up again: another process' revocation takes as long."""

_MOST_REMEMBERED = 10_000
_FIRST = NewApiKey(name="first administrator", subject="admin", kind=PrincipalKind.HUMAN, roles=("admin",))


class ApiKeys:
    """Makes, lists, revokes and recognises keys. `clock` tells monotonic seconds."""

    def __init__(
        self, database: Database, policies: Policies, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._policies = policies
        self._clock = clock
        self._recognised: dict[bytes, tuple[float, UUID, Principal]] = {}
        self._revocations = 0

    async def make(
        self, principal: Principal, new: NewApiKey, *, replace: bool = False
    ) -> tuple[ApiKey, str]:
        """A new key, and the text of it, which nobody can show again.

        With `replace` a key of this name that is in force ends in the same transaction. Raises `NotPermitted`,
        `NotFound` for an unknown tenant, `InvalidInput` for a key with which nobody could do anything, and
        `Conflict` where a key of this name is in force and stays.
        """
        await self._require_administrator(principal)
        return await self._make(principal.tenant, principal.subject, new, replace=replace)

    async def make_first(self, tenant: str) -> str | None:
        """The key of a tenant's first administrator; None where the tenant has had a key before.

        For the operator's own process: there is nobody yet who could be asked for permission.
        """
        async with self._database.transaction(tenant_id(tenant)) as work:
            if await api_keys.every(work):
                return None
        try:
            return (await self._make(tenant, "keepwell", _FIRST))[1]
        except Conflict:
            return None

    async def _make(
        self, tenant: str, made_by: str, new: NewApiKey, *, replace: bool = False
    ) -> tuple[ApiKey, str]:
        now = datetime.now(UTC)
        require_usable(new, await self._policies.of(tenant_id(tenant)), now)
        token = Token(tenant, uuid4(), secrets.token_hex(SECRET_BYTES))
        async with self._database.transaction(tenant_id(tenant)) as work:
            if not await tenants.exists(work, work.tenant_id):
                raise NotFound(f"unknown tenant; make it with: keepwell tenants add {tenant}")
            ended = await api_keys.add(work, token.id, new, token.digest(), made_by, now, replace=replace)
            if ended is None:
                raise Conflict(
                    "a key of this name is in force; revoke that one, or choose another name", field="name"
                )
            made = await api_keys.get(work, token.id)
        assert made is not None
        if ended:
            self._forget(ended)
        return made[0], str(token)

    async def _require_administrator(self, principal: Principal) -> None:
        policy = await self._policies.of(principal.tenant_id)
        policy.require(principal, Verb.ADMINISTER, Scope({}))

    async def every(self, principal: Principal) -> Sequence[ApiKey]:
        """All keys of the tenant, oldest first. Raises `NotPermitted`."""
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            return await api_keys.every(work)

    async def revoke(self, principal: Principal, key_id: UUID) -> None:
        """End a key, here at once and in other processes within `TRUSTED_SECONDS`.

        Raises `NotPermitted`, and `NotFound` for a key that is not there.
        """
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            if not await api_keys.revoke(work, key_id, datetime.now(UTC)):
                raise NotFound("no such key; list the keys to see their ids")
        self._forget([key_id])

    async def revoke_named(self, principal: Principal, name: str) -> UUID:
        """End the key that has this name, as `revoke` does; its id.

        Raises `NotPermitted`, and `NotFound` where no key has the name, or none has it any more.
        """
        await self._require_administrator(principal)
        async with self._database.transaction(principal.tenant_id) as work:
            key_id = await api_keys.revoke_named(work, name, datetime.now(UTC))
            if key_id is None:
                raise NotFound("no key of this name that is not revoked; list the keys to see their names")
        self._forget([key_id])
        return key_id

    def _forget(self, ended: Collection[UUID]) -> None:
        """Trust keys that have been ended no longer, nor what is just being looked up."""
        self._revocations += 1
        self._recognised = {
            digest: known for digest, known in self._recognised.items() if known[1] not in ended
        }

    async def recognise(self, text: str) -> Principal:
        """Whom a key speaks for.

        Raises `Unauthenticated`, in the same words whatever is wrong: they tell nobody which keys exist.
        """
        token = parse_token(text)
        if token is None:
            raise Unauthenticated("this is not an API key; it begins with kw_ and is sent whole")
        digest = token.digest()
        known = self._recognised.get(digest)
        now = self._clock()
        if known is not None and now < known[0]:
            return known[2]
        revocations = self._revocations
        key = await self._look_up(token)
        principal = key.principal(token.tenant)
        # What was looked up while a key was being revoked may be of before that, so it is not kept.
        if revocations == self._revocations:
            if len(self._recognised) >= _MOST_REMEMBERED:
                self._recognised.clear()
            self._recognised[digest] = (now + _trusted_for(key, datetime.now(UTC)), token.id, principal)
        return principal

    async def _look_up(self, token: Token) -> ApiKey:
        async with self._database.transaction(tenant_id(token.tenant)) as work:
            found = await api_keys.get(work, token.id)
            if found is None or not admits(*found, token, datetime.now(UTC)):
                raise Unauthenticated("this key is unknown, expired or revoked; ask for another")
            await api_keys.used(work, token.id)
        return found[0]


def _trusted_for(key: ApiKey, now: datetime) -> float:
    """For how many seconds a key that is good at `now` need not be looked up again: never beyond its own end."""
    if key.expires_at is None:
        return TRUSTED_SECONDS
    return min(TRUSTED_SECONDS, (key.expires_at - now).total_seconds())
