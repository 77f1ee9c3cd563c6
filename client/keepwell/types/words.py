"""The sets of words on the wire.

What a caller says is one of the words of a set. What the service says may be a word that this client does not
know yet: those sets are open, and a program that tells their words apart keeps a branch for any other.
"""

from typing import Annotated, Literal

from keepwell.types.wire import Open

EventType = Literal[
    "activity_started",
    "activity_completed",
    "activity_failed",
    "instruction",
    "message",
    "feedback",
    "correction",
    "tool_call",
    "tool_result",
    "observation",
    "verification_passed",
    "verification_failed",
    "milestone",
    "note",
]
"""The kinds of event. What fits none of them is a `note`."""

PrincipalKind = Literal["human", "agent", "system"]
"""What sort of actor it is; a model's tool call is always an agent's."""

SwitchState = Literal["off", "on"]
"""Whether memories of a class are held about a person."""

Verb = Literal[
    "publish",
    "recall",
    "read",
    "remember",
    "correct",
    "retract",
    "confirm",
    "review",
    "propose",
    "intend",
    "assign",
    "erase",
    "hold",
    "administer",
]
"""One thing that a caller may do, where a role of the policy allows it."""

FilterField = Literal[
    "kind",
    "status",
    "attribute",
    "entity",
    "authority",
    "standing",
    "execution_status",
    "goal_outcome",
    "valid_from",
    "recorded_at",
]
"""What a condition may be about. A memory that has no such field does not meet the condition."""

Operator = Literal["eq", "ne", "in", "lt", "lte", "gt", "gte"]
"""How a field is compared. Instants know the four of order; all others `eq`, `ne` and `in`."""

EventTypeTold = Annotated[EventType | str, Open]
PrincipalKindTold = Annotated[PrincipalKind | str, Open]
SwitchStateTold = Annotated[SwitchState | str, Open]
VerbTold = Annotated[Verb | str, Open]

AuthorityName = Annotated[
    Literal["untrusted", "model_inferred", "human_instruction", "verified_outcome", "authoritative_source"]
    | str,
    Open,
]
"""What kind of source spoke, weakest first."""

Standing = Annotated[Literal["inferred", "observed", "confirmed"] | str, Open]
"""How well supported a record is."""

Status = Annotated[
    Literal[
        "retracted", "quarantined", "disputed", "not_yet_valid", "expired", "retired", "superseded", "active"
    ]
    | str,
    Open,
]
"""Where a record is in its life at an instant."""

Ending = Annotated[Literal["superseded", "retired", "retracted"] | str, Open]
"""What ended a fact, other than its own `expires_at`."""

ExecutionStatus = Annotated[Literal["completed", "failed", "unresolved"] | str, Open]
"""Whether the work was carried through; says nothing about whether it helped."""

GoalOutcome = Annotated[Literal["achieved", "not_achieved", "unknown"] | str, Open]
"""Whether the aim was reached: a restart can succeed while the outage goes on."""

Reason = Annotated[
    Literal[
        "restriction_on_entity_in_play",
        "restriction_on_scope",
        "about_entity_in_play",
        "about_scope",
        "standing_instruction",
        "keywords",
        "likeness",
        "next_to_found_passage",
        "evidence_of_selected_fact",
        "conflict_partner",
    ]
    | str,
    Open,
]
"""Why an item is in the answer."""

Advice = Annotated[Literal["defer", "narrow", "abstain", "use"] | str, Open]
"""What the caller should do with the answer."""

Fallback = Annotated[Literal["abstain", "ask", "system_of_record"] | str, Open]
"""What to do where nothing governs what a decision needs."""

Precedence = Annotated[Literal["narrower_scope", "stronger_source", "later_start"] | str, Open]
"""What settles a disagreement between memories that apply to one request."""

