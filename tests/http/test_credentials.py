"""API keys at the door: what opens it, what does not, and that nobody learns more than that from a refusal."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from models.api_keys import parse_token
from models.principals import PrincipalKind
from runtime.addresses import Addresses
from runtime.authentication.keys import TRUSTED_SECONDS, ApiKeys
from store.engine import Database
from store.policies import Policies
from store.tables import metadata
from surfaces.http.limits import MAX_HEAD_BYTES
from tests.http.conftest import Asking
from tests.http.listening import listening
from tests.http.live import exchange
from tests.world import STAGING, World, event

REFUSED = "this key is unknown, expired or revoked; ask for another"
AGENT = {"subject": "bot", "kind": "agent", "roles": ["agent"]}


@pytest.fixture(scope="session")
async def admin(addresses: Addresses) -> AsyncGenerator[AsyncEngine]:
    """The database as its owner sees it: all tenants and every table."""
    assert addresses.admin_database_url is not None
    engine = create_async_engine(addresses.admin_database_url)
    yield engine
    await engine.dispose()


async def made(asking: Asking, **fields: Any) -> tuple[UUID, str]:
    """The id and the text of a new key for an agent."""
    body = {"name": str(uuid4()), **AGENT, **fields}
    answer = await asking.post(asking.admin, "/v1/keys", body)
    return UUID(answer["key"]["id"]), answer["token"]


async def status(asking: Asking, token: str | None, **options: Any) -> tuple[int, str]:
    """How a call with this credential is answered, and the problem's detail."""
    answer = await asking.ask(token, "GET", "/v1/principal", **options)
    assert (answer.status_code == 401) == (answer.headers.get("www-authenticate") == "Bearer")
    return answer.status_code, answer.json().get("detail", "")


async def test_a_key_says_who_calls(asking: Asking) -> None:
    _, token = await made(asking, within=STAGING, only=["recall", "publish"])
    for spelling in ("Bearer {}", "bearer {}", "BEARER {}", "Bearer   {}", "  Bearer {}  "):
        told = await asking.get(None, "/v1/principal", headers={"authorization": spelling.format(token)})
        assert told == {
            "tenant": asking.world.tenant,
            "tenant_id": str(asking.world.lead.tenant_id),
            "subject": "bot",
            "kind": "agent",
            "roles": ["agent"],
            "within": STAGING,
            "only": ["publish", "recall"],
        }


async def test_only_the_key_itself_opens(asking: Asking) -> None:
    """Whatever is changed of it, it is refused; and where it still looks like a key, always in the same words."""
    identity, token = await made(asking)
    tenant, secret = asking.world.tenant, token.rsplit("_", 1)[1]
    other = World(asking.world.service, asking.world.database, f"{tenant}-b")
    await other.service.add_tenant(other.lead)
    flipped = f"{int(secret[0], 16) ^ 1:x}{secret[1:]}"
    well_formed = [
        f"kw_{tenant}_{identity.hex}_{flipped}",
        f"kw_{tenant}_{identity.hex}_{'0' * 64}",
        f"kw_{tenant}_{uuid4().hex}_{secret}",
        f"kw_{other.tenant}_{identity.hex}_{secret}",
        f"kw_nobody-{tenant}_{identity.hex}_{secret}",
    ]
    for changed in well_formed:
        assert parse_token(changed) is not None
        assert await status(asking, changed) == (401, REFUSED)
    for changed in (
        token[:-1],
        token + "0",
        token[:-1] + "g",
        token.upper(),
        token.replace("kw_", "KW_", 1),
        token.replace(identity.hex, str(identity)),
        token.replace("_", "__", 1),
        f"{token} {token}",
        f"{token},{token}",
        f"kw_{tenant}_{identity.hex}_{secret[:32]}",
        f"kw__{identity.hex}_{secret}",
        f"kw_{tenant}_{identity.hex}_",
        "kw_",
        "kw_" + "a" * 20_000,
        secret,
    ):
        assert parse_token(changed) is None
        code, detail = await status(asking, changed)
        assert code == 401
        assert changed == "kw_" or changed not in detail
        assert secret not in detail
    assert (await status(asking, token))[0] == 200


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic {}", "Token {}", "{}", "Bearer\t{}", "Bearer:{}", "Bearer, {}", "kw {}"],
)
async def test_the_scheme_is_bearer(asking: Asking, header: str) -> None:
    _, token = await made(asking)
    code, detail = await status(asking, None, headers={"authorization": header.format(token)})
    assert code == 401
    assert token not in detail


