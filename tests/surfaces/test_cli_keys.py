"""Keys from the command line: made and shown once, listed without their secrets, narrowed, revoked, refused."""

import asyncio
import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from models.api_keys import NewApiKey
from models.errors import Unauthenticated
from models.ids import tenant_id
from models.principals import Principal, PrincipalKind
from models.verbs import Verb
from runtime.authentication.keys import ApiKeys
from store import api_keys
from store.engine import Database
from store.policies import Policies
from tests.surfaces.terminal import Ended, Terminal

BOT = ("--as", "agent:bot", "--role", "agent")
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def recognised(database: Database, policies: Policies) -> ApiKeys:
    """The keys as a server knows them that has seen none of them before."""
    return ApiKeys(database, policies)


def token_of(made: Ended) -> str:
    """The key that a command has made: all of its standard output."""
    assert made.code == 0, made.err
    assert re.fullmatch(r"kw_\S+\n", made.out)
    return made.out.strip()


async def keys_of(terminal: Terminal) -> list[dict[str, Any]]:
    listed = await terminal.keepwell("keys", "list", "--json")
    assert listed.said()
    return listed.json


async def test_a_key_is_alone_on_standard_output_and_speaks_for_whom_it_was_made(
    terminal: Terminal, recognised: ApiKeys, tenant: str
) -> None:
    made = await terminal.keepwell("keys", "create", "bot", *BOT, "--role", "developer")
    token = token_of(made)
    assert await recognised.recognise(token) == Principal(
        tenant=tenant, subject="bot", kind=PrincipalKind.AGENT, roles=("agent", "developer")
    )
    [key] = await keys_of(terminal)
    assert made.err == (
        f"Key {key['id']} of tenant {tenant} speaks for agent:bot as agent, developer. It is shown this once.\n"
    )


async def test_a_key_may_be_narrowed_and_may_end(
    terminal: Terminal, recognised: ApiKeys, tenant: str
) -> None:
    made = await terminal.keepwell(
        *("keys", "create", "narrow", "--as", "system:qa-pipeline", "--json"),
        *("--within", "workspace=staging", "--within", "project=web", "--only", "read", "--only", "recall"),
        *("--expires", "2100-01-01T01:00:00+01:00"),
    )
    assert made.said()
    told, token = made.json["key"], made.json["token"]
    within = {"workspace": "staging", "project": "web"}
    assert await recognised.recognise(token) == Principal(
        tenant=tenant,
        subject="qa-pipeline",
        kind=PrincipalKind.SYSTEM,
        within=within,
        only=frozenset({Verb.READ, Verb.RECALL}),
    )
    assert (told["name"], told["kind"], told["subject"]) == ("narrow", "system", "qa-pipeline")
    assert (told["roles"], told["within"], told["only"]) == ([], within, ["read", "recall"])
    assert datetime.fromisoformat(told["expires_at"]) == datetime(2100, 1, 1, tzinfo=UTC)
    listed = await keys_of(terminal)
    assert [{**key, "last_used_at": None} for key in listed] == [told]


async def test_keys_are_listed_without_secrets_and_revoked_for_good(
    terminal: Terminal, database: Database, policies: Policies
) -> None:
    assert (await terminal.keepwell("keys", "list")).said() == "No keys.\n"
    first, second = [
        token_of(await terminal.keepwell("keys", "create", name, *BOT)) for name in ("first", "second")
    ]
    ids = {key["name"]: key["id"] for key in await keys_of(terminal)}
    assert list(ids) == ["first", "second"]
    revoked = (await terminal.keepwell("keys", "revoke", ids["first"])).said()
    assert revoked == f"Key {ids['first']} is revoked; a server that runs refuses it within 5 s.\n"
    with pytest.raises(Unauthenticated):
        await ApiKeys(database, policies).recognise(first)
    await ApiKeys(database, policies).recognise(second)

    ended = {key["name"]: key["revoked_at"] for key in await keys_of(terminal)}
    assert ended["second"] is None
    (await terminal.keepwell("keys", "revoke", ids["first"])).said()
    assert {key["name"]: key["revoked_at"] for key in await keys_of(terminal)} == ended

    # What has ended gives its name back.
    token_of(await terminal.keepwell("keys", "create", "first", *BOT))
    shown = (await terminal.keepwell("keys", "list")).said()
    [old, other, new] = [line for line in shown.splitlines() if "agent:bot as agent" in line]
    assert ids["first"] in old
    assert "revoked 20" in old
    assert "in force" in other
    assert "in force" in new
    for token in (first, second):
        assert token.rpartition("_")[2] not in shown


async def test_a_command_that_makes_a_key_can_be_given_again(
    terminal: Terminal, database: Database, policies: Policies
) -> None:
    create = ("keys", "create", "bot", *BOT, "--replace")
    first, second = [token_of(await terminal.keepwell(*create)) for _ in range(2)]
    with pytest.raises(Unauthenticated):
        await ApiKeys(database, policies).recognise(first)
    await ApiKeys(database, policies).recognise(second)
    assert [key["revoked_at"] is None for key in await keys_of(terminal)] == [False, True]


