"""The tables as SQLAlchemy sees them, one noun a file. The migrations are what makes them.

A test holds both against each other. Every table leads with the tenant, in its key and in its policy.
"""

from store.tables.activities import activities
from store.tables.api_keys import api_keys
from store.tables.applied import applied
from store.tables.base import metadata
from store.tables.candidates import candidates, decisions, settlements
from store.tables.endpoints import endpoints
from store.tables.entities import aliases, entities
from store.tables.episodes import episode_entities, episodes, passages
from store.tables.erasures import (
    departures,
    erased_keys,
    erasure_confirmations,
    erasure_log,
    erasure_nodes,
    erasures,
    legal_holds,
    tombstones,
)
from store.tables.events import events
from store.tables.evidence import evidence, lineage, transitions
from store.tables.extractions import extractions, model_spending
from store.tables.facts import fact_keys, facts
from store.tables.gates import confirmations, gates
from store.tables.intentions import cues, intentions, occurrences, stimuli, timers, watches
from store.tables.mismatches import mismatches
from store.tables.outbox import outbox
from store.tables.policies import policies
from store.tables.procedures import (
    experiences,
    procedure_runs,
    procedure_versions,
    procedures,
    proposal_decisions,
    proposals,
)
from store.tables.reports import exposures, record_uses, reports
from store.tables.search import disclosures, postings, search_cells
from store.tables.switches import switched_attributes, switches
from store.tables.tenants import tenants
from store.tables.traces import traces
from store.tables.vectors import vector_spaces, vectors

__all__ = [
    "activities",
    "aliases",
    "api_keys",
    "applied",
    "candidates",
    "confirmations",
    "cues",
    "decisions",
    "departures",
    "disclosures",
    "endpoints",
    "entities",
    "episode_entities",
    "episodes",
    "erased_keys",
    "erasure_confirmations",
    "erasure_log",
    "erasure_nodes",
    "erasures",
    "events",
    "evidence",
    "experiences",
    "exposures",
    "extractions",
    "fact_keys",
    "facts",
    "gates",
    "intentions",
    "legal_holds",
    "lineage",
    "metadata",
    "mismatches",
    "model_spending",
    "occurrences",
    "outbox",
    "passages",
    "policies",
    "postings",
    "procedure_runs",
    "procedure_versions",
    "procedures",
    "proposal_decisions",
    "proposals",
    "record_uses",
    "reports",
    "search_cells",
    "settlements",
    "stimuli",
    "switched_attributes",
    "switches",
    "tenants",
    "timers",
    "tombstones",
    "traces",
    "transitions",
    "vector_spaces",
    "vectors",
    "watches",
]
