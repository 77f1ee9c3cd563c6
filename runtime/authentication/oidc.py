"""Verify the bearer tokens of one OIDC issuer: who calls, in which tenant and in which roles.

PyJWT checks the signature. What the header and the claims say is judged here, by functions that are given the
present, and strictly: a number is never a text, and nothing that a token says about keys is followed.

A message says what is wrong with a token and never quotes it.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import jwt
from jwt.exceptions import DecodeError, PyJWTError
from pydantic import ValidationError

from models.errors import InvalidInput, Unauthenticated
from models.principals import Principal, PrincipalKind
from runtime.authentication.jwks import ALGORITHMS, SigningKey, SigningKeys, configured, discovered
from runtime.settings import Settings

MOST_CHARACTERS = 16 * 1024
LEEWAY_SECONDS = 60.0

_TYPES = frozenset({"jwt", "at+jwt"})
_JWS = jwt.PyJWS(sorted(ALGORITHMS))

_MALFORMED = "the token is no signed JWT; send the access token as the issuer gave it"
_UNKNOWN_HEADER = "the token's header asks for what is not supported (crit), or its kid is no text"
_NO_ROLES = (
    "the token's roles are no list of names and no text with spaces between them; KEEPWELL_OIDC_ROLES_CLAIM "
    "says which claim holds them"
)


@dataclass(frozen=True, slots=True)
class TokenRules:
    """What a token has to say, and in which claims it says who calls."""

    issuer: str
    audience: str
    tenant_claim: str
    roles_claim: str
    kind_claim: str | None = None


class Signature(NamedTuple):
    """How a token says that it is signed, before anybody has looked whether it is."""

    algorithm: str
    kid: str | None


class OidcVerifier:
    """Tells who a token speaks for. `now` gives seconds since 1970."""

    def __init__(self, rules: TokenRules, keys: SigningKeys, *, now: Callable[[], float] = time.time) -> None:
        self._rules = rules
        self._keys = keys
        self._now = now

    async def verify(self, token: str) -> Principal:
        """The principal of `token`.

        Raises `Unauthenticated` where the token is not good, and `Unavailable` where that cannot be told since
        the issuer's keys cannot be fetched.
        """
        signature = signature_of(header_of(token))
        key = await self._keys.find(signature.algorithm, signature.kid)
        if key is None:
            raise Unauthenticated(
                "the token is signed with a key that its issuer does not publish for this algorithm; get a new token"
            )
        return principal_of(signed_claims(token, signature, key), self._rules, self._now())


def verifier_of(
    settings: Settings,
    *,
    clock: Callable[[], float] = time.monotonic,
    now: Callable[[], float] = time.time,
) -> OidcVerifier | None:
    """The verifier that the settings ask for; raises `InvalidInput` naming the variable that is amiss.

    | issuer | audience | JWKS URL | verifier |
    | --- | --- | --- | --- |
    | not set | not set | not set | none: no token is taken |
    | not set | one of them set | | refused: KEEPWELL_OIDC_ISSUER is missing |
    | set | not set | any | refused: KEEPWELL_OIDC_AUDIENCE is missing |
    | set | set | not set | one that finds the keys by the issuer's discovery |
    | set | set | set | one that takes the keys from there |
    """
    issuer, audience, jwks_url = settings.oidc_issuer, settings.oidc_audience, settings.oidc_jwks_url
    if not issuer:
        if audience or jwks_url:
            raise InvalidInput(
                "is missing; set it to the issuer of the tokens, or unset the other KEEPWELL_OIDC_ variables",
                field="KEEPWELL_OIDC_ISSUER",
            )
        return None
    if not audience:
        raise InvalidInput(
            "is missing; set it to the audience that the issuer puts into tokens for Keepwell",
            field="KEEPWELL_OIDC_AUDIENCE",
        )
    rules = TokenRules(
        issuer,
        audience,
        tenant_claim=settings.oidc_tenant_claim,
        roles_claim=settings.oidc_roles_claim,
        kind_claim=settings.oidc_kind_claim or None,
    )
    keys = SigningKeys(configured(jwks_url) if jwks_url else discovered(issuer), clock=clock)
    return OidcVerifier(rules, keys, now=now)


def header_of(token: str) -> dict[str, Any]:
    """The header of a token, which nothing vouches for yet."""
    if len(token) > MOST_CHARACTERS:
        raise Unauthenticated(
            f"the token is larger than {MOST_CHARACTERS // 1024} KB; have the issuer put fewer claims into it"
        )
    if not token.isascii():
        raise Unauthenticated(_MALFORMED)
    try:
        return jwt.get_unverified_header(token)
    except DecodeError:
        raise Unauthenticated(_MALFORMED) from None
    except PyJWTError:
        raise Unauthenticated(_UNKNOWN_HEADER) from None


def signature_of(header: Mapping[str, Any]) -> Signature:
    """How a token with this header is to be verified, or `Unauthenticated`.

    | part of the header | has to be |
    | --- | --- |
    | `alg` | one of `ALGORITHMS`; so neither `none` nor HMAC, whose secret would be a public key |
    | `kid` | a text, or missing |
    | `typ` | missing, `JWT` or `at+jwt`, in any case: other tokens of the issuer mean something else |
    | `crit` | missing: no extension is understood |
    | `jwk`, `jku`, `x5c`, `x5u` and all else | anything: it is never looked at |
    """
    algorithm, kid = header.get("alg"), header.get("kid")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise Unauthenticated(
            "the token is signed with an algorithm that is not allowed; have the issuer sign with RSA, "
            "ECDSA or EdDSA (RS256, PS256, ES256 and the like)"
        )
    if "crit" in header or not (kid is None or isinstance(kid, str)):
        raise Unauthenticated(_UNKNOWN_HEADER)
    sort = header.get("typ", "jwt")
    if not isinstance(sort, str) or sort.lower().removeprefix("application/") not in _TYPES:
        raise Unauthenticated("the token is of another sort than access tokens are; send the access token")
    return Signature(algorithm, kid)


def signed_claims(token: str, signature: Signature, key: SigningKey) -> dict[str, Any]:
    """The claims of a token, once its signature has been verified with `key`."""
    try:
        payload = _JWS.decode_complete(
            token,
            key.public,
            algorithms=[signature.algorithm],
            options={"verify_signature": True, "enforce_minimum_key_length": True},
        )["payload"]
    except PyJWTError:
        raise Unauthenticated("the token's signature is not its issuer's; get a new token") from None
    try:
        claims = json.loads(payload)
    except (ValueError, RecursionError):
        raise Unauthenticated(_MALFORMED) from None
    if not isinstance(claims, dict):
        raise Unauthenticated(_MALFORMED)
    return cast("dict[str, Any]", claims)


def principal_of(claims: Mapping[str, Any], rules: TokenRules, now: float) -> Principal:
    """Who a token with these claims speaks for at `now`, or `Unauthenticated`.

    | claim | has to be | else |
    | --- | --- | --- |
    | `iss` | the issuer, to the letter | refused |
    | `aud` | the audience, or a list of texts with it | refused |
    | `exp` | a number, later than 60 s ago | refused |
    | `nbf`, `iat` | missing, or a number not later than in 60 s | refused |
    | `sub` | a text that a subject may be | refused |
    | the tenant's | a text that a tenant's name may be | refused |
    | the roles' | see `roles_in` | refused |
    | the kind's | `human`, `agent` or `system` | refused; where no such claim is configured, human |
    """
    _require_addressed(claims, rules)
    _require_in_time(claims, now)
    kind = PrincipalKind.HUMAN
    if rules.kind_claim is not None:
        kind = kind_in(claim_at(claims, rules.kind_claim))
    by_name: dict[str, Any] = {
        "subject": claims.get("sub"),
        "kind": kind,
        "roles": roles_in(claim_at(claims, rules.roles_claim)),
        "tenant": claim_at(claims, rules.tenant_claim),
    }
    try:
        return Principal(**by_name)
    except ValidationError as invalid:
        wrong = invalid.errors(include_url=False, include_input=False, include_context=False)[0]["loc"][0]
    match wrong:
        case "subject":
            raise Unauthenticated("the token's sub claim is missing or is no subject's name")
        case "tenant":
            raise Unauthenticated(
                f"the token's claim {rules.tenant_claim} is missing or is no tenant's name; "
                "KEEPWELL_OIDC_TENANT_CLAIM says which claim holds it"
            )
        case _:
            raise Unauthenticated(_NO_ROLES)


def claim_at(claims: Mapping[str, Any], name: str) -> object:
    """What the claim `name` holds, None where it is missing.

    | name | claims | it holds |
    | --- | --- | --- |
    | tenant | {"tenant": "a"} | a |
    | https://example.org/tenant | {"https://example.org/tenant": "a"} | a: as a whole it comes first |
    | realm_access.tenant | {"realm_access": {"tenant": "a"}} | a: else it is a way through objects |
    | realm_access.tenant | {"realm_access": "a"} | None |
    """
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        if not isinstance(found, Mapping):
            return None
        found = cast("Mapping[str, object]", found).get(part)
    return found


def roles_in(value: object) -> tuple[str, ...]:
    """The roles that a claim holds.

    | value | roles |
    | --- | --- |
    | missing or null | none |
    | a text | its words, which spaces part |
    | a list of texts | these |
    | anything else | refused |
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(role for role in value.split(" ") if role)
    roles = _texts(value)
    if roles is None:
        raise Unauthenticated(_NO_ROLES)
    return tuple(roles)


