"""A tool as it is offered to models: what it takes and gives, and how a call of it is read."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import mcp_types
from mcp_types import ToolAnnotations
from pydantic import BaseModel

from models.errors import InvalidInput
from models.principals import Principal
from runtime.service import Service
from surfaces.http.answers import Answer
from surfaces.http.bodies import validated
from surfaces.mcp.arguments import schema_of

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class Told(NamedTuple):
    """An answer in words and in a structure."""

    text: str
    answer: Answer


class Tool(NamedTuple):
    """One tool: how it is offered, what it takes and gives, and what it does."""

    name: str
    title: str
    description: str
    fields: Mapping[str, str]
    takes: type[BaseModel]
    gives: type[Answer]
    annotations: ToolAnnotations
    run: Callable[[Service, Principal, Any], Awaitable[Told]]

    def offered(self) -> mcp_types.Tool:
        """The tool as a client lists it."""
        return mcp_types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_of(self.takes, self.fields),
            output_schema=self.gives.model_json_schema(mode="serialization"),
            annotations=self.annotations,
        )

    async def call(self, service: Service, who: Principal, arguments: Mapping[str, Any]) -> Told:
        """Run it; raises `InvalidInput` naming the argument, and what the service raises."""
        if not arguments.keys() <= self.fields.keys():
            known = ", ".join(self.fields)
            raise InvalidInput(f"unknown argument; {self.name} takes {known}", field="arguments")
        # Models write null for what they leave out.
        given = {name: value for name, value in arguments.items() if value is not None}
        return await self.run(service, who, validated(given, self.takes))
