"""The embedder that the settings name, or none. Importing this imports no model library; the first text does."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from providers.embedders.bundled import BundledEmbedder
from providers.embedders.endpoint import OPENAI, EndpointEmbedder
from providers.protocols import Embedder
from runtime.settings import BUNDLED, NO_EMBEDDER, Settings


@asynccontextmanager
async def opened_embedder(settings: Settings) -> AsyncGenerator[Embedder | None]:
    """The configured embedder for as long as the context lasts; None where recall goes by words alone.

    No file is read and no connection made before the first text.
    """
    if settings.embedder == NO_EMBEDDER:
        yield None
        return
    if settings.embedder == BUNDLED:
        yield BundledEmbedder()
        return
    assert settings.embedder_dimension is not None
    endpoint = EndpointEmbedder(
        settings.embedder.removeprefix("openai:"),
        settings.embedder_dimension,
        url=settings.embedder_url or OPENAI,
        key=None if settings.embedder_key is None else settings.embedder_key.get_secret_value(),
    )
    try:
        yield endpoint
    finally:
        await endpoint.aclose()


def embedder_told(settings: Settings) -> str:
    """The configured embedder in one line, for an operator."""
    if settings.embedder == NO_EMBEDDER:
        return "none; recall goes by words"
    where = "" if settings.embedder_url is None else f" at {settings.embedder_url}"
    return f"{settings.embedder}{where}"