def kind_in(value: object) -> PrincipalKind:
    """The kind of caller that a claim holds. A missing one is refused: an agent must not pass for a person."""
    kind = next((kind for kind in PrincipalKind if kind.value == value), None)
    if kind is None:
        raise Unauthenticated(
            "the token's claim of the caller's kind is missing, or is none of human, agent and system; "
            "KEEPWELL_OIDC_KIND_CLAIM says which claim holds it"
        )
    return kind


def _require_addressed(claims: Mapping[str, Any], rules: TokenRules) -> None:
    if claims.get("iss") != rules.issuer:
        raise Unauthenticated("the token is another issuer's; get one from the issuer that Keepwell trusts")
    audience = claims.get("aud")
    if audience != rules.audience and rules.audience not in (_texts(audience) or []):
        raise Unauthenticated("the token is for another audience; ask the issuer for one for Keepwell")


def _require_in_time(claims: Mapping[str, Any], now: float) -> None:
    expires = _instant(claims.get("exp"))
    if expires is None:
        raise Unauthenticated("the token's exp claim is missing or is no number; have the issuer set it")
    if expires <= now - LEEWAY_SECONDS:
        raise Unauthenticated("the token has expired; get a new one")
    for name in ("nbf", "iat"):
        if name in claims:
            begins = _instant(claims[name])
            if begins is None:
                raise Unauthenticated(f"the token's {name} claim is no number; have the issuer set it right")
            if begins > now + LEEWAY_SECONDS:
                raise Unauthenticated(f"the token is not valid yet ({name}); wait, or set the clocks right")


def _texts(value: object) -> list[str] | None:
    """A list that a claim holds, None where it holds anything else, or anything but texts in it."""
    if not isinstance(value, list):
        return None
    held = cast("list[object]", value)
    texts = [each for each in held if isinstance(each, str)]
    return texts if len(texts) == len(held) else None


def _instant(value: object) -> float | None:
    """Seconds since 1970 that a claim holds, None where it holds no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value
