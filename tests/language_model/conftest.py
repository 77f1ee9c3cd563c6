"""A model server for each test, and extractors that ask it."""

from collections.abc import AsyncGenerator

import pytest

from providers.language_model import AskingExtractor, AskingNarrator, connect
from tests.language_model.server import ModelServer, model_server

MODEL = "openai:local"
TIMEOUT = 1.0


@pytest.fixture
async def server() -> AsyncGenerator[ModelServer]:
    async with model_server() as made:
        yield made


@pytest.fixture
def extractor(server: ModelServer) -> AskingExtractor:
    return AskingExtractor(connect(MODEL, server.url), MODEL, TIMEOUT)


@pytest.fixture
def narrator(server: ModelServer) -> AskingNarrator:
    return AskingNarrator(connect(MODEL, server.url), MODEL, TIMEOUT)
