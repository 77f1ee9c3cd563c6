"""What the query of the read path lets through is what the pure rules let through, record by record."""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from models.authority import Authority, Standing
from models.candidates import Terms
from models.facts import Admission, Ending, Fact, Status, Subject, Turn, as_known, status_at
from models.ids import tenant_id
from models.policy import Policy
from models.readers import recalled_for
from models.recall import RecallRequest
from models.scope import Scope
from recall.inquiry import Inquiry
from recall.recall import consider
from runtime.addresses import Addresses
from tests.world import MONDAY, World

CANONICAL = "cloud-instance:i-0e119"
RECORDS = 500
REQUESTS = 20
"""Each request is held against each record: 10,000 cases."""

ATTRIBUTES = (
    "lifecycle_policy",
    "operating_rule",
    "uses",
    "owner",
    "decision",
    "note",
    "nobody_declares_this",
)
DIMENSIONS = {"workspace": ("a", "b", "a%", "A"), "project": ("p", "q"), "user": ("u", "v")}


class Kept(NamedTuple):
    """The world, its policy, every record of it as the rules see it, and the changes of the status of each."""

    world: World
    policy: Policy
    facts: tuple[Fact, ...]
    turns: Mapping[UUID, Sequence[Turn]]


def _scopes(dice: random.Random) -> dict[str, str]:
    return {name: dice.choice(values) for name, values in DIMENSIONS.items() if dice.random() < 0.5}


def _fact(dice: random.Random, number: int) -> Fact:
    def hours(least: int, most: int) -> timedelta:
        return timedelta(hours=dice.randint(least, most))

    begins = MONDAY + hours(-30, 30)
    ended = None if dice.random() < 0.5 else begins + hours(0, 40)
    stated = begins + hours(-5, 5)
    return Fact(
        id=uuid4(),
        key_id=uuid4(),
        scope=_scopes(dice),
        subject=Subject(canonical=CANONICAL),
        attribute=dice.choice(ATTRIBUTES),
        terms=Terms(value=f"value {number}", expires_at=dice.choice([None, begins + hours(1, 40)])),
        canonical=f"value {number}",
        admission=dice.choice([Admission.ADMITTED, Admission.ADMITTED, *Admission]),
        valid_from=begins,
        ended_at=ended,
        ending=None if ended is None else dice.choice(list(Ending)),
        lapses_at=dice.choice([None, begins + hours(1, 40)]),
        stated_at=stated,
        restated_at=stated,
        recorded_at=stated,
        authority=dice.choice(list(Authority)),
        authority_role=None,
        standing=dice.choice(list(Standing)),
        challenges=None,
        statement=f"statement {number}",
    )


def _turns(dice: random.Random, fact: Fact) -> list[Turn]:
    """How it came to its end, or to none: it may have had others before, and each time have been opened again.

    What has expired says so at last, and says nothing of its end.
    """
    recorded, said = fact.recorded_at, [Turn(Status.ACTIVE, fact.valid_from, fact.recorded_at)]

    def turn(to_status: str, at: datetime) -> None:
        nonlocal recorded
        # What one transaction records has one instant.
        recorded += timedelta(hours=dice.choice([0, 1, 5, 20]))
        said.append(Turn(to_status, at, recorded))

    for _ in range(dice.choice([0, 0, 1, 2])):
        at = fact.valid_from + timedelta(hours=dice.randint(0, 40))
        turn(dice.choice(list(Ending)), at)
        turn(Status.ACTIVE, at)
    if fact.ended_at is not None and fact.ending is not None:
        turn(fact.ending, fact.ended_at)
    if dice.random() < 0.2:
        turn(Status.EXPIRED, fact.valid_from)
    return said


_TURN = text(
    """
    INSERT INTO transitions (tenant_id, record_kind, record_id, to_status, rule, reason, actor, effective_at,
        recorded_at)
    VALUES (:tenant, 'fact', :fact, :to_status, 'test', 'test', 'test', :effective_at, :recorded_at)
    """
)
_KEY = text(
    "INSERT INTO fact_keys (tenant_id, id, scope_key, scope, entity_id, attribute)"
    " VALUES (:tenant, :key_id, :scope_key, CAST(:scope AS jsonb), :entity, :attribute)"
)
_ROW = text(
    """
    INSERT INTO facts (tenant_id, id, key_id, scope_key, admission, value, expires_at, valid_from, ended_at, ending,
        stated_at, restated_at, recorded_at, authority, standing, statement, canonical_value, lapses_at)
    VALUES (:tenant, :id, :key_id, :scope_key, :admission, :value, :expires_at, :valid_from, :ended_at, :ending,
        :stated_at, :stated_at, :recorded_at, :authority, :standing, :statement, :value, :lapses_at)
    """
)


