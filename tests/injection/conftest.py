"""The campaign: one for a run, over the servers of the run."""

from collections.abc import AsyncGenerator

import pytest

from tests.http.conftest import Founding, api, application, asking, found
from tests.injection.campaign import Campaign
from tests.mcp.conftest import url

__all__ = ["api", "application", "asking", "found", "url"]


@pytest.fixture(scope="session")
async def campaign(found: Founding, url: str) -> AsyncGenerator[Campaign]:
    made = Campaign(found, url)
    yield made
    await made.end()
