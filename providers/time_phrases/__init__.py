"""When something is to be done, in plain English: "in 40 minutes", "every first Monday at 9". `read_phrase` is all that
the rest of Keepwell needs to know.

It reads the common forms to their last word and refuses the rest. It must never guess: what is read is scheduled, and
whoever sets it is shown what it came to.
"""

from providers.time_phrases.reading import Read, read_phrase

__all__ = ["Read", "read_phrase"]
