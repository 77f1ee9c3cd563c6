"""Queries as nobody would write them on purpose: as long as they may be, in any script, in another syntax."""

import pytest

from tests.world import World, event

LONG = 20_000
SAID = (
    "सर्वर ऑडिट समाप्त होने तक चालू रहे",
    "يبقى الخادم قيد التشغيل حتى انتهاء التدقيق",
    "审计结束之前不要关闭服务器",
    "🚀 launch is green 🟢",
    "percent % and under_score are words of their own",
)


def filled(text: str) -> str:
    return (f"{text} " * (LONG // (len(text) + 1) + 1))[:LONG]


@pytest.mark.parametrize("said", SAID)
async def test_what_was_said_in_a_script_is_found_by_it(world: World, said: str) -> None:
    receipts = await world.publish(
        world.lead,
        *(event(type="feedback", activity_id=f"act-{place}", text=text) for place, text in enumerate(SAID)),
    )
    await world.digest(receipts)
    for query in (said, filled(said)):
        answer = await world.recall(query=query, limit=1)
        assert [said in passage.text for passage in answer.passages] == [True]


@pytest.mark.parametrize(
    "query",
    [
        "'; DROP TABLE facts; --",
        '" OR 1=1) UNION SELECT * FROM tenants --',
        "% _ %% \\% \\_",
        "a & b | !c <-> d:* | (",
        "$1 :tenant :scope_keys %(x)s {0} {tenant}",
        "\\x00 \\u0000 \ud83d \ufffd",
        "\u200b\u200d\u202e\u2066",
        "🙂" * (LONG // 2),
        "(" * LONG,
        " " * LONG,
        "a" * LONG,
        "-".join("ab1" for _ in range(LONG // 4)),
        " ".join(f"w{number}" for number in range(LONG // 6)),
        "يوم " * (LONG // 4),
        "में " * (LONG // 4),
        "审计" * (LONG // 2),
    ],
    ids=range(16),
)
async def test_any_text_is_a_query_and_brings_up_nothing_that_it_is_not_like(
    world: World, query: str
) -> None:
    await world.say(world.lead, "Keep gpu-bench-01 running until the audit is over.")
    answer = await world.recall(query=query)
    assert (answer.facts, answer.passages, answer.missing) == ((), (), ())
    assert answer.without == ()