def _values(fact: Fact, tenant: UUID, entity: UUID) -> dict[str, Any]:
    scope = Scope(fact.scope)
    return {
        **fact.model_dump(
            include={"id", "key_id", "valid_from", "ended_at", "stated_at", "recorded_at", "lapses_at"}
        ),
        "tenant": tenant,
        "entity": entity,
        "scope_key": scope.key,
        "scope": "{" + ", ".join(f'"{name}": "{value}"' for name, value in scope.items()) + "}",
        "attribute": fact.attribute,
        "admission": fact.admission.value,
        "ending": None if fact.ending is None else fact.ending.value,
        "value": fact.terms.value,
        "expires_at": fact.terms.expires_at,
        "authority": int(fact.authority),
        "standing": fact.standing.value,
        "statement": fact.statement,
    }


@pytest.fixture
async def kept(world: World, policy: Policy, addresses: Addresses) -> Kept:
    """Random records of one thing, as no way in would ever make them together: the owner writes past every rule."""
    dice = random.Random(20260302)
    facts = tuple(_fact(dice, number) for number in range(RECORDS))
    turns = {fact.id: _turns(dice, fact) for fact in facts}
    tenant, entity = tenant_id(world.tenant), uuid4()
    admin = create_async_engine(str(addresses.admin_database_url), poolclass=NullPool)
    async with admin.begin() as owner:
        await owner.execute(text("SET LOCAL session_replication_role = replica"))
        await owner.execute(
            text(
                "INSERT INTO entities (tenant_id, id, canonical, type) VALUES (:tenant, :id, :canonical, 'it')"
            ),
            {"tenant": tenant, "id": entity, "canonical": CANONICAL},
        )
        for fact in facts:
            values = _values(fact, tenant, entity)
            await owner.execute(_KEY, values)
            await owner.execute(_ROW, values)
            for turn in turns[fact.id]:
                await owner.execute(_TURN, {"tenant": tenant, "fact": fact.id, **turn._asdict()})
    await admin.dispose()
    return Kept(world, policy, facts, turns)


def _asked(dice: random.Random) -> Iterator[tuple[Scope, datetime]]:
    for _ in range(REQUESTS):
        scope = {name: dice.choice(values) for name, values in DIMENSIONS.items() if dice.random() < 0.8}
        yield Scope(scope or {"workspace": "a"}), MONDAY + timedelta(hours=dice.randint(-20, 60))


@pytest.mark.parametrize("by_then", [False, True])
async def test_the_query_lets_through_what_the_rules_let_through(kept: Kept, by_then: bool) -> None:
    """With `known_at` as well, where what is compared is each record as it was known then."""
    dice = random.Random(20260303)
    reader = kept.world.lead
    cases = eligible = 0
    async with kept.world.database.transaction(reader.tenant_id) as work:
        for scope, as_of in _asked(dice):
            known_at = as_of + timedelta(hours=dice.randint(-20, 20)) if by_then else None
            request = RecallRequest(
                scope=dict(scope), entities=(CANONICAL,), as_of=as_of, known_at=known_at, limit=100
            )
            facts = [
                fact if known_at is None else as_known(fact, kept.turns[fact.id], known_at)
                for fact in kept.facts
                if known_at is None or fact.recorded_at <= known_at
            ]
            considered = await consider(work, Inquiry(kept.policy, reader, scope, request, as_of))
            readable = recalled_for(kept.policy, reader)
            expected = {
                fact.id
                for fact in facts
                if Scope(fact.scope).covers(scope)
                and readable.shows(fact.attribute)
                and status_at(fact, as_of) is Status.ACTIVE
            }
            challengers = {fact.id for fact in facts if status_at(fact, as_of) is Status.DISPUTED}
            brought = {item.id for _, item in considered.places}
            assert brought - challengers == expected
            cases += len(kept.facts)
            eligible += len(expected)
    assert cases == RECORDS * REQUESTS
    assert eligible > REQUESTS, "a store in which nothing is eligible proves nothing"
