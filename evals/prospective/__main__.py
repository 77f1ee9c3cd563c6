"""`python -m evals.prospective`: play every run on servers of its own, print what fired, and hold it to an F1 of 1."""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncGenerator

from evals.prospective.goodai import FIELDS, runs_of_definitions
from evals.prospective.play import play
from evals.prospective.report import Board, as_json, as_text
from evals.prospective.scripts import read_runs
from evals.read.data import Absent
from evals.write.stage import policy_of_cases, temporary_stage
from models.errors import KeepwellError
from models.policy import Policy
from runtime.embedded.errors import StackError

F1_FLOOR = 1.0


def policy_of_runs() -> Policy:
    """The policy of the cases, with the fields that the public definitions wait for."""
    policy = policy_of_cases()
    return policy.model_copy(update={"cue_fields": policy.cue_fields | FIELDS})


async def boards() -> AsyncGenerator[Board]:
    """Our own runs, then those of the public definitions; these are left out, and it is said, where they are not."""
    async with temporary_stage(policy_of_runs()) as stage:
        runs = read_runs()
        between = sorted(run.between for run in runs)
        note = f"{between[0]} to {between[-1]} unrelated events stand in a run, {sum(between):,} in all."
        yield Board("Scripted runs", await play(stage.service, stage.database_url, runs), note)
        try:
            public = runs_of_definitions()
        except Absent as absent:
            print(f"The public definitions are left out: {absent}", file=sys.stderr)
            return
        note = "Messages are numbered and labelled by the harness; see evals/prospective/goodai.py."
        title = "GoodAI LTM, Prospective Memory and Trigger Response"
        yield Board(title, await play(stage.service, stage.database_url, public), note)


async def measure(*, shown: bool) -> list[Board]:
    """All boards; each is `shown` as soon as it is there."""
    found: list[Board] = []
    async for board in boards():
        found.append(board)
        if shown:
            print(as_text(board), end="\n\n\n", flush=True)
    return found


def main() -> int:
    """Measure and print; 1 where something did not fire as it had to, or broke."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.prospective", description="the firing of intentions"
    )
    parser.add_argument("--json", action="store_true", help="print the boards as JSON")
    chosen = parser.parse_args()
    try:
        found = asyncio.run(measure(shown=not chosen.json))
    except (KeepwellError, StackError) as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.json:
        print(json.dumps([as_json(board) for board in found], indent=2))
    return 1 if any(board.score.f1 < F1_FLOOR for board in found) else 0


if __name__ == "__main__":
    sys.exit(main())
