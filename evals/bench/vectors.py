"""Vectors without a model: points around a few hundred matters, as an embedder would lay texts of one trade.

All texts of a trade are somewhat alike, so that a common part keeps any two at a cosine of some 0.2, and two on one
matter at some 0.6. Nothing is left out for being unlike: a search has to tell all of them apart.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy

from evals.bench.stage import Stage
from models.principals import Principal
from providers.protocols import Vector
from runtime.embedding import own_space
from store import vectors

MATTERS = 300
_COMMON = 0.5
_AT_ONCE = 1_000


class SyntheticEmbedder:
    """Gives a text the same point each time, near the middle of one matter."""

    model = "synthetic"
    dimension = 384
    floor = 0.15
    remote = False

    def __init__(self) -> None:
        draw: Any = numpy.random.default_rng(7)
        self._common: Any = draw.normal(size=self.dimension) * _COMMON
        self._matters: Any = draw.normal(size=(MATTERS, self.dimension)) * 0.7

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text."""
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector:
        """The point of one text, of length one."""
        draw: Any = numpy.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]))
        point = self._common + self._matters[draw.integers(MATTERS)] + draw.normal(size=self.dimension) * 0.5
        return (point / numpy.linalg.norm(point)).tolist()


async def give_vectors(stage: Stage, agent: Principal, embedder: SyntheticEmbedder) -> None:
    """Give every record of the tenant that waits for one its vector."""
    space = await own_space(stage.database, embedder)
    while True:
        async with stage.database.transaction(agent.tenant_id) as work:
            waiting = await vectors.waiting(work, space.id, _AT_ONCE)
            points = [(each.record_id, embedder.vector(str(each.record_id))) for each in waiting]
            await vectors.fill(work, space.id, points)
        if not waiting:
            return
