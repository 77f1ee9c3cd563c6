"""The page about the policy as shipped, with the reasons of verdicts: `python -m runtime.policy_reference`.

What a policy holds is read from the file that is shipped; what a reason means is said here, and a test holds
these tables against the rules.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import get_args

from models.captures import Captured
from models.conditions import ConfirmationState
from models.contracts import Attribute, Control, MemoryClass, Prohibited, Source, SystemOfRecord
from models.policy import Grant, Policy, ScopeValues
from models.reasons import ReasonCode
from models.reconciliation import Verdict
from models.verbs import Verb
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY

R, V = ReasonCode, Verdict
VERDICTS: Mapping[Verdict, tuple[ReasonCode, ...]] = {
    V.ESTABLISH: (R.PERMITTED_STATEMENT,),
    V.SUPERSEDE: (R.PERMITTED_OTHER_TERMS,),
    V.SCHEDULE: (R.PERMITTED_FOR_LATER,),
    V.BACKFILL: (R.PERMITTED_FOR_EARLIER,),
    V.RESTATE: (R.SAME_TERMS,),
    V.RETRACT: (R.PERMITTED_WITHDRAWAL, R.REJECTED_IN_REVIEW),
    V.HOLD_UNVERIFIED: (
        *(R.UNTRUSTED_SOURCE, R.PROPOSED_BY_MODEL, R.NOT_PERMITTED, R.HEDGED, R.NEEDS_SECOND_WORD),
        *(R.NOT_VALIDATED, R.BORNE_OUT_BELOW),
        *(R.AMBIGUOUS_ENTITY, R.NOT_AMONG_VALUES, R.NOT_A_REFERENCE, R.CONTRADICTS_HISTORY, R.WEAKER_SOURCE),
    ),
    V.DISPUTE: (R.WEAKER_SOURCE,),
    V.IGNORE_STALE: (
        *(R.OLDER_THAN_GOVERNING, R.OLDER_THAN_LAST_ENDING, R.NAMED_FACT_NOT_IN_FORCE, R.REVIEWED_ALREADY),
    ),
    V.IGNORE_OBSERVATION: (R.OBSERVATION_OF_STATE,),
    V.DISCARD: (
        *(R.UNKNOWN_ATTRIBUTE, R.SAYS_NOTHING, R.SYSTEM_OF_RECORD, R.SOURCE_NOT_ALLOWED, R.SWITCHED_OFF),
        *(R.SCOPE_NOT_ALLOWED, R.HOLDS_SECRET, R.PROHIBITED_CONTENT, R.NOT_GROUNDED),
        *(R.WITHDRAWAL_WITHOUT_VALUE, R.OVER_BEFORE_IT_BEGINS, R.NOTHING_TO_WITHDRAW, R.OWN_WORDS),
    ),
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
at yours, which every process reads when it starts, or [give it to one tenant](policy-changes.md) while everything runs.
What is not granted is refused.
"""

_ROLES = """## Roles

A key or a token names roles. `may` has the verbs, and *reaches* the scopes in which they may be done: every dimension
of a scope must be among these, with any value, with the caller's own subject (*own*), or with one that is listed.
What holds for the whole tenant has the scope `{}`, and takes *the tenant*. Of which attributes a word of a role
counts is said by the classes below; any other word is kept as a claim. An agent writes and confirms nothing, whatever
its roles.
"""

_SYSTEMS = """## Systems

A key for a system that is declared here, by its subject, needs no role: it may do what stands here. What such a
system reports is a verified outcome; for the attributes that it is the *system of record* for, an authoritative
source.
"""

_CLASSES = """## Memory classes

What may be remembered: a contract for each class of memory. A memory's scope names one of the *levels*, and `tenant`
is the empty scope. A *restriction* is `required`, and comes first, whenever the thing that it is about is in play,
and on every recall in its scope where it is about that scope; an *instruction* is `required` on every recall in its
scope. With the rule `dispute`, what a permitted but weaker kind of source says against a fact waits for a person; with
`supersede` it takes its place. A class that lacks an owner, a line of its design record or a retention is refused.

An attribute with *many* values keeps several side by side; of any other, what is said later takes the place of what
was said before.
"""

