"""`keepwell export`, `switch` and `switches`: what is held of a person, for themselves and for whoever administers."""

import asyncio
import json
import stat
from pathlib import Path

from models.export import Export
from tests.surfaces.terminal import CANARY, Terminal
from tests.world import World, event

ANA = ("--as", "human:ana", "--role", "user")


async def tell(world: World) -> None:
    who = world.principal("ana", world.lead.kind, "user")
    await world.publish(who, event(text=CANARY, scope={"user": "ana"}))


def left_beside(folder: Path) -> list[Path]:
    """Files that were to become another and did not."""
    return list(folder.glob(".keepwell-*"))


async def test_an_export_goes_to_standard_output_or_to_a_private_file(
    terminal: Terminal, world: World, tmp_path: Path
) -> None:
    await tell(world)
    printed = await terminal.keepwell("export", *ANA)
    document = Export.model_validate_json(printed.said())
    assert ([each.text for each in document.events], document.requested_by) == ([CANARY], "ana")
    written = await terminal.keepwell("export", "--subject", "ana", "--out", "ana.json")
    path = tmp_path / "ana.json"
    assert written.said() == f"{path.stat().st_size:,} bytes: 1 events.\n"
    of_operator = Export.model_validate_json(await asyncio.to_thread(path.read_bytes))
    assert (of_operator.events, of_operator.requested_by) == (document.events, "operator")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_nothing_held_is_said_beside_the_document(terminal: Terminal, world: World) -> None:
    await tell(world)
    nobody = await terminal.keepwell("export", "--subject", "Ana")
    assert nobody.code == 0
    assert not any(Export.model_validate_json(nobody.out).counts.model_dump().values())
    assert "nothing is held of this subject" in nobody.err


async def test_a_file_that_others_can_read_is_replaced_by_a_private_one(
    terminal: Terminal, world: World, tmp_path: Path
) -> None:
    await tell(world)
    path, elsewhere = tmp_path / "ana.json", tmp_path / "linked.json"
    for name in (path, elsewhere):
        name.write_text("old")
        name.chmod(0o644)
    with path.open() as reader:
        (await terminal.keepwell("export", "--subject", "ana", "--out", "ana.json")).said()
        assert reader.read() == "old", "whoever has the old file open must not see the document"
    assert CANARY in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
    path.symlink_to(elsewhere)
    (await terminal.keepwell("export", "--subject", "ana", "--out", "ana.json")).said()
    assert (path.is_symlink(), elsewhere.read_text()) == (False, "old")
    (tmp_path / "folder").mkdir()
    (await terminal.keepwell("export", "--subject", "ana", "--out", "folder")).refused(2, "another file")
    assert left_beside(tmp_path) == [], "a document in a file that nobody knows of"


async def test_of_somebody_else_it_takes_an_administrator(terminal: Terminal, world: World) -> None:
    await tell(world)
    (await terminal.keepwell("export", "--subject", "ana", "--as", "human:ben", "--role", "user")).refused(
        3, "administer"
    )
    (await terminal.keepwell("export", "--as", "agent:ana", "--role", "agent")).refused(3, "as the person")
    (await terminal.keepwell("export", *ANA, "--out", "no/such/folder.json")).refused(
        2, "--out", "another file"
    )


async def test_a_class_is_switched_off_and_on(terminal: Terminal) -> None:
    (await terminal.keepwell("switches", *ANA)).said()
    off = (await terminal.keepwell("switch", "off", "general_note", *ANA)).said()
    assert ("general_note" in off, " off " in off) == (True, True)
    told = json.loads((await terminal.keepwell("switches", *ANA, "--json")).said())
    states = {each["class_name"]: (each["state"], each["since"] is None) for each in told}
    assert states == {
        "general_note": ("off", False),
        "standing_instruction": ("on", True),
        "task_commitment": ("on", True),
        "user_preference": ("on", True),
    }
    on = (await terminal.keepwell("switch", "on", "general_note", *ANA, "--json")).json
    assert on["state"] == "on"
    (await terminal.keepwell("switch", "off", "decision", *ANA)).refused(2, "class: ", "general_note")
    (
        await terminal.keepwell("switch", "off", "general_note", "--as", "agent:ana", "--role", "agent")
    ).refused(3)
