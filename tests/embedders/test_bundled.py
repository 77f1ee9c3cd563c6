"""The bundled model, as it runs: near for what means the same, far for what does not, and the same every time."""

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

from models.errors import EmbedderFailed
from providers.embedders import bundled
from providers.embedders.bundled import AT_ONCE, MOST_WAITING, BundledEmbedder
from providers.protocols import Vector

EMBEDDER = BundledEmbedder()


class Held(BundledEmbedder):
    """The bundled one, at work on every text until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.began = 0
        self.let_go = Event()

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        self.began += 1
        self.let_go.wait()
        return [[float(len(text))] for text in texts]


def cosine(one: object, other: object) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))  # type: ignore[call-overload]


async def test_what_means_the_same_lies_near_and_what_does_not_lies_far() -> None:
    cat, kitten, revenue = await EMBEDDER.embed(
        ["The cat sits on the mat", "A kitten rests on a rug", "quarterly revenue forecast"]
    )
    assert cosine(cat, kitten) > 0.6
    assert cosine(cat, revenue) < EMBEDDER.floor


async def test_vectors_are_those_of_the_published_model() -> None:
    """The first numbers of the sentence as sentence-transformers gives them, within what int8 takes away."""
    [vector] = await EMBEDDER.embed(["This is an example sentence"])
    published = [0.0677, 0.0635, 0.0487, 0.0793, 0.0374, 0.0027, 0.0394, -0.0070]
    assert len(vector) == EMBEDDER.dimension == 384
    assert math.isclose(math.hypot(*vector), 1, rel_tol=1e-5)
    assert max(abs(a - b) for a, b in zip(vector, published, strict=False)) < 0.02


async def test_a_text_has_one_vector_in_whatever_company() -> None:
    texts = [
        "Keep gpu-bench-01 running",
        "",
        " ",
        "日本語のテキスト",
        "word " * 5_000,
        "😀 [PAD] [CLS]",
    ]
    together = await EMBEDDER.embed(texts)
    alone = await asyncio.gather(*(EMBEDDER.embed([text]) for text in texts))
    assert together == [vector for [vector] in alone]
    assert await EMBEDDER.embed([]) == []
    assert all(math.isfinite(part) for vector in together for part in vector)


async def test_of_a_long_text_the_beginning_is_read() -> None:
    begin = "The database password rotation is due. " * 40
    one, other = await EMBEDDER.embed([begin, begin + "Bananas are yellow."])
    assert one == other


async def test_files_that_were_changed_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    planted = tmp_path / "tokenizer.json"
    for content in (b"{}", None):
        if content is None:
            planted.unlink()
        else:
            planted.write_bytes(content)
        monkeypatch.setattr(bundled, "_TOKENIZER", planted)
        with pytest.raises(EmbedderFailed, match=r"tokenizer\.json is not the file .* install the pinned"):
            await BundledEmbedder().embed(["x"])


async def test_what_is_given_up_does_not_pile_up() -> None:
    """Far more calls than there are places: each is given up, and those that had no turn yet never get one."""
    held = Held()
    try:
        for _ in range(3):
            calls = [asyncio.create_task(held.embed(["x"])) for _ in range(MOST_WAITING)]
            await asyncio.wait(calls, timeout=0)
            for call in calls:
                call.cancel()
            assert await asyncio.gather(*calls, return_exceptions=True) != []
            assert all(call.cancelled() for call in calls)
    finally:
        held.let_go.set()
    assert await held.embed(["four"]) == [[4.0]]
    assert held.began <= AT_ONCE + 1


async def test_one_too_many_is_told_so_at_once() -> None:
    held = Held()
    calls = [asyncio.create_task(held.embed(["x"])) for _ in range(AT_ONCE + MOST_WAITING)]
    try:
        await asyncio.wait(calls, timeout=0)
        with pytest.raises(EmbedderFailed, match="ask less at a time"):
            await held.embed(["y"])
    finally:
        held.let_go.set()
    assert await asyncio.gather(*calls) == [[[1.0]]] * len(calls)
    assert await held.embed(["four"]) == [[4.0]]
