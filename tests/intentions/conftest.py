"""What every test of intentions starts from."""

import pytest

from tests.intentions.desk import Desk
from tests.world import World


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)