Trigger = Literal[
    "first_decision",
    "new_entity",
    "returning_entity",
    "new_error",
    "failed_strategy",
    "user_correction",
    "known_task_class",
    "stale",
    "explicit_need",
    "intention_due",
]
"""What can call for a recall; `keepwell.retrieval` finds it out, and the service that something is due."""

Without = Annotated[Literal["likeness", "search", "reranking", "session", "claims"] | str, Open]
"""What an answer had to do without."""

TriggerTold = Annotated[Trigger | str, Open]
"""What called for a recall."""

SectionName = Annotated[
    Literal["task", "procedures", "facts", "episodes", "session", "intentions", "observations"] | str, Open
]
"""The sections of a context, in the order in which they stand in it."""

IntentionFate = Annotated[Literal["due", "delivered"] | str, Open]
"""Where an intention that is due is: not handed out, or handed out and not acknowledged."""

Verdict = Annotated[
    Literal[
        "establish",
        "hold_unverified",
        "ignore_stale",
        "restate",
        "ignore_observation",
        "supersede",
        "schedule",
        "backfill",
        "dispute",
        "retire",
        "retract",
        "discard",
    ]
    | str,
    Open,
]
"""The rule that was applied. `discard` keeps nothing but the verdict and its reason."""

Disposition = Annotated[Literal["discard", "quarantine", "persist"] | str, Open]
"""What a verdict comes to: nothing is kept, a claim is kept apart, or memory has changed."""

Gate = Annotated[Literal["utility", "authority", "scope", "sensitivity", "verifiability"] | str, Open]
"""The gates that every candidate passes, in order."""

Waiting = Annotated[Literal["held", "disputed", "unnamed", "doubted"] | str, Open]
"""Why something waits for a reviewer."""

Stage = Annotated[
    Literal["waiting_for_checkpoint", "waiting_for_consolidation", "waiting_for_decision", "settled"] | str,
    Open,
]
"""How far Keepwell has come with an event."""

ConfirmationState = Annotated[Literal["pending", "accepted", "refused"] | str, Open]
"""What became of a confirmation. A refused one is kept as a claim."""

GateState = Annotated[Literal["open", "closed"] | str, Open]
"""Whether somebody still waits for the condition."""

EffectKind = Annotated[
    Literal[
        "no_longer_declared",
        "declared_again",
        "known_by_another_name",
        "becomes_unreadable_for",
        "becomes_readable_for",
        "becomes_restriction",
        "no_longer_restriction",
        "becomes_instruction",
        "no_longer_instruction",
        "outlived",
        "lapses_sooner",
        "sensitivity_changed",
        "dimension_gone",
        "scope_no_longer_fits",
        "source_no_longer_heard",
        "writer_lost",
        "standing_too_low",
        "value_no_longer_reads",
        "compared_otherwise",
        "cardinality_changed",
        "conflict_changed",
        "prohibits_less",
        "now_prohibited",
        "nobody_confirms",
        "kept_elsewhere",
        "no_longer_about_anybody",
        "controls_lost",
        "no_longer_switched_off",
        "becomes_switched_off",
    ]
    | str,
    Open,
]
"""What a change of policy does to a memory."""

Step = Annotated[
    Literal["scope", "readers", "status", "candidate", "relevance", "conflict", "limit", "budget"] | str, Open
]
"""The steps of the read path, in order."""

Outcome = Literal["success", "failure", "unknown"]
"""How a run ended. `unknown` is said where nobody could tell, and is no failure."""

Arm = Literal["with_memory", "without_memory"]
"""Which of two runs of one task it was: the one that saw what was recalled, or the one that did not."""

RecordKind = Annotated[Literal["fact", "passage"] | str, Open]
"""What sort of record a recall found."""

Fate = Annotated[
    Literal["selected", "below_floor", "yielded", "beyond_limit", "over_budget", "repeats"] | str, Open
]
"""What became of a record that was found."""

DecisionName = Annotated[
    Literal["trigger", "scopes", "eligibility", "conflicts", "query", "rank", "partners", "budget"] | str,
    Open,
]
"""The decisions of a recall, in order."""

