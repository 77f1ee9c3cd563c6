"""The container deployment holds what it promises, as far as that can be told without a container engine.

Each rule is a function that names its offenders. The deployment must have none; and each rule is shown a copy
of it with one fault, which it must find.
"""

import ast
import copy
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from runtime.programs import HTTP_MODULE
from runtime.settings import DEFAULT_HTTP_PORT, Settings
from runtime.up import DYNAMIC_CONFIG
from runtime.worker import SHUTDOWN
from surfaces.http.serving import DRAIN_SECONDS

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).parent / "data"
# Postgres numbers its releases with two parts, everything else here with three.
PARTS_OF_A_RELEASE = {"postgres": 2}

Compose = dict[str, Any]


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def lines_of(path: str, pattern: str) -> list[Any]:
    """What a pattern finds in a file of the repository, where `^` and `$` are the ends of a line."""
    return re.findall(pattern, read(path), re.MULTILINE)


def load_compose() -> Compose:
    return yaml.safe_load(read("docker-compose.yml"))


def one_shots(compose: Compose) -> set[str]:
    """Services that end: another one waits for their completion, or they are never restarted."""
    awaited = {
        name
        for service in compose["services"].values()
        for name, wait in service.get("depends_on", {}).items()
        if wait["condition"] == "service_completed_successfully"
    }
    return awaited | {name for name, service in compose["services"].items() if service.get("restart") == "no"}


def is_pinned(image: str) -> bool:
    name, _, tag = image.partition(":")
    parts = PARTS_OF_A_RELEASE.get(name, 3)
    return re.match(rf"\d+(\.\d+){{{parts - 1}}}(-[a-z0-9]+)*(@sha256:[0-9a-f]{{64}})?$", tag) is not None


def mounts(service: Compose) -> dict[str, str]:
    """Where in the container each source of the host lies."""
    pairs = (volume.split(":") for volume in service.get("volumes", []))
    return {target: source for source, target, *_ in pairs}


def off_schema(compose: Compose) -> list[str]:
    schema = json.loads((DATA / "compose-spec.json").read_text("utf-8"))
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(compose)]


def floating_images(compose: Compose) -> list[str]:
    return [name for name, service in compose["services"].items() if not is_pinned(service["image"])]


def deprecated_images(compose: Compose) -> list[str]:
    return [name for name, service in compose["services"].items() if "auto-setup" in service["image"]]


def open_ports(compose: Compose) -> list[str]:
    """Ports published on other addresses than loopback; one without an address is open on all."""
    return [
        f"{name}: {port}"
        for name, service in compose["services"].items()
        for port in service.get("ports", [])
        if not (port.get("host_ip") if isinstance(port, dict) else str(port)).startswith("127.0.0.1")
    ]


def unwatched_services(compose: Compose) -> list[str]:
    return [
        name
        for name, service in compose["services"].items()
        if name not in one_shots(compose)
        and (not service.get("healthcheck", {}).get("test") or service.get("restart") != "unless-stopped")
    ]


def broken_dependencies(compose: Compose) -> list[str]:
    """Waits for a service that is missing, or for a condition that the other one can never meet."""
    fitting = {True: "service_completed_successfully", False: "service_healthy"}
    return [
        f"{name} waits for {other}"
        for name, service in compose["services"].items()
        for other, wait in service.get("depends_on", {}).items()
        if other not in compose["services"]
        or wait["condition"] != fitting[compose["services"][other].get("restart") == "no"]
    ]


def missing_mounts(compose: Compose) -> list[str]:
    return [
        f"{name}: {source}"
        for name, service in compose["services"].items()
        for source in mounts(service).values()
        if not ((ROOT / source).exists() if source.startswith(".") else source in compose["volumes"])
    ]


def missing_files_in_containers(compose: Compose) -> list[str]:
    """Scripts and settings that a container is told to read but that nothing mounts."""
    wanted = []
    for name, service in compose["services"].items():
        if service.get("entrypoint") == ["/bin/sh"]:
            wanted.append((name, service["command"][0]))
        if path := service.get("environment", {}).get("DYNAMIC_CONFIG_FILE_PATH"):
            wanted.append((name, f"/etc/temporal/{path}"))
    return [f"{name}: {path}" for name, path in wanted if path not in mounts(compose["services"][name])]


