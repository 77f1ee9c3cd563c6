"""A route with a call to try in a place of a country."""

from collections.abc import Callable
from typing import Any, NamedTuple

from models.policy import Policy
from models.principals import Principal
from tests.http.country import Place


class Route(NamedTuple):
    """A call of a route in a place, and the status that the policy asks for; `memory` says which id it takes."""

    body: Callable[[Place], Any] | None
    status: Callable[[Policy, Principal, Place], int]
    memory: str = "fact_id"

    def path(self, name: str, place: Place) -> str:
        """The path of a call, for the route called `name`."""
        memory_id = getattr(place, self.memory)
        ids = {
            "memory_id": memory_id,
            "claim_id": memory_id,
            "event_id": place.event_id,
            "key_id": place.key_id,
            "trace_id": place.trace_id,
            "intention_id": place.intention_id,
            "occurrence_id": place.occurrence_id,
            "procedure_id": place.procedure_id,
            "proposal_id": place.proposal_id,
            "episode_id": place.episode_id,
            # None of these ids is one of an erasure, a hold or anything erased.
            "erasure_id": place.episode_id,
            "hold_id": place.episode_id,
            "record_id": place.episode_id,
            "class_name": "general_note",
        }
        return name.split(" ", 1)[1].format(**ids)
