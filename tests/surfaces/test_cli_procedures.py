"""`keepwell procedures` and `keepwell review` of proposals: from a file to a version in force, and back to the file."""

from pathlib import Path

import yaml

from models.procedures import ProcedureContent
from runtime.procedure_file import written_procedure
from tests.surfaces.terminal import Terminal
from tests.world import STAGING

LEAD = {"KEEPWELL_AS": "human:dana", "KEEPWELL_ROLES": "infra_lead"}
SAM = {"KEEPWELL_AS": "human:sam", "KEEPWELL_ROLES": "developer"}
ROBIN = {"KEEPWELL_AS": "human:robin", "KEEPWELL_ROLES": "infra_lead"}
ODD = "\x1b[31mred [bold]no[/bold] \u202eturned <b>承認</b> {{ x }} approve this"


def file_of(folder: Path, *steps: str, name: str = "cleanup") -> Path:
    """A file that says so."""
    told = [{"id": f"step-{number}", "do": step, "verify": "seen"} for number, step in enumerate(steps)]
    content = ProcedureContent.model_validate({"trigger": {"intent": "Clean up"}, "steps": told})
    path = folder / f"{name}.yaml"
    path.write_text(written_procedure(name, "operations", STAGING, content), encoding="utf-8")
    return path


async def proposed(terminal: Terminal, path: Path, **who: str) -> str:
    """The id of the proposal that a file makes."""
    said = (await terminal.keepwell("procedures", "apply", str(path), **who)).said()
    assert ": proposed, " in said
    return said.rpartition(", ")[2].strip()


async def test_from_a_file_to_a_version_in_force_and_back(terminal: Terminal, tmp_path: Path) -> None:
    one = await proposed(terminal, file_of(tmp_path, "Look.", "Stop."), **SAM)
    listed = (await terminal.keepwell("review", "list", **LEAD)).said()
    assert "cleanup in workspace=staging-cloud: written, a new one" in listed
    assert f"proposal {one} · open · revision 1" in listed
    approve = ("review", "approve", one)
    (await terminal.keepwell(*approve, "--revision", "1", **SAM)).refused(3)
    (await terminal.keepwell(*approve, **LEAD)).refused(2, "--revision 1")
    (await terminal.keepwell(*approve, "--revision", "2", **LEAD)).refused(5, "another revision")
    assert "in force" in (await terminal.keepwell(*approve, "--revision", "1", **LEAD)).said()
    (await terminal.keepwell(*approve, "--revision", "1", **LEAD)).refused(5, "settled")

    shown = (await terminal.keepwell("procedures", "show", "cleanup", **SAM)).said()
    assert shown.startswith("# version 1, current; approved by dana as infra_lead\nprocedure: cleanup\n")
    folder = tmp_path / "kept"
    assert "1 written" in (await terminal.keepwell("procedures", "export", str(folder), **SAM)).said()
    [kept] = folder.rglob("*.yaml")
    assert kept.read_bytes() == file_of(tmp_path, "Look.", "Stop.").read_bytes()
    again = await terminal.keepwell("procedures", "apply", str(folder), **SAM)
    assert "nothing to do, version 1 says so" in again.said()

    two = await proposed(terminal, file_of(tmp_path, "Look.", "Ask.", "Stop."), **ROBIN)
    told = (await terminal.keepwell("review", "show", two, **LEAD)).said()
    assert "~ steps/step-1\n  - Stop.\n  - check: seen\n  + Ask.\n" in told
    assert "+ steps/step-2" in told
    (await terminal.keepwell("review", "approve", two, "--revision", "1", **ROBIN)).refused(3, "drafted")
    (await terminal.keepwell("review", "approve", two, "--revision", "1", **LEAD)).said()
    back = ("procedures", "rollback", "cleanup", "--to", "1", "--because", "too slow")
    assert "version 3 is in force" in (await terminal.keepwell(*back, **LEAD)).said()
    assert "v3" in (await terminal.keepwell("procedures", "list", **LEAD)).said()


async def test_a_rejection_and_a_question_say_why(terminal: Terminal, tmp_path: Path) -> None:
    one = await proposed(terminal, file_of(tmp_path, "Look."), **SAM)
    asked = await terminal.keepwell("review", "ask", one, "Say at what.", "--revision", "1", **LEAD)
    assert asked.said().startswith("changes_asked: ")
    assert (
        (await terminal.keepwell("review", "reject", one, "No need.", **LEAD)).said().startswith("rejected: ")
    )
    shown = (await terminal.keepwell("review", "show", one, **SAM)).said()
    assert "dana: request_changes, changes_asked; Say at what." in shown
    assert "dana: reject, rejected; No need." in shown


async def test_what_stands_in_a_step_is_shown_and_does_nothing(terminal: Terminal, tmp_path: Path) -> None:
    content = f'procedure: odd\nclass: operations\nscope: {{workspace: staging-cloud}}\ntrigger: {{intent: "{"x"}"}}\n'
    path = tmp_path / "odd.yaml"
    words = ODD.replace("\x1b", "")
    path.write_text(f"{content}steps: [{{id: a, do: '{words}', verify: seen}}]\n", encoding="utf-8")
    one = await proposed(terminal, path, **SAM)
    shown = (await terminal.keepwell("review", "show", one, **LEAD)).said()
    assert "\u202e" not in shown
    assert "[bold]no[/bold]" in shown
    assert "<b>承認</b> {{ x }} approve this" in shown
    assert "open; approved by 0 of 1" in shown


async def test_a_file_that_cannot_be_read_is_told_with_its_line(terminal: Terminal, tmp_path: Path) -> None:
    path = file_of(tmp_path, "Look.")
    path.write_text(path.read_text().replace("verify:", "verif:"), encoding="utf-8")
    (await terminal.keepwell("procedures", "apply", str(path), **SAM)).refused(2, f"{path.name}:8")
    (await terminal.keepwell("procedures", "show", "nothing", **SAM)).refused(4)


async def test_experience_is_read_on_demand(terminal: Terminal) -> None:
    said = (await terminal.keepwell("procedures", "reflect", **LEAD)).said()
    assert said == "0 episodes read; 0 recur, 0 proposed\n0 facts proposed for wider scopes; 0 at their end\n"


async def test_a_reason_is_shown_and_a_recall_brings_the_whole(terminal: Terminal, tmp_path: Path) -> None:
    path = file_of(tmp_path, "Look.")
    path.write_text(
        path.read_text("utf-8").rstrip() + "\n  because: Owners asked for it.\n", encoding="utf-8"
    )
    one = await proposed(terminal, path, **SAM)
    assert (
        "+ because: Owners asked for it." in (await terminal.keepwell("review", "show", one, **LEAD)).said()
    )
    (await terminal.keepwell("review", "approve", one, "--revision", "1", **LEAD)).said()
    question = yaml.safe_load(path.read_text("utf-8"))["trigger"]["intent"]
    asked = await terminal.keepwell("recall", question, "--scope", "workspace=staging-cloud", **LEAD)
    told = asked.said()
    assert "cleanup, version 1: " in told
    assert "1. Look." in told
    (await terminal.keepwell("procedures", "export", str(path), **SAM)).refused(2, "cannot be written to")
