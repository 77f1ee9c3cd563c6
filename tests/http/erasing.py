"""The routes of erasures and holds, with a call to try and the status that the policy asks for."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.scope import Scope
from models.verbs import Verb
from tests.http.conftest import Asking
from tests.http.country import Place
from tests.http.route import Route
from tests.world import event


def _of_tenant(
    verb: Verb, good: int, *, by_a_person: bool = False
) -> Callable[[Policy, Principal, Place], int]:
    """What concerns the whole tenant; an agent decides on none of it."""

    def status(policy: Policy, who: Principal, _: Place) -> int:
        refused = by_a_person and who.kind is PrincipalKind.AGENT
        return good if policy.allows(who, verb, Scope({})) and not refused else 403

    return status


def _is_not_there(policy: Policy, who: Principal, place: Place) -> int:
    return 404


def _of_reading(policy: Policy, who: Principal, _: Place) -> int:
    """Nothing was erased yet, which is said to everybody who may read anything."""
    return 404 if policy.may_know(who, Verb.READ, Scope({})) else 403


ERASING: dict[str, Route] = {
    # There is nothing so old, which is said only to those who might erase it.
    "POST /v1/erasures": Route(
        lambda place: {
            "target": {"kind": "class", "class_name": "general_note", "older_than": "P3650D"},
            "dry_run": True,
        },
        _of_tenant(Verb.ERASE, 404),
    ),
    "GET /v1/erasures": Route(None, _of_tenant(Verb.ERASE, 200)),
    "GET /v1/erasures/log": Route(None, _of_tenant(Verb.ERASE, 200)),
    "GET /v1/erasures/{erasure_id}": Route(None, _is_not_there),
    "POST /v1/erasures/{erasure_id}/confirm": Route(lambda place: {"digest": "0" * 64}, _is_not_there),
    "POST /v1/erasures/{erasure_id}/withdraw": Route(None, _is_not_there),
    "GET /v1/tombstones/{record_id}": Route(None, _of_reading),
    "POST /v1/holds": Route(
        lambda place: {"target": {"kind": "person", "subject": "nobody"}, "reason": "tried"},
        _of_tenant(Verb.HOLD, 201, by_a_person=True),
    ),
    "GET /v1/holds": Route(None, _of_tenant(Verb.HOLD, 200)),
    "POST /v1/holds/{hold_id}/release": Route(None, _is_not_there),
}
"""Each with what it comes to."""


class Forgotten(NamedTuple):
    """What is there of erasures: such as wait with one plan, something that is erased, and holds."""

    erasures: list[str]
    digest: str
    erased: str
    holds: list[str]


async def forgotten(asking: Asking, who: Principal) -> Forgotten:
    """Have something erased, and something else planned to be."""
    gone, waits = await asking.world.publish(
        who,
        event(type="milestone", activity_id="gone", text="met"),
        event(type="milestone", activity_id="waits", text="met again"),
    )
    await asking.world.digest([gone, waits])
    done = await asking.post(who, "/v1/erasures", {"target": {"kind": "event", "id": str(gone.event_id)}})
    await _until(asking, who, done["id"], "done")
    target = {"kind": "event", "id": str(waits.event_id)}
    planned = [
        (await asking.post(who, "/v1/erasures", {"target": target, "dry_run": True}))["id"] for _ in range(2)
    ]
    digests = {await _until(asking, who, each, "planned") for each in planned}
    assert len(digests) == 1
    nobody = {"target": {"kind": "person", "subject": "nobody"}, "reason": "tried"}
    held = [(await asking.post(who, "/v1/holds", nobody))["id"] for _ in range(1)]
    return Forgotten(planned, digests.pop(), str(gone.event_id), held)


async def _until(asking: Asking, who: Principal, identity: str, state: str) -> str:
    """The digest of the plan of an erasure, once it is in a state."""
    async with asyncio.timeout(60):
        while (told := await asking.get(who, f"/v1/erasures/{identity}"))["state"] != state:
            await asyncio.sleep(0.05)
    digest: str = told["plan"]["digest"]
    return digest
