"""The OpenAPI document: what a route takes and which problems it may answer with.

Bodies are read by `surfaces.http.bodies`, so that their schemas are named here and put into the document.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.json_schema import models_json_schema

from models.api_keys import NewApiKey
from models.attribution import AttributionQuery
from models.context import ContextRequest
from models.controls import SwitchState
from models.endpoints import EndpointNamed, NewEndpoint
from models.erasure.erasures import NewErasure, PlanConfirmation
from models.erasure.holds import NewHold
from models.events import MAX_BATCH, NewEvent, scrub
from models.intention_changes import (
    AcknowledgementGiven,
    Cancellation,
    Confirmation,
    HandOver,
    Rescheduling,
    Snooze,
    Take,
)
from models.intentions import IntentionQuery, NewIntention
from models.memories import MemoryQuery
from models.policy_proposal import NewPolicy
from models.procedure_queries import ProcedureQuery, ProposalQuery
from models.procedure_runs import NewRun
from models.proposals import NewDecision, NewProposal, Retreat, Revision, Rollback
from models.recall import RecallRequest
from models.reports import NewReport
from models.reviews import Acceptance, ReviewQuery
from models.statements import Correction, EvidenceGiven, Promotion, Statement, Withdrawal
from surfaces.http.answers import (
    IntentionNews,
    Problem,
    ProposalNews,
    TransitionNews,
    VerdictNews,
    VersionNews,
)
from surfaces.http.instants import Instant
from surfaces.http.problems import MEDIA_TYPE

_SCHEMA = "#/components/schemas/{model}"


class EventBatch(BaseModel):
    """Events that are stored together or not at all."""

    model_config = ConfigDict(extra="forbid")

    events: list[NewEvent] = Field(min_length=1, max_length=MAX_BATCH)


class HistoryRequest(BaseModel):
    """Of which thing the facts are wanted, and where. `as_of` is the instant of the statuses, None for now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: dict[str, str]
    entity: str = Field(min_length=1, max_length=300, pattern=r"\S")
    as_of: Instant | None = None

    @field_validator("entity", mode="before")
    @classmethod
    def _can_be_looked_up(cls, value: object) -> object:
        return scrub(value)


class SwitchSetting(BaseModel):
    """How a person wants a class of memory."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: SwitchState


_BODIES: Sequence[type[BaseModel]] = (
    NewEvent,
    EventBatch,
    RecallRequest,
    ContextRequest,
    Statement,
    Correction,
    Withdrawal,
    Promotion,
    EvidenceGiven,
    MemoryQuery,
    HistoryRequest,
    ReviewQuery,
    Acceptance,
    NewApiKey,
    NewPolicy,
    SwitchSetting,
    NewReport,
    AttributionQuery,
    NewIntention,
    IntentionQuery,
    Cancellation,
    Confirmation,
    Rescheduling,
    HandOver,
    Take,
    AcknowledgementGiven,
    Snooze,
    NewEndpoint,
    EndpointNamed,
    NewProposal,
    ProposalQuery,
    Revision,
    Retreat,
    NewDecision,
    ProcedureQuery,
    Rollback,
    NewRun,
    NewErasure,
    PlanConfirmation,
    NewHold,
)
_TOLD_APART: Sequence[type[BaseModel]] = (
    Problem,
    VerdictNews,
    TransitionNews,
    IntentionNews,
    ProposalNews,
    VersionNews,
)
_PROBLEMS = {
    400: "The request cannot be read as HTTP.",
    401: "Nobody can tell who is calling.",
    403: "The caller's roles, or the credential, do not allow it.",
    404: "No such record in this tenant, or none within the caller's reach.",
    409: "The call contradicts what is stored.",
    413: "Larger than the limit.",
    415: "The body is not JSON.",
    422: "Malformed; `field` names what to change.",
    429: "Too many calls; wait for `Retry-After` seconds.",
    500: "A fault of Keepwell's own.",
    503: "A server that Keepwell needs does not answer; try again.",
}
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The caller's own name for this call; stands in for the field `idempotency_key`.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}


def takes(body: type[BaseModel], *parameters: dict[str, Any]) -> dict[str, Any]:
    """What a route says of its body, and of header parameters that it reads by itself."""
    schema = {"$ref": _SCHEMA.format(model=body.__name__)}
    extra: dict[str, Any] = {
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}
    }
    if parameters:
        extra["parameters"] = list(parameters)
    return extra


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What a route says of its problems: these, and those that every route may answer with."""
    content = {MEDIA_TYPE: {"schema": {"$ref": _SCHEMA.format(model=Problem.__name__)}}}
    every = sorted({401, 403, 413, 422, 429, 500, 503, *statuses})
    return {status: {"description": _PROBLEMS[status], "content": content} for status in every}


def document_of(app: FastAPI) -> dict[str, Any]:
    """The document of an application, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        _, bodies = models_json_schema(
            [(model, "validation") for model in _BODIES], by_alias=True, ref_template=_SCHEMA
        )
        _, told = models_json_schema(
            [(model, "serialization") for model in _TOLD_APART], by_alias=True, ref_template=_SCHEMA
        )
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(bodies["$defs"])
        schemas.update(told["$defs"])
        made["components"]["schemas"] = dict(sorted(schemas.items()))
        _tell_streams_as_text(made)
        app.openapi_schema = made
    return app.openapi_schema


def _tell_streams_as_text(document: dict[str, Any]) -> None:
    """The framework describes the events of a stream by `itemSchema`, which OpenAPI 3.1 does not know."""
    for operations in document["paths"].values():
        for operation in operations.values():
            for answer in operation["responses"].values():
                for content in answer.get("content", {}).values():
                    if content.pop("itemSchema", None) is not None:
                        content["schema"] = {"type": "string"}
