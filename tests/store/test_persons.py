"""SQL and the rules agree on whom a memory is about, whatever it rests on."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest

from models.authority import Authority, Standing
from models.candidates import Terms
from models.controls import Word, class_of, person_of
from models.events import EventType
from models.facts import Admission
from models.policy import Policy
from models.principals import PrincipalKind
from models.scope import Scope
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
