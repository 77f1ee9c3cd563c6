"""The page about changing the policy tells of every effect that a change can have, and of no other."""

import re
from pathlib import Path

from models.policy_change import EffectKind
from models.policy_proposal import MOST_CHARACTERS
from store.policies import FRESH_SECONDS

PAGE = (Path(__file__).resolve().parents[2] / "docs/policy-changes.md").read_text("utf-8")


def test_it_has_every_effect() -> None:
    table = PAGE.partition("## What it touches")[2].partition("## Who may read")[0]
    assert re.findall(r"^\| `(\w+)` \| [^|]", table, re.MULTILINE) == ["kind", *EffectKind]


def test_its_figures_are_those_of_the_code() -> None:
    assert f"more than {MOST_CHARACTERS:,} characters" in PAGE
    assert FRESH_SECONDS == 1.0
    assert "every other one within a second" in PAGE
