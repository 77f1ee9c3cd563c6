"""Events are read again: what that would change is shown first, and exactly what was shown is applied."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.client import Client

from capture.accept import Receipt
from capture.proposing import Proposers
from models.errors import Conflict, InvalidInput, NotFound, NotPermitted
from models.extractions import Budget
from models.policy import Policy
from models.principals import Principal
from models.redo import Change, Line
from models.reviews import Acceptance
from models.statements import Statement, Withdrawal
from providers.rule_extractor import RuleExtractor
from runtime.addresses import Addresses
from runtime.redo import Range, Redo, Shown
from store.policies import Policies
from tests.language_model.modelled import FOUND, MODEL, SAID, Modelled, language_model, script
from tests.language_model.server import Refusal, candidates, model_server
from tests.stores import own_world
from tests.world import STAGING, event

EXTRACTOR = f"{MODEL}/extract_facts.v1"
AWAY = Refusal(400)


@pytest.fixture(scope="module")
async def modelled(addresses: Addresses, policy: Policy, client: Client) -> AsyncGenerator[Modelled]:
    async with (
        model_server() as server,
        own_world(addresses, policy, client, model=language_model(server)) as world,
    ):
        yield Modelled(world, server, client)


@pytest.fixture
def redo(modelled: Modelled, policy: Policy) -> Redo:
    database = modelled.world.database
    models = language_model(modelled.server).on(database)
    return Redo(database, Policies(database, policy), Proposers(RuleExtractor(), models))


@pytest.fixture
def admin(modelled: Modelled) -> Principal:
    return modelled.world.principal("admin", "human", "admin")


def just_now(receipt: Receipt | None = None, *, fell_back_only: bool = False) -> Range:
    now = datetime.now(UTC)
    activity_id = None if receipt is None else receipt.activity_id
    return Range(now - timedelta(hours=1), now + timedelta(hours=1), activity_id, fell_back_only)


def lines_of(shown: Shown) -> list[tuple[Change, str, str | None]]:
    return [(line.change, line.extractor, line.value) for line in every_line(shown)]


def every_line(shown: Shown) -> list[Line]:
    return [line for each in shown.differences for line in each.lines]


async def unread(modelled: Modelled, activity: str, words: str = SAID) -> Receipt:
    """Somebody says something while the model is away, so that rules read it alone."""
    modelled.server.script = script(AWAY, AWAY)
    return await modelled.say(words, activity)


async def settled(modelled: Modelled, receipt: Receipt) -> None:
    await modelled.world.digest([receipt])


async def test_what_fell_back_is_redone_shown_and_applied(
    modelled: Modelled, redo: Redo, admin: Principal
) -> None:
    receipt = await unread(modelled, "fell-back")
    modelled.server.script = script()
    shown = await redo.propose(admin, just_now(receipt, fell_back_only=True))
    [new, same] = sorted(every_line(shown), key=lambda line: line.change)
    assert (new.change, new.extractor, new.mention, new.value) == (
        Change.NEW,
        EXTRACTOR,
        "billing-api",
        "Postgres 18",
    )
    assert (new.event_id, new.candidate_id, new.verdict) == (receipt.event_id, None, None)
    assert (same.change, same.extractor, same.verdict) == (Change.SAME, "rules/1", "establish")
    assert EXTRACTOR not in await modelled.candidates(receipt), "nothing is applied yet"
    assert {each.state for each in await modelled.asked(receipt.activity_id)} == {"fell_back", "proposed"}
    modelled.server.script = script(candidates({**FOUND, "value": "goes to Postgres 18"}))
    asked = len(modelled.server.asked)
    applied = await redo.apply(admin, shown.redo_id)
    assert applied == (1, 1, 0, 1)
    assert len(modelled.server.asked) == asked, "what was shown is applied, and nobody is asked again"
    await settled(modelled, receipt)
    assert (await modelled.candidates(receipt))[EXTRACTOR] == (
        "uses",
        "establish: permitted_statement",
        "Postgres 18",
    )
    found = await modelled.rows(
        "SELECT state, count(*) AS n FROM extractions WHERE activity_id = :id AND purpose = 'extract'"
        " GROUP BY state ORDER BY state",
        id=receipt.activity_id,
    )
    assert [tuple(row) for row in found] == [("applied", 2), ("superseded", 1)]
    again = await redo.propose(admin, just_now(receipt, fell_back_only=True))
    assert again.differences == []


async def test_a_redo_is_applied_once(modelled: Modelled, redo: Redo, admin: Principal) -> None:
    receipt = await unread(modelled, "once")
    modelled.server.script = script()
    shown = await redo.propose(admin, just_now(receipt))
    await redo.apply(admin, shown.redo_id)
    with pytest.raises(Conflict):
        await redo.apply(admin, shown.redo_id)


async def test_of_redos_that_wait_the_newest_counts(modelled: Modelled, redo: Redo, admin: Principal) -> None:
    receipt = await unread(modelled, "older")
    modelled.server.script = script(candidates({**FOUND, "value": "goes to Postgres 18"}))
    older = await redo.propose(admin, just_now(receipt))
    modelled.server.script = script()
    newer = await redo.propose(admin, just_now(receipt))
    with pytest.raises(Conflict):
        await redo.apply(admin, older.redo_id)
    await redo.apply(admin, newer.redo_id)
    held = await modelled.rows(
        "SELECT state FROM extractions WHERE activity_id = :id AND proposed IS NOT NULL",
        id=receipt.activity_id,
    )
    assert held == []


async def test_other_words_and_what_is_gone_change_nothing(
    modelled: Modelled, redo: Redo, admin: Principal
) -> None:
    stays, gone = "search-api goes to Postgres 18.", "orders-api goes to Redis."
    found = {**FOUND, "mention": "search-api", "quote": stays}
    modelled.server.script = script(
        candidates(found, {**FOUND, "mention": "orders-api", "value": "Redis", "quote": gone})
    )
    receipt = await modelled.say(f"{stays} {gone}", "words")
    before = await modelled.rows("SELECT id, value FROM candidates WHERE event_id = :id", id=receipt.event_id)
    modelled.server.script = script(candidates({**found, "value": "goes to Postgres 18"}))
    shown = await redo.propose(admin, just_now(receipt))
    assert lines_of(shown) == [
        (Change.OTHER_WORDS, EXTRACTOR, "goes to Postgres 18"),
        (Change.GONE, EXTRACTOR, "Redis"),
    ]
    assert {line.verdict for line in every_line(shown)} == {"establish"}
    assert (await redo.apply(admin, shown.redo_id)).candidates == 0
    after = await modelled.rows("SELECT id, value FROM candidates WHERE event_id = :id", id=receipt.event_id)
    assert sorted(map(tuple, after)) == sorted(map(tuple, before))


async def test_looking_leaves_nothing_behind(modelled: Modelled, redo: Redo, admin: Principal) -> None:
    receipt = await unread(modelled, "looking", "shipping-api goes to Postgres 18.")
    found = {**FOUND, "mention": "shipping-api", "quote": "shipping-api goes to Postgres 18"}
    modelled.server.script = script(candidates(found, {**found, "mention": "prod-db"}))
    tables = ("candidates", "decisions", "fact_keys", "facts", "entities", "aliases", "outbox")
    counted = " UNION ALL ".join(f"SELECT '{table}' AS t, count(*) AS n FROM {table}" for table in tables)
    before = await modelled.rows(counted)
    shown = await redo.propose(admin, just_now(receipt))
    assert [(line.change, line.mention, line.reason) for line in every_line(shown)] == [
        (Change.NEW, "shipping-api", None),
        (Change.REFUSED, "prod-db", "not_grounded"),
    ]
    assert await modelled.rows(counted) == before


async def test_old_evidence_revives_nothing(modelled: Modelled, redo: Redo, admin: Principal) -> None:
    """While the model was away a fact was stated, and ended. What is read of older words now is older than that."""
    world = modelled.world
    receipt = await unread(modelled, "revival", "ledger-api goes to Postgres 18.")
    stated = await world.service.remember(
        world.lead,
        Statement.model_validate(
            {
                "scope": STAGING,
                "attribute": "uses",
                "entity": "ledger-api",
                "value": "Oracle",
                "occurred_at": event(1)["occurred_at"],
            }
        ),
    )
    assert stated.decided is not None
    assert stated.decided.fact_id is not None
    taken_back = Withdrawal.model_validate(
        {"text": "No more Oracle.", "occurred_at": event(2)["occurred_at"]}
    )
    await world.service.retract(world.lead, stated.decided.fact_id, taken_back)
    quote = "ledger-api goes to Postgres 18."
    modelled.server.script = script(candidates({**FOUND, "mention": "ledger-api", "quote": quote}))
    shown = await redo.propose(admin, just_now(receipt))
    assert lines_of(shown) == [(Change.NEW, EXTRACTOR, "Postgres 18")]
    await redo.apply(admin, shown.redo_id)
    await settled(modelled, receipt)
    assert (await modelled.candidates(receipt))[EXTRACTOR][1] == "ignore_stale: older_than_last_ending"
    answer = await world.recall(entities=("ledger-api",))
    assert answer.facts == ()


async def test_a_model_that_is_still_away_is_said_to_be(
    modelled: Modelled, redo: Redo, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.extractions.PAUSE_SECONDS", 0.01)
    receipt = await unread(modelled, "away")
    modelled.server.script = script(Refusal(503))
    calls = len(modelled.server.asked)
    shown = await redo.propose(admin, just_now(receipt))
    assert len(modelled.server.asked) - calls == 3
    [difference] = shown.differences
    assert difference.fallback == ("model_unreachable", 3)
    assert [line.change for line in difference.lines] == [Change.SAME]
    await redo.apply(admin, shown.redo_id)
    left = await redo.propose(admin, just_now(receipt, fell_back_only=True))
    assert len(left.differences) == 1, "what fell back is still to be redone"


async def test_rules_alone_can_be_redone(modelled: Modelled, policy: Policy, admin: Principal) -> None:
    receipt = await unread(modelled, "rules")
    asked = len(modelled.server.asked)
    rules = Redo(
        modelled.world.database, Policies(modelled.world.database, policy), Proposers(RuleExtractor())
    )
    shown = await rules.propose(admin, just_now(receipt))
    assert lines_of(shown) == [(Change.SAME, "rules/1", "keep running")]
    assert await rules.apply(admin, shown.redo_id) == (1, 0, 0, 0)
    assert len(modelled.server.asked) == asked


async def test_what_an_event_has_stated_already_is_nothing_new(
    modelled: Modelled, policy: Policy, admin: Principal
) -> None:
    """What a reviewer accepts is read by the next pass, and by every redo, and is decided all the while."""
    world = modelled.world
    held = Statement.model_validate(
        {"scope": STAGING, "attribute": "lifecycle_policy", "entity": "gpu bench 7", "value": "drain"}
    )
    claim = (await world.service.remember(world.developer, held)).decided
    assert claim is not None
    assert claim.fact_id is not None
    accepted = await world.service.accept(
        world.lead, claim.fact_id, Acceptance.model_validate({"text": "gpu bench 7 is owned by Noor."})
    )
    assert accepted.governs
    await world.service.settle(world.agent, [accepted.activity_id])
    rules = Redo(
        modelled.world.database, Policies(modelled.world.database, policy), Proposers(RuleExtractor())
    )
    shown = await rules.propose(admin, just_now()._replace(activity_id=accepted.activity_id))
    assert [each.activity_id for each in shown.differences] == [accepted.activity_id]
    assert [line for line in every_line(shown) if line.attribute == "lifecycle_policy"] == []
    assert {line.change for line in every_line(shown)} <= {Change.SAME}
    applied = await rules.apply(admin, shown.redo_id)
    assert (applied.candidates, applied.refused, applied.handed_over) == (0, 0, 0)


async def test_what_nobody_may_or_can_redo(modelled: Modelled, redo: Redo, admin: Principal) -> None:
    world = modelled.world
    receipt = await unread(modelled, "refused")
    modelled.server.script = script()
    shown = await redo.propose(admin, just_now(receipt))
    for who in (world.lead, world.agent, world.principal("ops", "human", "operator")):
        with pytest.raises(NotPermitted):
            await redo.propose(who, just_now())
        with pytest.raises(NotPermitted):
            await redo.apply(who, shown.redo_id)
    stranger = admin.model_copy(update={"tenant": "another"})
    with pytest.raises(NotFound):
        await redo.apply(stranger, shown.redo_id)
    assert (await redo.propose(stranger, just_now())).differences == []
    now = datetime.now(UTC)
    with pytest.raises(InvalidInput) as backwards:
        await redo.propose(admin, Range(now, now))
    assert backwards.value.field == "--until"
    assert (
        await redo.propose(admin, Range(now + timedelta(hours=1), now + timedelta(hours=2)))
    ).differences == []


async def test_a_budget_holds_for_a_redo_too(modelled: Modelled, policy: Policy, admin: Principal) -> None:
    receipt = await unread(modelled, "budget")
    models = language_model(modelled.server, Budget(tokens=10, requests=10)).on(modelled.world.database)
    redo = Redo(
        modelled.world.database, Policies(modelled.world.database, policy), Proposers(RuleExtractor(), models)
    )
    shown = await redo.propose(admin, just_now(receipt))
    [difference] = shown.differences
    assert difference.fallback is not None
    assert difference.fallback.fault == "model_budget_spent"
