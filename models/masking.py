"""Secrets that were masked in what a caller told: each became `[masked:<kind>:<digest>]`."""

import re

# An extractor may take the brackets off, as it does with those around a name.
_HELD = re.compile(r"masked:[a-z_]{1,40}:[0-9a-f]{10}")


def holds_mask(text: str) -> bool:
    """Whether a secret was masked in `text`, or in what `text` was taken from."""
    return "masked:" in text and _HELD.search(text) is not None
