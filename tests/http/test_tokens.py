"""Tokens of an identity provider, through the whole application: a real issuer on loopback, real signatures."""

from collections.abc import AsyncGenerator
from typing import Any, NamedTuple

import httpx2
import pytest

from runtime.authentication.authenticator import Authenticator
from surfaces.http.api import Api
from surfaces.http.application import build
from tests.http.conftest import Asking
from tests.http.listening import listening
from tests.runtime.test_oidc import ABSENT, NOW, SUITS, Issuer, claims_with, encoded, jwk, token_of
from tests.world import STAGING, World, event


class Door(NamedTuple):
    """The application where a provider is configured, its issuer, and a tenant."""

    issuer: Issuer
    asking: Asking

    @property
    def tenant(self) -> str:
        return self.asking.world.tenant

    def token(self, sort: str = "rsa", **claims: Any) -> str:
        """A token of the issuer for a lead of the tenant."""
        return token_of(sort, **{"tenant": self.tenant, "roles": ["infra_lead"], **claims})

    async def refusal(self, token: str, status: int = 401) -> str:
        """Why a token is refused. Neither the answer nor a log line holds any part of it."""
        with listening() as heard:
            answer = await self.asking.ask(token, "POST", "/v1/recall", {"scope": STAGING})
        assert answer.status_code == status, answer.text
        assert (answer.headers.get("www-authenticate") == "Bearer") == (status == 401)
        for part in token.split("."):
            assert len(part) < 8 or (part not in answer.text and part not in heard)
        return str(answer.json()["detail"])


@pytest.fixture
async def door(world: World, api: Api) -> AsyncGenerator[Door]:
    issuer = Issuer()
    await issuer.start()
    issuer.publish(*(jwk(sort) for sort in SUITS))
    theirs = api._replace(authenticator=Authenticator(api.keys, issuer.verifier()))
    yield Door(issuer, Asking(world, theirs, build(theirs, "https://issuer.example")))
    issuer.stop()


@pytest.mark.parametrize("sort", SUITS)
async def test_a_good_token_says_who_calls(door: Door, sort: str) -> None:
    told = await door.asking.get(door.token(sort), "/v1/principal")
    assert (told["tenant"], told["subject"], told["kind"]) == (door.tenant, "maria", "human")
    assert (told["roles"], told["within"], told["only"]) == (["infra_lead"], {}, None)


async def test_a_token_speaks_with_its_own_authority(door: Door) -> None:
    """What is stated with it counts as far as the role that the issuer names, and is remembered as theirs."""
    body = {"scope": STAGING, "entity": "db-1", "attribute": "owner", "value": "Ana"}
    stated = await door.asking.post(door.token(), "/v1/memories", body)
    assert (stated["verdict"], stated["governs"]) == ("establish", True)
    held = await door.asking.post(
        door.token(sub="mallory", roles="developer agent"), "/v1/memories", {**body, "value": "Bo"}
    )
    assert (held["verdict"], held["reason"]) == ("hold_unverified", "not_permitted")
    history = await door.asking.get(door.token(), f"/v1/memories/{stated['memory_id']}/history")
    assert {change["actor"] for life in history["lives"] for change in life["changes"]} == {
        "maria",
        "mallory",
    }


async def test_a_role_that_the_policy_does_not_know_grants_nothing(door: Door) -> None:
    for roles in (["emperor"], [], "", ABSENT, ["INFRA_LEAD"], ["infra_lead "]):
        detail = await door.refusal(door.token(roles=roles), 403)
        assert "ask for one that does" in detail
    assert (await door.asking.ask(door.token(roles=["admin"]), "GET", "/v1/keys")).status_code == 200
    assert (await door.asking.ask(door.token(), "GET", "/v1/keys")).status_code == 403


async def test_a_token_opens_its_own_tenant_alone(door: Door) -> None:
    told = await door.asking.post(door.token(), "/v1/events", event(text="ours"))
    path = f"/v1/events/{told['event_id']}/verdict"
    for tenant in (f"{door.tenant}-b", f"{door.tenant}.", "nobody-has-made-this"):
        stranger = door.token(tenant=tenant, roles=["operator"])
        answer = await door.asking.ask(stranger, "GET", path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        for verb, body in (
            ("events", event()),
            ("recall", {"scope": STAGING}),
            ("memories/query", {"scope": {}}),
        ):
            answer = await door.asking.ask(stranger, "POST", f"/v1/{verb}", body)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    for tenant in (
        door.tenant.upper(),
        f" {door.tenant}",
        f"{door.tenant}/..",
        "",
        None,
        [door.tenant],
        ABSENT,
    ):
        assert "claim tenant" in await door.refusal(door.token(tenant=tenant))


async def test_tokens_that_are_refused(door: Door) -> None:
    unsigned = encoded(claims_with(tenant=door.tenant, roles=["operator"]))
    head, body, signature = door.token().split(".")
    for token, says in (
        (f"{encoded({'alg': 'none'})}.{unsigned}.", "not allowed"),
        (f"{encoded({'alg': 'HS256', 'kid': 'rsa'})}.{unsigned}.{signature}", "not allowed"),
        (f"{head}.{unsigned}.{signature}", "signature"),
        (f"{head}.{body}.", "signature"),
        (f"{head}.{body}", "no signed JWT"),
        (f"{head}.{body}.{signature}.{signature}", "no signed JWT"),
        (door.token(aud="another"), "audience"),
        (door.token(iss="https://issuer.example.org"), "issuer"),
        (door.token(exp=NOW - 60), "expired"),
        (door.token(nbf=NOW + 61), "not valid yet"),
        (door.token(exp=ABSENT), "exp claim"),
        (door.token(sub="a\nb"), "sub claim"),
        (token_of(number=1, tenant=door.tenant), "signature"),
        (token_of(headers={"kid": "unknown"}, tenant=door.tenant), "does not publish"),
        (door.token(padding="x" * 17_000), "larger than 16 KB"),
    ):
        assert says in await door.refusal(token)


async def test_nobody_is_let_in_while_the_issuer_is_away(door: Door) -> None:
    door.issuer.stop()
    answer = await door.asking.ask(door.token(), "GET", "/v1/principal")
    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (
        503,
        "unavailable",
        True,
    )
    assert int(answer.headers["retry-after"]) >= 1
    # A key needs no issuer.
    assert (await door.asking.get(door.asking.admin, "/v1/principal"))["subject"] == "root"


async def test_without_a_provider_no_token_is_taken(door: Door, asking: Asking) -> None:
    answer = await asking.ask(door.token(), "GET", "/v1/principal")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")


async def test_no_header_but_one_says_who_calls(door: Door) -> None:
    """What a proxy might have been told to send, sent by a caller."""
    pretended = {
        "x-tenant": "other",
        "x-forwarded-user": "root",
        "x-roles": "admin",
        "x-subject": "root",
        "x-forwarded-authorization": "Bearer kw_x",
        "x-original-url": "/v1/keys",
        "x-http-method-override": "DELETE",
        "cookie": "session=root",
        "forwarded": "for=127.0.0.1;by=root",
    }
    told = await door.asking.get(door.token(), "/v1/principal", headers=pretended)
    assert (told["tenant"], told["subject"], told["roles"]) == (door.tenant, "maria", ["infra_lead"])
    async with httpx2.AsyncClient(transport=door.asking._transport, base_url="http://keepwell") as caller:
        assert (await caller.get("/v1/principal", headers=pretended)).status_code == 401
