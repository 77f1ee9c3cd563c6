"""What to do where nothing governs what a decision needs: the fallback of the class, and never a guess."""

from collections.abc import Iterable, Sequence

from models.contracts import SystemOfRecord
from models.errors import InvalidInput
from models.policy import Declared, Policy
from models.recall import RecalledFact, Unmet


def needed(policy: Policy, needs: Iterable[str]) -> list[Declared]:
    """The attributes that a decision needs, by whatever declared name; raises `InvalidInput` for an unknown one."""
    found: dict[str, Declared] = {}
    for need in needs:
        declared = policy.declared(need)
        if declared is None:
            raise InvalidInput(
                "names an attribute that no class of the policy declares; see the policy for those there are",
                field="needs",
            )
        found[declared.name] = declared
    return list(found.values())


def unmet(policy: Policy, needs: Sequence[Declared], governing: Iterable[RecalledFact]) -> list[Unmet]:
    """Those of `needs` that nothing which governs, and concerns the decision, says anything of.

    | of the needed attribute | | `fallback` |
    | --- | --- | --- |
    | a fact governs, of an entity in play or of the scope | met | |
    | none does, and its class says `abstain` or `ask` | unmet | that |
    | its class has a system of record | unmet: it is not remembered here | `system_of_record`, with its name |
    """
    there = {
        declared.name
        for fact in governing
        if (fact.concerns or fact.canonical is None)
        and (declared := policy.declared(fact.attribute)) is not None
    }
    return [_fallback(need) for need in needs if need.name not in there]


def _fallback(need: Declared) -> Unmet:
    fallback = need.memory_class.fallback
    if isinstance(fallback, SystemOfRecord):
        return Unmet(attribute=need.name, fallback="system_of_record", system=fallback.system_of_record)
    return Unmet(attribute=need.name, fallback=fallback)
