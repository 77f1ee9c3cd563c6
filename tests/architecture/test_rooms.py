"""House rules that no other tool knows: what the rules and the workflows may call, how long a file may be, and
which names histories rely on.

Each rule is a small function from a file's source to the offences in it, with the reason for it in its docstring;
each has a companion test in which a planted offence is caught.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from temporalio import activity, workflow

from workflows.registry import WORKFLOWS

ROOT = Path(__file__).parents[2]
MOST_LINES = 400
NOT_OURS = {"data", "build", "dist", "node_modules", "__pycache__"}


def files_of(*rooms: str) -> list[Path]:
    """Python files of these rooms, or of all that the project has; data beside tests is none of its code."""
    roots = [ROOT / room for room in rooms] or [
        path for path in ROOT.iterdir() if not path.name.startswith(".")
    ]
    found = [path for root in roots for path in ([root] if root.suffix == ".py" else root.rglob("*.py"))]
    return sorted(path for path in found if not NOT_OURS & set(path.relative_to(ROOT).parts))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported_names(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for, in full: `dt` for `from datetime import datetime as dt`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for a chain of names, None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None


IMPURE = {
    "a clock": (
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.datetime.today",
        "datetime.date.today",
        "time",
    ),
    "a random source": (
        "random",
        "secrets",
        "os.urandom",
        "uuid.uuid1",
        "uuid.uuid4",
        "uuid.uuid6",
        "uuid.uuid7",
    ),
    "the environment": ("os.environ", "os.getenv", "os.getenvb", "os.environb"),
    "a file": ("open", "io.open", "os.open"),
}


def effects(source: str) -> list[str]:
    """Where `source` reads a clock, a random source, the environment or a file.

    A rule that asks what time it is cannot be told what to decide at another time: its past decisions could not
    be explained, and no property could be tried on it. A workflow that does so decides otherwise when its history
    is replayed, and is stuck from then on. Rules take `now`; workflows ask Temporal.
    """
    tree = ast.parse(source)
    names = imported_names(tree)
    found: list[str] = []
    for node in ast.walk(tree):
        used: list[str] = []
        if isinstance(node, ast.Import):
            used = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            used = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Name | ast.Attribute) and (chain := dotted(node)) is not None:
            first, *rest = chain.split(".")
            used = [".".join([names.get(first, first), *rest])]
        for full in used:
            for what, sources in IMPURE.items():
                if any(full == each or full.startswith(f"{each}.") for each in sources):
                    found.append(f"line {node.lineno}: {full} is {what}")  # pyright: ignore[reportAttributeAccessIssue]
    return found


def undocumented(source: str) -> list[str]:
    """Whether `source` says nothing of what it is for.

    A room is understood by reading the first lines of its files. An empty file has nothing to tell.
    """
    told = not source.strip() or ast.get_docstring(ast.parse(source))
    return [] if told else ["no docstring: say what the module is for and what it must never do"]


def overlong(source: str) -> list[str]:
    """Whether `source` is too long to be read in one sitting.

    What nobody reads as a whole, nobody knows as a whole; tests and migrations are read as well.
    """
    lines = source.count("\n") + (not source.endswith("\n"))
    return [f"{lines} lines of at most {MOST_LINES}: split it by noun"] if lines > MOST_LINES else []


def offences(rule: Callable[[str], list[str]], path: Path) -> list[str]:
    return [f"{name_of(path)}: {offence}" for offence in rule(path.read_text("utf-8"))]


@pytest.mark.parametrize("path", files_of("models", "workflows"), ids=name_of)
def test_rules_and_workflows_have_no_effects(path: Path) -> None:
    assert offences(effects, path) == []


@pytest.mark.parametrize("path", files_of(), ids=name_of)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert offences(undocumented, path) == []


@pytest.mark.parametrize("path", files_of(), ids=name_of)
def test_every_file_is_read_in_one_sitting(path: Path) -> None:
    assert offences(overlong, path) == []


@pytest.mark.parametrize(
    "planted",
    [
        "from datetime import datetime\nx = datetime.now()",
        "from datetime import datetime as dt, UTC\nx = dt.now(UTC)",
        "import datetime\nx = datetime.datetime.utcnow()",
        "import datetime as d\nx = d.datetime.today()",
        "from datetime import date\nx = date.today()",
        "from datetime import datetime\nx = dict(default_factory=datetime.now)",
        "import time",
        "import time as t\nx = t.monotonic()",
        "from time import sleep",
        "def f():\n    import random",
        "from random import choice",
        "import secrets",
        "from uuid import uuid4",
        "import uuid\nx = uuid.uuid4()",
        "import uuid\nx = uuid.uuid1().hex",
        "from uuid import uuid7 as new_id",
        "import os\nx = os.environ['A']",
        "import os\nx = os.environ.get('A')",
        "from os import environ",
        "import os\nx = os.getenv('A')",
        "import os\nx = os.urandom(8)",
        "with open('a') as f:\n    pass",
        "import io\nx = io.open('a')",
    ],
)
def test_an_effect_is_caught(planted: str) -> None:
    assert effects(f'"""A module."""\n{planted}\n')


@pytest.mark.parametrize(
    "harmless",
    [
        "from datetime import datetime, timedelta, UTC\nx = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(1)",
        "from temporalio import workflow\nx = workflow.now()",
        "from uuid import UUID, uuid5",
        "def f(now, time, gate):\n    gate.open()\n    return now.today, gate.is_open",
        "timeout = timely = 5",
    ],
)
def test_what_only_looks_like_an_effect_is_not(harmless: str) -> None:
    assert effects(harmless) == []


def test_a_module_without_a_docstring_is_caught() -> None:
    assert undocumented("x = 1\n")
    assert undocumented("# A comment is no docstring.\nx = 1\n")
    assert not undocumented('"""What it is for."""\n')
    assert not undocumented("")


def test_a_file_of_one_line_too_many_is_caught() -> None:
    assert not overlong("x = 1\n" * MOST_LINES)
    assert not overlong("x = 1\n" * (MOST_LINES - 1) + "x = 1")
    assert overlong("x = 1\n" * (MOST_LINES + 1))
    assert overlong("x = 1\n" * MOST_LINES + "x = 1")


def test_the_linters_see_the_whole_project() -> None:
    names = {name_of(path) for path in files_of()}
    assert {
        "models/reconciliation.py",
        "workflows/consolidation.py",
        "store/migrations/env.py",
        "tests/conftest.py",
        "tests/architecture/test_rooms.py",
    } <= names
    assert not any(name.startswith(".venv") for name in names)


PINNED = {
    "workflow keepwell.consolidation",
    "workflow keepwell.fact_reconciliation",
    "workflow keepwell.condition_gate",
    "workflow keepwell.deferred_intentions",
    "workflow keepwell.endpoint_delivery",
    "workflow keepwell.reembedding",
    "workflow keepwell.procedure_promotion",
    "workflow keepwell.reflection",
    "workflow keepwell.erasure",
    "step keepwell.build_episode",
    "step keepwell.propose_facts",
    "step keepwell.reconcile",
    "step keepwell.settle_gate",
    "step keepwell.decide_confirmation",
    "step keepwell.advance_intentions",
    "step keepwell.deliver_batch",
    "step keepwell.declare_lapses",
    "step keepwell.look_at_proposal",
    "step keepwell.widen",
    "step keepwell.word_drafts",
    "step keepwell.count_decision",
    "step keepwell.read_experiences",
    "step keepwell.reflect",
    "step keepwell.plan_erasure",
    "step keepwell.fence_erasure",
    "step keepwell.erase",
    "step keepwell.close_runs",
    "step keepwell.verify_erasure",
    "step keepwell.write_receipt",
    "step keepwell.fill_space",
    "step keepwell.serve_space",
    "step keepwell.clear_spaces",
    "signal keepwell.consolidation look",
    "signal keepwell.fact_reconciliation look",
    "signal keepwell.condition_gate look",
    "signal keepwell.deferred_intentions look",
    "signal keepwell.endpoint_delivery look",
    "signal keepwell.procedure_promotion look",
    "signal keepwell.reflection look",
    "signal keepwell.erasure look",
    "update keepwell.procedure_promotion decide",
    "update keepwell.reflection reflect",
    "update keepwell.condition_gate confirm",
    "update keepwell.fact_reconciliation settle",
}
"""What running histories call things by. A name that is changed here strands every workflow that waits for it."""


def names_of_workflow(kind: type) -> Iterator[str]:
    defined = workflow._Definition.must_from_class(kind)
    yield f"workflow {defined.name}"
    yield from (f"signal {defined.name} {name}" for name in defined.signals)
    yield from (f"query {defined.name} {name}" for name in defined.queries)
    yield from (f"update {defined.name} {name}" for name in defined.updates)


def names_of_steps(kind: type) -> Iterator[str]:
    for _, method in inspect.getmembers(kind, inspect.isfunction):
        defined = activity._Definition.from_callable(method)
        if defined is not None:
            yield f"step {defined.name}"


def classes_of(room: str) -> Iterator[type]:
    """Every class that the modules of a room define themselves."""
    for path in files_of(room):
        module = import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__:
                yield kind


def workflow_classes() -> list[type]:
    return [kind for kind in classes_of("workflows") if workflow._Definition.from_class(kind) is not None]


def test_names_in_histories_are_pinned() -> None:
    """Moving or renaming a class changes nothing that a history has recorded: the names are written out."""
    found = [name for kind in workflow_classes() for name in names_of_workflow(kind)]
    found += [name for kind in classes_of("activities") for name in names_of_steps(kind)]
    assert sorted(found) == sorted(PINNED)


def test_every_workflow_is_one_that_workers_run() -> None:
    assert {kind.__name__ for kind in workflow_classes()} == {kind.__name__ for kind in WORKFLOWS}


@workflow.defn(sandboxed=False)
class Renamed:
    """A planted workflow that nobody has pinned. Temporal takes no class from within a function."""

    @workflow.run
    async def run(self) -> None: ...

    @workflow.signal
    def peek(self) -> None: ...

    @workflow.query
    def state(self) -> int:
        return 0

    @workflow.update
    async def settle(self) -> None: ...


class Steps:
    """Planted steps."""

    @activity.defn
    async def do_it(self) -> None: ...


def test_a_name_that_is_not_pinned_is_caught() -> None:
    found = {*names_of_workflow(Renamed), *names_of_steps(Steps)}
    assert found == {
        "workflow Renamed",
        "signal Renamed peek",
        "query Renamed state",
        "update Renamed settle",
        "step do_it",
    }
    assert not found & PINNED
