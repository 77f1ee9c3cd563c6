"""The least that a memory class has to say, for tests that are about something else."""

from typing import Any

SOUND: dict[str, Any] = {
    "version": 1,
    "owner": "the team",
    "design": {"why": "a reason", "decision": "a choice", "ends": "a word", "deletion": "with its events"},
    "levels": ["workspace"],
    "sources": [
        "human_instruction",
        "verified_outcome",
        "authoritative_source",
        "model_inferred",
        "untrusted",
    ],
    "representation": "statement",
    "retention": {"held": "P30D"},
    "fallback": "ask",
}


def memory_class(attributes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A sound class of these attributes, with `fields` in place of the defaults."""
    return {**SOUND, "attributes": attributes, **fields}


SOUND_YAML = """\
version: 2
dimensions: [workspace]
roles:
  lead:
    scopes: {workspace: any}
systems:
  billing: {}
classes:
  ownership:
    version: 1
    owner: the team
    design:
      why: a reason
      decision: a choice
      ends: a word
      deletion: with its events
    levels: [workspace]
    sources: [human_instruction]
    representation: statement
    retention: {held: P30D}
    fallback: ask
    attributes:
      owner:
        write: [lead]
"""
"""A whole policy, a line a thing, so that a test can say which line is wrong."""
