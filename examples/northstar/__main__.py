"""Play the Northstar story against a running service: `python -m examples.northstar`.

The service has to run with the story's policy, and the key in KEEPWELL_API_KEY be one that may administer.
"""

import asyncio
import sys
from datetime import UTC, datetime

from keepwell import Keepwell

from examples.northstar.check import faults
from examples.northstar.play import play
from examples.northstar.story import read_story


async def main() -> int:
    """Play it, show each answer, and say what was not as it should be."""
    story = read_story()
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


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
