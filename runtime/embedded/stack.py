"""The embedded stack: Postgres and Temporal on one data directory, started and stopped as one.

One process at a time runs a stack on a directory. Whatever an earlier one left behind after a crash is
cleared first. Nothing survives the block: no process, no port, no file that names them.
"""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from runtime.embedded.account import ServerAccount, server_account
from runtime.embedded.errors import ChildExited, DataUnusable, StackError
from runtime.embedded.layout import DataLayout, layout_of
from runtime.embedded.lock import Holder, held_lock
from runtime.embedded.orphans import clear_leftovers, end_orphans
from runtime.embedded.ports import (
    EmbeddedPorts,
    StackPorts,
    choose_ports,
    remember_ports,
    remembered_ports,
)
from runtime.embedded.postgres import PostgresServer, running_postgres
from runtime.embedded.processes import free_port, port_is_free
from runtime.embedded.record import StackInfo, read_stack, write_record
from runtime.embedded.search_attributes import SearchAttributeType
from runtime.embedded.temporal import DynamicValue, TemporalServer, running_temporal

__all__ = ["EmbeddedPorts", "EmbeddedStack", "StackInfo", "read_stack"]

START_ATTEMPTS = 5


class EmbeddedStack:
    """Postgres with the database `keepwell`, and Temporal, for the length of an `async with` block.

    `search_attributes` maps a name to its Temporal type, `dynamic_config` a key of Temporal's dynamic
    configuration to its value. With `durable` false a power cut may destroy the data, which suits a
    throw-away stack alone; ending this process is harmless either way.

    Entering raises StackInUse, PortTaken, and the other classes of `runtime.embedded.errors`.
    """

    def __init__(
        self,
        data_dir: Path,
        ports: EmbeddedPorts | None = None,
        *,
        durable: bool = True,
        search_attributes: Mapping[str, SearchAttributeType] | None = None,
        dynamic_config: Mapping[str, DynamicValue] | None = None,
    ) -> None:
        self._layout = layout_of(data_dir)
        self._wanted_ports = ports or EmbeddedPorts()
        self._durable = durable
        self._search_attributes: dict[str, SearchAttributeType] = dict(search_attributes or {})
        self._dynamic_config = dict(dynamic_config or {})
        self._running: tuple[PostgresServer, TemporalServer, StackInfo] | None = None
        self._ports: StackPorts | None = None
        self._closing = AsyncExitStack()

    @property
    def data_dir(self) -> Path:
        """The data directory, absolute and without symbolic links; known before the start too."""
        return self._layout.root

    @property
    def info(self) -> StackInfo:
        """How to reach the stack; what `read_stack` gives to other processes."""
        return self._servers()[2]

    @property
    def admin_database_url(self) -> str:
        """The SQLAlchemy URL (asyncpg) of the database `keepwell` for the superuser; it holds a password."""
        return self.info.admin_database_url

    @property
    def temporal_address(self) -> str:
        """`127.0.0.1:PORT` for a Temporal client."""
        return self.info.temporal_address

    @property
    def ui_url(self) -> str:
        """The address of Temporal's Web UI."""
        return self.info.ui_url

    @property
    def http_port(self) -> int | None:
        """The port that was last chosen for an HTTP server of ours on this data; None where none was."""
        self._servers()
        return None if self._ports is None else self._ports.http

    def remember_http_port(self, port: int) -> None:
        """Keep the port that was chosen for an HTTP server of ours for the next start."""
        self._servers()
        assert self._ports is not None
        self._ports = replace(self._ports, http=port)
        remember_ports(self._layout.ports, self._ports)

    def announce(self, http_url: str) -> None:
        """Tell other processes where an HTTP server of ours serves what this stack holds."""
        postgres, temporal, info = self._servers()
        info = replace(info, http_url=http_url)
        write_record(self._layout.record, info)
        self._running = (postgres, temporal, info)

    async def wait_failure(self) -> ChildExited:
        """Wait until a server ends by itself; the error that tells which and why. It is not raised."""
        postgres, temporal, _ = self._servers()
        ends = {asyncio.ensure_future(child.wait()): child for child in (postgres.child, temporal.child)}
        try:
            ended, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            return ends[ended.pop()].exit_error()
        finally:
            for end in ends:
                end.cancel()

    async def __aenter__(self) -> Self:
        layout = self._layout
        holder = Holder(os.getpid(), datetime.now(UTC).isoformat(timespec="milliseconds"))
        async with AsyncExitStack() as opening:
            account = server_account(layout.cluster)
            make_directories(layout, account)
            await opening.enter_async_context(held_lock(layout.lock, holder))
            await end_orphans(layout)
            clear_leftovers(layout)
            remembered = remembered_ports(layout.ports)
            postgres, temporal = await self._start(opening, layout, account, remembered)
            info = describe(postgres, temporal, holder)
            http = None if remembered is None else remembered.http
            self._ports = StackPorts(info.postgres_port, info.temporal_port, info.ui_port, http)
            remember_ports(layout.ports, self._ports)
            opening.callback(layout.record.unlink, missing_ok=True)
            write_record(layout.record, info)
            self._running = (postgres, temporal, info)
            self._closing = opening.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running = None
        await self._closing.aclose()

    async def _start(
        self,
        opening: AsyncExitStack,
        layout: DataLayout,
        account: ServerAccount | None,
        remembered: StackPorts | None,
    ) -> tuple[PostgresServer, TemporalServer]:
        """Both servers; a port that is lost to another program in the meantime is replaced."""
        attempt = 1
        while True:
            # A configured port that was lost raises PortTaken here, in the next round.
            ports = choose_ports(self._wanted_ports, remembered, port_is_free, free_port)
            try:
                return await self._start_on(ports, opening, layout, account)
            except ChildExited as error:
                if not error.address_in_use or attempt == START_ATTEMPTS:
                    raise
                attempt += 1
                remembered = None

    async def _start_on(
        self,
        ports: StackPorts,
        opening: AsyncExitStack,
        layout: DataLayout,
        account: ServerAccount | None,
    ) -> tuple[PostgresServer, TemporalServer]:
        """Both servers on `ports`, started side by side; none remains when one fails."""
        async with AsyncExitStack() as starting:
            postgres, temporal = await asyncio.gather(
                starting.enter_async_context(
                    running_postgres(layout, ports.postgres, account, durable=self._durable)
                ),
                starting.enter_async_context(
                    running_temporal(
                        layout,
                        ports.temporal,
                        ports.ui,
                        self._search_attributes,
                        self._dynamic_config,
                        durable=self._durable,
                    )
                ),
                # The slower one is waited for even when the other fails, so that both can be stopped.
                return_exceptions=True,
            )
            if isinstance(postgres, BaseException):
                raise postgres
            if isinstance(temporal, BaseException):
                raise temporal
            opening.push_async_exit(starting.pop_all())
            return postgres, temporal

    def _servers(self) -> tuple[PostgresServer, TemporalServer, StackInfo]:
        if self._running is None:
            raise StackError("the embedded stack does not run; use it inside its `async with` block")
        return self._running