FunnelStage = Annotated[Literal["written", "eligible", "retrieved", "exposed", "used", "helped"] | str, Open]
"""How far a record has come, in order."""

Loss = Annotated[
    Literal[
        "not_in_force",
        "not_found",
        "below_floor",
        "yielded",
        "beyond_limit",
        "over_budget",
        "not_reported",
        "not_shown",
        "not_used",
        "not_paired",
        "no_rescue",
    ]
    | str,
    Open,
]
"""Why a record came no further."""

CueMatch = Literal["all", "any"]
"""Whether an event has to meet all conditions of a cue or one of them."""

Becomes = Literal["established", "superseded", "retired", "retracted", "expired", "disputed"]
"""What can become of a fact that an intention waits for."""

IntentionState = Literal["proposed", "pending", "fired", "cancelled", "expired"]
"""Where an intention is, without what became of its latest occurrence."""

ActionOutcome = Literal["done", "failed", "not_needed"]
"""What became of an action that was due."""

IntentionLife = Annotated[
    Literal[
        "proposed",
        "pending",
        "due",
        "delivered",
        "acknowledged",
        "cancelled",
        "missed",
        "expired",
        "dead_lettered",
    ]
    | str,
    Open,
]
"""The status of an intention as it is told."""

OccurrenceFate = Annotated[
    Literal["due", "delivered", "acknowledged", "cancelled", "missed", "expired", "dead_lettered"] | str, Open
]
"""What became of one occurrence."""

EndpointKind = Literal["webhook", "workflow"]
"""How an endpoint is reached."""

CircuitState = Annotated[Literal["closed", "open", "half_open"] | str, Open]
"""Whether an endpoint is sent to: always, not for now, or once to see."""

VersionStatus = Annotated[Literal["trial", "current", "deprecated", "suspended"] | str, Open]
"""Where a version of a procedure stands."""

Origin = Annotated[Literal["written", "reflected", "evidence_lost", "rollback"] | str, Open]
"""Where a proposal, and the version that it became, comes from."""

ChangeKind = Annotated[Literal["added", "removed", "changed", "moved"] | str, Open]
"""What happens to a part of a procedure."""

ProposalState = Literal[
    "open", "changes_asked", "conflicted", "on_trial", "approved", "rejected", "lapsed", "withdrawn"
]
"""Where a proposal is."""

ProposalStateTold = Annotated[ProposalState | str, Open]

Choice = Literal["approve", "try", "request_changes", "reject"]
"""What a reviewer decides."""

ChoiceTold = Annotated[Choice | str, Open]

DecisionState = Annotated[Literal["pending", "counted", "refused"] | str, Open]
"""Where a reviewer's decision is."""

DecisionResult = Annotated[
    Literal[
        "too_late",
        "stale",
        "not_permitted",
        "own_draft",
        "on_trial_already",
        "needs_an_edit",
        "in_force_already",
        "changes_asked",
        "rejected",
        "said_before",
        "another_reviewer",
        "tried",
        "approved",
    ]
    | str,
    Open,
]
"""What a reviewer's decision comes to."""

StepFate = Literal["done", "skipped", "failed"]
"""What became of a step in a run."""

ErasureBasis = Literal["request", "consent_withdrawn", "wrong", "retention", "security", "other"]
"""Why something is erased."""

ErasureBasisTold = Annotated[ErasureBasis | str, Open]

ErasureState = Annotated[
    Literal["planning", "planned", "held", "erasing", "verifying", "done", "withdrawn", "lapsed"] | str, Open
]
"""Where an erasure is."""

ErasureDisposition = Annotated[Literal["delete", "redact", "cut", "recompute", "quarantine"] | str, Open]
"""What becomes of a record that an erasure reaches."""

NodeKind = Annotated[
    Literal["trace", "procedure", "proposal", "intention", "fact", "event", "episode"] | str, Open
]
"""Sorts of records that an erasure reaches."""
