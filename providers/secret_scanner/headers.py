"""Credentials in the places that protocols have for them: headers, addresses, tokens that say what they are."""

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Iterator

from models.sightings import SecretKind, Sighting
from providers.secret_scanner.reading import read_value
from providers.secret_scanner.values import is_placeholder

_AUTHORIZATION = re.compile(
    r"authorization[\"'\\]{0,4}[ \t]{0,4}[:=,][ \t\"'\\]{0,6}(?:(?P<scheme>[a-z][a-z0-9\-]{2,30})[ \t]+)?",
    re.IGNORECASE,
)
_BEARER = re.compile(
    r"(?<![A-Za-z0-9])(?:bearer|apikey-v1)[ \t]+(?P<token>[A-Za-z0-9._~+/\-]{16,}={0,2})", re.IGNORECASE
)
_BASIC = re.compile(r"(?<![A-Za-z0-9])basic[ \t]+(?P<token>[A-Za-z0-9+/]{8,}={0,2})", re.IGNORECASE)
_COOKIES = re.compile(
    r"(?<![A-Za-z0-9])(?:set-)?cookie[\"']?[ \t]{0,4}:[ \t\"']{0,4}(?P<pairs>[^\r\n\x00\"']{8,})",
    re.IGNORECASE,
)
_COOKIE = re.compile(r"(?P<name>[\w.\-]{1,80})=(?P<value>[^;\s\\]{8,})")
_HARMLESS_COOKIE = re.compile(
    r"path|domain|expires|max-age|samesite|version|lang|locale|theme|_g[ai].*|.*consent.*", re.IGNORECASE
)
_USER_INFO = re.compile(
    r"[A-Za-z][A-Za-z0-9+.\-]{1,30}://[^\s/:@\"'<>\x00]{0,128}:(?P<password>[^\s/\"'<>\x00]{1,256})@(?=[\w\[.$%-])"
)
_SAMPLE = re.compile(r"(?:pass(?:word|wd)?|pwd|secret|token)(?:_?here)?", re.IGNORECASE)
_JWT = re.compile(
    r"(?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_\-]{8,}\.(?:eyJ)?[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*){0,3}"
)
_ONE_TIME = re.compile(r"otpauth(?:-migration)?://[^\s\"'<>{\x00]+", re.IGNORECASE)
_SIGNED = re.compile(
    r"[?&;](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|hmac|code|auth|key)="
    r"(?P<token>[A-Za-z0-9%+/_\-]{20,}={0,2})",
    re.IGNORECASE,
)


def find(plain: str, lower: str) -> Iterator[Sighting]:
    """Credentials in headers, cookies and addresses, and tokens in the form of a JWT."""
    for sign, rule in _RULES.items():
        if sign in lower:
            yield from rule(plain)


def _authorizations(plain: str) -> Iterator[Sighting]:
    for found in _AUTHORIZATION.finditer(plain):
        value = read_value(plain, found.end())
        if value is None or len(value.text) < 8 or is_placeholder(value.text):
            continue
        # Without a scheme there is less to go by.
        if found["scheme"] is not None or any(map(str.isdigit, value.text)):
            yield Sighting(SecretKind.TOKEN, value.start, value.end)


def _bearers(plain: str) -> Iterator[Sighting]:
    for found in _BEARER.finditer(plain):
        if any(map(str.isdigit, found["token"])):
            yield Sighting(SecretKind.TOKEN, *found.span("token"))


def _basic(plain: str) -> Iterator[Sighting]:
    for found in _BASIC.finditer(plain):
        if _is_a_pair(found["token"]):
            yield Sighting(SecretKind.PASSWORD, *found.span("token"))


def _is_a_pair(encoded: str) -> bool:
    """Whether a text is a user and a password as HTTP's Basic scheme sends them."""
    try:
        decoded = b64decode(encoded + "=" * (-len(encoded) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in decoded and decoded.isprintable()


def _cookies(plain: str) -> Iterator[Sighting]:
    for header in _COOKIES.finditer(plain):
        for pair in _COOKIE.finditer(plain, *header.span("pairs")):
            if not _HARMLESS_COOKIE.fullmatch(pair["name"]) and any(map(str.isdigit, pair["value"])):
                yield Sighting(SecretKind.TOKEN, *pair.span("value"))


def _user_info(plain: str) -> Iterator[Sighting]:
    for found in _USER_INFO.finditer(plain):
        password = found["password"]
        if not is_placeholder(password) and not _SAMPLE.fullmatch(password):
            yield Sighting(SecretKind.CONNECTION_STRING, *found.span("password"))


def _jwts(plain: str) -> Iterator[Sighting]:
    return (Sighting(SecretKind.TOKEN, *found.span()) for found in _JWT.finditer(plain))


def _one_time(plain: str) -> Iterator[Sighting]:
    return (Sighting(SecretKind.AUTHENTICATION_FACTOR, *found.span()) for found in _ONE_TIME.finditer(plain))


def _signatures(plain: str) -> Iterator[Sighting]:
    for found in _SIGNED.finditer(plain):
        if any(map(str.isdigit, found["token"])):
            yield Sighting(SecretKind.TOKEN, *found.span("token"))


_RULES: dict[str, Callable[[str], Iterator[Sighting]]] = {
    "authorization": _authorizations,
    "bearer": _bearers,
    "apikey-v1": _bearers,
    "basic": _basic,
    "cookie": _cookies,
    "://": _user_info,
    "eyj": _jwts,
    "otpauth": _one_time,
    "?": _signatures,
    "&": _signatures,
}
"""What a text has to have for a rule to be asked."""
