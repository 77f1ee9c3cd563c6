"""What the API answers with: the shapes on the wire. Names are stable; internal records are told in them.

Instants are UTC with an offset, ids are UUIDs, authorities go by name.
"""

from surfaces.http.answers.base import Answer, AuthorityName
from surfaces.http.answers.context import ContextTold, SectionTold
from surfaces.http.answers.controls import Switches, SwitchTold
from surfaces.http.answers.endpoints import EndpointList, EndpointMade, EndpointTold
from surfaces.http.answers.events import Acknowledgement, Acknowledgements, DecisionMade, EventVerdictTold
from surfaces.http.answers.health import Health, Lack, Readiness
from surfaces.http.answers.intentions import (
    DueTold,
    InboxTaken,
    IntentionChanged,
    IntentionPage,
    IntentionPreview,
    IntentionRead,
    IntentionTold,
    OccurrenceTold,
)
from surfaces.http.answers.keys import KeyMade, Keys, KeyTold, PrincipalTold
from surfaces.http.answers.memories import (
    ChangeTold,
    ClaimedTold,
    EntityTold,
    EpisodeTold,
    FactTold,
    HistoryTold,
    LifeTold,
    LineageEdge,
    LineageNode,
    LineageTold,
    Memory,
    MemoryPage,
)
from surfaces.http.answers.news import IntentionNews, TransitionNews, VerdictNews
from surfaces.http.answers.policy import (
    GrantLostTold,
    PolicyApplied,
    PolicyChangeTold,
    PolicyEffect,
    PolicyLog,
    PolicyTold,
)
from surfaces.http.answers.problem import Problem
from surfaces.http.answers.recall import (
    ConflictTold,
    ExplanationTold,
    ObservedTold,
    Recalled,
    RecalledFactTold,
    RecalledPassageTold,
    SessionEventTold,
    TermsTold,
    UnmetTold,
)
from surfaces.http.answers.reviews import HeardTold, MismatchesTold, ReviewPage, ReviewTold, UnnamedTold
from surfaces.http.answers.statements import ConfirmationTold, StatementOutcome
from surfaces.http.answers.traces import (
    AskedTold,
    DecisionTold,
    EntryTold,
    ReportTold,
    TraceHeadTold,
    TracePage,
    TraceTold,
)

__all__ = [
    "Acknowledgement",
    "Acknowledgements",
    "Answer",
    "AskedTold",
    "AuthorityName",
    "ChangeTold",
    "ClaimedTold",
    "ConfirmationTold",
    "ConflictTold",
    "ContextTold",
    "DecisionMade",
    "DecisionTold",
    "DueTold",
    "EndpointList",
    "EndpointMade",
    "EndpointTold",
    "EntityTold",
    "EntryTold",
    "EpisodeTold",
    "EventVerdictTold",
    "ExplanationTold",
    "FactTold",
    "GrantLostTold",
    "Health",
    "HeardTold",
    "HistoryTold",
    "InboxTaken",
    "IntentionChanged",
    "IntentionNews",
    "IntentionPage",
    "IntentionPreview",
    "IntentionRead",
    "IntentionTold",
    "KeyMade",
    "KeyTold",
    "Keys",
    "Lack",
    "LifeTold",
    "LineageEdge",
    "LineageNode",
    "LineageTold",
    "Memory",
    "MemoryPage",
    "MismatchesTold",
    "ObservedTold",
    "OccurrenceTold",
    "PolicyApplied",
    "PolicyChangeTold",
    "PolicyEffect",
    "PolicyLog",
    "PolicyTold",
    "PrincipalTold",
    "Problem",
    "Readiness",
    "Recalled",
    "RecalledFactTold",
    "RecalledPassageTold",
    "ReportTold",
    "ReviewPage",
    "ReviewTold",
    "SectionTold",
    "SessionEventTold",
    "StatementOutcome",
    "SwitchTold",
    "Switches",
    "TermsTold",
    "TraceHeadTold",
    "TracePage",
    "TraceTold",
    "TransitionNews",
    "UnmetTold",
    "UnnamedTold",
    "VerdictNews",
]
