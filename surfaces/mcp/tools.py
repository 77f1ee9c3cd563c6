"""The tools that models are offered. Each reads its arguments, calls one verb of the service and tells the outcome."""

from mcp_types import ToolAnnotations

from models.context import ContextRequest
from models.errors import InvalidInput
from models.principals import Principal
from models.recall import RecallRequest
from models.statements import Statement
from runtime.service import Service
from surfaces.http import telling as wire
from surfaces.http.answers import (
    ContextTold,
    ExplanationTold,
    HistoryTold,
    Recalled,
    StatementOutcome,
)
from surfaces.mcp import telling, words
from surfaces.mcp.arguments import ForgetArguments, HistoryArguments, WhyArguments
from surfaces.mcp.intention_tools import INTENTION_TOOLS
from surfaces.mcp.procedure_tools import PROCEDURE_TOOLS
from surfaces.mcp.tool import READS, Told, Tool


async def _recall(service: Service, who: Principal, asked: RecallRequest) -> Told:
    found = await service.recall(who, asked)
    return Told(telling.recalled(found), Recalled.model_validate(found))


async def _context(service: Service, who: Principal, asked: ContextRequest) -> Told:
    answer = ContextTold.model_validate(await service.context(who, asked))
    return Told(telling.composed(answer), answer)


async def _remember(service: Service, who: Principal, stated: Statement) -> Told:
    outcome = wire.statement(await service.remember(who, stated))
    return Told(telling.remembered(outcome), outcome)


async def _forget(service: Service, who: Principal, asked: ForgetArguments) -> Told:
    outcome = wire.statement(await service.retract(who, asked.memory_id, asked.withdrawal))
    return Told(telling.forgotten(outcome), outcome)


async def _why(service: Service, who: Principal, asked: WhyArguments) -> Told:
    answer = ExplanationTold.model_validate(await service.explain(who, asked.memory_id, asked))
    return Told(telling.explained(answer), answer)


async def _history(service: Service, who: Principal, asked: HistoryArguments) -> Told:
    if asked.memory_id is not None:
        lives = await service.history_of_fact(who, asked.memory_id, asked.as_of)
    else:
        assert asked.scope is not None
        assert asked.entity is not None
        lives = await service.history_of_entity(who, asked.scope, asked.entity, asked.as_of)
    answer = wire.history(lives)
    return Told(telling.history(answer), answer)


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            name="recall",
            title="Recall what applies",
            description=words.RECALL,
            fields=words.RECALL_FIELDS,
            takes=RecallRequest,
            gives=Recalled,
            annotations=READS,
            run=_recall,
        ),
        Tool(
            name="context",
            title="The context of a step",
            description=words.CONTEXT,
            fields=words.CONTEXT_FIELDS,
            takes=ContextRequest,
            gives=ContextTold,
            annotations=READS,
            run=_context,
        ),
        Tool(
            name="remember",
            title="Propose a fact",
            description=words.REMEMBER,
            fields=words.REMEMBER_FIELDS,
            takes=Statement,
            gives=StatementOutcome,
            annotations=ToolAnnotations(
                read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
            ),
            run=_remember,
        ),
        Tool(
            name="forget",
            title="Propose that a fact be taken back",
            description=words.FORGET,
            fields=words.FORGET_FIELDS,
            takes=ForgetArguments,
            gives=StatementOutcome,
            annotations=ToolAnnotations(
                read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
            ),
            run=_forget,
        ),
        Tool(
            name="why",
            title="Why, and why not",
            description=words.WHY,
            fields=words.WHY_FIELDS,
            takes=WhyArguments,
            gives=ExplanationTold,
            annotations=READS,
            run=_why,
        ),
        Tool(
            name="history",
            title="The lives of facts",
            description=words.HISTORY,
            fields=words.HISTORY_FIELDS,
            takes=HistoryArguments,
            gives=HistoryTold,
            annotations=READS,
            run=_history,
        ),
        *INTENTION_TOOLS,
        *PROCEDURE_TOOLS,
    )
}


def tool_named(name: str) -> Tool:
    """The tool of this name; raises `InvalidInput` where there is none."""
    found = TOOLS.get(name)
    if found is None:
        raise InvalidInput(f"no such tool; there are {', '.join(TOOLS)}", field="name")
    return found
