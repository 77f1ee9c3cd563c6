"""Traces over all pages, and reports as they are sent."""

import pytest
from keepwell import InvalidInput, Keepwell

from tests.client.answers import MEMORY_ID, trace
from tests.client.misbehaving import Reply, Server


async def test_recalls_come_over_all_pages(server: Server, memory: Keepwell) -> None:
    pages = [{"traces": [trace()], "next": "page-2"}, {"traces": [trace(advice="a_new_word")], "next": None}]
    server.script.extend(Reply(200, page) for page in pages)
    found = [each async for each in memory.traces(advice="use", page_size=1)]
    assert [each.advice for each in found] == ["use", "a_new_word"]
    assert [sent.path for sent in server.sent] == [
        "/v1/traces?advice=use&limit=1",
        "/v1/traces?advice=use&limit=1&cursor=page-2",
    ]


async def test_a_report_that_means_nothing_is_not_sent(server: Server, memory: Keepwell) -> None:
    with pytest.raises(InvalidInput, match="outcome"):
        await memory.report(MEMORY_ID, outcome="splendid")  # type: ignore[call-overload]
    with pytest.raises(InvalidInput, match="is no id"):
        await memory.report("../keys", outcome="success")
    assert server.sent == []
