"""Calls about API keys, about who is calling, and about how the service is."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from keepwell.calls import Calls, id_in_path, request_from
from keepwell.retry import Retry
from keepwell.types import (
    Health,
    KeyMade,
    Keys,
    KeyTold,
    NewApiKey,
    PrincipalKind,
    PrincipalTold,
    Readiness,
    Verb,
)

_ONCE = Retry(attempts=1)


class AdministrationCalls(Calls):
    """Keys, principal, health and readiness."""

    @overload
    async def create_key(self, key: NewApiKey | Mapping[str, Any], /) -> KeyMade: ...

    @overload
    async def create_key(
        self,
        /,
        *,
        name: str,
        subject: str,
        kind: PrincipalKind,
        roles: Sequence[str] | None = None,
        within: Mapping[str, str] | None = None,
        only: Sequence[Verb] | None = None,
        expires_at: datetime | None = None,
    ) -> KeyMade: ...

    async def create_key(self, key: NewApiKey | Mapping[str, Any] | None = None, /, **fields: Any) -> KeyMade:
        """Make an API key for a principal. Its token is in this answer and never shown again.

        Where the key may have been made, as after a lost answer or a 503, it is not asked for again, since that
        would make a second one: list the keys, and revoke the one whose token nobody has.
        """
        like = 'create_key(name="…", subject="…", kind="agent", roles=["agent"])'
        body = request_from(NewApiKey, key, fields, like=like).as_json()
        return await self._transport.call(
            "POST", "/v1/keys", KeyMade.model_validate_json, body=body, repeatable=False
        )

    async def keys(self) -> list[KeyTold]:
        """All API keys of the tenant, without their secrets."""
        return (await self._transport.call("GET", "/v1/keys", Keys.model_validate_json)).keys

    async def revoke_key(self, key_id: UUID | str) -> None:
        """Revoke an API key."""
        await self._transport.call("DELETE", f"/v1/keys/{id_in_path(key_id)}", lambda _: None)

    async def principal(self) -> PrincipalTold:
        """Who is calling, as the service sees it."""
        return await self._transport.call("GET", "/v1/principal", PrincipalTold.model_validate_json)

    async def health(self) -> Health:
        """Whether the process is alive, asked once."""
        return await self._transport.call("GET", "/healthz", Health.model_validate_json, retry=_ONCE)

    async def readiness(self) -> Readiness:
        """Whether the service can take calls, and what is missing, needed for that or not; asked once."""
        return await self._transport.call(
            "GET", "/readyz", Readiness.model_validate_json, also=frozenset({503}), retry=_ONCE
        )
