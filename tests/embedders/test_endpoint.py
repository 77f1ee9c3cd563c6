"""An embedder behind HTTP, against a server that answers on loopback: what it sends, and whatever goes wrong."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from models.errors import EmbedderFailed
from providers.embedders.endpoint import EndpointEmbedder
from tests.embedders.server import CANARY, EmbeddingServer, Reply, embedding_server, vectors

KEY = "sk-zebra-7731"


@pytest.fixture
async def server() -> AsyncGenerator[EmbeddingServer]:
    async with embedding_server() as running:
        yield running


@pytest.fixture
async def embedder(server: EmbeddingServer) -> AsyncGenerator[EndpointEmbedder]:
    made = EndpointEmbedder("local-embed", 3, url=f"{server.url}/", key=KEY)
    yield made
    await made.aclose()


async def test_texts_go_in_one_call_and_come_back_in_order(
    server: EmbeddingServer, embedder: EndpointEmbedder
) -> None:
    server.script = lambda _: vectors([3, 0, 4], [0, -2, 0])
    assert await embedder.embed(["one", "two"]) == [[0.6, 0, 0.8], [0, -1, 0]]
    assert server.asked == [{"model": "local-embed", "input": ["one", "two"]}]
    [head] = server.heads
    assert head.startswith("POST /v1/embeddings HTTP/1.1")
    assert f"Authorization: Bearer {KEY}" in head


async def test_no_text_is_no_call(server: EmbeddingServer, embedder: EndpointEmbedder) -> None:
    assert await embedder.embed([]) == []
    assert server.asked == []


async def test_without_a_key_none_is_sent(server: EmbeddingServer) -> None:
    embedder = EndpointEmbedder("local-embed", 3, url=server.url)
    await embedder.embed(["one"])
    await embedder.aclose()
    assert "authorization" not in server.heads[0].lower()


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (Reply(401, CANARY), "KEEPWELL_EMBEDDER_KEY"),
        (Reply(403, CANARY), "KEEPWELL_EMBEDDER_KEY"),
        (Reply(404, CANARY), "KEEPWELL_EMBEDDER_URL"),
        (Reply(429, CANARY), "no more calls for now"),
        (Reply(500, CANARY), "answers 500; see its log"),
        (Reply(302, CANARY), "answers 302; see its log"),
        (Reply(400, CANARY), r"refuses what it is sent \(400\)"),
        (Reply(200, CANARY), "no embedder"),
        (Reply(200, "[]"), "no embedder"),
        (Reply(200, "3"), "no embedder"),
        (Reply(200, '{"data": [{"index": 0}]}'), "no embedder"),
        (Reply(200, '{"data": [7]}'), "no embedder"),
        (Reply(200, '{"data": [{"index": 0, "embedding": "AAAA"}]}'), "no embedder"),
        (vectors(), "no embedder"),
        (vectors([1, 2]), "2 numbers; set KEEPWELL_EMBEDDER_DIMENSION"),
        (vectors([0, 0, 0]), "without a direction"),
        (Reply(200, '{"data": [{"index": 0, "embedding": [NaN, 1, 1]}]}'), "without a direction"),
    ],
)
async def test_what_goes_wrong_has_a_remedy_and_quotes_nothing(
    server: EmbeddingServer, embedder: EndpointEmbedder, reply: Reply, remedy: str
) -> None:
    server.script = lambda _: reply
    with pytest.raises(EmbedderFailed, match=remedy) as failed:
        await embedder.embed(["a secret text"])
    shown = f"{failed.value!r} {failed.value.__cause__!r}"
    assert not [word for word in (CANARY, "secret", KEY) if word in shown]


async def test_nobody_there_is_told(server: EmbeddingServer) -> None:
    embedder = EndpointEmbedder("local-embed", 3, url="http://127.0.0.1:1/v1")
    with pytest.raises(EmbedderFailed, match=r"nobody answers .* KEEPWELL_EMBEDDER_URL"):
        await embedder.embed(["one"])
    await embedder.aclose()


async def test_connections_are_kept_and_a_lost_one_is_made_again(
    server: EmbeddingServer, embedder: EndpointEmbedder
) -> None:
    answered: list[Sequence[float]] = []
    for _ in range(2):
        answered += await embedder.embed(["one"])
    await server.hang_up()
    answered += await embedder.embed(["one"])
    assert answered == [[1, 0, 0]] * 3
