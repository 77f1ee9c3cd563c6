"""The policy file: the shipped one is usable, and a wrong one is refused with the line that is wrong."""

from pathlib import Path

import pytest

from models.errors import PolicyInvalid
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY

GOOD = """\
version: 1
dimensions: [workspace]
attributes:
  owner: {}
roles:
  lead:
    scopes: {workspace: any}
    write: [owner]
"""


def test_the_shipped_policy_is_usable() -> None:
    policy = load_policy(SHIPPED_POLICY)
    assert {"infra_lead", "developer", "agent", "operator"} <= set(policy.roles)


def test_a_small_policy_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_policy(path).roles["lead"].write == {"owner"}


@pytest.mark.parametrize(
    ("was", "becomes", "line", "name"),
    [
        ("version: 1", "version: 2", 1, "version: "),
        ("version: 1\n", "", 1, "version: "),
        ("dimensions: [workspace]", "dimensions: workspace", 2, "dimensions: "),
        ("owner: {}", "owner: {cardinality: some}", 4, "attributes.owner.cardinality: "),
        ("  lead:", "  lead:\n    tenant: yes", 7, "roles.lead.tenant: "),
        ("workspace: any", "workspace: 7", 7, "roles.lead.scopes.workspace"),
        ("write: [owner]", "write: [lifecycle]", 1, "lead names the attribute lifecycle"),
        ("{workspace: any}", "{project: any}", 1, "lead names the dimension project"),
        ("write: [owner]", "write: [owner", 9, "not YAML: "),
        ("owner: {}", "owner: {}\n\tuses: {}", 5, "not YAML: "),
    ],
)
def test_a_wrong_policy_is_refused_with_its_line(
    tmp_path: Path, was: str, becomes: str, line: int, name: str
) -> None:
    assert GOOD.count(was) == 1
    path = tmp_path / "policy.yaml"
    path.write_text(GOOD.replace(was, becomes), encoding="utf-8")
    with pytest.raises(PolicyInvalid) as refused:
        load_policy(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert name in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"- version\n", b"policy"])
def test_what_is_no_mapping_is_no_policy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(content)
    with pytest.raises(PolicyInvalid, match=r"policy\.yaml:1: the document: "):
        load_policy(path)


def test_what_cannot_be_read_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"version: \xe9\n")
    for path in (tmp_path / "missing.yaml", tmp_path, tmp_path / "latin.yaml"):
        with pytest.raises(PolicyInvalid, match="cannot be read; point KEEPWELL_POLICY at a YAML file"):
            load_policy(path)
