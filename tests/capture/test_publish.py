"""Publishing: acknowledged means durable, once; refused means that nothing is there."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from models.errors import Conflict, InvalidInput, KeepwellError, NotFound, NotPermitted, TooLarge
from models.ids import tenant_id
from models.principals import Principal, PrincipalKind
from store import events as event_log
from tests.world import World, event

CANARY = "ZEBRA-7731"


async def stored(world: World) -> list[Any]:
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        return list(await work.rows(text("SELECT * FROM events ORDER BY activity_id, seq")))


async def waiting(world: World) -> int:
    async with world.database.transaction(tenant_id(world.tenant)) as work:
        row = await work.row(text("SELECT count(*) AS n FROM outbox"))
        assert row is not None
        return row.n


REFUSED: list[tuple[str, dict[str, Any], type[KeepwellError], str]] = [
    ("unknown dimension", {"scope": {"planet": "mars"}}, InvalidInput, "scope"),
    ("missing scope", {"scope": None}, InvalidInput, "scope"),
    ("an empty scope without the role", {"scope": {}}, NotPermitted, "scope"),
    ("a naive instant", {"occurred_at": "2026-03-02T09:00:00"}, InvalidInput, "occurred_at"),
    ("year 0", {"occurred_at": "0000-01-01T00:00:00Z"}, InvalidInput, "occurred_at"),
    ("year 10000", {"occurred_at": "10000-01-01T00:00:00Z"}, InvalidInput, "occurred_at"),
    ("the far future", {"occurred_at": "2999-01-01T00:00:00Z"}, InvalidInput, "occurred_at"),
    ("2 MB", {"text": CANARY * 200_000}, TooLarge, ""),
    ("an unknown type", {"type": "human_corection"}, InvalidInput, "type"),
    ("an unknown field", {"txt": CANARY}, InvalidInput, "txt"),
    ("an end that is a broken date", {"data": {"candidates": [
        {"attribute": "owner", "value": CANARY, "ends_when": "2026-13-45"}]}}, InvalidInput,
        "data.candidates.0.ends_when"),
    ("an expiry that cannot be read", {"data": {"candidates": [
        {"attribute": "owner", "value": CANARY, "expires_at": "soon"}]}}, InvalidInput,
        "data.candidates.0.expires_at"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "fields", "error", "field"), REFUSED, ids=[row[0] for row in REFUSED])
async def test_bad_input_names_place_and_field_and_stores_nothing(
    world: World, what: str, fields: dict[str, Any], error: type[KeepwellError], field: str
) -> None:
    bad = {**event(text=CANARY), **fields}
    with pytest.raises(error) as refused:
        await world.publish(world.lead, event(text="good"), bad, event(text="good too"))
    assert refused.value.position == 2
    assert (refused.value.field or "") == field
    assert "item 2" in str(refused.value)
    assert CANARY not in str(refused.value), what
    assert await stored(world) == []


async def test_a_missing_actor_is_refused() -> None:
    with pytest.raises(ValueError, match="subject"):
        Principal(tenant="acme", subject="", kind=PrincipalKind.HUMAN)


async def test_an_unknown_tenant_is_told_how_to_be_made(world: World) -> None:
    stranger = Principal(
        tenant="nobody-made-this", subject="x", kind=PrincipalKind.HUMAN, roles=("operator",)
    )
    with pytest.raises(NotFound, match="keepwell tenants add"):
        await world.service.publish(stranger, [event(text="hello")])


async def test_five_at_once_with_one_key_are_one_event(world: World) -> None:
    sent = event(text="once", idempotency_key="k-1")
    answers = await asyncio.gather(*(world.publish(world.lead, sent) for _ in range(5)))
    assert len({answer[0].event_id for answer in answers}) == 1
    assert sorted(answer[0].duplicate for answer in answers) == [False, True, True, True, True]
    assert len(await stored(world)) == 1


async def test_a_key_stands_for_one_content(world: World) -> None:
    await world.publish(world.lead, event(text="one", idempotency_key="k-1"))
    with pytest.raises(Conflict) as refused:
        await world.publish(world.lead, event(text="fine"), event(text=CANARY, idempotency_key="k-1"))
    assert (refused.value.field, refused.value.position) == ("idempotency_key", 2)
    assert CANARY not in str(refused.value)
    assert len(await stored(world)) == 1


async def test_a_key_is_its_publishers_own(world: World) -> None:
    """Nobody learns by a conflict what somebody else has published."""
    await world.publish(world.lead, event(text="one", idempotency_key="k-1"))
    [receipt] = await world.publish(world.developer, event(text="other", idempotency_key="k-1"))
    assert not receipt.duplicate


async def test_an_agent_cannot_take_a_persons_key(world: World) -> None:
    sent = event(text="Keep it running.", idempotency_key="k-1")
    namesake = world.principal("dana", PrincipalKind.AGENT, "agent")
    await world.publish(namesake, sent)
    [receipt] = await world.publish(world.lead, sent)
    assert not receipt.duplicate
    assert [(row.subject_kind, row.authority) for row in await stored(world)] == [("agent", 1), ("human", 2)]


async def test_a_batch_that_is_too_large_as_a_whole_is_refused(world: World) -> None:
    big = event(text="x" * 200_000)
    with pytest.raises(TooLarge, match="in one batch"):
        await world.publish(world.lead, *([big] * 90))
    assert await stored(world) == []


async def test_a_batch_may_repeat_itself(world: World) -> None:
    sent = event(text="once", idempotency_key="k-1")
    first, again, other = await world.publish(world.lead, sent, sent, event(text="two"))
    assert first.event_id == again.event_id
    assert (first.duplicate, again.duplicate, other.duplicate) == (False, True, False)
    assert [first.seq, other.seq] == [1, 2]


async def test_fifty_appends_at_once_are_numbered_without_a_gap(world: World) -> None:
    await asyncio.gather(
        *(
            world.publish(world.lead, event(text=str(index)), event(activity_id="act-2", text=str(index)))
            for index in range(50)
        )
    )
    numbers: dict[Any, list[int]] = {}
    for row in await stored(world):
        numbers.setdefault(row.activity_id, []).append(row.seq)
    assert [sorted(each) for each in numbers.values()] == [list(range(1, 51))] * 2


async def test_the_same_activity_name_in_another_scope_is_another_activity(world: World) -> None:
    here, there = await world.publish(
        world.lead, event(text="here"), event(text="there", scope={"workspace": "production"})
    )
    assert here.activity_id != there.activity_id
    assert (here.seq, there.seq) == (1, 1)


async def test_nul_and_lone_surrogates_go_at_any_depth(world: World) -> None:
    await world.publish(
        world.lead,
        event(
            text="a\x00b \ud83d <|endoftext|>", data={"k\x00ey": ["v\x00", {"deep\udc00": "\ud83d\ude00"}]}
        ),
    )
    [row] = await stored(world)
    assert row.text == "ab \ufffd <|endoftext|>"
    assert row.data == {"key": ["v", {"deep\ufffd": "😀"}]}


async def test_authority_comes_from_the_principal_and_the_type(world: World) -> None:
    await world.publish(world.lead, event(text="said"), event(type="tool_result", text="a page"))
    await world.publish(world.agent, event(text="guessed"))
    await world.publish(world.pipeline, event(type="verification_passed", text="ran"))
    await world.publish(world.principal("cron-9", PrincipalKind.SYSTEM, "operator"), event(text="who?"))
    assert [(row.subject, row.authority) for row in await stored(world)] == [
        ("dana", 2),
        ("dana", 0),
        ("ops-agent", 1),
        ("qa-pipeline", 3),
        ("cron-9", 0),
    ]


async def test_event_and_hand_over_commit_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transaction that breaks off after the statement leaves neither."""
    original = event_log.append

    async def breaking(*args: Any) -> Any:
        await original(*args)
        raise RuntimeError("the process dies here")

    monkeypatch.setattr(event_log, "append", breaking)
    with pytest.raises(RuntimeError):
        await world.publish(world.lead, event(type="correction", text="lost"))
    assert (await stored(world), await waiting(world)) == ([], 0)
