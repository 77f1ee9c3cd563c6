"""Every route with a call to try in a place of a country, and the status that the policy asks for."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from models.controls import class_of, permits_call
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.scope import Scope
from models.verbs import Verb
from tests.http.country import CONTENT, EVERYWHERE, SMALL_POLICY, Place, may_have_procedures, proposal_in
from tests.http.erasing import ERASING
from tests.http.route import Route
from tests.world import event


def _where_allowed(verb: Verb, good: int) -> Callable[[Policy, Principal, Place], int]:
    """The scope is the request's own: what the policy does not allow there is refused as that."""

    def status(policy: Policy, who: Principal, place: Place) -> int:
        return good if policy.allows(who, verb, Scope(place.scope)) else 403

    return status


def _where_known(good: int = 200, *, fact: bool = False) -> Callable[[Policy, Principal, Place], int]:
    """The scope is a record's: what the caller may not know of is not there, unless it is a fact about themselves."""

    def status(policy: Policy, who: Principal, place: Place) -> int:
        known = policy.may_know(who, Verb.READ, Scope(place.scope))
        return good if known or (fact and _is_own(policy, who, Verb.READ, place)) else 404

    return status


def _where_open_to(verb: Verb, good: int) -> Callable[[Policy, Principal, Place], int]:
    """What the caller may not change is refused where they may see it, and else it is not there."""

    def status(policy: Policy, who: Principal, place: Place) -> int:
        if policy.allows(who, verb, Scope(place.scope)) or _is_own(policy, who, verb, place):
            return good
        return 403 if _where_known(fact=True)(policy, who, place) == 200 else 404

    return status


def _of_promotion(policy: Policy, who: Principal, place: Place) -> int:
    """What has ended cannot hold for the whole tenant either, and what holds for all of it no wider."""
    seen = _where_open_to(Verb.READ, 409)(policy, who, place)
    if seen != 409:
        return seen
    if not policy.allows(who, Verb.REMEMBER, Scope({})):
        return 403
    return 409 if place.scope else 422


def _is_own(policy: Policy, who: Principal, verb: Verb, place: Place) -> bool:
    """Whether the facts of a place are about the caller, and their class lets them do this."""
    scope = Scope(place.scope)
    return permits_call(who, verb, class_of(policy, "owner"), scope.get("user"), scope)


def _of_oneself(*verbs: Verb) -> Callable[[Policy, Principal, Place], int]:
    """What is a person's own matter takes the person, and a credential that is narrowed in nothing that matters."""

    def status(policy: Policy, who: Principal, _: Place) -> int:
        narrowed = who.within or (who.only is not None and not who.only.issuperset(verbs))
        in_person = who.kind is PrincipalKind.HUMAN and not narrowed
        return 200 if in_person and policy.may_know(who, Verb.READ, Scope({})) else 403

    return status


def _of_explain(policy: Policy, who: Principal, place: Place) -> int:
    scope = Scope(place.scope)
    if not policy.allows(who, Verb.RECALL, scope):
        return 403
    return 200 if policy.may_know(who, Verb.RECALL, scope) else 404


def _where_reviewed(policy: Policy, who: Principal, place: Place) -> int:
    """`{}` asks for all that the caller may review: who may review something somewhere is never refused."""
    return 200 if policy.may_know(who, Verb.REVIEW, Scope({})) else 403


def _of_reading(policy: Policy, who: Principal, _: Place) -> int:
    return 200 if policy.may_know(who, Verb.READ, Scope({})) else 403


def _of_administration(good: int) -> Callable[[Policy, Principal, Place], int]:
    def status(policy: Policy, who: Principal, _: Place) -> int:
        return good if policy.allows(who, Verb.ADMINISTER, Scope({})) else 403

    return status


def _of_traces(good: int) -> Callable[[Policy, Principal, Place], int]:
    """They are somebody else's recalls: seen by whoever reads the whole tenant."""

    def status(policy: Policy, who: Principal, _: Place) -> int:
        return good if policy.allows(who, Verb.READ, Scope({})) else 404

    return status


