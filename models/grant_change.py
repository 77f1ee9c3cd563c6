"""What a change of policy takes away from roles and systems."""

from typing import NamedTuple

from models.policy import Grant, Policy, ScopeValues
from models.verbs import Verb


class GrantLost(NamedTuple):
    """What a role, or a system, may do no more: verbs, and dimensions of which it reaches less. `gone` is the whole."""

    name: str
    gone: bool
    verbs: tuple[Verb, ...]
    scopes: tuple[str, ...]
    tenant_wide: bool


def grants_lost(old: Policy, new: Policy) -> tuple[GrantLost, ...]:
    """What is taken away from whom, by name.

    | a role of before | told |
    | --- | --- |
    | is not among those of after | as `gone`, with all that it had |
    | has a verb less, or reaches less | with that |
    | has all that it had | not at all |

    A name that changes from a role to a system, or back, is gone: who holds it is no longer the same.
    """
    lost: list[GrantLost] = []
    for before, after in ((old.roles, new.roles), (old.systems, new.systems)):
        for name, grant in before.items():
            taken = _taken(name, grant, after.get(name))
            if taken.gone or taken.verbs or taken.scopes or taken.tenant_wide:
                lost.append(taken)
    return tuple(sorted(lost))


def _taken(name: str, before: Grant, after: Grant | None) -> GrantLost:
    left = Grant() if after is None else after
    return GrantLost(
        name,
        after is None,
        tuple(sorted(before.may - left.may)),
        tuple(
            sorted(
                dimension
                for dimension, values in before.scopes.items()
                if _is_less(left.scopes.get(dimension, frozenset[str]()), values)
            )
        ),
        before.tenant_wide and not left.tenant_wide,
    )


def _is_less(after: ScopeValues, before: ScopeValues) -> bool:
    """Whether `after` leaves out something that was reached before.

    | before | after | less |
    | --- | --- | --- |
    | anything | any value, or the same | no |
    | any value | another | yes |
    | one's own | listed | yes |
    | listed | one's own | yes |
    | listed | listed | where one of them is left out |
    """
    if after in ("any", before):
        return False
    if isinstance(before, str) or isinstance(after, str):
        return True
    return not before <= after
