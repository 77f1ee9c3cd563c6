"""Identifiers that are derived, so that a step run twice writes the same rows.

An id made here is a function of its input alone. Random and time-ordered ids are made by Postgres.
"""

import hashlib
import json
from typing import Any
from uuid import UUID, uuid5

KEEPWELL = UUID("9b1d6f0e-6a52-5c1e-8f0a-3f6f6b1f2a77")
"""The namespace of every derived id (RFC 9562, version 5)."""


def derived_id(*parts: UUID | str | int) -> UUID:
    """The id that stands for `parts`: a version 5 UUID of their unambiguous concatenation."""
    return uuid5(KEEPWELL, json.dumps([str(part) for part in parts], ensure_ascii=True))


def tenant_id(name: str) -> UUID:
    """The id of the tenant called `name`.

    It is derived and not looked up, so that asking for a tenant never needs to read another tenant's row.
    """
    return derived_id("tenant", name)


def content_digest(value: Any) -> bytes:
    """A 32-byte BLAKE2b digest of a JSON value in canonical form (sorted keys, no spaces)."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(canonical.encode(), digest_size=32).digest()
