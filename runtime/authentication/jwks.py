"""The issuer's public keys: fetched once, kept a while, and fetched again when a token names an unknown one.

They come from the operator's address, or from the one that the issuer's own discovery names; never from one that
a token names. No redirect is followed and no proxy of the environment used.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Any, cast

import httpx2
import structlog
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from models.errors import InvalidInput, Unavailable

MOST_BYTES = 256 * 1024
TIMEOUT_SECONDS = 5.0
FRESH_SECONDS = 600.0
STALE_SECONDS = 86_400.0
PAUSE_SECONDS = 10.0
"""The least time between the beginnings of two fetches."""

_SUITED: dict[tuple[str, str | None], frozenset[str]] = {
    ("RSA", None): frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
    ("EC", "P-256"): frozenset({"ES256"}),
    ("EC", "P-384"): frozenset({"ES384"}),
    ("EC", "P-521"): frozenset({"ES512"}),
    ("OKP", "Ed25519"): frozenset({"EdDSA"}),
}
ALGORITHMS = frozenset[str]().union(*_SUITED.values())
"""All that a token may be signed with. Each belongs to one type of key, and none of them is symmetric."""

_UNSAFE = "write an https:// address (http:// is for loopback alone)"

Locate = Callable[[], Awaitable[str]]
"""Says where the key set is, or raises `Unavailable`."""

log = structlog.get_logger("keepwell.authentication")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key of the issuer, and the algorithms that it may verify."""

    kid: str | None
    algorithms: frozenset[str]
    public: RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey


def usable_keys(document: object) -> tuple[SigningKey, ...]:
    """The keys of a key set that can verify a token; raises `Unavailable` where it is no key set at all.

    | a key | is |
    | --- | --- |
    | RSA of 2048 bits or more; on P-256, P-384 or P-521; Ed25519 | used, for the algorithms of its type |
    | such a one with an `alg` | used for that algorithm alone; ignored where its type has no such one |
    | with a `use` other than `sig`, or `key_ops` without `verify` | ignored |
    | symmetric, private, malformed, of another type or curve | ignored |

    An empty set is a set: an issuer that withdraws all of its keys is believed.
    """
    keys = cast("dict[str, object]", document).get("keys") if isinstance(document, dict) else None
    if not isinstance(keys, list):
        raise Unavailable("the issuer's key set is no JSON object with a list of keys")
    found = (
        _usable_key(cast("dict[str, Any]", key)) for key in cast("list[Any]", keys) if isinstance(key, dict)
    )
    return tuple(key for key in found if key is not None)


def _usable_key(jwk: dict[str, Any]) -> SigningKey | None:
    kid, kty, use, operations = (jwk.get(name) for name in ("kid", "kty", "use", "key_ops"))
    curve = None if kty == "RSA" else jwk.get("crv")
    algorithms = next((suited for of, suited in _SUITED.items() if of == (kty, curve)), frozenset[str]())
    if jwk.get("alg") is not None:
        algorithms = frozenset(each for each in algorithms if each == jwk["alg"])
    for_verifying = use in (None, "sig") and (
        operations is None or (isinstance(operations, list) and "verify" in operations)
    )
    if not (algorithms and for_verifying and (kid is None or isinstance(kid, str))):
        return None
    try:
        public = PyJWK(jwk, min(algorithms)).key
    except (PyJWTError, UnsupportedAlgorithm):
        return None
    match public:
        case RSAPublicKey() if not 2_048 <= public.key_size <= 16_384:
            return None
        case RSAPublicKey() | EllipticCurvePublicKey() | Ed25519PublicKey():
            return SigningKey(kid, algorithms, public)
        case _:
            return None


def choose(keys: Sequence[SigningKey], algorithm: str, kid: str | None) -> SigningKey | None:
    """The key that verifies a token, or None.

    | the token names | the key |
    | --- | --- |
    | a key | the first one of that name that suits the algorithm |
    | none | the only one that suits the algorithm; none where there are several |
    """
    suited = [key for key in keys if algorithm in key.algorithms]
    if kid is not None:
        return next((key for key in suited if key.kid == kid), None)
    return suited[0] if len(suited) == 1 else None


class Step(StrEnum):
    """What to do before a key is looked for in the set at hand."""

    USE = "use"
    REFRESH = "refresh"
    WAIT = "wait"


def next_step(*, has_key: bool, age: float, may_fetch: bool, failing: bool) -> Step:
    """Whether to fetch the set, and whether to wait for it.

    `may_fetch` holds while a fetch is under way, which more callers may join, and once the last one began
    `PAUSE_SECONDS` ago; `failing` says that the last one failed.

    | the set has the key | its age | may fetch | failing | step |
    | --- | --- | --- | --- | --- |
    | yes | fresh | any | any | use it |
    | yes | stale | no | any | use it |
    | yes | stale | yes | no | wait for a new one |
    | yes | stale | yes | yes | use it, and refresh it meanwhile: the server is known to be away |
    | no | any | yes | any | wait for a new one |
    | no | any | no | any | use it: the key is unknown |
    """
    if not may_fetch or (has_key and age < FRESH_SECONDS):
        return Step.USE
    return Step.REFRESH if has_key and failing else Step.WAIT


