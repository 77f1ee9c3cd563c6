"""What the client brings into somebody's environment: itself, its two libraries, and nothing of the service."""

import json
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
CLOSURE = """
import json, re
from importlib.metadata import distribution, distributions
from packaging.requirements import Requirement

def closure(name, seen):
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name not in seen:
        seen.add(name)
        for line in distribution(name).requires or ():
            wanted = Requirement(line)
            if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
                closure(wanted.name, seen)
    return seen

installed = {re.sub(r"[-_.]+", "-", each.name).lower() for each in distributions()}
mine = {str(path).split("/")[0] for path in distribution("keepwell").files}
print(json.dumps({"installed": sorted(installed), "closure": sorted(closure("keepwell", set())), "mine": sorted(mine)}))
"""


def ran(*command: str) -> str:
    """What a command prints; it must end well."""
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_the_wheel_holds_the_client_and_nothing_else(tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps")
    ran(*pip, "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path), str(ROOT / "client"))
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = Parser().parsestr(
            archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
        )
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"keepwell"}
    assert "keepwell/py.typed" in names
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(Requirement(line).name for line in required) == ["httpx2", "pydantic"]


@pytest.mark.long
def test_an_empty_environment_gets_the_client_and_its_libraries(tmp_path: Path) -> None:
    ran(sys.executable, "-m", "venv", str(tmp_path / "empty"))
    python = str(tmp_path / "empty/bin/python")
    ran(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT / "client"))
    (tmp_path / "closure.py").write_text(CLOSURE.replace("from packaging", "from pip._vendor.packaging"))
    found = json.loads(ran(python, str(tmp_path / "closure.py")))
    theirs = {"pip", "setuptools"}  # what a fresh environment holds by itself
    assert set(found["installed"]) - theirs == set(found["closure"])
    assert {name for name in found["mine"] if not name.endswith(".dist-info")} <= {
        "keepwell",
        "..",
        "__pycache__",
    }
    ran(python, "-c", "import keepwell, keepwell.activity, keepwell.sync")
