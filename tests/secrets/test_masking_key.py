"""The key of the digests: what is taken for one, where it is kept, and that no process goes on without."""

import multiprocessing
import stat
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from models.errors import InvalidInput
from runtime.addresses import Addresses
from runtime.embedded.layout import layout_of
from runtime.embedded.private_file import make_private_text
from runtime.masking import masking_key
from runtime.settings import Settings, is_strong, load_settings
from tests.runtime.ups import ROOT
from tests.surfaces.terminal import Terminal
from tests.world import MASKER

HEX = "3f786850e387550fdab836ed7e6dc881de23001b9f86d081884c7d659a2feaa0"

KEYS = [
    (HEX, True),
    (HEX.upper(), True),
    (HEX[:62], False),
    ("0" * 64, False),
    ("0123" * 16, False),
    ("P3hoUOOHVQ/auDbtfm3IgeIwAbn4bQgYhMfWWaL+qgg=", True),
    ("P3hoUOOHVQ_auDbtfm3IgeIwAbn4bQgYhMfWWaL-qgg", True),
    ("P3hoUOOHVQ/auDbtfm3IgeI=", False),
    ("correct horse battery staple wombat piano", True),
    ("correct horse battery staple", False),
    ("a b c d e f g h i j k l", False),
    ("hunter2", False),
    ("", False),
    ("  ", False),
]


@pytest.mark.parametrize(("key", "strong"), KEYS)
def test_a_key_has_to_be_strong(key: str, strong: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_strong(key) is strong
    monkeypatch.setenv("KEEPWELL_MASKING_KEY", key)
    if strong:
        assert load_settings().masking_key == SecretStr(key)
        return
    with pytest.raises(InvalidInput, match="openssl rand -hex 32") as refused:
        load_settings()
    assert refused.value.field == "KEEPWELL_MASKING_KEY"
    assert key.strip() == "" or key not in str(refused.value)


def test_settings_do_not_show_the_key() -> None:
    settings = Settings(masking_key=SecretStr(HEX))
    assert HEX not in repr(settings) + str(settings) + settings.model_dump_json()
    with pytest.raises(ValidationError):
        Settings(masking_key=SecretStr("hunter2"))


def test_the_key_of_the_settings_comes_first(tmp_path: Path) -> None:
    first = masking_key(Settings(home=tmp_path, masking_key=SecretStr(HEX)))
    assert first == masking_key(Settings(home=tmp_path, masking_key=SecretStr(f" {HEX}\n")))
    assert first != masking_key(Settings(home=tmp_path))
    assert len(first) == 32


def test_without_one_a_home_keeps_a_key_of_its_own(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    made = masking_key(Settings(home=home))
    file = layout_of(home).masking_key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == ["masking.key"], "nothing is left beside it"
    assert masking_key(Settings(home=home)) == made
    assert masking_key(Settings(home=tmp_path / "other")) != made


def make(path: str, number: int, gate: "multiprocessing.synchronize.Barrier", told: str) -> None:
    gate.wait()
    text = make_private_text(Path(path), f"key {number}\n")
    (Path(told) / str(number)).write_text(text)


def test_processes_that_make_it_at_once_agree(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    told = tmp_path / "told"
    told.mkdir()
    for turn in range(5):
        gate = context.Barrier(4)
        path = str(tmp_path / f"{turn}.key")
        makers = [context.Process(target=make, args=(path, number, gate, str(told))) for number in range(4)]
        for maker in makers:
            maker.start()
        for maker in makers:
            maker.join(30)
        answers = {file.read_text() for file in told.iterdir()}
        assert answers == {Path(path).read_text()}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "0.key",
        "1.key",
        "2.key",
        "3.key",
        "4.key",
        "told",
    ]


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    masking_key(Settings(home=tmp_path))
    file = layout_of(tmp_path).masking_key
    file.chmod(0o640)
    with pytest.raises(InvalidInput, match="chmod 600"):
        masking_key(Settings(home=tmp_path))


@pytest.mark.parametrize("text", ["", "\n", HEX[:20], HEX[:63]])
def test_a_key_that_was_cut_is_refused(tmp_path: Path, text: str) -> None:
    file = layout_of(tmp_path).masking_key
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(InvalidInput, match="restore it from a back-up") as refused:
        masking_key(Settings(home=tmp_path))
    assert text.strip() == "" or text not in str(refused.value)


async def test_a_server_without_a_key_and_without_a_home_does_not_start(
    addresses: Addresses, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    server = Terminal(
        ROOT,
        KEEPWELL_DATABASE_URL=addresses.database_url,
        KEEPWELL_TEMPORAL_ADDRESS=addresses.temporal_address,
        KEEPWELL_HOME=str(tmp_path / "file" / "home"),
    )
    refused = await server.run(["python", "-m", "surfaces.http"])
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith(
        "keepwell http: KEEPWELL_MASKING_KEY: is not set, and no key can be kept in "
    )
    assert refused.err.count("\n") == 1
    up = await server.keepwell("up")
    up.refused(2, "KEEPWELL_MASKING_KEY", "openssl rand -hex 32")


async def test_who_keeps_nothing_needs_no_key(addresses: Addresses, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    reader = Terminal(
        tmp_path,
        KEEPWELL_DATABASE_URL=addresses.database_url,
        KEEPWELL_TEMPORAL_ADDRESS=addresses.temporal_address,
        KEEPWELL_HOME=str(tmp_path / "file" / "home"),
    )
    (await reader.keepwell("tenants", "add", "readers")).said()
    here = ("--scope", "workspace=a", "--tenant", "readers")
    (await reader.keepwell("traces", "--tenant", "readers")).said()
    # What is recalled is kept in a trace, masked as what is published is.
    for keeping in (("remember", "owner", "Ana"), ("recall", "x")):
        (await reader.keepwell(*keeping, *here)).refused(2, "KEEPWELL_MASKING_KEY")


def test_the_masker_of_the_tests_has_a_fixed_key() -> None:
    assert MASKER._master == bytes(range(32))
