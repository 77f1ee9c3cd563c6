"""A model is named by settings, told to the worker alone, and imported by nobody who has none."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from models.errors import InvalidInput
from models.extractions import Budget, Purpose
from providers.language_model import connect
from runtime.addresses import Addresses
from runtime.language_model import language_model, told_of
from runtime.programs import http_server, worker
from runtime.settings import Settings, load_settings

ROOT = Path(__file__).parents[2]
SECRET = "sk-zebra-7731"


@pytest.mark.parametrize(
    ("written", "purposes"),
    [
        ("extract", {Purpose.EXTRACT}),
        ("narrate, extract", {Purpose.NARRATE, Purpose.EXTRACT}),
        (None, set(Purpose)),
    ],
)
def test_purposes_are_words_with_commas(
    monkeypatch: pytest.MonkeyPatch, written: str | None, purposes: set[Purpose]
) -> None:
    if written is not None:
        monkeypatch.setenv("KEEPWELL_MODEL_PURPOSES", written)
    assert load_settings().model_purposes == purposes


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MODEL_PURPOSES", "read"),
        ("MODEL_PURPOSES", ""),
        ("MODEL", "gpt-5"),
        ("MODEL_URL", "localhost:8000"),
        ("MODEL_TIMEOUT", "0"),
        ("MODEL_DAILY_TOKENS", "-1"),
        ("MODEL_DAILY_REQUESTS", "many"),
    ],
)
def test_what_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"KEEPWELL_{name}", value)
    with pytest.raises(InvalidInput) as refused:
        load_settings()
    assert refused.value.field == f"KEEPWELL_{name}"


def test_without_a_model_there_is_none() -> None:
    assert language_model(Settings()) is None
    assert told_of(Settings()) == "none; rules extract, narrate and draft"


def test_a_model_has_the_purposes_and_the_budget_that_are_set() -> None:
    settings = Settings(
        model="openai:local",
        model_url="http://127.0.0.1:1/v1",
        model_key=SecretStr(SECRET),
        model_purposes=frozenset({Purpose.NARRATE}),
        model_daily_tokens=5,
        model_daily_requests=6,
    )
    model = language_model(settings)
    assert model is not None
    assert model.budget == Budget(tokens=5, requests=6)
    assert model.extractor is None
    assert model.narrator is not None
    assert model.narrator.name == "openai:local/narrate_episode.v1"
    assert SECRET not in repr(settings) + repr(model) + told_of(settings)


@pytest.mark.parametrize(
    ("model", "url"),
    [("nobody:gpt", None), ("anthropic:claude", "http://127.0.0.1:1/v1"), ("google:gemini", None)],
)
def test_a_name_that_leads_nowhere_is_refused(model: str, url: str | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        connect(model, url, SECRET)
    assert refused.value.field == "KEEPWELL_MODEL"
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("model", ["openai:gpt-5-mini", "anthropic:claude-sonnet-4-5"])
def test_hosted_models_are_known_by_name_and_given_their_key(model: str) -> None:
    connection = connect(model, None, SECRET)
    assert connection.model_name == model.partition(":")[2]


def test_the_key_of_a_hosted_model_is_never_sent_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    connection = connect("openai:local", "http://127.0.0.1:1/v1")
    assert SECRET not in str(vars(connection.client))  # pyright: ignore[reportAttributeAccessIssue]


def test_the_worker_is_told_of_the_model_and_nobody_else(tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path,
        model="openai:local",
        model_key=SecretStr(SECRET),
        model_purposes=frozenset(Purpose),
    )
    where = Addresses("postgresql+asyncpg://x", "127.0.0.1:1", None, None)
    told = worker(settings, where, None).command.environment  # type: ignore[arg-type]
    assert told["KEEPWELL_MODEL"] == "openai:local"
    assert told["KEEPWELL_MODEL_KEY"] == SECRET
    assert told["KEEPWELL_MODEL_PURPOSES"] == "draft,extract,narrate"
    assert "KEEPWELL_MODEL_URL" not in told
    other = http_server(settings, where, 7420).command.environment
    assert [name for name in other if "MODEL" in name] == []


def test_nobody_without_a_model_imports_the_library() -> None:
    """It takes seconds, which every command and every server would pay."""
    enter = (
        "import sys, worker, surfaces.cli.app, surfaces.http.__main__;"
        " sys.exit(any(name.startswith(('pydantic_ai', 'openai', 'anthropic')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", enter], cwd=ROOT, check=False).returncode == 0
