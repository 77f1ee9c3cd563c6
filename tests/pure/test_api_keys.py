"""What a key looks like, what is kept of it, and whether one that is shown is the one that was made."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from models.api_keys import (
    SECRET_BYTES,
    ApiKey,
    NewApiKey,
    Token,
    admits,
    looks_like_a_key,
    parse_token,
    require_usable,
)
from models.errors import InvalidInput
from models.policy import Policy
from models.principals import PrincipalKind
from models.verbs import Verb
from tests.pure.samples import START, at

SECRET = "0123456789abcdef" * 4
IDENTITY = UUID("6f1f9a50-8a3e-4c1b-9c57-0d1f5d6e7a8b")
TENANTS = st.from_regex(r"\A[a-z0-9][a-z0-9._-]{0,99}\Z")


def token(tenant: str = "acme", identity: UUID = IDENTITY, secret: str = SECRET) -> Token:
    return Token(tenant, identity, secret)


def key(**fields: Any) -> ApiKey:
    made = {
        "id": IDENTITY, "name": "deploy", "subject": "bot", "kind": PrincipalKind.AGENT, "roles": ("agent",),
        "within": {}, "only": None, "created_at": START, "expires_at": None, "revoked_at": None,
        "last_used_at": None,
    }  # fmt: skip
    return ApiKey(**{**made, **fields})


@given(TENANTS, st.uuids(), st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES))
def test_a_key_is_read_as_it_was_written(tenant: str, identity: UUID, secret: bytes) -> None:
    """Whatever the tenant is called: underscores in its name do not move the parts."""
    made = Token(tenant, identity, secret.hex())
    assert parse_token(str(made)) == made
    assert looks_like_a_key(str(made))


@pytest.mark.parametrize(
    ("tenant", "text"),
    [
        ("a_b", f"kw_a_b_{IDENTITY.hex}_{SECRET}"),
        ("a", f"kw_a_{IDENTITY.hex}_{SECRET}"),
        (IDENTITY.hex, f"kw_{IDENTITY.hex}_{IDENTITY.hex}_{SECRET}"),
        (f"a_{IDENTITY.hex}_{SECRET[:20]}", f"kw_a_{IDENTITY.hex}_{SECRET[:20]}_{IDENTITY.hex}_{SECRET}"),
    ],
)
def test_the_parts_are_counted_from_the_end(tenant: str, text: str) -> None:
    assert parse_token(text) == token(tenant)


WHOLE = str(token())


@pytest.mark.parametrize(
    "text",
    [
        "", "kw_", "kw", "Bearer", SECRET, WHOLE[:-1], WHOLE + "0", WHOLE + "\n", " " + WHOLE, WHOLE + " ",
        WHOLE.upper(), WHOLE.replace("kw_", "kw-"), WHOLE.replace("kw_", "KW_"), WHOLE.replace("kw_", "xkw_"),
        WHOLE.replace(IDENTITY.hex, str(IDENTITY)), WHOLE.replace("acme", ""), WHOLE.replace("acme", "Acme"),
        WHOLE.replace("acme", "_acme"), WHOLE.replace("acme", ".acme"), WHOLE.replace("acme", "a" * 101),
        WHOLE.replace("acme", "ac me"), WHOLE.replace("acme", "acmé"), WHOLE.replace("0", "g"),
        WHOLE.replace("0", "٠"), f"{WHOLE}\x00", f"{WHOLE}_{WHOLE}"[:-1], "kw_" + "_" * 200,
    ],
)  # fmt: skip
def test_what_is_no_key_is_not_read(text: str) -> None:
    assert parse_token(text) is None


def test_a_digest_is_of_use_for_one_key_alone() -> None:
    """The same secret under another tenant or id has another digest, and none of them shows the secret."""
    digests = {
        each.digest()
        for each in (
            token(),
            token("acme-corp"),
            token(identity=uuid4()),
            token(secret="f" * 64),
            token("acm"),
        )
    }
    assert len(digests) == 5
    assert {len(each) for each in digests} == {32}
    assert bytes.fromhex(SECRET) not in digests
    assert token().digest() == token().digest()


@pytest.mark.parametrize(
    ("fields", "now", "admitted"),
    [
        ({}, at(0), True),
        ({"expires_at": at(10)}, at(10) - timedelta(microseconds=1), True),
        ({"expires_at": at(10)}, at(10), False),
        ({"expires_at": at(10)}, at(11), False),
        ({"revoked_at": at(0)}, at(0), False),
        ({"revoked_at": at(5)}, at(0), False),
        ({"revoked_at": at(5), "expires_at": at(10)}, at(7), False),
    ],
)
def test_a_key_opens_while_it_is_in_force(fields: dict[str, Any], now: datetime, admitted: bool) -> None:
    made = key(**fields)
    assert admits(made, token().digest(), token(), now) is admitted
    assert not admits(made, token(secret="0" * 64).digest(), token(), now)
    assert not admits(made, b"", token(), now)


def test_a_key_speaks_for_its_principal() -> None:
    only = frozenset({Verb.RECALL})
    principal = key(within={"workspace": "a"}, only=only).principal("acme")
    assert (principal.tenant, principal.subject, principal.kind) == ("acme", "bot", PrincipalKind.AGENT)
    assert (principal.roles, principal.within, principal.only) == (("agent",), {"workspace": "a"}, only)


def test_a_secret_is_long_enough_and_written_in_full() -> None:
    assert SECRET_BYTES * 8 == 256
    for _ in range(20):
        made = token(secret=secrets.token_hex(SECRET_BYTES))
        assert parse_token(str(made)) == made


SOUND: dict[str, Any] = {"name": "deploy", "subject": "bot", "kind": "agent"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("name", odd) for odd in ("", "a\x00", "a\nb", "\x85", "x" * 101, None, 7, "\ud83d")),
        *(("subject", odd) for odd in ("", "a\tb", "x" * 201, None, ["bot"])),
        *(("kind", odd) for odd in ("god", "", None, "Agent")),
        *(("roles", odd) for odd in ("agent", [""], [7], ["a\n"], ["x" * 101], {"agent": 1})),
        *(("within", odd) for odd in (None, [], "a", {"workspace": 7}, {"workspace": None})),
        *(("only", odd) for odd in ("recall", ["Recall"], [None], {"recall": True})),
        *(("expires_at", odd) for odd in (0, "0", "2026-03-02", "2026-03-02T09:00:00", "tomorrow", True)),
        *(("expires_at", odd) for odd in ("9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z")),
        *((odd, "x") for odd in ("tenant", "id", "secret", "digest", "made_by", "authority")),
    ],
)
def test_a_key_that_cannot_be_made(field: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        NewApiKey.model_validate({**SOUND, field: value})


def test_a_new_key_reaches_as_far_as_its_roles() -> None:
    made = NewApiKey.model_validate(SOUND)
    assert (made.roles, made.within, made.only, made.expires_at) == ((), {}, None, None)
    narrowed = NewApiKey.model_validate({**SOUND, "only": [], "expires_at": "2026-03-02T10:00:00+01:00"})
    assert (narrowed.only, narrowed.expires_at) == (frozenset(), datetime(2026, 3, 2, 9, tzinfo=UTC))


POLICY = Policy.model_validate(
    {
        "version": 2,
        "dimensions": ["workspace"],
        "roles": {"agent": {}, "lead": {}},
        "systems": {"qa-pipeline": {}},
    }
)


@pytest.mark.parametrize(
    ("fields", "refused_at"),
    [
        ({"kind": "agent", "roles": ["agent"]}, None),
        ({"kind": "human", "roles": ["agent", "lead"], "within": {"workspace": "a"}}, None),
        ({"kind": "agent"}, "roles"),
        ({"kind": "human"}, "roles"),
        # To be called like a declared system makes nobody one.
        ({"kind": "human", "subject": "qa-pipeline"}, "roles"),
        ({"kind": "agent", "subject": "qa-pipeline"}, "roles"),
        ({"kind": "system", "subject": "qa-pipeline"}, None),
        ({"kind": "system", "subject": "qa-pipeline", "roles": ["lead"]}, None),
        ({"kind": "system", "subject": "rogue"}, "roles"),
        ({"kind": "system", "subject": "QA-pipeline"}, "roles"),
        ({"kind": "system", "subject": "rogue", "roles": ["lead"]}, None),
        ({"kind": "agent", "roles": ["agent", "emperor"]}, "roles"),
        ({"kind": "system", "subject": "qa-pipeline", "roles": ["emperor"]}, "roles"),
        ({"kind": "agent", "roles": ["agent"], "within": {"planet": "mars"}}, "within"),
        ({"kind": "agent", "roles": ["agent"], "expires_at": at(0).isoformat()}, "expires_at"),
        ({"kind": "agent", "roles": ["agent"], "expires_at": at(0.001).isoformat()}, None),
    ],
)
def test_a_key_is_made_only_if_it_can_be_used(fields: dict[str, Any], refused_at: str | None) -> None:
    new = NewApiKey.model_validate({"name": "n", "subject": "bot", **fields})
    if refused_at is None:
        require_usable(new, POLICY, at(0))
        return
    with pytest.raises(InvalidInput) as refused:
        require_usable(new, POLICY, at(0))
    assert refused.value.field == refused_at
    assert new.subject == "qa-pipeline" or new.subject not in refused.value.message


def test_a_key_without_a_role_is_refused_with_what_there_is() -> None:
    with pytest.raises(InvalidInput, match="a key without a role may do nothing; name one of agent, lead"):
        require_usable(NewApiKey.model_validate(SOUND), POLICY, at(0))
    rogue = NewApiKey.model_validate({**SOUND, "kind": "system"})
    with pytest.raises(InvalidInput, match="name a role, or speak for one that it declares: qa-pipeline"):
        require_usable(rogue, POLICY, at(0))
    bare = Policy(version=2, dimensions=frozenset())
    with pytest.raises(InvalidInput, match="speak for one that it declares: none"):
        require_usable(rogue, bare, at(0))