async def test_two_credentials_are_one_too_many(asking: Asking) -> None:
    """A proxy and a service that disagree on which of two counts would be a hole."""
    _, token = await made(asking)
    for others in (["Bearer kw_x"], [f"Bearer {token}"], ["Basic x", f"Bearer {token}"]):
        headers = httpx2.Headers(
            [("authorization", f"Bearer {token}"), *(("authorization", each) for each in others)]
        )
        async with httpx2.AsyncClient(transport=asking._transport, base_url="http://keepwell") as caller:
            answer = await caller.get("/v1/principal", headers=headers)
        assert (answer.status_code, answer.json()["field"]) == (422, "Authorization")


async def test_a_head_has_an_end(url: str) -> None:
    """The server stops reading long before its memory is full, and what is no HTTP is a problem as well."""
    begin = b"GET /v1/principal HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    bearer = b"Authorization: Bearer "
    for value in (b"a" * 10, b"a" * 17_000, b"a" * (MAX_HEAD_BYTES - 2_000), b"\xff\xfe"):
        code, headers, _ = await exchange(url, begin + bearer + value + b"\r\n\r\n")
        assert (code, headers["content-type"]) == (401, "application/problem+json")
    for endless in (bearer + b"a" * 20_000_000, b"X: aaaa\r\n" * 2_000_000, bearer[:-1] + b" " * 20_000_000):
        code, headers, body = await exchange(url, begin + endless)
        assert (code, headers["content-type"]) == (431, "application/problem+json")
        assert headers["x-request-id"].encode() in body
        assert b"aaaa" not in body
    for garbage in (b"GARBAGE\r\n\r\n", begin + bearer + b"a\x00b\r\n\r\n", b"GET /\xff HTTP/1.1\r\n\r\n"):
        code, headers, body = await exchange(url, garbage)
        assert (code, headers["content-type"]) == (400, "application/problem+json")
        assert headers["x-request-id"].encode() in body


async def test_a_key_ends_when_it_was_to_end(asking: Asking) -> None:
    """To the instant: what was found good a moment ago is not trusted for longer than the key holds."""
    ends = datetime.now(UTC) + timedelta(seconds=0.8)
    _, token = await made(asking, expires_at=ends.isoformat())
    assert (await status(asking, token))[0] == 200
    await asyncio.sleep((ends - datetime.now(UTC)).total_seconds() + 0.01)
    assert await status(asking, token) == (401, REFUSED)


async def test_a_revoked_key_is_refused_at_once_and_elsewhere_soon(
    asking: Asking, database: Database, policies: Policies
) -> None:
    identity, token = await made(asking)
    clock = 0.0
    elsewhere = ApiKeys(database, policies, clock=lambda: clock)
    await elsewhere.recognise(token)
    assert (await status(asking, token))[0] == 200
    for _ in range(2):
        answer = await asking.ask(asking.admin, "DELETE", f"/v1/keys/{identity}")
        assert (answer.status_code, answer.content) == (204, b"")
    assert await status(asking, token) == (401, REFUSED)
    clock = TRUSTED_SECONDS - 0.001
    await elsewhere.recognise(token)
    clock = TRUSTED_SECONDS
    with pytest.raises(Exception, match=REFUSED):
        await elsewhere.recognise(token)


async def test_a_key_that_is_looked_up_while_it_is_revoked_is_not_kept(
    asking: Asking, admin: AsyncEngine
) -> None:
    """The look-up saw the key as it was; by the time that it is through, the key has been revoked."""
    identity, token = await made(asking)
    row = {"id": identity, "tenant": asking.world.lead.tenant_id}
    async with admin.begin() as holding:
        await holding.execute(
            text("SELECT FROM api_keys WHERE tenant_id = :tenant AND id = :id FOR UPDATE"), row
        )
        revoking = asyncio.create_task(asking.ask(asking.admin, "DELETE", f"/v1/keys/{identity}"))
        await waiting_for_locks(admin, 1)
        calling = asyncio.create_task(status(asking, token))
        await waiting_for_locks(admin, 2)
    assert (await revoking).status_code == 204
    assert (await calling)[0] == 200
    assert await status(asking, token) == (401, REFUSED)


async def waiting_for_locks(admin: AsyncEngine, number: int) -> None:
    """Return once so many statements on keys wait for a lock."""
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%UPDATE api_keys%'"
    )
    async with asyncio.timeout(20), admin.connect() as watching:
        while True:
            if (await watching.execute(query)).scalar_one() >= number:
                return
            await watching.rollback()
            await asyncio.sleep(0.01)