def literal_secrets(compose: Compose) -> list[str]:
    """Passwords that stand in the file, or that Compose would let be empty."""
    return [
        f"{name}: {key}"
        for name, service in compose["services"].items()
        for key, value in service.get("environment", {}).items()
        if any(part in key for part in ("PASSWORD", "PWD", "DATABASE_URL", "MASKING_KEY"))
        and not re.search(r"\$\{[A-Z_]+:\?set it in \.env\}", value)
    ]


def keepwell_services(compose: Compose) -> dict[str, Compose]:
    return {name: service for name, service in compose["services"].items() if "build" in service}


def lax_services(compose: Compose) -> list[str]:
    return [
        name
        for name, service in keepwell_services(compose).items()
        if not service.get("read_only")
        or service.get("cap_drop") != ["ALL"]
        or "no-new-privileges:true" not in service.get("security_opt", [])
        or not service.get("init")
        or "mem_limit" not in service
    ]


def administrators(compose: Compose) -> list[str]:
    """Services other than `migrate` that hold the address of the database's owner."""
    return [
        name
        for name, service in keepwell_services(compose).items()
        if name != "migrate" and "ADMIN" in json.dumps(service.get("environment", {}))
    ]


def strange_versions(compose: Compose) -> list[str]:
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    return [
        name
        for name, service in keepwell_services(compose).items()
        if service["image"] != f"keepwell-server:{version}"
    ]


def hasty_services(compose: Compose) -> list[str]:
    """Services that are killed while they still finish what they have begun."""
    needed = {"worker": SHUTDOWN.total_seconds(), "api": DRAIN_SECONDS}
    graces = {name: compose["services"][name].get("stop_grace_period", "10s") for name in needed}
    return [name for name, grace in graces.items() if int(grace.removesuffix("s")) <= needed[name] + 5]


def unasked_ports(compose: Compose) -> list[str]:
    """Whether the API is published on another port than it serves, or its health is asked for elsewhere."""
    api = compose["services"]["api"]
    asked = {
        *re.findall(r":(\d+)$", api["ports"][0]),
        *re.findall(r":(\d+)/", api["healthcheck"]["test"][-1]),
    }
    return sorted(asked - {str(DEFAULT_HTTP_PORT)})


def withheld_settings(compose: Compose) -> list[str]:
    """Settings of one service alone that `.env` could not change; without a value a variable is taken from there."""
    beginnings = {"api": ("oidc_", "requests_", "embedder"), "worker": ("model", "embedder")}
    return [
        f"{service}: {name}"
        for service, begins in beginnings.items()
        for name in Settings.model_fields
        if name.startswith(begins)
        and compose["services"][service]["environment"].get(f"KEEPWELL_{name.upper()}", "fixed") is not None
    ]


def at(*path: str | int) -> Callable[[Any], Callable[[Compose], None]]:
    """Build a fault: the value at a path below `services` is replaced."""

    def to(value: Any) -> Callable[[Compose], None]:
        def spoil(compose: Compose) -> None:
            place: Any = compose["services"]
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value

        return spoil

    return to


