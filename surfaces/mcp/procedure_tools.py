"""The tool of procedures: a model reads what people have approved, and changes nothing of it."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict

from models.fence import fenced
from models.principals import Principal
from models.procedure_choice import recalled
from models.rendering import PROCEDURE, procedure_records
from recall.procedures import ProcedureRead
from runtime.service import Service
from surfaces.http import playing as wire
from surfaces.http.answers import ProcedureTold
from surfaces.mcp import words
from surfaces.mcp.tool import READS, Told, Tool


class ProcedureArguments(BaseModel):
    """Which procedure to read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    procedure_id: UUID


async def _procedure(service: Service, who: Principal, asked: ProcedureArguments) -> Told:
    found = await service.playbooks.one(who, asked.procedure_id)
    return Told(_told(found), wire.procedure(found.listed))


def _told(found: ProcedureRead) -> str:
    current = found.listed.current
    if current is None:
        return (
            "No version of this procedure is in force. Do not go by an earlier one: ask a person what holds."
        )
    return fenced(procedure_records(recalled(found.procedure, current)), [PROCEDURE])


PROCEDURE_TOOLS = (
    Tool(
        name="procedure",
        title="Read a procedure",
        description=words.PROCEDURE_TOOL,
        fields=words.PROCEDURE_FIELDS,
        takes=ProcedureArguments,
        gives=ProcedureTold,
        annotations=READS,
        run=_procedure,
    ),
)
