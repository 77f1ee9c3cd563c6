"""What every test of deliveries starts from."""

from collections.abc import AsyncGenerator

import pytest

from tests.delivery.post import Post, posting
from tests.world import World


@pytest.fixture
async def post(world: World) -> AsyncGenerator[Post]:
    async with posting(world) as made:
        yield made