def _of_recalling(policy: Policy, who: Principal, _: Place) -> int:
    """One's own recalls, of whoever may recall anything anywhere, and those of everybody."""
    recalls = policy.may_know(who, Verb.RECALL, Scope({}))
    return 200 if recalls or policy.allows(who, Verb.READ, Scope({})) else 403


def _of_attribution(policy: Policy, who: Principal, _: Place) -> int:
    return 200 if policy.allows(who, Verb.READ, Scope({})) else 403


def _of_intending(policy: Policy, who: Principal, _: Place) -> int:
    return 200 if policy.may_know(who, Verb.INTEND, Scope({})) else 403


def _of_intention(status: int, least: Verb | None = None) -> Callable[[Policy, Principal, Place], int]:
    """Of the operator's own intention: others see it who may assign there."""

    def told(policy: Policy, who: Principal, place: Place) -> int:
        own = (who.subject, who.kind) == ("olga", PrincipalKind.HUMAN)
        verb, scope = Verb.INTEND if own else Verb.ASSIGN, Scope(place.scope)
        if not policy.may_know(who, verb, scope):
            return 404
        return status if status == 200 or policy.allows(who, least or verb, scope) else 403

    return told


def _of_proposing(policy: Policy, who: Principal, place: Place) -> int:
    if not policy.allows(who, Verb.PROPOSE, Scope(place.scope)):
        return 403
    return 201 if may_have_procedures(place.scope) else 422


def _of_looking(policy: Policy, who: Principal, _: Place) -> int:
    looks = any(policy.may_know(who, verb, Scope({})) for verb in (Verb.PROPOSE, Verb.REVIEW))
    return 200 if looks else 403


def _of_procedure(
    status: int, verb: Verb | None = None, *, proposed: bool = False, decides: bool = False
) -> Callable[[Policy, Principal, Place], int]:
    """Of the operator's own: who may do nothing with it hears that it is not there."""

    def told(policy: Policy, who: Principal, place: Place) -> int:
        scope = Scope(place.scope)
        seeing = [Verb.PROPOSE, Verb.REVIEW] + ([] if proposed else [Verb.READ])
        if verb is Verb.PUBLISH and not policy.allows(who, verb, scope):
            return 403
        if not may_have_procedures(place.scope) or not any(
            policy.may_know(who, each, scope) for each in seeing
        ):
            return 404
        if verb is not None and not policy.allows(who, verb, scope):
            return 403
        if decides and policy.permitted_approver(who, "operations", scope) is None:
            return 403
        return status

    return told


def _of_retraction(policy: Policy, who: Principal, place: Place) -> int:
    if not policy.may_know(who, Verb.READ, Scope(place.scope)):
        return 404
    allowed = policy.allows(who, Verb.RETRACT, Scope(place.scope)) and who.kind is not PrincipalKind.AGENT
    return 409 if allowed else 403


def _of_policy_changes(policy: Policy, who: Principal, place: Place) -> int:
    return 403 if who.kind is PrincipalKind.AGENT else _of_administration(200)(policy, who, place)


def _to_anybody(policy: Policy, who: Principal, place: Place) -> int:
    return 200


def _event(place: Place) -> dict[str, Any]:
    return event(scope=place.scope, activity_id=f"tried-{uuid4()}", text="tried")


def _terms(place: Place) -> dict[str, Any]:
    return {"value": "Bo"}


