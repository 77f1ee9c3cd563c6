"""A desk at which things are erased."""

import pytest

from tests.erasure.desk import Desk
from tests.world import World


@pytest.fixture
def desk(world: World) -> Desk:
    """A desk in a tenant of its own."""
    return Desk(world)
