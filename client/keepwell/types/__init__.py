"""The shapes on the wire, under the names that the service gives them.

A shape that is made by hand, such as `NewEvent(…)`, is one of pydantic's: where it does not fit, it raises pydantic's
`ValidationError`, a ValueError that quotes no value. The calls of the client take the fields themselves, by name or
as a mapping, and raise `keepwell.InvalidInput`, of the one tree of errors.
"""

# So many shapes that one on each line would fill pages: they stand side by side.
# fmt: off
# isort: off
from keepwell.types.administration import (
    Health, KeyMade, Keys, KeyTold, Lack, NewApiKey, PrincipalTold, Readiness,
)
from keepwell.types.context import ContextRequest, ContextTold, SectionTold
from keepwell.types.controls import Switches, SwitchSetting, SwitchTold
from keepwell.types.endpoints import EndpointList, EndpointMade, EndpointNamed, EndpointTold, NewEndpoint
from keepwell.types.erasures import (
    ActivityTarget, ClassTarget, EntityTarget, ErasureList, ErasureTarget, ErasureTold, EventTarget, HoldList,
    HoldMade, HoldTold, LogChecked, LogFault, NewErasure, NewHold, PersonTarget, PlanConfirmation, PlannedTold,
    PlanTold, ReceiptTold, RecordTarget, ScopeTarget, TenantTarget, TombstoneTold,
)
from keepwell.types.events import (
    Acknowledgement, Acknowledgements, DecisionMade, EntityMention, EventBatch, EventVerdictTold,
    NewEvent,
)
from keepwell.types.export import (
    Export, ExportCounts, ExportedCandidate, ExportedChange, ExportedConfirmation, ExportedDecision,
    ExportedEntity, ExportedEpisode, ExportedEvent, ExportedEvidence, ExportedMemory, ExportedPassage,
    ExportedPolicyChange, ExportedRecall, ExportedSpeaker, ExportedSwitch, ExportHeader, Withheld,
)
from keepwell.types.intentions import (
    AcknowledgementGiven, Cancellation, Confirmation, Cue, CueCondition, DueTold, Every, HandOver,
    InboxTaken, IntentionChanged, IntentionPage, IntentionPreview, IntentionQuery, IntentionRead,
    IntentionTold, NewChange, NewIntention, OccurrenceTold, Owner, Rescheduling, Snooze, Take,
)
from keepwell.types.memories import (
    AllOf, AnyOf, ChangeTold, ClaimedTold, Condition, EntityTold, EpisodeTold, FactTold, Filter,
    HistoryRequest, HistoryTold, LifeTold, LineageEdge, LineageNode, LineageTold, Memory, MemoryPage,
    MemoryQuery, NotThis,
)
from keepwell.types.news import IntentionNews, News, ProposalNews, TransitionNews, VerdictNews, VersionNews
from keepwell.types.policy import (
    GrantLostTold, NewPolicy, PolicyApplied, PolicyChangeTold, PolicyEffect, PolicyLog, PolicyTold,
)
from keepwell.types.problem import Problem
from keepwell.types.procedures import (
    ApprovalTold, DecisionCounted, EpisodeRetractedTold, GroundTold, NewDecision, NewProposal, NewRun,
    ProcedureChangeTold, ProcedureContent, ProcedurePage, ProcedureQuery, ProcedureRead, ProcedureStep,
    ProcedureTold, ProposalChanged, ProposalPage, ProposalQuery, ProposalRead, ProposalTold,
    RecalledProcedureTold, ReflectionTold, Retreat, ReviewerDecisionTold, Revision, Rollback,
    RolledBackTold, RunKept, RunsTold, StepReport, StepTallyTold, TallyTold, Trial, TriggerIntent,
    VersionTold, Who,
)
from keepwell.types.recall import (
    Check, ConflictTold, DueIntentionTold, ExplanationTold, LiveObservation, ObservedTold, Recalled,
    RecalledFactTold, RecalledPassageTold, RecallRequest, SessionEventTold, TermsTold, UnmetTold,
)
from keepwell.types.reviews import (
    Acceptance, HeardTold, MismatchesTold, ReviewPage, ReviewQuery, ReviewTold, UnnamedTold,
)
from keepwell.types.statements import (
    ConfirmationTold, Correction, EvidenceGiven, Promotion, Statement, StatementOutcome, Terms,
    Withdrawal,
)
from keepwell.types.traces import (
    AskedTold, Attribution, AttributionQuery, DecisionTold, EntryTold, Funnel, LossCount, NewReport,
    PairedEffect, ReportTold, StageCount, TraceHeadTold, TracePage, TraceTold, TriggerUse,
)
from keepwell.types.wire import Answer, Request
from keepwell.types.words import (
    ActionOutcome, Advice, Arm, AuthorityName, Becomes, ChangeKind, Choice, CircuitState,
    ConfirmationState, CueMatch, DecisionName, DecisionResult, DecisionState, Disposition, EffectKind,
    Ending, EndpointKind, ErasureBasis, ErasureDisposition, ErasureState, EventType, ExecutionStatus,
    Fate, FilterField, FunnelStage, Gate, GateState, GoalOutcome, IntentionFate, IntentionLife,
    IntentionState, Loss, NodeKind, OccurrenceFate, Operator, Origin, Outcome, PrincipalKind,
    ProposalState, Reason, RecordKind, SectionName, Stage, Standing, Status, Step, StepFate, SwitchState,
    Verb, Verdict, VersionStatus, Waiting,
)

