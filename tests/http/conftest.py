"""The application over the servers of the run, with a key for everybody in a tenant's world."""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import event as sqlalchemy_event
from temporalio.client import Client

from models.api_keys import SECRET_BYTES, NewApiKey, Token
from models.principals import Principal, PrincipalKind
from runtime.addresses import Addresses
from runtime.authentication.authenticator import Authenticator
from runtime.authentication.keys import ApiKeys
from runtime.bell import hung_bell
from runtime.readiness import Readiness
from runtime.service import Service
from store import api_keys, occurrences
from store.engine import Database
from store.news import CHANNEL
from store.policies import Policies
from surfaces.http.api import Api
from surfaces.http.application import build
from surfaces.http.limits import Places, RateLimit, export_places
from tests.http.live import live
from tests.world import World


@pytest.fixture(scope="session")
async def api(
    addresses: Addresses, database: Database, policies: Policies, client: Client, service: Service
) -> AsyncGenerator[Api]:
    keys = ApiKeys(database, policies)
    async with (
        hung_bell(addresses.database_url, CHANNEL) as bell,
        hung_bell(addresses.database_url, occurrences.CHANNEL) as inbox_bell,
    ):
        yield Api(
            service=service,
            keys=keys,
            authenticator=Authenticator(keys, None),
            rate=RateLimit(100_000),
            streams=Places(),
            exports=export_places(),
            bell=bell,
            inbox_bell=inbox_bell,
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
                name=f"{who.kind.value} {who.subject} {uuid4()}"[:100],
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

    async def left_over(self, who: Principal) -> str:
        """A key for `who` that the policy of today would not let anybody make."""
        new = NewApiKey(name=str(uuid4()), subject=who.subject, kind=who.kind, roles=who.roles)
        token = Token(who.tenant, uuid4(), secrets.token_hex(SECRET_BYTES))
        async with self.world.database.transaction(who.tenant_id) as work:
            await api_keys.add(work, token.id, new, token.digest(), "root", datetime.now(UTC))
        return str(token)

    async def ask(
        self,
        who: Principal | str | None,
        method: str,
        path: str,
        body: Any = None,
        **options: Any,
    ) -> httpx2.Response:
        """One call by a principal, with a token as it is, or by nobody."""
        headers = httpx2.Headers(options.pop("headers", {}))
        token = await self.token_of(who) if isinstance(who, Principal) else who
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        if body is not None:
            # With escapes, as not everything that JSON can say can be said in UTF-8.
            options["content"] = json.dumps(body).encode()
            headers.setdefault("content-type", "application/json")
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


Founding = Callable[[], Awaitable[Asking]]


@pytest.fixture(scope="session")
def found(service: Service, database: Database, api: Api, application: FastAPI) -> Founding:
    """Makes a tenant, for fixtures that share one among the tests of a file."""

    async def one_more() -> Asking:
        made = World(service, database, f"tenant-{uuid4().hex[:12]}")
        await service.add_tenant(made.lead)
        return Asking(made, api, application)

    return one_more


@pytest.fixture(scope="session")
async def url(api: Api) -> AsyncGenerator[str]:
    """Where the application is served for real."""
    async with live(api) as (address, _):
        yield address


class Statements:
    """The SQL statements that the service sends, as they are written."""

    def __init__(self, database: Database) -> None:
        self._engine = database._engine.sync_engine
        self.sent: list[str] = []

    def _note(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        self.sent.append(statement)

    def __enter__(self) -> list[str]:
        sqlalchemy_event.listen(self._engine, "before_cursor_execute", self._note)
        return self.sent

    def __exit__(self, *_: object) -> None:
        sqlalchemy_event.remove(self._engine, "before_cursor_execute", self._note)


def own(sent: list[str]) -> list[str]:
    """The statements of the calls, without those of the worker that shares the process, and without a look at the
    policy, which is taken once a second in a transaction of its own."""
    looks = {
        place + beside
        for place, each in enumerate(sent)
        if "FROM policies" in each
        for beside in (-1, 0, 1)
        if beside < 1 or "present(attribute)" in "".join(sent[place + 1 : place + 2])
    }
    return [
        each
        for place, each in enumerate(sent)
        if place not in looks and "outbox" not in each and "applied" not in each
    ]
