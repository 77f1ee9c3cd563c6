"""Endpoints of the tenant, for administrators: webhooks and workflows that intentions can be delivered to."""

from keepwell.calls import Calls, request_from
from keepwell.types import (
    EndpointKind,
    EndpointList,
    EndpointMade,
    EndpointNamed,
    EndpointTold,
    NewEndpoint,
)


class EndpointCalls(Calls):
    """Register, list, replace the secret, switch off and on."""

    async def register_endpoint(
        self, name: str, address: str, *, kind: EndpointKind | None = None
    ) -> EndpointMade:
        """Register an endpoint. Its secret is in this answer and never shown again."""
        fields = {"name": name, "address": address, "kind": kind}
        like = 'register_endpoint("hooks", "https://…")'
        body = request_from(NewEndpoint, None, fields, like=like).as_json()
        return await self._transport.call(
            "POST", "/v1/endpoints", EndpointMade.model_validate_json, body=body, repeatable=False
        )

    async def endpoints(self) -> list[EndpointTold]:
        """All endpoints of the tenant, without their secrets."""
        told = await self._transport.call("GET", "/v1/endpoints", EndpointList.model_validate_json)
        return told.endpoints

    async def rotate_endpoint(self, name: str) -> EndpointMade:
        """Replace the secret of a webhook. The one before signs as well, until there is another."""
        return await self._transport.call(
            "POST",
            "/v1/endpoints/rotate",
            EndpointMade.model_validate_json,
            body=_named(name),
            repeatable=False,
        )

    async def disable_endpoint(self, name: str) -> EndpointTold:
        """Switch an endpoint off: what is due for it waits."""
        path = "/v1/endpoints/disable"
        return await self._transport.call("POST", path, EndpointTold.model_validate_json, body=_named(name))

    async def enable_endpoint(self, name: str) -> EndpointTold:
        """Switch an endpoint on: what has waited for it is delivered."""
        path = "/v1/endpoints/enable"
        return await self._transport.call("POST", path, EndpointTold.model_validate_json, body=_named(name))


def _named(name: str) -> bytes:
    return request_from(EndpointNamed, None, {"name": name}, like='enable_endpoint("hooks")').as_json()
