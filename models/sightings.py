"""Secrets that were sighted in a text: what kinds there are, and what tells repeated sightings apart.

The digest is keyed, so that nobody without the key can try guesses against it, and short: ten hex digits tell
some thousand sightings of one tenant apart (one chance in a million that two of 1,000 secrets share one), and
even with the key many card numbers or passwords fit one digest.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol
from uuid import UUID

DIGEST_BYTES = 5
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that are not seen: they take no width, or choose how others look or are ordered."""
_WRITTEN_APART = re.compile(r"\\[nrt]|\s")


class SecretKind(StrEnum):
    """What a secret is, the most specific kind first: of two kinds in one place the earlier one is told."""

    PRIVATE_KEY = "private_key"
    IBAN = "iban"
    CARD_NUMBER = "card_number"
    NATIONAL_ID = "national_id"
    AUTHENTICATION_FACTOR = "authentication_factor"
    API_KEY = "api_key"
    TOKEN = "token"  # noqa: S105 - the name of a kind
    CONNECTION_STRING = "connection_string"
    PASSWORD = "password"  # noqa: S105 - the name of a kind


_RANK = {kind: place for place, kind in enumerate(SecretKind)}
_NUMBERS = frozenset(
    {SecretKind.IBAN, SecretKind.CARD_NUMBER, SecretKind.NATIONAL_ID, SecretKind.AUTHENTICATION_FACTOR}
)


class Sighting(NamedTuple):
    """A secret from `start` to before `end`, counted in characters."""

    kind: SecretKind
    start: int
    end: int


class Named(NamedTuple):
    """A value of its own from `start` to before `end`, and the name that it stands under.

    `within` are the names above that one, the nearest first.
    """

    name: str
    start: int
    end: int
    within: tuple[str, ...] = ()


class SecretFinder(Protocol):
    """Finds secrets. It takes NUL for what is no part of any secret, and never raises for a text."""

    def find(self, text: str, named: Sequence[Named] = ()) -> Sequence[Sighting]:
        """Secrets in `text`, in any order; they may overlap."""
        ...


def merged(sightings: Iterable[Sighting]) -> list[Sighting]:
    """Sightings in order, those that overlap made one, of the most specific kind of them."""
    found: list[Sighting] = []
    for each in sorted(sightings, key=lambda sighting: (sighting.start, sighting.end)):
        if found and each.start < found[-1].end:
            last = found.pop()
            kind = min(last.kind, each.kind, key=_RANK.__getitem__)
            found.append(Sighting(kind, last.start, max(last.end, each.end)))
        else:
            found.append(each)
    return found


def digest_key(master: bytes, tenant_id: UUID) -> bytes:
    """The key of a tenant's digests: two tenants cannot find out that they hold the same secret."""
    return hashlib.blake2b(tenant_id.bytes, key=master[:64], digest_size=32, person=b"keepwell-mask").digest()


def digest_of(key: bytes, kind: SecretKind, secret: str) -> str:
    """The digest of a secret under `key`: ten hex digits, the same for one secret in another spelling."""
    read = comparable(kind, secret).encode("utf-8", "replace")
    return hashlib.blake2b(read, key=key, digest_size=DIGEST_BYTES).hexdigest()


def comparable(kind: SecretKind, secret: str) -> str:
    """A secret as it is compared.

    | kind | form |
    | --- | --- |
    | card number, IBAN, national id, authentication factor | letters and digits alone, capital |
    | private key | without white space and escaped line ends |
    | any other | in normal form (NFKC), without white space around it |

    Characters that are not seen count in none of them.
    """
    read = INVISIBLE.sub("", unicodedata.normalize("NFKC", INVISIBLE.sub("", secret)))
    if kind in _NUMBERS:
        return "".join(filter(str.isalnum, read)).upper()
    if kind is SecretKind.PRIVATE_KEY:
        return _WRITTEN_APART.sub("", read)
    return read.strip()
