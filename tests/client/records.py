"""Answers of recall, as the service gives them, for tests of what an activity makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from keepwell import Recalled, RecallRequest
from keepwell.names import folded
from keepwell.types import ConflictTold, RecalledFactTold, RecalledPassageTold, TermsTold

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BENCH = {"id": "cloud-instance:i-09a8f", "name": "gpu-bench-01"}
SANDBOX = {"id": "cloud-instance:i-04c21", "name": "dev-sandbox-04"}


@dataclass
class Machine:
    """A thing as the agent's own program has it."""

    id: str
    name: str

    def __str__(self) -> str:
        return self.name


MACHINES = [Machine(**BENCH), Machine(**SANDBOX)]


TERMS = TermsTold(**dict.fromkeys(TermsTold.model_fields, 0.0))


def fact(thing: dict[str, str] | None = None, *, required: bool = False, **said: Any) -> RecalledFactTold:
    """A fact about a thing; a restriction on it where it is `required`."""
    return RecalledFactTold(
        **{
            "id": uuid4(),
            "canonical": thing and thing["id"],
            "entity": thing and thing["name"],
            "attribute": "must_stay_running",
            "value": "true",
            "ends_when": "QA has migrated",
            "expires_at": None,
            "valid_from": AT,
            "authority": "human_instruction",
            "authority_role": "infra_lead",
            "standing": "confirmed",
            "statement": "Keep the instance running until QA has migrated.",
            "sources": [uuid4()],
            "episodes": [],
            "about": [word for word in (thing or {}).values() if word],
            "score": 1.0,
            "terms": TERMS,
            "reasons": ["restriction_on_entity_in_play" if required else "about_entity_in_play"],
            "status": "active",
            "overridden_by": None,
            "confirmed_at": None,
            "required": required,
            "text": "",
            **said,
        }
    )


def passage(text: str = "tool call: stop_instance", **said: Any) -> RecalledPassageTold:
    """A passage of an episode."""
    return RecalledPassageTold(
        **{
            "id": uuid4(),
            "episode_id": uuid4(),
            "occurred_at": AT,
            "text": text,
            "sources": [uuid4()],
            "score": 0.5,
            "terms": TERMS,
            "reasons": ["keywords"],
            **said,
        }
    )


def conflict(*members: RecalledFactTold, **said: Any) -> ConflictTold:
    """An open conflict of these, carried whole; those that are not active are its challengers."""
    return ConflictTold(
        **{
            "entity": members[0].entity,
            "attribute": members[0].attribute,
            "members": [member.id for member in members],
            "yielded": [],
            "settled_by": [],
            "unsettled": True,
            "carried": True,
            "question": f"Which holds: {' or '.join(member.value for member in members)}?",
            "challengers": [member for member in members if member.status != "active"],
            **said,
        }
    )


def answer(
    *facts: RecalledFactTold, passages: tuple[RecalledPassageTold, ...] = (), missing: tuple[UUID, ...] = ()
) -> Recalled:
    """What a recall brought; `missing` names what must be heeded and did not fit."""
    return Recalled(
        facts=list(facts),
        passages=list(passages),
        advice="narrow" if missing else "use",
        missing=list(missing),
        over_budget=list(missing),
        tokens=10,
        limit=10,
        left_out=len(missing),
        as_of=AT,
        unverified=[],
        conflicts=[],
        unmet=[],
        triggers=["explicit_need"],
        session=[],
        intentions=[],
        procedure=None,
        procedure_over_budget=None,
        without=[],
        trace_id=uuid4(),
    )


KEEP = fact(BENCH, required=True)
"""A restriction on the bench."""


def in_scope(request: RecallRequest) -> Recalled:
    """As the service answers: the restriction comes back where its entity is in play."""
    asked = set(request.entities)
    return answer(*([KEEP] if asked & {KEEP.canonical, KEEP.entity} else []))


def service(*facts: RecalledFactTold) -> Callable[[RecallRequest], Recalled]:
    """As the service answers: a fact comes where its thing is asked about, or its name stands in the query.

    `about` has the request's own words for it, and is empty where only the query has brought it up.
    """

    def answered(request: RecallRequest) -> Recalled:
        found: list[RecalledFactTold] = []
        for each in facts:
            names = {folded(word) for word in (each.canonical, each.entity) if word}
            about = [word for word in request.entities if folded(word) in names]
            if about or not names or any(name in folded(request.query) for name in names):
                found.append(each.model_copy(update={"about": about}))
        return answer(*found)

    return answered
