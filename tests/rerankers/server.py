"""A server on loopback that has `/rerank`, in the form of Cohere's or of TEI's, and answers what a test tells it to."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.embedders.server import EmbeddingServer, Reply, served

Scorer = Callable[[str, list[str]], Reply]


def results(scores: Sequence[float]) -> Reply:
    """These scores in Cohere's form: the best first, as the servers answer, and not in the order of the request."""
    rows = [{"index": place, "relevance_score": score} for place, score in enumerate(scores)]
    rows.sort(key=lambda row: -row["relevance_score"])
    return Reply(200, json.dumps({"id": "rerank-1", "results": rows, "meta": {}}))


def ranks(scores: Sequence[float]) -> Reply:
    """These scores in TEI's form."""
    rows = [{"index": place, "score": score} for place, score in enumerate(scores)]
    return Reply(200, json.dumps(sorted(rows, key=lambda row: -row["score"])))


class RerankingServer(EmbeddingServer):
    """What was asked so far; `scorer` is called with the query and the texts of each request."""

    def __init__(self) -> None:
        super().__init__()
        self.scorer: Scorer = lambda _, texts: results([0.5] * len(texts))

    def reply(self, asked: dict[str, Any]) -> Reply:
        return self.scorer(asked["query"], asked["texts"] if "texts" in asked else asked["documents"])


@asynccontextmanager
async def reranking_server() -> AsyncGenerator[RerankingServer]:
    """A server until the context ends."""
    async with served(RerankingServer()) as made:
        yield made