class SigningKeys:
    """The issuer's keys as they are needed. `clock` gives monotonic seconds.

    A fetch belongs to no caller: one that goes away does not end it for the others.
    """

    def __init__(self, locate: Locate, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._locate = locate
        self._clock = clock
        self._keys: tuple[SigningKey, ...] | None = None
        self._fetched_at = 0.0
        self._began_at: float | None = None
        # Whether the last fetch brought no set. None that was brought counts as that.
        self._failing = True
        self._under_way: asyncio.Task[None] | None = None

    async def find(self, algorithm: str, kid: str | None) -> SigningKey | None:
        """The key that verifies such a token, None where the issuer has none.

        Raises `Unavailable` where that cannot be told, as the server is away.
        """
        found = choose(self._usable(), algorithm, kid)
        step = next_step(
            has_key=found is not None,
            age=self._clock() - self._fetched_at,
            may_fetch=self._may_fetch(),
            failing=self._failing,
        )
        if step is not Step.USE:
            fetch = self._fetch_under_way()
            if step is Step.WAIT:
                await asyncio.shield(fetch)
                found = choose(self._usable(), algorithm, kid)
        if found is None and self._failing:
            raise Unavailable("the issuer's keys cannot be fetched to verify the token; try again")
        return found

    def _usable(self) -> tuple[SigningKey, ...]:
        """The set at hand; an empty one where there is none, or none that may still be used."""
        if self._keys is None or self._clock() - self._fetched_at >= STALE_SECONDS:
            return ()
        return self._keys

    def _may_fetch(self) -> bool:
        under_way = self._under_way is not None and not self._under_way.done()
        return under_way or self._began_at is None or self._clock() - self._began_at >= PAUSE_SECONDS

    def _fetch_under_way(self) -> asyncio.Task[None]:
        """The one fetch that is under way, begun here if there is none."""
        if self._under_way is None or self._under_way.done():
            self._began_at = began_at = self._clock()
            self._under_way = asyncio.create_task(self._fetch(began_at))
        return self._under_way

    async def _fetch(self, began_at: float) -> None:
        try:
            self._keys = usable_keys(await fetch_document(await self._locate()))
        except Unavailable as lost:
            self._failing = True
            log.warning("signing_keys_not_fetched", reason=lost.message)
        else:
            self._failing = False
            self._fetched_at = began_at


def configured(url: str) -> Locate:
    """The key set is where the operator says; raises `InvalidInput` where that is no address to trust."""
    if not is_safe(url):
        raise InvalidInput(_UNSAFE, field="KEEPWELL_OIDC_JWKS_URL")

    async def locate() -> str:
        return url

    return locate


def discovered(issuer: str) -> Locate:
    """The key set is where the issuer's discovery document says, which is read anew for each fetch.

    Raises `InvalidInput` where the issuer is no address to trust.
    """
    if not is_safe(issuer):
        raise InvalidInput(f"{_UNSAFE}, or set KEEPWELL_OIDC_JWKS_URL", field="KEEPWELL_OIDC_ISSUER")
    document = f"{issuer.rstrip('/')}/.well-known/openid-configuration"

    async def locate() -> str:
        return key_set_address(await fetch_document(document), issuer)

    return locate


def is_safe(url: str) -> bool:
    """Whether keys that come from this address can be trusted to be its owner's.

    | scheme | host | safe |
    | --- | --- | --- |
    | https | any | yes |
    | http | localhost, 127.0.0.0/8, ::1 | yes |
    | anything else, or no URL | | no |
    """
    try:
        parts = httpx2.URL(url)
        if parts.scheme == "https":
            return bool(parts.host)
        return parts.scheme == "http" and (parts.host == "localhost" or ip_address(parts.host).is_loopback)
    except (httpx2.InvalidURL, ValueError):
        return False


def key_set_address(document: object, issuer: str) -> str:
    """Where a discovery document says that the keys are; raises `Unavailable` where it cannot be used.

    | the document | decision |
    | --- | --- |
    | is another issuer's, even by a slash | refused |
    | has no `jwks_uri`, or one that is not safe | refused |
    | anything else | its `jwks_uri` |
    """
    said = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    address = said.get("jwks_uri")
    if said.get("issuer") != issuer:
        raise Unavailable(
            "the discovery document is another issuer's; set KEEPWELL_OIDC_ISSUER to its issuer"
        )
    if not isinstance(address, str) or not is_safe(address):
        raise Unavailable("the discovery document names no safe jwks_uri; set KEEPWELL_OIDC_JWKS_URL")
    return address


async def fetch_document(url: str) -> object:
    """The JSON document at `url`; raises `Unavailable` where there is none to be had in time and of a fair size."""
    try:
        async with (
            asyncio.timeout(TIMEOUT_SECONDS),
            # Authorities that the operator trusts (SSL_CERT_FILE) count; proxies of the environment do not.
            httpx2.AsyncClient(
                verify=httpx2.create_ssl_context(), trust_env=False, timeout=TIMEOUT_SECONDS
            ) as client,
            client.stream("GET", url, follow_redirects=False) as answer,
        ):
            if answer.status_code != 200:
                raise Unavailable(f"the issuer answers {answer.status_code}; no redirect is followed")
            return json.loads(await _bounded_body(answer))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as lost:
        raise Unavailable(f"the issuer does not answer ({type(lost).__name__})") from lost
    except (ValueError, RecursionError):
        raise Unavailable("the issuer answers with something other than JSON") from None


async def _bounded_body(answer: httpx2.Response) -> bytes:
    body = bytearray()
    async with aclosing(answer.aiter_bytes()) as parts:
        async for part in parts:
            body += part
            if len(body) > MOST_BYTES:
                raise Unavailable(f"the issuer answers with more than {MOST_BYTES // 1024} KB")
    return bytes(body)