_RANKING = """## Ranking

What `ranking` and `relevance_floor` of the policy hold, with the values that count where it says nothing;
[how recall decides](recall.md) tells what they do.
"""

_MISMATCHES = """`mismatches_to_review` is {number}: on so many occasions have live observations to contradict a fact
before [a reviewer is asked](reviewing.md#doubted-facts). Where the policy says nothing it is 3.
"""

_INTENTIONS = """## Intentions

Events may be waited for by these fields of their data (`cue_fields`): {fields}. What is made of a promise, or of a wish
to be reminded, that somebody puts into words (`intentions.captured`), by their authority; [promises](promises.md) tells
how they are read. What a tool, a page or a ticket says has no line here, and can have none.
"""

_ERASURE = """## Erasure

How many people have to confirm a plan beside whoever asks, by what it names (`erasure.confirmers`): {confirmers}; none
where nothing is said. A person {own} have erased all that is about them (`own`), and a plan that nobody confirms lapses
after {days} days (`plan_kept`). [Erasure](erasure.md) tells the rest.
"""

_VERDICTS = """## Verdicts

Every candidate passes five gates, of utility, authority, scope, sensitivity and verifiability, and what is left is
decided by what is there. `reason` says why a candidate came to its `verdict`, and the *disposition* what that comes
to: nothing is kept (`discard`), a claim is kept apart until somebody settles it or it lapses (`quarantine`), or memory
has changed (`persist`). `keepwell why` tells it for an event.
"""

_CONFIRMATIONS = """## Confirmations

While Temporal or a worker is away, a confirmation is `pending` (`not_decided_yet`). A refused one is kept as a claim.
"""


_MADE_OF = {
    Captured.PROPOSE: "proposed (`propose`)",
    Captured.SET: "set at once (`set`)",
    Captured.IGNORE: "left alone (`ignore`)",
}


def reference(policy: Policy) -> str:
    """The page for a policy."""
    parts = [
        _HEAD,
        f"## Dimensions\n\nA scope may have: {_codes(sorted(policy.dimensions))}.\n",
        _ROLES,
        _table(("role", "may", "reaches"), _grants(policy.roles)),
        _SYSTEMS,
        _table(("system", "may", "reaches"), _grants(policy.systems)),
        _CLASSES,
        *(_class(name, each) for name, each in policy.classes.items()),
        _RANKING,
        _table(
            ("section", "field", "value"),
            [
                (f"`{section}`", f"`{field}`", f"{value:g}")
                for section in ("ranking", "relevance_floor")
                for field, value in getattr(policy, section).model_dump().items()
            ],
        ),
        _MISMATCHES.format(number=policy.mismatches_to_review),
        _INTENTIONS.format(fields=_codes(sorted(policy.cue_fields))),
        _table(
            ("authority", "a promise is"),
            [(f"`{name}`", _MADE_OF[made]) for name, made in policy.intentions.captured.model_dump().items()],
        ),
        _ERASURE.format(
            confirmers=", ".join(
                f"`{kind}` {number}" for kind, number in sorted(policy.erasure.confirmers.items())
            )
            or "nobody ever",
            own="may" if policy.erasure.own else "may not by themselves",
            days=policy.erasure.plan_kept.days,
        ),
        _VERDICTS,
        _table(("disposition", "verdict", "reason", "means"), _verdicts()),
        _CONFIRMATIONS,
        _table(("state", "reason", "means"), _confirmations()),
    ]
    return "\n".join(parts)


def _class(name: str, contract: MemoryClass) -> str:
    design = contract.design
    record = (
        ("why it exists", design.why),
        ("which decision it changes", design.decision),
        ("what ends it", design.ends),
        ("how it is deleted", design.deletion),
        ("owner", contract.owner),
        *_rules(contract),
    )
    return "\n".join(
        (
            f"### `{name}`, version {contract.version}\n",
            _table(("", ""), record),
            _table(("attribute", "type", "values", "write", "confirm", "also called"), _attributes(contract)),
        )
    )


