"""Who reaches a procedure, and what is proposed for it: by its scope, by the readers of its class, and by the verbs."""

from models.errors import InvalidInput, NotPermitted
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.procedure_rules import ProcedureClass
from models.procedures import Procedure
from models.scope import Scope
from models.verbs import Verb

UNKNOWN_PROCEDURE = "no such procedure within reach; check the id, the tenant and the roles"
UNKNOWN_PROPOSAL = "no such proposal within reach; check the id, the tenant and the roles"
_LOOKING = (Verb.PROPOSE, Verb.REVIEW)


def may_know_of(policy: Policy, principal: Principal, procedure: Procedure) -> bool:
    """Whether a procedure is there for somebody: who may read, propose or review in its scope, and reads its class."""
    return _reaches(policy, principal, procedure, (Verb.READ, *_LOOKING))


def may_look_at(policy: Policy, principal: Principal, procedure: Procedure) -> bool:
    """Whether somebody may see what is proposed for a procedure: who may propose or review there."""
    return _reaches(policy, principal, procedure, _LOOKING)


def _reaches(policy: Policy, principal: Principal, procedure: Procedure, verbs: tuple[Verb, ...]) -> bool:
    if procedure.class_name not in policy.readable_procedures(principal):
        return False
    return any(policy.may_know(principal, verb, Scope(procedure.scope)) for verb in verbs)


def require_looking_anywhere(policy: Policy, principal: Principal) -> None:
    """Raise `NotPermitted` for who may neither propose nor review anywhere."""
    if not policy.may_know(principal, Verb.PROPOSE, Scope({})):
        policy.require_anywhere(principal, Verb.REVIEW)


def rules_of(policy: Policy, class_name: str, scope: Scope) -> ProcedureClass:
    """A class by its name; raises `InvalidInput` where there is none, or it has no level for the scope."""
    rules = policy.procedures.get(class_name)
    if rules is None:
        known = ", ".join(sorted(policy.procedures)) or "none"
        raise InvalidInput(f"is no class of procedures; the policy declares {known}", field="class_name")
    if not rules.fits(scope):
        levels = ", ".join(sorted(rules.levels))
        raise InvalidInput(f"is at no level of this class, which has {levels}", field="scope")
    return rules


def require_drafter(policy: Policy, principal: Principal, class_name: str, scope: Scope) -> None:
    """Raise `NotPermitted` unless a role of the principal drafts procedures of a class in a scope."""
    if policy.permitted_drafter(principal, class_name, scope) is None:
        raise NotPermitted(
            "no role of this principal drafts procedures of this class here; ask for one that does"
        )


def require_approver(policy: Policy, principal: Principal, class_name: str, scope: Scope) -> str:
    """The role in which the principal decides on procedures of a class in a scope; raises `NotPermitted`."""
    role = policy.permitted_approver(principal, class_name, scope)
    if role is not None:
        return role
    if principal.kind is PrincipalKind.AGENT:
        raise NotPermitted("an agent decides on no procedure; ask a person")
    raise NotPermitted(
        "no role of this principal decides on procedures of this class here; ask for one that does"
    )
