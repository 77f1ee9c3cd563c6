"""The HTTP server as a process of its own over the servers that are measured on, and callers of it."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2

from evals.bench.stage import NAMESPACE, QUEUE, Stage
from models.api_keys import NewApiKey
from models.principals import Principal
from runtime.authentication.keys import ApiKeys
from runtime.embedded.processes import ChildCommand, free_port, start_child
from runtime.http_server import is_alive
from runtime.programs import rule_cache

READY_SECONDS = 60.0
UNLIMITED = "1000000"


class Served(NamedTuple):
    """Where the server is, as which process, and a key for the agent that calls it."""

    url: str
    token: str
    pid: int

    def caller(self) -> httpx2.AsyncClient:
        """A caller with a connection of its own that stays open."""
        headers = {"authorization": f"Bearer {self.token}"}
        return httpx2.AsyncClient(base_url=self.url, headers=headers, trust_env=False, timeout=30)


@asynccontextmanager
async def served(stage: Stage, agent: Principal) -> AsyncGenerator[Served]:
    """A server for as long as the context lasts."""
    port = free_port()
    root = agent.model_copy(update={"roles": ("admin",)})
    new = NewApiKey(name=f"bench-{port}", subject=agent.subject, kind=agent.kind, roles=agent.roles)
    _, token = await ApiKeys(stage.database, stage.policies).make(root, new)
    url = f"http://127.0.0.1:{port}"
    command = ChildCommand(
        name="http",
        argv=[sys.executable, "-m", "surfaces.http"],
        log_path=stage.folder / "http.log",
        environment={
            "PATH": os.environ.get("PATH", os.defpath),
            **rule_cache(),
            "KEEPWELL_DATABASE_URL": stage.database_url,
            "KEEPWELL_TEMPORAL_ADDRESS": stage.temporal_address,
            "KEEPWELL_TEMPORAL_NAMESPACE": NAMESPACE,
            "KEEPWELL_TASK_QUEUE": QUEUE,
            "KEEPWELL_HOME": str(stage.folder),
            "KEEPWELL_HTTP_PORT": str(port),
            "KEEPWELL_REQUESTS_PER_SECOND": UNLIMITED,
        },
    )
    child = await start_child(command)
    try:
        await child.wait_ready(lambda: is_alive(url), READY_SECONDS)
        yield Served(url, token, child.pid)
    finally:
        await child.stop()


async def posted(caller: httpx2.AsyncClient, path: str, body: Any) -> Any:
    """The JSON of a call; raises where it is not well, as there is nothing to measure then."""
    answer = await caller.post(path, json=body)
    if not answer.is_success:
        raise RuntimeError(f"{path} answered {answer.status_code}")
    return answer.json()