FAULTS = [
    (off_schema, at("worker", "restrat")("unless-stopped")),
    (off_schema, at("worker", "command")({"python": "worker.py"})),
    (floating_images, at("postgres", "image")("pgvector/pgvector:pg18")),
    (floating_images, at("temporal", "image")("temporalio/server:latest")),
    (floating_images, at("temporal-ui", "image")("temporalio/ui")),
    (floating_images, at("temporal-postgres", "image")("postgres:17-bookworm")),
    (deprecated_images, at("temporal", "image")("temporalio/auto-setup:1.29.7")),
    (open_ports, at("postgres", "ports", 0)("5432:5432")),
    (open_ports, at("postgres", "ports", 0)("0.0.0.0:5432:5432")),
    (open_ports, at("api", "ports", 0)("7420:7420")),
    (open_ports, at("postgres", "ports", 0)({"target": 5432, "published": "5432", "host_ip": "0.0.0.0"})),
    (unwatched_services, at("worker", "healthcheck")({"disable": True})),
    (unwatched_services, at("temporal-ui", "restart")("on-failure")),
    (broken_dependencies, at("worker", "depends_on", "redis")({"condition": "service_healthy"})),
    (broken_dependencies, at("worker", "depends_on", "migrate")({"condition": "service_healthy"})),
    (missing_mounts, at("temporal", "volumes", 0)("./deploy/temporal/dynamic.yaml:/etc/x:ro")),
    (missing_mounts, at("postgres", "volumes", 0)("keepwell-data:/var/lib/postgresql")),
    (missing_files_in_containers, at("temporal-schema", "command")(["/scripts/setup.sh"])),
    (missing_files_in_containers, at("temporal", "environment", "DYNAMIC_CONFIG_FILE_PATH")("docker.yaml")),
    (literal_secrets, at("temporal", "environment", "POSTGRES_PWD")("temporal")),
    (literal_secrets, at("postgres", "environment", "POSTGRES_PASSWORD")("${KEEPWELL_ADMIN_DB_PASSWORD:-}")),
    (literal_secrets, at("api", "environment", "KEEPWELL_MASKING_KEY")("${KEEPWELL_MASKING_KEY:-}")),
    (literal_secrets, at("api", "environment", "KEEPWELL_MASKING_KEY")("0123456789abcdef" * 4)),
    (lax_services, at("worker", "read_only")(False)),
    (lax_services, at("migrate", "cap_drop")([])),
    (lax_services, at("api", "init")(False)),
    (administrators, at("api", "environment", "KEEPWELL_ADMIN_DATABASE_URL")("postgresql://x")),
    (administrators, at("worker", "environment", "KEEPWELL_ADMIN_DATABASE_URL")("postgresql://x")),
    (strange_versions, at("worker", "image")("keepwell-server:0.0.9")),
    (hasty_services, at("api", "stop_grace_period")("15s")),
    (hasty_services, at("worker", "stop_grace_period")("10s")),
    (unasked_ports, at("api", "ports", 0)("127.0.0.1:7420:8000")),
    (withheld_settings, at("api", "environment", "KEEPWELL_REQUESTS_PER_SECOND")("500")),
    (withheld_settings, at("api", "environment")({"KEEPWELL_HTTP_HOST": "0.0.0.0"})),
    (withheld_settings, at("worker", "environment", "KEEPWELL_MODEL_TIMEOUT")("60")),
    (unasked_ports, at("api", "healthcheck", "test", 3)("urlopen('http://127.0.0.1:80/healthz')")),
]


@pytest.mark.parametrize("rule", dict.fromkeys(rule for rule, _ in FAULTS), ids=lambda rule: rule.__name__)
def test_the_compose_file_offends_no_rule(rule: Callable[[Compose], list[str]]) -> None:
    assert rule(load_compose()) == []


@pytest.mark.parametrize(("rule", "spoil"), FAULTS)
def test_each_rule_finds_its_fault(
    rule: Callable[[Compose], list[str]], spoil: Callable[[Compose], None]
) -> None:
    compose = copy.deepcopy(load_compose())
    spoil(compose)
    assert rule(compose) != []


def test_the_vendored_schema_is_the_published_one() -> None:
    stated = re.search(r"`([0-9a-f]{64})`", (DATA / "README.md").read_text("utf-8"))
    assert stated is not None
    assert hashlib.sha256((DATA / "compose-spec.json").read_bytes()).hexdigest() == stated[1]


def test_the_example_environment_names_what_the_compose_file_asks_for() -> None:
    asked = set(lines_of("docker-compose.yml", r"\$\{([A-Z_]+)"))
    example = dict(lines_of("deploy/env.example", r"^([A-Z_]+)=(.*)$"))
    assert set(example) == asked
    passed_on = set(lines_of("docker-compose.yml", r"^ +(KEEPWELL_[A-Z_]+):$"))
    assert set(lines_of("deploy/env.example", r"^#([A-Z_]+)=")) == passed_on
    assert {name for name, value in example.items() if not value} == {
        "KEEPWELL_ADMIN_DB_PASSWORD",
        "KEEPWELL_DB_PASSWORD",
        "TEMPORAL_DB_PASSWORD",
        "KEEPWELL_MASKING_KEY",
    }


