"""The application over the servers of the run, with a key for everybody in a tenant's world."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from temporalio.client import Client

from models.api_keys import NewApiKey
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from runtime.addresses import Addresses
from runtime.authentication.authenticator import Authenticator
from runtime.authentication.keys import ApiKeys
from runtime.bell import hung_bell
from runtime.readiness import Readiness
from runtime.service import Service
from store.engine import Database
from store.news import CHANNEL
from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.limits import RateLimit
from tests.world import World


@pytest.fixture(scope="session")
async def api(
    addresses: Addresses, database: Database, policy: Policy, client: Client, service: Service
) -> AsyncGenerator[Api]:
    keys = ApiKeys(database, policy)
    async with hung_bell(addresses.database_url, CHANNEL) as bell:
        yield Api(
            service=service,
            keys=keys,
            authenticator=Authenticator(keys, None),
            rate=RateLimit(100_000),
            bell=bell,
            readiness=Readiness(database, client, task_queue=service.task_queue),
            draining=asyncio.Event(),
        )


@pytest.fixture(scope="session")
def application(api: Api) -> FastAPI:
    return build(api)


class Asking:
    """A tenant's people, each with a key, asking over HTTP."""

    def __init__(self, world: World, api: Api, application: FastAPI) -> None:
        self.world = world
        self.api = api
        self._transport = httpx2.ASGITransport(application)
        self._tokens: dict[Principal, str] = {}
        self.admin = world.principal("root", PrincipalKind.HUMAN, "admin")

    async def token_of(self, who: Principal, **narrowed: Any) -> str:
        """A key that speaks for `who`."""
        cached = repr(who)
        if narrowed or cached not in self._tokens:
            new = NewApiKey(
                name=f"{who.kind.value} {who.subject} {len(self._tokens)} {sorted(narrowed)}",
                subject=who.subject,
                kind=who.kind,
                roles=who.roles,
                **narrowed,
            )
            _, token = await self.api.keys.make(self.admin, new)
            if narrowed:
                return token
            self._tokens[cached] = token
        return self._tokens[cached]

    async def ask(
        self,
        who: Principal | str | None,
        method: str,
        path: str,
        body: Any = None,
        **options: Any,
    ) -> httpx2.Response:
        """One call by a principal, with a token as it is, or by nobody."""
        headers = dict(options.pop("headers", {}))
        token = await self.token_of(who) if isinstance(who, Principal) else who
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        if body is not None:
            options["json"] = body
        async with httpx2.AsyncClient(transport=self._transport, base_url="http://keepwell") as caller:
            return await caller.request(method, path, headers=headers, **options)

    async def post(self, who: Principal | str | None, path: str, body: Any = None, **options: Any) -> Any:
        """The JSON of a call that must be well."""
        answer = await self.ask(who, "POST", path, body, **options)
        assert answer.is_success, answer.text
        return answer.json()

    async def get(self, who: Principal | str | None, path: str, **options: Any) -> Any:
        """The JSON of a call that must be well."""
        answer = await self.ask(who, "GET", path, **options)
        assert answer.is_success, answer.text
        return answer.json()


@pytest.fixture
async def asking(world: World, api: Api, application: FastAPI) -> Asking:
    return Asking(world, api, application)
