"""The fixed store on real servers: what has ended, what lies elsewhere and what must not be dropped."""

import pytest
from temporalio.client import Client

from evals.read.__main__ import ADDED
from evals.read.board import as_text
from evals.read.fixed.run import fixed_store
from evals.write.stage import policy_of_cases
from runtime.addresses import Addresses
from tests.evals.stages import stage_on

HELD = frozenset({"stale records", "scope violations", "dropped restrictions"})
"""Floors that hold, and that no change may cost."""


@pytest.mark.timeout(300)
async def test_the_floors_of_the_fixed_store_are_met(addresses: Addresses, client: Client) -> None:
    policy = policy_of_cases(ADDED)
    async with stage_on(addresses, client, policy) as stage:
        board = await fixed_store(stage.service, policy, None)
    assert {row.label for row in board.rows if row.floor is not None} >= HELD
    assert HELD.isdisjoint(board.missed), as_text(board)
