"""The application served on a port, and a tenant's people with keys."""

from collections.abc import AsyncGenerator

import pytest
from fastapi import FastAPI

from tests.http.conftest import api, application, asking
from tests.mcp.serving import serving

__all__ = ["api", "application", "asking"]


@pytest.fixture(scope="session")
async def url(application: FastAPI) -> AsyncGenerator[str]:
    async with serving(application) as address:
        yield address
