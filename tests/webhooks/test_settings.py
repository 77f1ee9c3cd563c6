"""Hosts and workflows that the operator allows are named by settings; none is the default."""

import pytest

from models.errors import InvalidInput
from runtime.settings import load_settings

NAME = "KEEPWELL_WEBHOOK_ALLOWED_HOSTS"
SIGNALS = "KEEPWELL_SIGNAL_TARGETS"


@pytest.mark.parametrize(
    ("told", "allowed"),
    [
        (None, set[str]()),
        ("", set[str]()),
        ("hooks.internal", {"hooks.internal"}),
        ("Hooks.Internal, 10.0.0.7:8443,", {"hooks.internal", "10.0.0.7:8443"}),
        ("[FD00:0::7]:8443,[::1]", {"[fd00::7]:8443", "[::1]"}),
    ],
)
def test_hosts_are_read(monkeypatch: pytest.MonkeyPatch, told: str | None, allowed: set[str]) -> None:
    monkeypatch.delenv(NAME, raising=False)
    if told is not None:
        monkeypatch.setenv(NAME, told)
    assert load_settings().webhook_allowed_hosts == allowed


@pytest.mark.parametrize(
    "told",
    [
        "*",
        "*.internal",
        "http://hooks.internal",
        "hooks.internal/in",
        "10.0.0.0/8",
        "hooks.internal:0",
        "hooks.internal:65536",
        "hooks.internal:",
        "fd00::7",
        "0177.0.0.1",
        "hooks internal",
        ".internal",
    ],
)
def test_what_is_no_host_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv(NAME, told)
    with pytest.raises(InvalidInput, match=r"such as hooks\.internal") as error:
        load_settings()
    assert error.value.field == NAME


@pytest.mark.parametrize(
    ("told", "allowed"),
    [
        (None, set[str]()),
        ("", set[str]()),
        ("acme:agent-", {"acme:agent-"}),
        ("acme:agent-, other:jobs/of:,", {"acme:agent-", "other:jobs/of:"}),
    ],
)
def test_workflows_are_read(monkeypatch: pytest.MonkeyPatch, told: str | None, allowed: set[str]) -> None:
    monkeypatch.delenv(SIGNALS, raising=False)
    if told is not None:
        monkeypatch.setenv(SIGNALS, told)
    assert load_settings().signal_targets == allowed


def test_what_names_no_workflow_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SIGNALS, "acme:agent-,agent-")
    with pytest.raises(InvalidInput, match="such as acme:agent-") as error:
        load_settings()
    assert error.value.field == SIGNALS
