"""`python -m evals.write`: play every case on servers of its own, print the figures, and hold them to their floors."""

import argparse
import asyncio
import json
import sys
import time
from typing import Any

from evals.write.match import judged
from evals.write.play import play
from evals.write.reading import read_cases, read_cast
from evals.write.report import as_json, as_text
from evals.write.stage import policy_of_cases, temporary_stage
from models.errors import KeepwellError
from providers.rule_extractor import RuleExtractor
from runtime.embedded.errors import StackError
from runtime.language_model import language_model
from runtime.settings import load_settings


async def measure(name: str, **proposing: Any) -> dict[str, Any]:
    """The report on one way to propose; `proposing` is what `running_worker` takes for it."""
    policy = policy_of_cases()
    cast = read_cast()
    cases = read_cases(cast, policy)
    async with temporary_stage(policy, **proposing) as stage:
        started = time.monotonic()
        played = await play(stage, cast, cases)
        took = time.monotonic() - started
    found = [judged(case, each) for case, each in zip(cases, played, strict=True)]
    return as_json(name, found, took)


def main() -> int:
    """Measure and print; 1 where a floor is missed or something broke."""
    parser = argparse.ArgumentParser(prog="python -m evals.write", description="the measured write path")
    parser.add_argument("--json", action="store_true", help="print the reports as JSON, failures included")
    chosen = parser.parse_args()
    try:
        model = language_model(load_settings())
        reports = [asyncio.run(measure(RuleExtractor.name))]
        if model is not None:
            reports.append(
                asyncio.run(measure(f"{RuleExtractor.name} and {load_settings().model}", model=model))
            )
    except (KeepwellError, StackError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(reports, indent=2) if chosen.json else "\n\n".join(map(as_text, reports)))
    return 1 if any(report["missed"] for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
