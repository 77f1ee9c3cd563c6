"""Recalled facts and passages for tests of what happens to what was found."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from models.authority import Authority, Standing
from models.recall import RecalledFact, RecalledPassage

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def recalled_fact(**fields: Any) -> RecalledFact:
    filled: dict[str, Any] = {
        "id": uuid4(),
        "canonical": "server:one",
        "entity": "one",
        "attribute": "owner",
        "value": "Ana",
        "ends_when": None,
        "expires_at": None,
        "valid_from": NOW,
        "authority": Authority.HUMAN_INSTRUCTION,
        "authority_role": None,
        "standing": Standing.OBSERVED,
        "statement": "Ana owns it.",
        "sources": (),
        "episodes": (),
        "score": 0.0,
        "reasons": (),
    }
    return RecalledFact(**{**filled, **fields})


def passage(**fields: Any) -> RecalledPassage:
    filled: dict[str, Any] = {
        "id": uuid4(),
        "episode_id": uuid4(),
        "occurred_at": NOW,
        "text": "It was done.",
        "sources": (),
        "score": 0.0,
        "reasons": (),
    }
    return RecalledPassage(**{**filled, **fields})
