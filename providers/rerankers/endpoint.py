"""A reranker behind HTTP: any server that has `/rerank`, as Cohere, Jina and vLLM have it, or as TEI has it.

| | the request | the answer |
| --- | --- | --- |
| Cohere's form | `model`, `query`, `documents` | `results`, each with `index` and `relevance_score` |
| TEI's form | `query`, `texts`, `truncate`; up to `MOST_FOR_TEI` texts | rows, each with `index` and `score` |

It sends texts and a key to that server alone. What goes wrong is told by its kind, and never quotes what was sent.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import httpx2

from models.errors import RerankerFailed

TIMEOUT_SECONDS = 30.0
LONGEST = 2_000
"""So many characters of a query and of each text are sent: most of these models read no further."""

MOST_FOR_TEI = 32
"""So many texts a server of TEI takes in one call, unless it was started with another `--max-client-batch-size`."""

_SAYS: dict[int, str] = {
    401: "the reranker's server refuses the key; check KEEPWELL_RERANKER_KEY",
    403: "the reranker's server refuses the key; check KEEPWELL_RERANKER_KEY",
    404: "the reranker's server has no such address or model; check KEEPWELL_RERANKER and KEEPWELL_RERANKER_URL",
    413: "the reranker's server takes fewer or shorter texts; raise its limits",
    422: (
        "the reranker's server reads another form, or takes fewer texts in one call;"
        f" check KEEPWELL_RERANKER, and for tei that --max-client-batch-size is {MOST_FOR_TEI} or more"
    ),
    429: "the reranker's server takes no more calls for now",
}


class EndpointReranker:
    """Has all texts scored in one call, or in TEI's form in several at the same time.

    Close it with `aclose` before its event loop ends. `model` is the name of a model in Cohere's form, None for
    TEI's, where a server has one model.
    """

    remote = True

    def __init__(self, model: str | None, *, url: str, key: str | None = None) -> None:
        self._model = model
        self._url = f"{url.rstrip('/')}/rerank"
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._client: httpx2.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, in their order; raises `RerankerFailed`."""
        if not texts:
            return []
        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=TIMEOUT_SECONDS)
        most = len(texts) if self._model is not None else MOST_FOR_TEI
        parts = [texts[first : first + most] for first in range(0, len(texts), most)]
        try:
            async with asyncio.TaskGroup() as calls:
                scored = [calls.create_task(self._scores(self._client, query, part)) for part in parts]
        except ExceptionGroup as failed:
            # Without one part there is no order, so that the others are given up with it.
            raise failed.exceptions[0] from None
        return [score for part in scored for score in part.result()]

    async def _scores(self, client: httpx2.AsyncClient, query: str, texts: Sequence[str]) -> list[float]:
        told = self._asked(query[:LONGEST], [text[:LONGEST] for text in texts])
        try:
            answer = await client.post(self._url, headers=self._headers, json=told)
        except httpx2.HTTPError as failed:
            raise RerankerFailed(
                f"nobody answers where the reranker should be ({type(failed).__name__});"
                " check KEEPWELL_RERANKER_URL and the network"
            ) from None
        if answer.status_code != 200:
            says = f"the reranker's server answers {answer.status_code}; see its log"
            raise RerankerFailed(_SAYS.get(answer.status_code, says))
        return self._read(answer, len(texts))

    def _asked(self, query: str, texts: list[str]) -> dict[str, Any]:
        if self._model is None:
            return {"query": query, "texts": texts, "truncate": True}
        return {"model": self._model, "query": query, "documents": texts}

    def _read(self, answer: httpx2.Response, wanted: int) -> list[float]:
        try:
            content = answer.json()
            rows = cast("list[Mapping[str, Any]]", content if self._model is None else content["results"])
            name = "score" if self._model is None else "relevance_score"
            by_place = {int(row["index"]): float(row[name]) for row in rows}
            scores = [by_place[place] for place in range(wanted)]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise RerankerFailed(
                "what answers is no reranker of this form; check KEEPWELL_RERANKER and KEEPWELL_RERANKER_URL"
            ) from None
        if not all(map(math.isfinite, scores)):
            raise RerankerFailed("the reranker gave a score that is no number; choose another model")
        return scores
