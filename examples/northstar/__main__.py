"""Play the Northstar story against a running service: `python -m examples.northstar`.

The service has to run with the story's policy, and the key in KEEPWELL_API_KEY be one that may administer.
"""

import asyncio
import sys
from datetime import UTC, datetime
from uuid import uuid4

from keepwell import Keepwell
from keepwell.errors import InvalidInput, KeepwellError

from examples.northstar.check import faults
from examples.northstar.play import play
from examples.northstar.story import read_story


async def main() -> int:
    """Play it, show each answer, and say what was not as it should be."""
    story = read_story().of_run(uuid4().hex[:6])
    async with Keepwell() as admin:
        heard = await play(story, admin, Keepwell, datetime.now(UTC))
    for each in heard:
        name = story.customers[each.conversation.customer]
        sys.stdout.write(f"day {each.session.day:2}  {name}: {each.turn.text}\n        {each.reply.text}\n")
    found = faults(heard)
    for fault in found:
        sys.stdout.write(f"FAULT: {fault}\n")
    sys.stdout.write(f"{len(heard)} turns, {len(found)} faults\n")
    return 1 if found else 0


def run() -> int:
    """Play it, and say in one line why it cannot be played."""
    try:
        return asyncio.run(main())
    except InvalidInput as refused:
        remedy = "does the stack run with KEEPWELL_POLICY=examples/northstar/policy.yaml?"
        sys.stderr.write(f"northstar: {_line(refused)}; {remedy}\n")
    except KeepwellError as failed:
        sys.stderr.write(f"northstar: {_line(failed)}\n")
    return 1


def _line(error: KeepwellError) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(run())
