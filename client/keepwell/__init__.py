"""Keepwell, a durable memory for AI agents: its client.

`Keepwell` is the client for programs with an event loop, `KeepwellSync` the one for all others; `Keepwell.activity`
wraps an agent's loop. The shapes that
they take and give are in `keepwell.types`, the errors in `keepwell.errors`.
"""

from keepwell.activity import Activity
from keepwell.buffer import BufferLimits, EventBuffer, Flushed
from keepwell.client import Keepwell
from keepwell.errors import (
    ApiError,
    BufferFull,
    ClientClosed,
    ConfigurationInvalid,
    Conflict,
    ConnectionLost,
    InvalidInput,
    KeepwellError,
    NotDurableYet,
    NotFound,
    NotPermitted,
    ServerFault,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)
from keepwell.recollection import Recollection
from keepwell.retrieval import RetrievalPolicy, Trigger
from keepwell.retry import Retry
from keepwell.sync import KeepwellSync, SyncDue, SyncTicket
from keepwell.ticket import Ticket
from keepwell.types import (
    Acceptance,
    Acknowledgement,
    AllOf,
    AnyOf,
    Condition,
    ContextRequest,
    ContextTold,
    Correction,
    EntityMention,
    LiveObservation,
    MemoryQuery,
    NewApiKey,
    NewEvent,
    News,
    NotThis,
    Promotion,
    Recalled,
    RecallRequest,
    ReviewQuery,
    Statement,
    StatementOutcome,
    Terms,
    Withdrawal,
)
from keepwell.version import __version__

__all__ = [
    "Acceptance",
    "Acknowledgement",
    "Activity",
    "AllOf",
    "AnyOf",
    "ApiError",
    "BufferFull",
    "BufferLimits",
    "ClientClosed",
    "Condition",
    "ConfigurationInvalid",
    "Conflict",
    "ConnectionLost",
    "ContextRequest",
    "ContextTold",
    "Correction",
    "EntityMention",
    "EventBuffer",
    "Flushed",
    "InvalidInput",
    "Keepwell",
    "KeepwellError",
    "KeepwellSync",
    "LiveObservation",
    "MemoryQuery",
    "NewApiKey",
    "NewEvent",
    "News",
    "NotDurableYet",
    "NotFound",
    "NotPermitted",
    "NotThis",
    "Promotion",
    "RecallRequest",
    "Recalled",
    "Recollection",
    "RetrievalPolicy",
    "Retry",
    "ReviewQuery",
    "ServerFault",
    "Statement",
    "StatementOutcome",
    "SyncDue",
    "SyncTicket",
    "Terms",
    "Ticket",
    "TooLarge",
    "TooManyRequests",
    "Trigger",
    "Unauthenticated",
    "Unavailable",
    "Withdrawal",
    "__version__",
]
