"""Record every branch anew: `python -m tests.replay.record`. Starts its own servers and writes `histories/`.

Given the beginnings of names, such as `condition_gate-retired`, it records those branches alone.

Record when a workflow was changed on purpose and no run of the old code is left, and read what changed in the
files. Whatever names the recording process or its host is replaced, so that the files are neutral.
"""

import asyncio
import base64
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import create_async_engine
from temporalio.client import Client, WorkflowHistory

from runtime.addresses import of_stack
from runtime.embedded.stack import EmbeddedStack
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY
from runtime.temporal import connect
from runtime.worker import running_worker
from store.engine import Database
from store.migrate import migrate
from tests.replay.branches import CANARY, HISTORIES, RECORDER, file_of
from tests.replay.plays import PLAYS
from tests.replay.reading import says
from tests.replay.stage import (
    QUEUE,
    SUGGEST_CONTINUE_AS_NEW_AT,
    HoldAnswers,
    InterruptedExtractor,
    Stage,
    StumblingNarrator,
)
from tests.world import WEBHOOK_HOSTS
from workflows.search_attributes import REGISTERED

QUIET_SECONDS = 0.5
PLAY_SECONDS = 60.0
_PROCESS = re.compile(r"\d+@[\w.-]+")


async def record(wanted: tuple[str, ...]) -> None:
    """Play the branches whose names begin with one of `wanted`, and write their histories."""
    HISTORIES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="keepwell-recording-") as folder:
        async with EmbeddedStack(
            Path(folder),
            durable=False,
            search_attributes=REGISTERED,
            dynamic_config={"limit.historyCount.suggestContinueAsNew": SUGGEST_CONTINUE_AS_NEW_AT},
        ) as stack:
            await _record_on(stack, wanted)


async def _record_on(stack: EmbeddedStack, wanted: tuple[str, ...]) -> None:
    addresses = of_stack(stack.info)
    await migrate(stack.admin_database_url, addresses.database_url)
    client = await connect(addresses.temporal_address, "default")
    policy = load_policy(SHIPPED_POLICY)
    narrator, extractor, answers = StumblingNarrator(), InterruptedExtractor(), HoldAnswers()
    owner = create_async_engine(stack.admin_database_url)
    async with (
        Database(addresses.database_url) as database,
        running_worker(
            addresses.database_url,
            client,
            policy,
            task_queue=QUEUE,
            quiet_seconds=QUIET_SECONDS,
            narrator=narrator,
            extractor=extractor,
            webhook_hosts=WEBHOOK_HOSTS,
            interceptors=[answers],
        ),
    ):
        stage = Stage(client, database, owner, policy, narrator, extractor, answers)
        for (workflow, branch), play in PLAYS.items():
            if not f"{workflow}-{branch}".startswith(wanted):
                continue
            await stage.empty()
            async with asyncio.timeout(PLAY_SECONDS):
                workflow_id = await play(stage)
                await stage.delivered()
                await client.get_workflow_handle(workflow_id).result()
            await _write(client, workflow, branch, workflow_id)
    await owner.dispose()


async def _write(client: Client, workflow: str, branch: str, workflow_id: str) -> None:
    last = await client.get_workflow_handle(workflow_id).fetch_history()
    if not branch.endswith("continues_as_new"):
        _write_file(workflow, branch, last)
        return
    started = last.events[0].workflow_execution_started_event_attributes
    assert started.first_execution_run_id != last.run_id, f"{workflow} has not continued as new"
    first = client.get_workflow_handle(workflow_id, run_id=started.first_execution_run_id)
    _write_file(workflow, branch, await first.fetch_history())
    if branch == "continues_as_new":
        _write_file(workflow, "continued", last)


def _write_file(workflow: str, branch: str, history: WorkflowHistory) -> None:
    said = history.to_json_dict()
    if says({"workflow_id": history.workflow_id, **said}, CANARY):
        raise RuntimeError(f"content stands in the history of {workflow}, {branch}; nothing was written")
    document = {"workflow_id": history.workflow_id, **neutral(said)}
    path = file_of(workflow, branch)
    path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(history.events)} events")


def neutral(value: Any) -> Any:
    """`value` without the names of processes, hosts and paths."""
    if isinstance(value, dict):
        return {key: _neutral_field(key, each) for key, each in value.items()}
    if isinstance(value, list):
        return [neutral(each) for each in value]
    return _PROCESS.sub(RECORDER, value) if isinstance(value, str) else value


def _neutral_field(key: str, value: Any) -> Any:
    match key:
        case "identity":
            return RECORDER
        case "encodedAttributes":
            # A failure's message and its stack, of which the stack names files of the recording machine.
            told = json.loads(base64.b64decode(value["data"]))
            plain = json.dumps({**told, "stack_trace": ""}).encode()
            return {**value, "data": base64.b64encode(plain).decode()}
        case _:
            return neutral(value)


if __name__ == "__main__":
    asyncio.run(record(tuple(sys.argv[1:]) or ("",)))
    # The Temporal core's threads need a moment, or the process may abort at its end.
    time.sleep(0.3)
