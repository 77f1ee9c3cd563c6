"""`python -m evals.read`: play the boards on servers of their own, print them, and hold them to their floors."""

import argparse
import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from evals.read.baselines import Embed
from evals.read.board import Board, as_json, as_text
from evals.read.data import Absent
from evals.read.fixed.run import fixed_store
from evals.read.gatemem.run import gatemem
from evals.read.locomo.run import locomo
from evals.read.precision.run import precision_mem_bench
from evals.write.stage import policy_of_cases, temporary_stage
from models.errors import KeepwellError
from models.policy import Policy
from runtime.embedded.errors import StackError
from runtime.embedder import opened_embedder
from runtime.service import Service
from runtime.settings import load_settings

ADDED = Path(__file__).with_name("policy.yaml")

BOARDS: Mapping[str, Callable[[Service, Policy, Embed | None], Awaitable[Board]]] = {
    "fixed": fixed_store,
    "precision": precision_mem_bench,
    "locomo": locomo,
    "gatemem": gatemem,
}


async def play(names: Sequence[str]) -> AsyncGenerator[Board]:
    """The boards of these names, one after the other, so that their times are those of an idle service.

    Recall goes by the embedder that the settings name, and so does the baseline by meaning: with none, by words alone.
    A board whose data is not at hand is left out, and said so on standard error.
    """
    policy = policy_of_cases(ADDED)
    opened = opened_embedder(load_settings())
    async with opened as embedder, temporary_stage(policy, embedder=embedder) as stage:
        embed = None if embedder is None else embedder.embed
        for name in names:
            try:
                yield await BOARDS[name](stage.service, policy, embed)
            except Absent as absent:
                print(f"{name} is left out: {absent}", file=sys.stderr)


async def _played(names: Sequence[str], *, shown: bool) -> list[Board]:
    """All boards; each is `shown` as soon as it is there."""
    boards: list[Board] = []
    async with contextlib.aclosing(play(names)) as played:
        async for board in played:
            boards.append(board)
            if shown:
                print(as_text(board), end="\n\n\n", flush=True)
    return boards


def main() -> int:
    """Measure and print; 1 where a floor is missed or something broke."""
    parser = argparse.ArgumentParser(prog="python -m evals.read", description="the measured read path")
    parser.add_argument(
        "boards", nargs="*", metavar="board", help=f"any of {', '.join(BOARDS)}; all by default"
    )
    parser.add_argument("--json", action="store_true", help="print the boards as JSON")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.boards if name not in BOARDS]:
        parser.error(f"no board is called {unknown[0]}; there are {', '.join(BOARDS)}")
    try:
        boards = asyncio.run(_played(chosen.boards or list(BOARDS), shown=not chosen.json))
    except (KeepwellError, StackError) as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.json:
        print(json.dumps([as_json(board) for board in boards], indent=2))
    return 1 if any(board.missed for board in boards) else 0


if __name__ == "__main__":
    sys.exit(main())
