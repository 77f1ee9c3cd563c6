"""A reranker behind HTTP, against a server that answers on loopback: what it sends, and whatever goes wrong."""

from collections.abc import AsyncGenerator

import pytest

from models.errors import RerankerFailed
from providers.rerankers.endpoint import LONGEST, MOST_FOR_TEI, EndpointReranker
from tests.embedders.server import CANARY, Reply
from tests.rerankers.server import RerankingServer, ranks, reranking_server, results

KEY = "sk-zebra-7731"


@pytest.fixture
async def server() -> AsyncGenerator[RerankingServer]:
    async with reranking_server() as running:
        yield running


@pytest.fixture
async def reranker(server: RerankingServer) -> AsyncGenerator[EndpointReranker]:
    made = EndpointReranker("local-rerank", url=f"{server.url}/", key=KEY)
    yield made
    await made.aclose()


async def test_texts_go_in_one_call_and_scores_come_back_in_order(
    server: RerankingServer, reranker: EndpointReranker
) -> None:
    server.scorer = lambda *_: results([0.1, 0.9, 0.4])
    assert await reranker.rerank("which?", ["one", "two", "three"]) == [0.1, 0.9, 0.4]
    assert server.asked == [
        {"model": "local-rerank", "query": "which?", "documents": ["one", "two", "three"]}
    ]
    [head] = server.heads
    assert head.startswith("POST /v1/rerank HTTP/1.1")
    assert f"Authorization: Bearer {KEY}" in head


async def test_the_other_form_is_spoken_as_well(server: RerankingServer) -> None:
    server.scorer = lambda *_: ranks([0.1, 0.9])
    reranker = EndpointReranker(None, url=server.url)
    assert await reranker.rerank("which?", ["one", "two"]) == [0.1, 0.9]
    await reranker.aclose()
    assert server.asked == [{"query": "which?", "texts": ["one", "two"], "truncate": True}]
    assert "authorization" not in server.heads[0].lower()


async def test_the_other_form_gets_no_more_texts_at_once_than_its_servers_take(
    server: RerankingServer,
) -> None:
    def scored(_: str, texts: list[str]) -> Reply:
        return ranks([float(text) for text in texts]) if len(texts) <= MOST_FOR_TEI else Reply(422, CANARY)

    server.scorer = scored
    reranker = EndpointReranker(None, url=server.url)
    given = [number / 100 for number in range(2 * MOST_FOR_TEI + 1)]
    assert await reranker.rerank("which?", [str(score) for score in given]) == given
    await reranker.aclose()
    assert sorted(len(asked["texts"]) for asked in server.asked) == [1, MOST_FOR_TEI, MOST_FOR_TEI]


async def test_a_part_that_fails_fails_the_whole(server: RerankingServer) -> None:
    server.scorer = lambda _, texts: ranks([0.5] * len(texts)) if len(texts) > 1 else Reply(429, CANARY)
    reranker = EndpointReranker(None, url=server.url)
    with pytest.raises(RerankerFailed, match="no more calls for now"):
        await reranker.rerank("which?", ["one"] * (MOST_FOR_TEI + 1))
    await reranker.aclose()


async def test_no_text_is_no_call(server: RerankingServer, reranker: EndpointReranker) -> None:
    assert await reranker.rerank("which?", []) == []
    assert server.asked == []


async def test_what_nobody_reads_is_not_sent(server: RerankingServer, reranker: EndpointReranker) -> None:
    await reranker.rerank("q" * 3 * LONGEST, ["t" * 3 * LONGEST])
    [asked] = server.asked
    assert (len(asked["query"]), len(asked["documents"][0])) == (LONGEST, LONGEST)


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (Reply(401, CANARY), "KEEPWELL_RERANKER_KEY"),
        (Reply(403, CANARY), "KEEPWELL_RERANKER_KEY"),
        (Reply(404, CANARY), "KEEPWELL_RERANKER_URL"),
        (Reply(413, CANARY), "fewer or shorter texts"),
        (
            Reply(422, CANARY),
            "another form, or takes fewer texts .*KEEPWELL_RERANKER.*--max-client-batch-size",
        ),
        (Reply(429, CANARY), "no more calls for now"),
        (Reply(500, CANARY), "answers 500; see its log"),
        (Reply(302, CANARY), "answers 302; see its log"),
        (Reply(200, CANARY), "no reranker of this form"),
        (Reply(200, "3"), "no reranker of this form"),
        (Reply(200, '{"results": [7]}'), "no reranker of this form"),
        (Reply(200, '{"results": [{"index": 0}]}'), "no reranker of this form"),
        (ranks([0.5]), "no reranker of this form"),
        (results([]), "no reranker of this form"),
        (Reply(200, '{"results": [{"index": 0, "relevance_score": NaN}]}'), "no number"),
    ],
)
async def test_what_goes_wrong_has_a_remedy_and_quotes_nothing(
    server: RerankingServer, reranker: EndpointReranker, reply: Reply, remedy: str
) -> None:
    server.scorer = lambda *_: reply
    with pytest.raises(RerankerFailed, match=remedy) as failed:
        await reranker.rerank("a secret question", ["a secret text"])
    shown = f"{failed.value!r} {failed.value.__cause__!r}"
    assert not [word for word in (CANARY, "secret", KEY) if word in shown]


async def test_nobody_there_is_told() -> None:
    reranker = EndpointReranker("local-rerank", url="http://127.0.0.1:1/v1")
    with pytest.raises(RerankerFailed, match=r"nobody answers .* KEEPWELL_RERANKER_URL"):
        await reranker.rerank("which?", ["one"])
    await reranker.aclose()


async def test_a_lost_connection_is_made_again(server: RerankingServer, reranker: EndpointReranker) -> None:
    assert await reranker.rerank("which?", ["one"]) == [0.5]
    await server.hang_up()
    assert await reranker.rerank("which?", ["one"]) == [0.5]
