"""SQL and the rules agree on whom a memory is about, whatever it rests on."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from models.authority import Authority, Standing
from models.candidates import Terms
from models.controls import Word, class_of, person_of
from models.events import EventType
from models.facts import Admission
from models.policy import Policy
from models.principals import PrincipalKind
from models.scope import Scope
from runtime.addresses import Addresses
from store import evidence, facts, persons
from store.evidence import Evidence, Kind, Transition
from store.facts import FactKey, NewFact
from store.unit_of_work import UnitOfWork
from tests.world import MONDAY, World, event

HUMAN, AGENT, SYSTEM = PrincipalKind
SCOPES = [
    {},
    {"workspace": "w"},
    {"user": "ana"},
    {"workspace": "w", "user": "ben"},
    {"conversation": "user"},
]
ATTRIBUTES = ["preference", "owner", "standing_instruction", "preferred_channel", "no_longer_declared"]


class Said(NamedTuple):
    """One statement: by whom, what kind of event it was, what it supports, and whether a role permitted it."""

    subject: str
    kind: PrincipalKind
    type: EventType
    permitted: bool
    supports: str = "statement"


class Cited(NamedTuple):
    """A statement as evidence has it, and as the rules do, None where it is no statement."""

    witness: Evidence
    word: Word | None


SAID = [
    Said("ana", HUMAN, EventType.NOTE, True),
    Said("ana", HUMAN, EventType.NOTE, False),
    Said("Ana", HUMAN, EventType.NOTE, True),
    Said("ana", AGENT, EventType.NOTE, False),
    Said("ana", SYSTEM, EventType.NOTE, True),
    Said("ana", HUMAN, EventType.TOOL_RESULT, False),
    Said("ana", HUMAN, EventType.NOTE, False, "claim"),
    Said("ben", HUMAN, EventType.NOTE, True, "ending"),
    Said("ben", HUMAN, EventType.NOTE, False, "echo"),
]


async def fact_resting_on(work: UnitOfWork, scope: Scope, attribute: str, cited: Sequence[Cited]) -> UUID:
    key_id = await facts.ensure_key(work, FactKey(scope, None, attribute, str(uuid4())))
    new = NewFact(
        id=uuid4(),
        key_id=key_id,
        scope_key=scope.key,
        admission=Admission.ADMITTED,
        terms=Terms(value="tea"),
        canonical="tea",
        valid_until=None,
        lapses_at=None,
        valid_from=MONDAY,
        stated_at=MONDAY,
        authority=Authority.HUMAN_INSTRUCTION,
        authority_role=None,
        standing=Standing.OBSERVED,
        challenges=None,
        statement="tea",
    )
    await facts.begin(work, new)
    await evidence.cite(work, Kind.FACT, new.id, [each.witness for each in cited])
    change = Transition(new.id, None, "active", "test", "test", "test", None, None, MONDAY)
    await evidence.declare(work, Kind.FACT, change)
    return new.id


@pytest.fixture
async def cited(world: World) -> list[Cited]:
    """Each statement, with an event of the log behind it."""
    authorities = {
        (HUMAN, EventType.NOTE): Authority.HUMAN_INSTRUCTION,
        (AGENT, EventType.NOTE): Authority.MODEL_INFERRED,
    }
    found: list[Cited] = []
    for said in SAID:
        who = world.principal(said.subject, said.kind, "operator")
        [receipt] = await world.publish(
            who, event(type=said.type.value, text="tea", activity_id=str(uuid4()))
        )
        authority = authorities.get((said.kind, said.type), Authority.UNTRUSTED)
        role = "user" if said.permitted else None
        witness = Evidence(receipt.event_id, said.supports, authority, role, said.subject, MONDAY)
        word = Word(said.subject, said.kind, authority, said.permitted or said.supports == "claim")
        found.append(Cited(witness, None if said.supports in {"ending", "echo"} else word))
    return found


async def test_sql_and_the_rules_agree(world: World, policy: Policy, cited: list[Cited]) -> None:
    expected: dict[UUID, str | None] = {}
    mixtures: list[Any] = [each for many in (1, 2) for each in combinations(cited, many)]
    mixtures += list(combinations(cited, 3))[::3]
    async with world.database.transaction(world.lead.tenant_id) as work:
        for raw in SCOPES:
            for attribute in ATTRIBUTES:
                for mixture in mixtures:
                    scope = Scope(raw)
                    fact_id = await fact_resting_on(work, scope, attribute, mixture)
                    words = [each.word for each in mixture if each.word is not None]
                    expected[fact_id] = person_of(scope, class_of(policy, attribute), words)
        found = await persons.about(work, policy, list(expected))
    assert {fact_id: about.person for fact_id, about in found.items()} == expected
    assert {about.switched_off for about in found.values()} == {False}
    assert set(expected.values()) == {"ana", "Ana", "ben", None}


async def test_what_is_off_for_a_speaker_is_what_is_about_others_and_off(
    world: World, policy: Policy, cited: list[Cited]
) -> None:
    async with world.database.transaction(world.lead.tenant_id) as work:
        made = [
            await fact_resting_on(work, Scope(scope), "preference", [each])
            for scope in SCOPES
            for each in cited
        ]
        assert await persons.off_for(work, policy, made, "nobody") == frozenset()
    for subject in ("ana", "ben"):
        await world.service.switch_off(world.principal(subject, HUMAN, "operator"), "user_preference")
    async with world.database.transaction(world.lead.tenant_id) as work:
        about = await persons.about(work, policy, made)
        for speaker in ("ana", "ben", "nobody"):
            off = {each for each, of in about.items() if of.switched_off and of.person != speaker}
            assert await persons.off_for(work, policy, made, speaker) == off
            assert off
        assert await persons.off_for(work, policy, [], "nobody") == frozenset()


async def looked_up(addresses: Addresses, world: World, policy: Policy, fact_id: UUID) -> int:
    """How often the database has looked up whom a fact is about, to tell whether it is off."""
    admin = create_async_engine(str(addresses.admin_database_url), poolclass=NullPool)
    async with admin.begin() as connection:
        await connection.execute(text("SET LOCAL track_functions = 'pl'"))
        await persons.off_for(UnitOfWork(connection, world.lead.tenant_id), policy, [fact_id], "nobody")
        calls = await connection.execute(text("SELECT pg_stat_get_xact_function_calls('switch_of'::regproc)"))
        return calls.scalar_one() or 0


async def test_whom_it_is_about_is_looked_up_where_anything_is_off(
    world: World, policy: Policy, cited: list[Cited], addresses: Addresses
) -> None:
    async with world.database.transaction(world.lead.tenant_id) as work:
        fact_id = await fact_resting_on(work, Scope({}), "preference", cited[:1])
    assert await looked_up(addresses, world, policy, fact_id) == 0
    await world.service.switch_off(world.principal("ben", HUMAN, "operator"), "user_preference")
    assert await looked_up(addresses, world, policy, fact_id) == 1
