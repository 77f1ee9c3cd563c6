"""Policies that are the shipped one but for a few words, and a tenant that has one of its own."""

from collections.abc import Callable
from typing import Any

from models.policy import Policy
from models.policy_document import document_of
from models.policy_proposal import NewPolicy, PolicyChange
from models.principals import Principal, PrincipalKind
from runtime.policy_file import load_policy, written_policy
from runtime.settings import SHIPPED_POLICY
from tests.world import World

Change = Callable[[dict[str, Any]], object]


def otherwise(change: Change) -> Policy:
    """The shipped policy as `change` leaves its document."""
    document = document_of(load_policy(SHIPPED_POLICY))
    change(document)
    return Policy.model_validate(document)


def admin_of(world: World) -> Principal:
    return world.principal("root", PrincipalKind.HUMAN, "admin")


async def applied(world: World, change: Change, **fields: Any) -> PolicyChange:
    """Make the shipped policy, as `change` leaves it, the tenant's own. Its worker obeys within a second."""
    new = NewPolicy(content=written_policy(otherwise(change)), reason="a test", **fields)
    return await world.service.apply_policy(admin_of(world), new)


def read_by(class_name: str, *readers: str) -> Change:
    """A class with these readers and no others."""

    def narrow(document: dict[str, Any]) -> None:
        document["classes"][class_name]["readers"] = list(readers)

    return narrow


def without(*class_names: str) -> Change:
    """Classes left out altogether."""

    def drop(document: dict[str, Any]) -> None:
        for name in class_names:
            del document["classes"][name]

    return drop
