"""The reranker that the settings name, or none."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from providers.protocols import Reranker
from providers.rerankers.endpoint import EndpointReranker
from runtime.settings import NO_RERANKER, TEI, Settings


@asynccontextmanager
async def opened_reranker(settings: Settings) -> AsyncGenerator[Reranker | None]:
    """The configured reranker for as long as the context lasts; None where recall's own order is the order.

    No connection is made before the first question.
    """
    if settings.reranker == NO_RERANKER:
        yield None
        return
    assert settings.reranker_url is not None
    endpoint = EndpointReranker(
        None if settings.reranker == TEI else settings.reranker.removeprefix("cohere:"),
        url=settings.reranker_url,
        key=None if settings.reranker_key is None else settings.reranker_key.get_secret_value(),
    )
    try:
        yield endpoint
    finally:
        await endpoint.aclose()


def reranker_told(settings: Settings) -> str:
    """The configured reranker in one line, for an operator."""
    return (
        settings.reranker
        if settings.reranker_url is None
        else f"{settings.reranker} at {settings.reranker_url}"
    )