async def test_a_name_is_taken_once_and_free_again(asking: Asking) -> None:
    body = {"name": "deploy", **AGENT}
    answers = await asyncio.gather(*(asking.ask(asking.admin, "POST", "/v1/keys", body) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 5]
    [first] = [answer.json() for answer in answers if answer.status_code == 201]
    refused = next(answer.json() for answer in answers if answer.status_code == 409)
    assert (refused["code"], refused["field"]) == ("conflict", "name")
    await asking.ask(asking.admin, "DELETE", f"/v1/keys/{first['key']['id']}")
    second = await asking.post(asking.admin, "/v1/keys", {**body, "subject": "another"})
    assert await status(asking, first["token"]) == (401, REFUSED)
    assert (await asking.get(second["token"], "/v1/principal"))["subject"] == "another"
    listed = (await asking.get(asking.admin, "/v1/keys"))["keys"]
    assert [each["revoked_at"] is None for each in listed if each["name"] == "deploy"] == [False, True]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"roles": ["agent", "emperor"]}, "roles"),
        ({"roles": []}, "roles"),
        ({"roles": [], "kind": "human", "subject": "qa-pipeline"}, "roles"),
        ({"roles": [], "kind": "system"}, "roles"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2999-01-01T00:00:00"}, "expires_at"),
        ({"expires_at": "9999-12-31T23:59:59.999999Z"}, "expires_at"),
        ({"expires_at": 32503680000}, "expires_at"),
        ({"within": {"planet": "mars"}}, "within"),
        ({"within": {"workspace": ""}}, "within.workspace"),
        ({"within": {"workspace": "a\u0000"}}, "within.workspace"),
        ({"within": None}, "within"),
        ({"only": ["rule"]}, "only.0"),
        ({"kind": "god"}, "kind"),
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"subject": "\u0085"}, "subject"),
        ({"subject": "\ud83d"}, "subject"),
        ({"roles": [""]}, "roles.0"),
        ({"tenant": "other"}, "tenant"),
        ({"secret": "0" * 64}, "secret"),
        ({"id": str(uuid4())}, "id"),
    ],
)
async def test_a_key_that_cannot_be_made_is_refused(
    asking: Asking, changes: dict[str, Any], field: str
) -> None:
    before = len((await asking.get(asking.admin, "/v1/keys"))["keys"])
    answer = await asking.ask(asking.admin, "POST", "/v1/keys", {"name": "k", **AGENT, **changes})
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert len((await asking.get(asking.admin, "/v1/keys"))["keys"]) == before


async def test_a_secret_is_shown_once_and_kept_nowhere(asking: Asking, admin: AsyncEngine) -> None:
    """Not in any row of any table, nor in any log line, whether the key is good or not; the digest is in one."""
    with listening() as heard:
        identity, token = await made(asking)
        secret = token.rsplit("_", 1)[1]
        assert (await asking.get(asking.admin, "/v1/keys"))["keys"][-1]["last_used_at"] is None
        await asking.post(token, "/v1/events", event(text="hello"))
        listed = await asking.ask(asking.admin, "GET", "/v1/keys")
        await asking.ask(token[:-2], "GET", "/v1/principal")
        await asking.ask(asking.admin, "DELETE", f"/v1/keys/{identity}")
        await asking.ask(token, "GET", "/v1/principal")
    assert heard.lines
    assert secret not in heard
    assert secret[:32] not in heard
    assert secret not in listed.text
    [key] = [each for each in listed.json()["keys"] if each["id"] == str(identity)]
    assert datetime.fromisoformat(key["last_used_at"]) <= datetime.now(UTC)
    assert not {"digest", "secret", "token"} & key.keys()
    parsed = parse_token(token)
    assert parsed is not None
    async with admin.connect() as reading:
        for table in metadata.tables:
            found = await reading.execute(
                text(f"SELECT count(*) FROM {table} t WHERE t::text LIKE ANY(:parts)"),
                {"parts": [f"%{secret}%", f"%{secret[:32]}%", f"%{secret[32:]}%"]},
            )
            assert found.scalar_one() == 0, table
        digest = await reading.execute(text("SELECT digest FROM api_keys WHERE id = :id"), {"id": identity})
        assert digest.scalar_one() == parsed.digest()
    assert parsed.digest() != bytes.fromhex(secret)


async def test_only_an_administrator_deals_with_keys(asking: Asking) -> None:
    """Whatever else somebody may do; and a narrowed administrator makes no key that reaches further."""
    world = asking.world
    operator = world.principal("olga", PrincipalKind.HUMAN, "operator")
    narrowed = await asking.token_of(asking.admin, within=STAGING)
    reading = await asking.token_of(asking.admin, only=["read", "recall"])
    for who in (operator, world.lead, world.agent, world.pipeline, narrowed, reading):
        for method, path in (("POST", "/v1/keys"), ("GET", "/v1/keys"), ("DELETE", f"/v1/keys/{uuid4()}")):
            answer = await asking.ask(who, method, path, {"name": "k", **AGENT} if method == "POST" else None)
            assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