def describe(postgres: PostgresServer, temporal: TemporalServer, holder: Holder) -> StackInfo:
    """The record of these running servers."""
    return StackInfo(
        pid=holder.pid,
        started_at=holder.since,
        postgres_pid=postgres.child.pid,
        postgres_port=postgres.port,
        temporal_pid=temporal.child.pid,
        temporal_port=temporal.port,
        temporal_address=temporal.address,
        ui_port=temporal.ui_port,
        ui_url=temporal.ui_url,
        admin_database_url=postgres.admin_url,
    )


def make_directories(layout: DataLayout, account: ServerAccount | None) -> None:
    """Create the data directory unless it exists, private to us. Raises DataUnusable.

    Below root the account of Postgres may pass it too, by group, and so needs no capability for it. A
    directory that exists keeps its owner and mode.
    """
    try:
        layout.root.parent.mkdir(parents=True, exist_ok=True)
        if not layout.root.is_dir():
            layout.root.mkdir(mode=0o700)
            if account is not None:
                # Where this is refused the server needs a capability, or says that it cannot pass.
                with suppress(OSError):
                    os.chown(layout.root, -1, account.gid)
                    layout.root.chmod(0o710)
        layout.logs.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise DataUnusable(
            f"cannot create {error.filename or layout.root} ({error.strerror}); choose another --home"
        ) from error