def test_the_dynamic_settings_are_those_that_keepwell_relies_on() -> None:
    settings = yaml.safe_load(read("deploy/temporal/dynamic-config.yaml"))
    assert {key: [entry["value"] for entry in entries] for key, entries in settings.items()} == {
        name: [value] for name, value in DYNAMIC_CONFIG.items()
    }


def test_the_search_attributes_are_those_of_the_workflows() -> None:
    module = "workflows/search_attributes.py"
    nodes = ast.walk(ast.parse(read(module)))
    texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
    named = {text for text in texts if re.fullmatch(r"Keepwell[A-Z]\w*", text)}
    environment = load_compose()["services"]["temporal-namespace"]["environment"]
    assert set(environment["KEYWORD_SEARCH_ATTRIBUTES"].split()) == named


# What the Keepwell containers run


def keepwell_commands() -> list[list[str]]:
    services = keepwell_services(load_compose()).values()
    commands = [service["command"] for service in services]
    checks = [service["healthcheck"]["test"] for service in services if "test" in service["healthcheck"]]
    instructions = lines_of("Dockerfile", r"^(?:HEALTHCHECK.* )?CMD (\[.*\])$")
    return [*commands, *(check[1:] for check in checks), *map(json.loads, instructions)]


def exists(command: list[str]) -> bool:
    """Whether the checkout has a command, with its options; asking for help runs nothing."""
    if command[:2] == ["python", "-c"]:
        return bool(compile(command[2], "health check", "exec"))
    if command[:2] == ["python", "-m"]:
        return importlib.util.find_spec(f"{command[2]}.__main__") is not None
    if command[0] == "python":
        return (ROOT / command[1]).is_file()
    enter = "import sys; from surfaces.cli import main; sys.argv[0] = 'keepwell'; main()"
    asked = [sys.executable, "-c", enter, *command[1:], "--help"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_the_image_and_the_compose_file_run_the_same_programs() -> None:
    commands = keepwell_commands()
    assert len(commands) == 7
    assert commands.count(["python", "-m", HTTP_MODULE]) == 1
    assert [command[:2] for command in commands].count(["python", "-c"]) == 1
    assert commands.count(["python", "worker.py"]) == 2
    assert commands.count(["keepwell", "doctor", "--quiet"]) == 2
    assert commands.count(["keepwell", "migrate"]) == 1


@pytest.mark.parametrize("command", keepwell_commands(), ids=" ".join)
def test_each_command_of_a_keepwell_container_exists(command: list[str]) -> None:
    assert exists(command)
    assert not exists([*command[:1], "no-such-command"])


# The image


def copied() -> set[str]:
    """What the image takes from the checkout."""
    lines = lines_of("Dockerfile", r"^COPY (?!--from)(.+)$")
    return {source.rstrip("/") for line in lines for source in line.split()[:-1]}


def test_the_image_copies_what_exists_and_what_the_ignore_file_lets_through() -> None:
    sources = copied()
    assert sorted(source for source in sources if not (ROOT / source).exists()) == []
    assert set(lines_of(".dockerignore", r"^!(.+)$")) == sources


def test_the_image_holds_every_room_that_imports_run_through() -> None:
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]
    assert set(contracts["root_packages"]) - {"keepwell"} <= copied(), "the client is no part of the service"


def test_the_image_is_built_on_a_pinned_base_and_runs_without_privileges() -> None:
    bases = lines_of("Dockerfile", r"^FROM (\S+)")
    assert len(bases) == 2
    assert [base for base in bases if not is_pinned(base)] == []
    last_stage = read("Dockerfile").rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (\S+)$", last_stage, re.MULTILINE) == ["10001:10001"]
    assert "ENTRYPOINT" not in last_stage


def test_the_lock_pins_every_library_by_hash_and_brings_the_build_backend() -> None:
    lock = read("requirements.lock").replace("\\\n", " ")
    entries = [line for line in lock.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []
    assert any(entry.startswith("hatchling==") for entry in entries)
