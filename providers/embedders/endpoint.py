"""An embedder behind HTTP: any server that has `/embeddings` of OpenAI's protocol.

It sends texts and a key to that server alone. What goes wrong is told by its kind, and never quotes what was sent.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import Any, cast

import httpx2

from models.errors import EmbedderFailed, EmbedderRefuses
from providers.protocols import Vector

OPENAI = "https://api.openai.com/v1"
TIMEOUT_SECONDS = 30.0
_FLOOR = 0.0
"""Nothing is known of what a model gives to unlike texts, so that what is nearest counts."""
_OF_THE_TEXTS = {400, 413, 422}
"""What a server answers to a request that it understands and does not take: it would not take it later either."""
_SAYS: dict[int, str] = {
    401: "the embedder's server refuses the key; check KEEPWELL_EMBEDDER_KEY",
    403: "the embedder's server refuses the key; check KEEPWELL_EMBEDDER_KEY",
    404: "the embedder's server has no such address or model; check KEEPWELL_EMBEDDER and KEEPWELL_EMBEDDER_URL",
    429: "the embedder's server takes no more calls for now; it is asked again",
}


class EndpointEmbedder:
    """Asks for all texts in one call. Close it with `aclose` before its event loop ends."""

    floor = _FLOOR
    remote = True

    def __init__(self, name: str, dimension: int, *, url: str = OPENAI, key: str | None = None) -> None:
        self.model = name
        self.dimension = dimension
        self._url = f"{url.rstrip('/')}/embeddings"
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._client: httpx2.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length one for each text, in their order; raises `EmbedderFailed` and `EmbedderRefuses`."""
        if not texts:
            return []
        if self._client is None:
            self._client = httpx2.AsyncClient(timeout=TIMEOUT_SECONDS)
        told = {"model": self.model, "input": list(texts)}
        try:
            answer = await self._client.post(self._url, headers=self._headers, json=told)
        except httpx2.HTTPError as failed:
            raise EmbedderFailed(
                f"nobody answers where the embedder should be ({type(failed).__name__});"
                " check KEEPWELL_EMBEDDER_URL and the network"
            ) from None
        if answer.status_code in _OF_THE_TEXTS:
            raise EmbedderRefuses(
                f"the embedder's server refuses what it is sent ({answer.status_code}); see its log, and check"
                " KEEPWELL_EMBEDDER"
            )
        if answer.status_code != 200:
            says = f"the embedder's server answers {answer.status_code}; see its log"
            raise EmbedderFailed(_SAYS.get(answer.status_code, says))
        return await asyncio.to_thread(self._read, answer, len(texts))

    def _read(self, answer: httpx2.Response, wanted: int) -> list[Vector]:
        try:
            rows = cast("list[dict[str, Any]]", answer.json()["data"])
            by_place = {int(row["index"]): [float(part) for part in row["embedding"]] for row in rows}
            vectors = [by_place[place] for place in range(wanted)]
        except (ValueError, TypeError, KeyError, AttributeError):
            raise EmbedderFailed("what answers is no embedder; check KEEPWELL_EMBEDDER_URL") from None
        return [self._of_length_one(vector) for vector in vectors]

    def _of_length_one(self, vector: list[float]) -> Vector:
        if len(vector) != self.dimension:
            raise EmbedderFailed(
                f"the model's vectors have {len(vector)} numbers; set KEEPWELL_EMBEDDER_DIMENSION to that"
            )
        length = math.hypot(*vector)
        if not math.isfinite(length) or length == 0:
            raise EmbedderRefuses("the embedder gave a vector without a direction; choose another model")
        return [part / length for part in vector]