def _rules(contract: MemoryClass) -> Iterator[tuple[str, ...]]:
    yield "levels", _codes(sorted(contract.levels))
    yield "sources", _codes(source for source in get_args(Source) if source in contract.sources)
    yield "readers", "any" if contract.readers == "any" else _codes(sorted(contract.readers))
    yield "kept as", contract.representation
    yield "sensitivity", contract.sensitivity.value
    if contract.personal is not None:
        basis = contract.personal.lawful_basis.value.replace("_", " ")
        yield "held", f"{contract.personal.purpose} ({basis})"
    yield "governs when", contract.confidence.value
    yield "conflict", f"`{contract.conflict.value}`"
    settling = ", ".join(f"`{rule.value}`" for rule in contract.precedence)
    yield (
        "where two that apply disagree",
        f"the first that tells: {settling}" if settling else "it stays open",
    )
    yield "review", "by somebody else" if contract.review.four_eyes else "by whoever may write it"
    yield (
        "kept for",
        "as long as nothing ends it" if contract.retention.keep is None else _days(contract.retention.keep),
    )
    yield "claims kept for", _days(contract.retention.held)
    if contract.widen is not None:
        over, widen = _codes(sorted(contract.widen.over)), contract.widen
        yield (
            "proposed for wider scopes",
            f"over {over}: said in {widen.activities} activities, in {widen.scopes} scopes",
        )
    yield (
        "the person whom it is about may",
        ", ".join(each.value for each in Control if each in contract.controls),
    )
    yield (
        "refuses",
        ", ".join(each.value.replace("_", " ") for each in Prohibited if each in contract.prohibited),
    )
    yield "recalled as", contract.recall.value
    yield "where nothing governs", _fallback(contract)


def _fallback(contract: MemoryClass) -> str:
    if isinstance(contract.fallback, SystemOfRecord):
        return f"ask `{contract.fallback.system_of_record}`; nothing is kept here"
    return contract.fallback


def _days(time: timedelta) -> str:
    return f"{time.days} days"


def _attributes(contract: MemoryClass) -> Iterator[tuple[str, ...]]:
    for name, attribute in contract.attributes.items():
        yield (
            f"`{name}`",
            _type(attribute),
            attribute.cardinality.value,
            _speakers(attribute.write, attribute.authoritative),
            _codes(sorted(attribute.confirm)),
            _codes(sorted(attribute.synonyms)),
        )


def _type(attribute: Attribute) -> str:
    if attribute.values:
        return f"one of {_codes(attribute.values)}"
    return attribute.type.value if attribute.of is None else f"list of {attribute.of.value}"


def _speakers(write: Iterable[str], authoritative: Iterable[str]) -> str:
    of_record = [f"`{name}` (system of record)" for name in sorted(authoritative)]
    return ", ".join([*(f"`{name}`" for name in sorted(set(write) - set(authoritative))), *of_record])


def _grants(declared: Mapping[str, Grant]) -> Iterator[tuple[str, ...]]:
    for name, grant in declared.items():
        reached = [f"`{dimension}`{_values(values)}" for dimension, values in grant.scopes.items()]
        yield (
            f"`{name}`",
            ", ".join(verb.value for verb in Verb if verb in grant.may),
            ", ".join(["the tenant", *reached] if grant.tenant_wide else reached),
        )


def _values(values: ScopeValues) -> str:
    match values:
        case "any":
            return ""
        case "self":
            return " (own)"
        case listed:
            return f" ({_codes(sorted(listed))})"


def _verdicts() -> Iterator[tuple[str, ...]]:
    for verdict, reasons in VERDICTS.items():
        for reason in reasons:
            yield verdict.disposition.value, f"`{verdict.value}`", f"`{reason.value}`", reason.meaning


def _confirmations() -> Iterator[tuple[str, ...]]:
    for state, reasons in CONFIRMATIONS.items():
        for reason, means in reasons.items():
            yield f"`{state.value}`", f"`{reason}`", means


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(reference(load_policy(SHIPPED_POLICY)))
