"""A reranker is named by settings; none is the default."""

import pytest
from pydantic import SecretStr

from models.errors import InvalidInput
from providers.rerankers.endpoint import EndpointReranker
from runtime.reranker import opened_reranker, reranker_told
from runtime.settings import Settings, load_settings

URL = "http://localhost:8000/v1"


@pytest.mark.parametrize(
    ("told", "refused", "remedy"),
    [
        ({"RERANKER": "bge"}, "RERANKER", "write none, tei, or cohere:NAME"),
        ({"RERANKER": ""}, "RERANKER", "write none, tei, or cohere:NAME"),
        ({"RERANKER": "cohere:"}, "RERANKER", "write none, tei, or cohere:NAME"),
        ({"RERANKER": "cohere:x"}, "RERANKER_URL", "up to and without /rerank"),
        ({"RERANKER": "tei"}, "RERANKER_URL", "up to and without /rerank"),
        ({"RERANKER_URL": URL}, "RERANKER_URL", "leave it out"),
        ({"RERANKER": "tei", "RERANKER_URL": "localhost:8000"}, "RERANKER_URL", "http://"),
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


async def test_none_is_the_default() -> None:
    async with opened_reranker(Settings()) as reranker:
        assert reranker is None
    assert reranker_told(Settings()) == "none"


@pytest.mark.parametrize("named", ["cohere:rerank-v3.5", "tei"])
async def test_an_endpoint_is_opened_and_its_key_is_not_told(named: str) -> None:
    settings = Settings(reranker=named, reranker_url=URL, reranker_key=SecretStr("sk-zebra"))
    async with opened_reranker(settings) as reranker:
        assert isinstance(reranker, EndpointReranker)
    assert reranker_told(settings) == f"{named} at {URL}"
