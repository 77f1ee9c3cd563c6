"""What every test of procedures starts from."""

import pytest

from tests.procedures.bench import Bench
from tests.world import World


@pytest.fixture
def bench(world: World) -> Bench:
    return Bench(world)
