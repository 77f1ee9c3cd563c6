"""The page about the policy as shipped, with the reasons of verdicts: `python -m runtime.policy_reference`.

What a policy holds is read from the file that is shipped; what a reason means is said here, and a test holds
these tables against the rules.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping

from models.conditions import ConfirmationState
from models.policy import Attribute, Cardinality, Grant, Policy, ScopeValues
from models.reconciliation import Verdict
from models.verbs import Verb
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY

VERDICTS: Mapping[Verdict, Mapping[str, str]] = {
    Verdict.ESTABLISH: {
        "permitted_statement": "nothing was in force for this key; it governs now",
    },
    Verdict.SUPERSEDE: {
        "permitted_other_terms": "it governs now, in place of the fact that it concerns",
    },
    Verdict.RESTATE: {
        "same_terms": "the fact in force says the same, and goes on",
    },
    Verdict.RETRACT: {
        "permitted_withdrawal": "the fact in force was taken back",
    },
    Verdict.HOLD_UNVERIFIED: {
        "not_permitted": "no role of whoever said it may `write` the attribute in this scope; an agent's never may",
        "hedged": "it was said as a guess; say it outright",
        "weaker_source": "what is in force rests on a stronger source",
        "ambiguous_entity": "the name means several things here; use the canonical id, `type:id`",
    },
    Verdict.IGNORE_STALE: {
        "older_than_governing": "it is older than the latest statement of what is in force",
        "before_governing": "it is about a time before what is in force began",
        "older_than_last_ending": "it is not newer than the end of what was there; nothing comes back by itself",
        "named_fact_not_in_force": "the fact that it names is no longer in force; see its history",
    },
    Verdict.IGNORE_OBSERVATION: {
        "observation_of_state": "a state that was seen is no rule; it stays in the log",
    },
    Verdict.DISCARD: {
        "over_before_it_begins": "it expires before it could hold",
        "nothing_to_withdraw": "nothing is in force that could be taken back",
        "withdrawal_without_value": "the attribute has many values; name the one to take back",
        "unknown_attribute": "the policy declares no such attribute",
        "not_grounded": "the event that it cites does not say so",
    },
}
"""Why a candidate came to its verdict. `retire` has no reason of its own: a confirmation brings it about."""

CONFIRMATIONS: Mapping[ConfirmationState, Mapping[str, str]] = {
    ConfirmationState.ACCEPTED: {
        "permitted_confirmation": "the fact is retired, from the instant of the evidence",
    },
    ConfirmationState.REFUSED: {
        "not_permitted": "no role of whoever confirms may `confirm` the attribute in this scope; an agent's never may",
        "already_ended": "the fact has ended already, or will have by then",
        "evidence_is_the_statement": "the evidence is what states the fact; name an event that shows the end",
        "evidence_older_than_fact": "the evidence is from before the fact's latest statement",
    },
}
"""Why a confirmation was accepted or refused."""

_HEAD = """# The policy as shipped

Made from [the policy file](../runtime/policy.yaml) and the rules; `make docs` makes this page anew. The file declares
which scopes there are, what can be said, and who may say what where. Copy it, change it, and point `KEEPWELL_POLICY`
at yours: every process reads it when it starts. What is not granted is refused.
"""

_ATTRIBUTES = """## Attributes

What can be said of a thing, or of a scope as a whole. A *restriction* is `required`, and comes first, whenever the
thing that it is about is in play, and on every recall in its scope where it is about that scope; a *standing
instruction* is `required` on every recall in its scope. An attribute with *many* values keeps several side by side;
of any other, what is said later takes the place of what was said before.
"""

_ROLES = """## Roles

A key or a token names roles. `may` has the verbs, and *reaches* the scopes in which they may be done: every dimension
of a scope must be among these, with any value, with the caller's own subject (*own*), or with one that is listed.
What holds for the whole tenant has the scope `{}`, and takes *the tenant*. `write` and `confirm` name the attributes
of which a word of this role counts; any other word is kept as a claim. An agent writes and confirms nothing, whatever
its roles.
"""

_SYSTEMS = """## Systems

A key for a system that is declared here, by its subject, needs no role: it may do what stands here. What such a
system reports is a verified outcome; for the attributes that it is the *system of record* for, an authoritative
source.
"""

_VERDICTS = """## Verdicts

`reason` says why a candidate came to its `verdict`.
"""

_CONFIRMATIONS = """## Confirmations

While Temporal or a worker is away, a confirmation is `pending` (`not_decided_yet`). A refused one is kept as a claim.
"""


def reference(policy: Policy) -> str:
    """The page for a policy."""
    parts = [
        _HEAD,
        f"## Dimensions\n\nA scope may have: {_codes(sorted(policy.dimensions))}.\n",
        _ATTRIBUTES,
        _table(
            ("attribute", "restriction", "standing instruction", "values"), _attributes(policy.attributes)
        ),
        _ROLES,
        _table(("role", "may", "reaches", "write", "confirm"), _grants(policy.roles)),
        _SYSTEMS,
        _table(
            ("system", "may", "reaches", "write", "confirm", "system of record for"),
            (
                (*row, _codes(sorted(grant.authoritative_for)))
                for row, grant in zip(_grants(policy.systems), policy.systems.values(), strict=True)
            ),
        ),
        _VERDICTS,
        _table(("verdict", "reason", "means"), _reasons(VERDICTS)),
        _CONFIRMATIONS,
        _table(("state", "reason", "means"), _reasons(CONFIRMATIONS)),
    ]
    return "\n".join(parts)


def _attributes(declared: Mapping[str, Attribute]) -> Iterator[tuple[str, ...]]:
    for name, attribute in declared.items():
        yield (
            f"`{name}`",
            "yes" if attribute.restriction else "",
            "yes" if attribute.standing_instruction else "",
            "many" if attribute.cardinality is Cardinality.MANY else "one",
        )


def _grants(declared: Mapping[str, Grant]) -> Iterator[tuple[str, ...]]:
    for name, grant in declared.items():
        reached = [f"`{dimension}`{_values(values)}" for dimension, values in grant.scopes.items()]
        yield (
            f"`{name}`",
            ", ".join(verb.value for verb in Verb if verb in grant.may),
            ", ".join(["the tenant", *reached] if grant.tenant_wide else reached),
            _codes(sorted(grant.write)),
            _codes(sorted(grant.confirm)),
        )


def _values(values: ScopeValues) -> str:
    match values:
        case "any":
            return ""
        case "self":
            return " (own)"
        case listed:
            return f" ({_codes(sorted(listed))})"


def _reasons(
    told: Mapping[Verdict, Mapping[str, str]] | Mapping[ConfirmationState, Mapping[str, str]],
) -> Iterator[tuple[str, ...]]:
    for verdict, reasons in told.items():
        for reason, means in reasons.items():
            yield f"`{verdict.value}`", f"`{reason}`", means


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(reference(load_policy(SHIPPED_POLICY)))
