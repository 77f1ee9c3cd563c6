"""Tokens of an OIDC issuer: good ones say who calls, all others are refused without being quoted.

The issuer is a real server on loopback that counts who asks; its keys are real ones.
"""

import asyncio
import base64
import gzip
import hashlib
import hmac
import json
import traceback
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import cache
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jwt.algorithms import get_default_algorithms

from models.errors import InvalidInput, Unauthenticated, Unavailable
from models.principals import PrincipalKind
from runtime.authentication import jwks, oidc
from runtime.authentication.jwks import Step, choose, usable_keys
from runtime.settings import Settings

NOW = 1_900_000_000
RULES = oidc.TokenRules("https://issuer.example", "keepwell", "tenant", "roles")
RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
SUITS = {"rsa": RSA, "P-256": ("ES256",), "P-384": ("ES384",), "P-521": ("ES512",), "ed25519": ("EdDSA",)}
CURVES = {"P-256": ec.SECP256R1, "P-384": ec.SECP384R1, "P-521": ec.SECP521R1, "secp256k1": ec.SECP256K1}
ABSENT: Any = object()


@cache
def private_key(sort: str, number: int) -> Any:
    """The key of this sort that has this number; another number is another key."""
    if sort in CURVES:
        return ec.generate_private_key(CURVES[sort]())
    if sort == "ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    return rsa.generate_private_key(65_537, 1_024 if sort == "short" else 2_048)


def jwk(sort: str, number: int = 0, **more: Any) -> dict[str, Any]:
    algorithm: Any = get_default_algorithms()["ES256" if sort in CURVES else SUITS.get(sort, RSA)[0]]
    described = algorithm.to_jwk(private_key(sort, number).public_key(), as_dict=True)
    return described | {"kid": sort} | more


def claims_with(**changes: Any) -> dict[str, Any]:
    good = {"iss": RULES.issuer, "aud": "keepwell", "sub": "maria", "tenant": "acme", "exp": NOW + 300}
    return {name: value for name, value in (good | changes).items() if value is not ABSENT}


def token_of(sort: str = "rsa", alg: str = "", number: int = 0, headers: Any = (), **claims: Any) -> str:
    key, named = private_key(sort, number), {"kid": sort, **dict(headers)}
    return jwt.encode(claims_with(**claims), key, alg or SUITS[sort][0], headers=named)


