"""The doctor asks the reranker that is configured, and tells what is the matter with it."""

from contextlib import aclosing
from pathlib import Path

import pytest

from runtime.doctor import Finding, examine
from runtime.settings import Settings
from tests.embedders.server import CANARY, Reply
from tests.rerankers.server import ranks, reranking_server


async def found(settings: Settings) -> Finding:
    async with aclosing(examine(settings)) as findings:
        async for finding in findings:
            if finding.name == "reranker":
                return finding
    raise AssertionError("the doctor says nothing of the reranker")


async def test_none_is_well_and_nobody_is_asked(tmp_path: Path) -> None:
    assert await found(Settings(home=tmp_path)) == ("reranker", True, "in this shell: none")


@pytest.mark.parametrize(
    ("reply", "well", "detail"),
    [
        (ranks([0.5]), True, "in this shell: tei at http://"),
        (Reply(401, CANARY), False, "check KEEPWELL_RERANKER_KEY"),
        (Reply(200, CANARY), False, "no reranker of this form"),
    ],
)
async def test_it_is_asked_with_a_word_that_tells_nothing(
    tmp_path: Path, reply: Reply, well: bool, detail: str
) -> None:
    async with reranking_server() as server:
        server.scorer = lambda *_: reply
        finding = await found(Settings(home=tmp_path, reranker="tei", reranker_url=server.url))
        assert [(asked["query"], asked["texts"]) for asked in server.asked] == [("keepwell", ["keepwell"])]
    assert finding.well is well
    assert detail in finding.detail
    assert CANARY not in finding.detail


async def test_one_that_is_away_is_told(tmp_path: Path) -> None:
    finding = await found(Settings(home=tmp_path, reranker="tei", reranker_url="http://127.0.0.1:1"))
    assert not finding.well
    assert "nobody answers where the reranker should be" in finding.detail