__all__ = [
    "Acceptance", "Acknowledgement", "AcknowledgementGiven", "Acknowledgements", "ActionOutcome",
    "ActivityTarget", "Advice", "AllOf", "Answer", "AnyOf", "ApprovalTold", "Arm", "AskedTold",
    "Attribution", "AttributionQuery", "AuthorityName", "Becomes", "Cancellation", "ChangeKind",
    "ChangeTold", "Check", "Choice", "CircuitState", "ClaimedTold", "ClassTarget", "Condition",
    "Confirmation", "ConfirmationState", "ConfirmationTold", "ConflictTold", "ContextRequest",
    "ContextTold", "Correction", "Cue", "CueCondition", "CueMatch", "DecisionCounted", "DecisionMade",
    "DecisionName", "DecisionResult", "DecisionState", "DecisionTold", "Disposition", "DueIntentionTold",
    "DueTold", "EffectKind", "Ending", "EndpointKind", "EndpointList", "EndpointMade", "EndpointNamed",
    "EndpointTold", "EntityMention", "EntityTarget", "EntityTold", "EntryTold", "EpisodeRetractedTold",
    "EpisodeTold", "ErasureBasis", "ErasureDisposition", "ErasureList", "ErasureState", "ErasureTarget",
    "ErasureTold", "EventBatch", "EventTarget", "EventType", "EventVerdictTold", "Every",
    "EvidenceGiven", "ExecutionStatus", "ExplanationTold", "Export", "ExportCounts", "ExportHeader",
    "ExportedCandidate", "ExportedChange", "ExportedConfirmation", "ExportedDecision", "ExportedEntity",
    "ExportedEpisode", "ExportedEvent", "ExportedEvidence", "ExportedMemory", "ExportedPassage",
    "ExportedPolicyChange", "ExportedRecall", "ExportedSpeaker", "ExportedSwitch", "FactTold", "Fate",
    "Filter", "FilterField", "Funnel", "FunnelStage", "Gate", "GateState", "GoalOutcome",
    "GrantLostTold", "GroundTold", "HandOver", "Health", "HeardTold", "HistoryRequest", "HistoryTold",
    "HoldList", "HoldMade", "HoldTold", "InboxTaken", "IntentionChanged", "IntentionFate",
    "IntentionLife", "IntentionNews", "IntentionPage", "IntentionPreview", "IntentionQuery",
    "IntentionRead", "IntentionState", "IntentionTold", "KeyMade", "KeyTold", "Keys", "Lack", "LifeTold",
    "LineageEdge", "LineageNode", "LineageTold", "LiveObservation", "LogChecked", "LogFault", "Loss",
    "LossCount", "Memory", "MemoryPage", "MemoryQuery", "MismatchesTold", "NewApiKey", "NewChange",
    "NewDecision", "NewEndpoint", "NewErasure", "NewEvent", "NewHold", "NewIntention", "NewPolicy",
    "NewProposal", "NewReport", "NewRun", "News", "NodeKind", "NotThis", "ObservedTold",
    "OccurrenceFate", "OccurrenceTold", "Operator", "Origin", "Outcome", "Owner", "PairedEffect",
    "PersonTarget", "PlanConfirmation", "PlanTold", "PlannedTold", "PolicyApplied", "PolicyChangeTold",
    "PolicyEffect", "PolicyLog", "PolicyTold", "PrincipalKind", "PrincipalTold", "Problem",
    "ProcedureChangeTold", "ProcedureContent", "ProcedurePage", "ProcedureQuery", "ProcedureRead",
    "ProcedureStep", "ProcedureTold", "Promotion", "ProposalChanged", "ProposalNews", "ProposalPage",
    "ProposalQuery", "ProposalRead", "ProposalState", "ProposalTold", "Readiness", "Reason",
    "RecallRequest", "Recalled", "RecalledFactTold", "RecalledPassageTold", "RecalledProcedureTold",
    "ReceiptTold", "RecordKind", "RecordTarget", "ReflectionTold", "ReportTold", "Request",
    "Rescheduling", "Retreat", "ReviewPage", "ReviewQuery", "ReviewTold", "ReviewerDecisionTold",
    "Revision", "Rollback", "RolledBackTold", "RunKept", "RunsTold", "ScopeTarget", "SectionName",
    "SectionTold", "SessionEventTold", "Snooze", "Stage", "StageCount", "Standing", "Statement",
    "StatementOutcome", "Status", "Step", "StepFate", "StepReport", "StepTallyTold", "SwitchSetting",
    "SwitchState", "SwitchTold", "Switches", "Take", "TallyTold", "TenantTarget", "Terms", "TermsTold",
    "TombstoneTold", "TraceHeadTold", "TracePage", "TraceTold", "TransitionNews", "Trial",
    "TriggerIntent", "TriggerUse", "UnmetTold", "UnnamedTold", "Verb", "Verdict", "VerdictNews",
    "VersionNews", "VersionStatus", "VersionTold", "Waiting", "Who", "Withdrawal", "Withheld",
]
