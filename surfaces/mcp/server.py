"""The MCP server: requests of the protocol to tools and resources. Who is calling stands in the very request."""

import time
from importlib.metadata import version
from typing import Any, cast

from mcp.server import Server, ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    TextResourceContents,
)
from starlette.requests import Request

from models.principals import Principal
from runtime.service import Service
from surfaces.mcp import failures, resources
from surfaces.mcp.tools import TOOLS, tool_named
from surfaces.mcp.words import INSTRUCTIONS

Context = ServerRequestContext[Any, Request]


class MemoryServer:
    """Answers for one service. It keeps nothing between requests."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tools = [tool.offered() for tool in TOOLS.values()]

    def protocol(self) -> Server[Any]:
        """The server that speaks the protocol. It offers what is here, and no prompts or subscriptions."""
        return Server(
            "keepwell",
            version=version("keepwell-server"),
            title="Keepwell",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
        )

    async def _list_tools(self, _: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=self._tools)

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        request_id = _request_id(context)
        began = time.monotonic()
        outcome = "ok"
        try:
            tool = tool_named(params.name)
            text, answer = await tool.call(self._service, _caller(context), params.arguments or {})
            return CallToolResult(
                content=[TextContent(type="text", text=text)],
                structured_content=answer.model_dump(mode="json"),
            )
        except Exception as fault:  # noqa: BLE001 - whatever fails, the model gets a code and the log its type
            error = failures.told(fault, request_id)
            outcome = error.code
            return failures.tool_error(error)
        finally:
            failures.log.info(
                "tool",
                tool=params.name if params.name in TOOLS else None,
                outcome=outcome,
                milliseconds=round((time.monotonic() - began) * 1_000, 1),
                request_id=request_id,
            )

    async def _list_resources(self, _: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(resources=[])

    async def _list_templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def _read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        try:
            text = await resources.read(self._service, _caller(context), params.uri)
        except Exception as fault:  # noqa: BLE001 - as for a tool
            raise failures.protocol_error(failures.told(fault, _request_id(context))) from None
        contents = TextResourceContents(uri=params.uri, mime_type=resources.MIME_TYPE, text=text)
        return ReadResourceResult(contents=[contents])


def _caller(context: Context) -> Principal:
    """The principal that the endpoint put into this very HTTP request: a model, whoever owns the connection."""
    assert context.request is not None
    return cast("Principal", context.request.state.principal)


def _request_id(context: Context) -> str:
    assert context.request is not None
    return cast("str", context.request.state.request_id)
