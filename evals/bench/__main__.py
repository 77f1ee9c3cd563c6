"""`python -m evals.bench`: measure on servers of its own, and print the table."""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from evals.bench import (
    crowded,
    digesting,
    gating,
    memory,
    over_http,
    prospecting,
    publishing,
    recalling,
    walls,
)
from evals.bench.line import Line, table
from evals.bench.size import FULL, QUICK, Size
from evals.bench.stage import Stage, opened_stage
from models.errors import KeepwellError
from runtime.embedded.errors import StackError

PARTS = ("publishing", "recalling", "gating", "consolidating", "prospecting", "crowd")


async def measure(size: Size, parts: Collection[str]) -> list[Line]:
    """Every line of the named parts, in the order of the report."""
    lines: list[Line] = []
    async with opened_stage() as stage:
        if "publishing" in parts:
            _show("publishing")
            lines += await publishing.lines(stage, size)
        if "recalling" in parts:
            lines += await _recalling(stage, size)
        if "gating" in parts:
            _show("passing the gates")
            lines += gating.lines(stage.policy, size)
        if "consolidating" in parts:
            _show("consolidating")
            lines += await digesting.lines(stage, size)
    if "prospecting" in parts:
        _show("waiting for intentions")
        lines += await prospecting.lines(size)
    if "crowd" in parts:
        _show("recalling among many tenants")
        lines += await crowded.lines(size)
    return lines


async def _recalling(stage: Stage, size: Size) -> list[Line]:
    _show("filling the memory to recall from")
    filled = await recalling.corpus_to_search(stage, size)
    _show("recalling")
    recalled = await recalling.lines(stage, size, filled)
    _show("with and without row-level security")
    walled = await walls.lines(stage, size, filled)
    _show("over HTTP")
    over_the_wire = await over_http.lines(stage, size, filled)
    _show("over HTTP, thousands of times")
    return [*recalled, *walled, *over_the_wire, *await memory.lines(stage, size, filled)]


def _show(what: str) -> None:
    if sys.stderr.isatty():
        print(f"{what} ...", file=sys.stderr)


def report(lines: list[Line], took: float, *, quick: bool) -> dict[str, Any]:
    """The run for programs."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": quick,
        "seconds": round(took, 1),
        "lines": [line.as_json() for line in lines],
    }


def main() -> int:
    """Measure and print; 1 where something broke. A bar that is missed breaks nothing."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench", description="speed, as ratios to a floor")
    parser.add_argument("--quick", action="store_true", help="a few samples of each, to see that it runs")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of {', '.join(PARTS)}; all by default")
    chosen = parser.parse_args()
    if unknown := [part for part in chosen.parts if part not in PARTS]:
        parser.error(f"no part is called {unknown[0]}; there are {', '.join(PARTS)}")
    started = time.monotonic()
    try:
        lines = asyncio.run(measure(QUICK if chosen.quick else FULL, chosen.parts or PARTS))
    except (KeepwellError, StackError) as error:
        print(error, file=sys.stderr)
        return 1
    took = time.monotonic() - started
    if chosen.json:
        print(json.dumps(report(lines, took, quick=chosen.quick), indent=2))
    else:
        print(table(lines))
        print(
            f"\nTook {took:.0f} s. Figures of a quick run say nothing."
            if chosen.quick
            else f"\nTook {took:.0f} s."
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
