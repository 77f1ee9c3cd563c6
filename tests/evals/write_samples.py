"""Cases and outcomes small enough to score by hand."""

from datetime import UTC, datetime
from typing import Any

from evals.write.cases import Case
from evals.write.match import Judged, judged
from evals.write.outcomes import Content, Outcome, Played

STAGING = {"workspace": "staging"}
MARCH = datetime(2026, 3, 1, tzinfo=UTC)
KEEP = {
    "disposition": "persist",
    "verdict": "establish",
    "class": "operational_restriction",
    "attribute": "lifecycle_policy",
    "entity": "a-1",
    "words": ["keep", "running"],
}
"""A label: a-1 is kept running."""


def case(*expected: dict[str, Any], **fields: Any) -> Case:
    """A case with these labels. Something is given, so that it may restate."""
    said = {"by": "dana", "text": "Keep a-1 running."}
    return Case.model_validate(
        {
            "id": "a-case",
            "part": "development",
            "given": [said],
            "events": [said],
            "expected": list(expected),
            **fields,
        }
    )


def outcome(verdict: str = "establish", **fields: Any) -> Outcome:
    """The outcome that `KEEP` wants, with `fields` in place of its own; a field of its content by its name."""
    content = Content(("named:x/a-1", "a-1"), STAGING, "keep running", None, None, MARCH)
    own = {name: fields.pop(name) for name in Content._fields if name in fields}
    made = verdict not in {"restate", "retract", "discard", "ignore_stale", "ignore_observation"}
    whole: dict[str, Any] = {
        "event": 0,
        "verdict": verdict,
        "reason": "a_reason",
        "attribute": "lifecycle_policy",
        "memory_class": "operational_restriction",
        "made": made,
        "content": content._replace(**own),
        **fields,
    }
    return Outcome(**whole)


def played(of: Case, *outcomes: Outcome, **fields: Any) -> Judged:
    """The case, played to these outcomes."""
    innocents = frozenset(n for n, each in enumerate(of.planted) if not each.secret)
    whole: dict[str, Any] = {"refused": {}, "leaks": {}, "kept": innocents, **fields}
    return judged(of, Played(of.id, outcomes, **whole))
