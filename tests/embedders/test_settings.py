"""An embedder is named by settings, and told to the worker and to the server that answers recalls."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from models.errors import InvalidInput
from providers.embedders.bundled import BundledEmbedder
from providers.embedders.endpoint import EndpointEmbedder
from runtime.embedder import embedder_told, opened_embedder
from runtime.settings import Settings, load_settings

ROOT = Path(__file__).parents[2]
ENDPOINT = {"EMBEDDER": "openai:text-embedding-3-small", "EMBEDDER_DIMENSION": "1536"}


@pytest.mark.parametrize(
    ("told", "refused", "remedy"),
    [
        ({"EMBEDDER": "minilm"}, "EMBEDDER", "write bundled, none, or openai:NAME"),
        ({"EMBEDDER": ""}, "EMBEDDER", "write bundled, none, or openai:NAME"),
        ({"EMBEDDER": "openai:"}, "EMBEDDER", "write bundled, none, or openai:NAME"),
        ({"EMBEDDER": "openai:x"}, "EMBEDDER_DIMENSION", "set it to how many numbers"),
        ({"EMBEDDER_DIMENSION": "384"}, "EMBEDDER_DIMENSION", "leave it out"),
        ({**ENDPOINT, "EMBEDDER_DIMENSION": "0"}, "EMBEDDER_DIMENSION", "it is 1 or more"),
        ({**ENDPOINT, "EMBEDDER_DIMENSION": "9000"}, "EMBEDDER_DIMENSION", "4,000 at most"),
        ({**ENDPOINT, "EMBEDDER_URL": "localhost:11434"}, "EMBEDDER_URL", "http://"),
    ],
)
def test_what_cannot_be_used_is_named_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, told: dict[str, str], refused: str, remedy: str
) -> None:
    for name, value in told.items():
        monkeypatch.setenv(f"KEEPWELL_{name}", value)
    with pytest.raises(InvalidInput, match=remedy) as error:
        load_settings()
    assert error.value.field == f"KEEPWELL_{refused}"


async def test_the_bundled_one_is_the_default() -> None:
    async with opened_embedder(Settings()) as embedder:
        assert isinstance(embedder, BundledEmbedder)
    assert embedder_told(Settings()) == "bundled"


async def test_none_is_none() -> None:
    settings = Settings(embedder="none")
    async with opened_embedder(settings) as embedder:
        assert embedder is None
    assert embedder_told(settings) == "none; recall goes by words"


async def test_an_endpoint_has_its_name_and_dimension() -> None:
    settings = Settings(
        embedder="openai:nomic-embed-text",
        embedder_url="http://localhost:11434/v1",
        embedder_dimension=768,
        embedder_key=SecretStr("sk-zebra"),
    )
    async with opened_embedder(settings) as embedder:
        assert isinstance(embedder, EndpointEmbedder)
        assert (embedder.model, embedder.dimension) == ("nomic-embed-text", 768)
    assert embedder_told(settings) == "openai:nomic-embed-text at http://localhost:11434/v1"


def test_nothing_is_loaded_before_the_first_text() -> None:
    code = (
        "import sys, asyncio\n"
        "from runtime.embedder import opened_embedder\n"
        "from runtime.settings import Settings\n"
        "async def open():\n"
        "    async with opened_embedder(Settings()): pass\n"
        "asyncio.run(open())\n"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