def encoded(part: Any) -> str:
    content = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Issuer:
    """A server on a port of its own that answers as it is told, unless `hold` is taken."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.asked: Counter[str] = Counter()
        self.hold = asyncio.Lock()
        self.clock = 0.0
        self.port = 0

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.close()

    def publish(self, *keys: dict[str, Any], path: str = "/keys") -> None:
        self.answer(path, json.dumps({"keys": keys}).encode())

    def answer(self, path: str, body: bytes, status: str = "200 OK", headers: str = "") -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n{headers}\r\n"
        self.answers[path] = head.encode() + body

    def verifier(self, **changes: Any) -> oidc.OidcVerifier:
        good = {"oidc_issuer": RULES.issuer, "oidc_audience": "keepwell", "oidc_jwks_url": f"{self.url}/keys"}
        made = oidc.verifier_of(Settings(**(good | changes)), clock=lambda: self.clock, now=lambda: NOW)
        assert made is not None
        return made

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
            self.asked[path] += 1
            async with self.hold:
                writer.write(self.answers[path])
            await writer.drain()
        writer.close()


@pytest.fixture
async def issuer() -> AsyncGenerator[Issuer]:
    running = Issuer()
    await running.start()
    running.publish(*(jwk(sort) for sort in SUITS))
    yield running
    running.stop()


async def refusal(verifier: oidc.OidcVerifier, token: str, error: Any = Unauthenticated) -> str:
    """Why a token is refused; nothing of it may be in the message, nor in what a log would show."""
    with pytest.raises(error) as refused:
        await verifier.verify(token)
    shown = "".join(traceback.format_exception(refused.value))
    assert not [part for part in (token, *token.split("."), "maria") if len(part) > 4 and part in shown]
    return str(refused.value)


@pytest.mark.parametrize(("sort", "algorithm"), [(sort, each) for sort in SUITS for each in SUITS[sort]])
async def test_a_token_of_each_algorithm_says_who_calls(issuer: Issuer, sort: str, algorithm: str) -> None:
    principal = await issuer.verifier().verify(token_of(sort, algorithm, roles=["lead", "developer"]))
    assert (principal.subject, principal.tenant, principal.roles) == ("maria", "acme", ("lead", "developer"))
    assert (principal.kind, principal.only, principal.within) == (PrincipalKind.HUMAN, None, {})


async def test_no_token_chooses_how_it_is_verified(issuer: Issuer) -> None:
    verifier, body = issuer.verifier(), encoded(claims_with())
    assert "not allowed" in await refusal(verifier, f"{encoded({'alg': 'none', 'kid': 'rsa'})}.{body}.")
    pem = private_key("rsa", 0).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = f"{encoded({'alg': 'HS256', 'kid': 'rsa'})}.{body}"
    confused = f"{signed}.{encoded(hmac.new(pem, signed.encode(), hashlib.sha256).digest())}"
    assert "not allowed" in await refusal(verifier, confused)
    for algorithm in ("None", "", "HS512", "ES256K", ["RS256"], None):
        assert "not allowed" in await refusal(verifier, f"{encoded({'alg': algorithm})}.{body}.c2ln")
    assert not issuer.asked
    assert "does not publish" in await refusal(verifier, token_of("rsa", headers={"kid": "P-256"}))


async def test_only_a_signature_by_a_published_key_counts(issuer: Issuer) -> None:
    head, _, signature = token_of().split(".")
    altered = f"{head}.{encoded(claims_with(sub='mallory'))}.{signature}"
    issuer.publish(jwk("rsa", 1), path="/mallory")
    theirs = {"jwk": jwk("rsa", 1), "jku": f"{issuer.url}/mallory", "x5u": f"{issuer.url}/mallory"}
    verifier = issuer.verifier()
    for token in (altered, token_of("ed25519", number=1), token_of(number=1, headers=theirs)):
        assert "signature" in await refusal(verifier, token)
    assert (await verifier.verify(token_of(headers=theirs))).subject == "maria"
    assert issuer.asked == {"/keys": 1}


async def test_what_a_header_may_not_ask_for(issuer: Issuer) -> None:
    crits = [({"crit": odd}, "crit") for odd in (["exp"], [], ["b64"], None)]
    sorts = [({"typ": odd}, "sort") for odd in ("logout+jwt", "", None)]
    for part, fault in (*crits, *sorts, ({"kid": 7}, "kid")):
        head = {"alg": "RS256", "exp": 1, "b64": True} | part
        assert fault in await refusal(issuer.verifier(), f"{encoded(head)}.{encoded(claims_with())}.c2ln")
        with pytest.raises(Unauthenticated, match=fault):
            oidc.signature_of(head)
    assert oidc.signature_of({"alg": "RS256", "typ": "application/at+JWT"}) == ("RS256", None)


FAULTS = [
    *(({"iss": odd}, "issuer") for odd in ("https://issuer.example/", ABSENT)),
    *(({"aud": odd}, "audience") for odd in ("other", ABSENT, ["keepwell", 7], {"keepwell": 1}, "keepwell ")),
    *(({"exp": odd}, "exp claim") for odd in (ABSENT, None, True, str(NOW + 300), float("nan"), 1e999)),
    ({"exp": NOW - 60}, "expired"),
    *(({name: NOW + 61}, "not valid yet") for name in ("nbf", "iat")),
    *(({name: odd}, f"{name} claim") for name in ("nbf", "iat") for odd in (str(NOW), None)),
    *(({"sub": odd}, "sub claim") for odd in (ABSENT, None, "", 7, "a\nb", "x" * 201, "\ud800")),
    *(({"tenant": odd}, "claim tenant") for odd in (ABSENT, None, "", "ACME-Corp", ["acme"], "../acme", 7)),
    *(({"roles": odd}, "roles") for odd in ({"lead": {}}, ["lead", 7], 7, True, [""], "a\tb", ["x" * 101])),
]


@pytest.mark.parametrize(("changes", "fault"), FAULTS)
async def test_claims_that_do_not_say_who_calls(issuer: Issuer, changes: dict[str, Any], fault: str) -> None:
    assert fault in await refusal(issuer.verifier(), token_of(**changes))


def test_claims_that_just_do() -> None:
    times = [{"exp": NOW - 59}, {"exp": 10**400}, {"nbf": NOW + 60, "iat": NOW + 59.5}]
    for changes in ({"aud": ["elsewhere", "keepwell"]}, {}, {"roles": None}, {"roles": ""}, *times):
        assert oidc.principal_of(claims_with(**changes), RULES, NOW).roles == ()


def test_a_claim_is_found_by_its_whole_name_and_else_on_its_way_through_objects() -> None:
    assert oidc.claim_at({"https://example.org/a": "b"}, "https://example.org/a") == "b"
    assert oidc.claim_at({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert oidc.claim_at({"a": {"b": {"c": [1]}}}, "a.b.c") == [1]
    for odd in ({}, {"a": "b"}, {"a": ["b"]}, {"a": None}, {"b": {"a": 1}}):
        assert oidc.claim_at(odd, "a.b") is None


async def test_claims_are_read_where_the_settings_say(issuer: Issuer) -> None:
    url = "https://example.org/tenant"
    names = {"oidc_tenant_claim": url, "oidc_roles_claim": "access.a.roles", "oidc_kind_claim": "actor.kind"}
    verifier, where = issuer.verifier(**names), {url: "umbrella", "access": {"a": {"roles": " lead  dev "}}}
    for kind in PrincipalKind:
        principal = await verifier.verify(token_of(**where, actor={"kind": kind.value}))
        assert (principal.tenant, principal.roles, principal.kind) == ("umbrella", ("lead", "dev"), kind)
    for actor in ({}, *({"kind": odd} for odd in ("robot", "Human", None, ["human"], 7))):
        assert "kind" in await refusal(verifier, token_of(**where, actor=actor))


async def test_what_is_no_token_is_refused_before_anybody_is_asked(issuer: Issuer) -> None:
    verifier = issuer.verifier()
    assert "16 KB" in await refusal(verifier, token_of(padding="x" * 16_384))
    deep = f"{encoded(b'[' * 9_000)}.e30.c2ln"
    for garbage in ("", ".", "..", "a.b.c", "e30.e30.", "\ud800.é.ß", "bnVsbA.e30.c2ln", deep):
        await refusal(verifier, garbage)
    assert not issuer.asked
    for content in (b"null", b"[1]", b"{", b"\xff", b"[" * 9_000, b"1" * 5_000):
        token = jwt.PyJWS().encode(content, private_key("rsa", 0), "RS256", headers={"kid": "rsa"})
        assert "no signed JWT" in await refusal(verifier, token)


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.text(), PLAIN, max_size=3)
NAMES = st.sampled_from(["iss", "aud", "exp", "sub", "tenant", "roles", "alg", "kid", "typ", "kty", "x"])
HEADS = st.dictionaries(NAMES, VALUES) | st.fixed_dictionaries({"alg": st.just("RS256"), "kid": VALUES})


@given(text=st.text() | st.text("ABCey._-.=0"), head=HEADS, odd=st.dictionaries(NAMES, VALUES))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_nothing_arbitrary_raises_anything_else(issuer: Issuer, text: str, head: Any, odd: Any) -> None:
    verifier = issuer.verifier()
    for token in (text, f"{encoded(head)}.{encoded(odd)}.c2ln", f"{encoded(head)}.{text}"):
        with pytest.raises(Unauthenticated):
            await verifier.verify(token)
    with suppress(Unauthenticated):
        oidc.principal_of(claims_with(**odd), RULES, NOW)
    assert len(usable_keys({"keys": [jwk("rsa"), odd, jwk("P-256") | odd]})) in (1, 2)


def test_only_public_keys_that_verify_are_used() -> None:
    kept = [jwk("rsa", use="sig"), jwk("P-256", key_ops=["verify"]), jwk("rsa", alg="PS384")]
    ignored: list[Any] = [
        jwk("rsa", use="enc"), jwk("rsa", key_ops=["encrypt"]), jwk("rsa", alg="ES256"), jwk("rsa", alg="HS256"),
        jwk("rsa", kid=7), jwk("rsa", n=7), jwk("P-256", x="AAAA"), jwk("P-256", crv="P-384"), jwk("secp256k1"),
        jwk("ed25519", crv="X25519"), jwk("short"), {"kty": ["RSA"]}, {}, "rsa", None,
        jwt.algorithms.RSAAlgorithm.to_jwk(private_key("rsa", 0), as_dict=True),
        {"kty": "oct", "k": encoded(b"secret" * 8), "kid": "rsa"},
    ]  # fmt: skip
    keys = usable_keys({"keys": kept + ignored})
    assert [key.algorithms for key in keys] == [{*RSA}, {"ES256"}, {"PS384"}]
    for odd in ([], None, {}, {"keys": {}}, "keys"):
        with pytest.raises(Unavailable):
            usable_keys(odd)


def test_a_key_is_chosen_by_name_and_algorithm() -> None:
    keys = usable_keys({"keys": [jwk("rsa"), jwk("rsa", 1, kid="b"), jwk("P-256")]})
    assert (choose(keys, "RS256", "b"), choose(keys, "ES256", None)) == (keys[1], keys[2])
    for algorithm, kid in (("RS256", None), ("ES256", "rsa"), ("RS256", "c"), ("EdDSA", None)):
        assert choose(keys, algorithm, kid) is None


def test_when_the_keys_are_fetched() -> None:
    for has_key, age, may_fetch, failing, step in (
        (True, 599, True, False, Step.USE),
        (True, 599, True, True, Step.USE),
        (True, 600, False, True, Step.USE),
        (True, 600, True, False, Step.WAIT),
        (True, 600, True, True, Step.REFRESH),
        (False, 0, True, False, Step.WAIT),
        (False, 0, True, True, Step.WAIT),
        (False, 9_999, False, False, Step.USE),
    ):
        assert jwks.next_step(has_key=has_key, age=age, may_fetch=may_fetch, failing=failing) is step


async def test_an_unknown_key_is_asked_for_once_and_found_after_a_rotation(issuer: Issuer) -> None:
    verifier, new = issuer.verifier(), token_of(number=1, headers={"kid": "new"})
    await verifier.verify(token_of())
    issuer.publish(jwk("rsa", 1, kid="new"))
    issuer.clock = 9.9
    assert "does not publish" in await refusal(verifier, new)
    assert issuer.asked == {"/keys": 1}
    issuer.clock = 10
    await issuer.hold.acquire()
    callers = [asyncio.create_task(verifier.verify(new)) for _ in range(20)]
    while issuer.asked["/keys"] < 2:
        await asyncio.sleep(0)
    callers[0].cancel()
    issuer.hold.release()
    arrived = await asyncio.gather(*callers, return_exceptions=True)
    assert [getattr(each, "subject", None) for each in arrived] == [None, *["maria"] * 19]
    assert "does not publish" in await refusal(verifier, token_of())
    assert issuer.asked == {"/keys": 2}


async def test_keys_that_were_fetched_are_used_while_the_server_is_away(issuer: Issuer) -> None:
    verifier, token = issuer.verifier(), token_of()
    issuer.stop()
    await refusal(verifier, token, Unavailable)
    await issuer.start()
    await refusal(verifier, token, Unavailable)
    issuer.clock = 10
    await verifier.verify(token)
    issuer.stop()
    for issuer.clock in (609, 610, 700, 86_409):
        await verifier.verify(token)
    await refusal(verifier, token_of(headers={"kid": "new"}), Unavailable)
    issuer.clock = 86_410
    await refusal(verifier, token, Unavailable)


async def test_nobody_waits_for_a_server_that_is_known_to_be_away(issuer: Issuer) -> None:
    verifier = issuer.verifier()
    await verifier.verify(token_of())
    issuer.answer("/keys", b"", "503 Service Unavailable")
    issuer.clock = 600
    await verifier.verify(token_of())
    await issuer.hold.acquire()
    issuer.publish(jwk("rsa", 1, kid="new"))
    issuer.clock = 610
    await verifier.verify(token_of())
    issuer.hold.release()
    await verifier.verify(token_of(number=1, headers={"kid": "new"}))
    assert "does not publish" in await refusal(verifier, token_of())
    assert issuer.asked == {"/keys": 3}


ANSWERS = {
    "redirect": (b"", "302 Found", "Location: /good\r\n"),
    "missing": (b'{"keys": []}', "404 Not Found", ""),
    "huge": (b" " * 262_145 + b'{"keys": []}', "200 OK", ""),
    "bomb": (gzip.compress(b" " * 20_000_000), "200 OK", "Content-Encoding: gzip\r\n"),
    "not JSON": (b"<html>", "200 OK", ""),
    "deep": (b"[" * 100_000, "200 OK", ""),
    "no set": (b"[]", "200 OK", ""),
}


@pytest.mark.parametrize("kind", ANSWERS)
async def test_an_answer_that_is_no_key_set_is_not_used(issuer: Issuer, kind: str) -> None:
    issuer.publish(jwk("rsa"), path="/good")
    issuer.answer("/keys", *ANSWERS[kind])
    await refusal(issuer.verifier(), token_of(), Unavailable)
    assert issuer.asked == {"/keys": 1}


async def test_no_proxy_is_asked_and_silence_ends(issuer: Issuer, monkeypatch: Any) -> None:
    monkeypatch.setenv("ALL_PROXY", f"{issuer.url}/proxy")
    await issuer.verifier().verify(token_of())
    monkeypatch.setattr(jwks, "TIMEOUT_SECONDS", 1.0)
    await issuer.hold.acquire()
    await refusal(issuer.verifier(), token_of(), Unavailable)
    issuer.hold.release()
    assert issuer.asked == {"/keys": 2}


async def test_the_keys_are_found_by_discovery(issuer: Issuer) -> None:
    path, url = "/realm/.well-known/openid-configuration", f"{issuer.url}/realm/"
    document = {"issuer": url, "jwks_uri": f"{issuer.url}/keys"}
    issuer.answer(path, json.dumps(document).encode())
    verifier = issuer.verifier(oidc_issuer=url, oidc_jwks_url=None)
    assert (await verifier.verify(token_of(iss=url))).subject == "maria"
    assert issuer.asked == {path: 1, "/keys": 1}
    faults = ({"issuer": url.rstrip("/")}, {"jwks_uri": "http://example.org/keys"}, {"jwks_uri": None})
    for odd in (*(document | fault for fault in faults), {}, []):
        with pytest.raises(Unavailable):
            jwks.key_set_address(odd, url)


async def test_settings_that_are_amiss_name_the_variable(issuer: Issuer) -> None:
    for changes, named in (
        ({"oidc_audience": None}, "AUDIENCE"),
        ({"oidc_issuer": None}, "ISSUER"),
        ({"oidc_issuer": "", "oidc_jwks_url": None}, "ISSUER"),
        ({"oidc_issuer": "http://issuer.example", "oidc_jwks_url": None}, "ISSUER"),
        ({"oidc_jwks_url": "http://issuer.example/keys"}, "JWKS_URL"),
    ):
        with pytest.raises(InvalidInput) as refused:
            issuer.verifier(**changes)
        assert refused.value.field == f"KEEPWELL_OIDC_{named}"
    assert oidc.verifier_of(Settings()) is None


def test_addresses_are_https_or_loopback() -> None:
    for url in ("https://a.example/k", "http://localhost:1/k", "http://127.8.0.1/k", "http://[::1]:80/k"):
        assert jwks.is_safe(url)
    for url in (
        "http://a.example", "http://localhost.a.example", "http://127.0.0.1@a.example", "http://0.0.0.0",
        "ftp://localhost", "file:///etc/keys", "localhost/keys", "https://", "http://[", "https://a\n", "",
    ):  # fmt: skip
        assert not jwks.is_safe(url)