async def test_a_key_is_revoked_by_its_name(
    terminal: Terminal, database: Database, policies: Policies
) -> None:
    tokens = [
        token_of(await terminal.keepwell("keys", "create", name, *BOT)) for name in ("bot", "other bot")
    ]
    ids = {key["name"]: key["id"] for key in await keys_of(terminal)}
    revoked = (await terminal.keepwell("keys", "revoke", "other bot")).said()
    assert revoked.startswith(f"Key {ids['other bot']} is revoked; ")
    await ApiKeys(database, policies).recognise(tokens[0])
    with pytest.raises(Unauthenticated):
        await ApiKeys(database, policies).recognise(tokens[1])
    (await terminal.keepwell("keys", "revoke", "other bot")).refused(4, "no key of this name")


async def test_an_expired_key_gives_its_name_back(
    terminal: Terminal, database: Database, tenant: str
) -> None:
    ended = NewApiKey(
        name="bot",
        subject="bot",
        kind=PrincipalKind.AGENT,
        roles=("agent",),
        expires_at=datetime(2026, 3, 2, 9, 0, tzinfo=UTC),
    )
    async with database.transaction(tenant_id(tenant)) as work:
        await api_keys.add(work, UUID(UNKNOWN), ended, b"x" * 32, "root", datetime.now(UTC))
    token_of(await terminal.keepwell("keys", "create", "bot", *BOT))
    shown = (await terminal.keepwell("keys", "list")).said()
    [old, new] = [line for line in shown.splitlines() if "agent:bot as agent" in line]
    # It ended when it expired, whatever was done with it afterwards.
    assert "expired 2026-03-02 09:00" in old
    assert "in force" in new


async def test_what_cannot_be_a_key_is_refused_with_the_remedy(terminal: Terminal) -> None:
    create = ("keys", "create")
    token_of(await terminal.keepwell(*create, "bot", *BOT))
    cases = [
        (5, "name: a key of this name is in force; --replace revokes it", (*create, "bot", *BOT)),
        (
            2,
            "roles: a key without a role may do nothing; name one of admin, ",
            (*create, "x", "--as", "agent:bot"),
        ),
        (2, "roles: a key without a role may do nothing", (*create, "x", "--as", "human:qa-pipeline")),
        (2, "one that it declares: qa-pipeline", (*create, "x", "--as", "system:cron-9")),
        (2, "roles: a key without a role", (*create, "bot", "--as", "agent:bot", "--replace")),
        (2, "--as: write it as human:NAME", (*create, "x", "--as", "robot:bot", "--role", "agent")),
        (2, "subject: ", (*create, "x", "--as", "agent:", "--role", "agent")),
        (2, "name: ", (*create, "", *BOT)),
        (2, "roles: the policy has no such role; it has admin, ", (*create, "x", *BOT, "--role", "king")),
        (2, "within: unknown dimension", (*create, "x", *BOT, "--within", "planet=mars")),
        (2, "--within: write each dimension once", (*create, "x", *BOT, "--within", "workspace")),
        (2, "expires_at: lies in the past", (*create, "x", *BOT, "--expires", "2020-01-01T00:00:00Z")),
        (2, "expires_at: a naive instant", (*create, "x", *BOT, "--expires", "2100-01-01T00:00:00")),
        (2, "expires_at: give an ISO 8601 instant", (*create, "x", *BOT, "--expires", "soon")),
        (4, "keepwell tenants add nobody", (*create, "x", *BOT, "--tenant", "nobody")),
        (4, "no key of this name", ("keys", "revoke", "nobody")),
        (4, "no such key", ("keys", "revoke", UNKNOWN)),
    ]
    ended = await asyncio.gather(*(terminal.keepwell(*arguments) for _, _, arguments in cases))
    for (code, words, _), refused in zip(cases, ended, strict=True):
        refused.refused(code, words)
    assert [key["name"] for key in await keys_of(terminal)] == ["bot"]


async def test_only_the_options_say_whom_a_key_speaks_for(terminal: Terminal) -> None:
    everyday = {"KEEPWELL_AS": "human:dana", "KEEPWELL_ROLES": "infra_lead"}
    nameless, roleless = await asyncio.gather(
        terminal.keepwell("keys", "create", "x", "--role", "agent", **everyday),
        terminal.keepwell("keys", "create", "x", "--as", "agent:bot", **everyday),
    )
    assert (nameless.code, nameless.out) == (2, "")
    assert "--as" in nameless.err
    roleless.refused(2, "roles: a key without a role may do nothing")
    # Whoever an operator otherwise speaks as, keys are the operator's own to make.
    token_of(await terminal.keepwell("keys", "create", "bot", *BOT, **everyday))
    assert [key["subject"] for key in await keys_of(terminal)] == ["bot"]


async def test_a_policy_without_administrators_makes_no_keys(terminal: Terminal) -> None:
    roles = "roles: {agent: {may: [recall], scopes: {workspace: any}}}"
    policy = f"version: 2\ndimensions: [workspace]\n{roles}\n"
    (terminal.folder / "policy.yaml").write_text(policy)
    refused = await terminal.keepwell("keys", "create", "bot", *BOT, KEEPWELL_POLICY="policy.yaml")
    refused.refused(3, "the policy knows no role admin (it knows agent)")