ROUTES: dict[str, Route] = {
    "GET /healthz": Route(None, _to_anybody),
    "GET /readyz": Route(None, _to_anybody),
    "POST /v1/events": Route(_event, _where_allowed(Verb.PUBLISH, 201)),
    "POST /v1/events/batch": Route(
        lambda place: {"events": [_event(place), _event(place)]}, _where_allowed(Verb.PUBLISH, 201)
    ),
    "GET /v1/events/{event_id}/verdict": Route(None, _where_known()),
    "POST /v1/recall": Route(
        lambda place: {"scope": place.scope, "query": "gloves"}, _where_allowed(Verb.RECALL, 200)
    ),
    "GET /v1/traces": Route(None, _of_recalling),
    "GET /v1/traces/{trace_id}": Route(None, _of_traces(200)),
    "GET /v1/traces/{trace_id}/explain/{memory_id}": Route(None, _of_traces(200)),
    # Only whoever asked reports, which is said to those who see the trace.
    "POST /v1/traces/{trace_id}/report": Route(lambda place: {"outcome": "success"}, _of_traces(403)),
    "POST /v1/attribution/query": Route(lambda place: {"scope": place.scope}, _of_attribution),
    "POST /v1/context": Route(
        lambda place: {"scope": place.scope, "subtask": "put on gloves"}, _where_allowed(Verb.RECALL, 200)
    ),
    "POST /v1/memories": Route(
        lambda place: {
            "scope": place.scope,
            "entity": f"tried:{uuid4()}",
            "attribute": EVERYWHERE,
            "value": "ask Cy",
        },
        _where_allowed(Verb.REMEMBER, 200),
    ),
    "POST /v1/memories/query": Route(lambda place: {"scope": place.scope}, _where_allowed(Verb.READ, 200)),
    "GET /v1/memories/{memory_id}": Route(None, _where_known(fact=True)),
    # What has ended cannot be changed, which is said only to those who might change it.
    "POST /v1/memories/{memory_id}/correct": Route(
        _terms,
        _where_open_to(Verb.CORRECT, 409),
        "ended_id",
    ),
    "POST /v1/memories/{memory_id}/retract": Route(
        lambda place: {"text": "it is over"},
        _where_open_to(Verb.RETRACT, 409),
        "ended_id",
    ),
    "POST /v1/memories/{memory_id}/promote": Route(lambda place: {"scope": {}}, _of_promotion, "ended_id"),
    # It waits for no condition, which is said only to those who might confirm one.
    "POST /v1/memories/{memory_id}/confirm": Route(
        lambda place: {"evidence": str(place.event_id)},
        _where_open_to(Verb.CONFIRM, 422),
    ),
    "GET /v1/memories/{memory_id}/history": Route(None, _where_known(fact=True)),
    "GET /v1/memories/{memory_id}/lineage": Route(None, _where_known(), "episode_id"),
    "POST /v1/memories/{memory_id}/explain": Route(
        lambda place: {"scope": place.scope, "query": "gloves"}, _of_explain
    ),
    "POST /v1/history": Route(
        lambda place: {"scope": place.scope, "entity": place.entity}, _where_allowed(Verb.READ, 200)
    ),
    "POST /v1/reviews/query": Route(lambda place: {"scope": place.scope}, _where_reviewed),
    # What governs is no claim, which is said only to those who might settle one.
    "POST /v1/reviews/{claim_id}/accept": Route(
        lambda place: {"text": "yes"}, _where_open_to(Verb.REVIEW, 409)
    ),
    "POST /v1/reviews/{claim_id}/reject": Route(
        lambda place: {"text": "no"}, _where_open_to(Verb.REVIEW, 409)
    ),
    "POST /v1/intentions": Route(
        lambda place: {"scope": place.scope, "action": "look", "after": "P1Y"},
        _where_allowed(Verb.INTEND, 201),
    ),
    "POST /v1/intentions/preview": Route(
        lambda place: {"scope": place.scope, "action": "look", "after": "P1Y"},
        _where_allowed(Verb.INTEND, 200),
    ),
    "POST /v1/intentions/query": Route(lambda place: {}, _of_intending),
    "GET /v1/intentions/{intention_id}": Route(None, _of_intention(200)),
    # Nothing comes of it any more, which is said only to those who might change it.
    "POST /v1/intentions/{intention_id}/cancel": Route(lambda place: {}, _of_intention(409)),
    "POST /v1/intentions/{intention_id}/confirm": Route(lambda place: {}, _of_intention(409)),
    "POST /v1/intentions/{intention_id}/reschedule": Route(
        lambda place: {"after": "P1D"}, _of_intention(409)
    ),
    "POST /v1/intentions/{intention_id}/hand-over": Route(
        lambda place: {"owner": {"subject": "tried"}}, _of_intention(409, Verb.ASSIGN)
    ),
    "POST /v1/inbox/take": Route(lambda place: {}, _of_intending),
    "GET /v1/inbox/stream": Route(None, _of_intending),
    "POST /v1/inbox/{occurrence_id}/acknowledge": Route(lambda place: {}, _of_intention(409)),
    "POST /v1/inbox/{occurrence_id}/snooze": Route(lambda place: {"after": "P1D"}, _of_intention(409)),
    "POST /v1/proposals": Route(lambda place: proposal_in(place.scope), _of_proposing),
    "POST /v1/proposals/query": Route(lambda place: {"scope": {}}, _of_looking),
    "GET /v1/proposals/{proposal_id}": Route(None, _of_procedure(200, proposed=True)),
    # It is settled, which is said only to those who might have a word in it.
    "POST /v1/proposals/{proposal_id}/revise": Route(
        lambda place: {"revision": 1, "content": CONTENT}, _of_procedure(409, Verb.PROPOSE)
    ),
    "POST /v1/proposals/{proposal_id}/withdraw": Route(
        lambda place: {"because": "no need"}, _of_procedure(409, Verb.PROPOSE)
    ),
    "POST /v1/proposals/{proposal_id}/decisions": Route(
        lambda place: {"revision": 1, "choice": "approve"}, _of_procedure(409, Verb.REVIEW, decides=True)
    ),
    "POST /v1/procedures/query": Route(lambda place: {"scope": {}}, _of_reading),
    "GET /v1/procedures/{procedure_id}": Route(None, _of_procedure(200)),
    # It has no version yet.
    "POST /v1/procedures/{procedure_id}/rollback": Route(
        lambda place: {"to": 1, "because": "it was better"},
        _of_procedure(404, Verb.REVIEW, decides=True),
    ),
    "POST /v1/procedures/{procedure_id}/runs": Route(
        lambda place: {"scope": place.scope, "version": 1, "activity_id": "tried"},
        _of_procedure(404, Verb.PUBLISH),
    ),
    "GET /v1/procedures/{procedure_id}/runs": Route(None, _of_procedure(200)),
    "POST /v1/reflections": Route(None, _of_looking),
    # It is retracted, which is said only to those who might retract it.
    "POST /v1/episodes/{episode_id}/retract": Route(lambda place: {"text": "tried"}, _of_retraction),
    **ERASING,
    "GET /v1/me/memories": Route(None, _of_oneself(Verb.READ)),
    "GET /v1/me/export": Route(None, _of_oneself(Verb.READ)),
    "GET /v1/me/switches": Route(None, _of_oneself(Verb.READ)),
    "PUT /v1/me/switches/{class_name}": Route(
        lambda place: {"state": "on"}, _of_oneself(Verb.READ, Verb.RETRACT)
    ),
    "GET /v1/stream": Route(None, _of_reading),
    "POST /v1/keys": Route(
        lambda place: {"name": str(uuid4()), "subject": "tried", "kind": "agent", "roles": ["agent"]},
        _of_administration(201),
    ),
    "POST /v1/endpoints": Route(
        lambda place: {"name": str(uuid4()), "address": "https://hooks.example.org/in"},
        _of_administration(201),
    ),
    "GET /v1/endpoints": Route(None, _of_administration(200)),
    # There is none of this name, which is said only to those who might change one.
    "POST /v1/endpoints/rotate": Route(lambda place: {"name": "tried"}, _of_administration(404)),
    "POST /v1/endpoints/disable": Route(lambda place: {"name": "tried"}, _of_administration(404)),
    "POST /v1/endpoints/enable": Route(lambda place: {"name": "tried"}, _of_administration(404)),
    "GET /v1/keys": Route(None, _of_administration(200)),
    "DELETE /v1/keys/{key_id}": Route(None, _of_administration(204)),
    "GET /v1/policy": Route(None, _of_reading),
    "POST /v1/policy": Route(
        lambda place: {"content": SMALL_POLICY, "reason": "tried", "dry_run": True},
        _of_policy_changes,
    ),
    "GET /v1/policy/log": Route(None, _of_administration(200)),
    "GET /v1/principal": Route(None, _to_anybody),
}
"""Every route of the document; a test says so."""

OPEN = frozenset({"GET /healthz", "GET /readyz"})
"""The routes that take no credential."""
