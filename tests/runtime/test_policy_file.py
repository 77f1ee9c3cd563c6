"""The policy file: the shipped one is usable, and a wrong one is refused with the line that is wrong."""

from pathlib import Path

import pytest

from models.errors import PolicyInvalid
from runtime.policy_file import load_policy
from runtime.settings import SHIPPED_POLICY
from tests.contracts import SOUND_YAML


def test_the_shipped_policy_is_usable() -> None:
    policy = load_policy(SHIPPED_POLICY)
    assert {"infra_lead", "developer", "agent", "operator"} <= set(policy.roles)


def test_a_small_policy_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(SOUND_YAML, encoding="utf-8")
    assert load_policy(path).attributes["owner"].write == {"lead"}


@pytest.mark.parametrize(
    ("was", "becomes", "line", "name"),
    [
        ("version: 2", "version: 3", 1, "version: "),
        ("version: 2\n", "", 1, "version: "),
        ("dimensions: [workspace]", "dimensions: workspace", 2, "dimensions: "),
        ("dimensions: [workspace]", "dimensions: [workspace, tenant]", 2, "dimensions: tenant is the level"),
        ("  lead:\n", "  lead:\n    tenant: yes\n", 5, "roles.lead.tenant: unknown field"),
        ("  lead:\n", "  lead:\n    write: [owner]\n", 5, "roles.lead.write: unknown field"),
        ("workspace: any", "workspace: 7", 5, "roles.lead.scopes.workspace"),
        ("workspace: any", "workspace: all", 5, "roles.lead.scopes.workspace"),
        ("{workspace: any}", "{project: any}", 5, "roles.lead.scopes.project: names the dimension project"),
        ("billing: {}", "lead: {}", 7, "systems.lead: is a role and a system"),
        ("    owner: the team\n", "", 9, "classes.ownership.owner: is missing"),
        ("owner: the team", "owner: ' '", 11, "classes.ownership.owner: is blank; say it in words"),
        ("      decision: a choice\n", "", 12, "classes.ownership.design.decision: is missing"),
        ("decision: a choice", "decision: ''", 14, "classes.ownership.design.decision: is blank"),
        ("      deletion: with its events\n", "", 12, "classes.ownership.design.deletion: is missing"),
        ("levels: [workspace]", "levels: [planet]", 17, "classes.ownership.levels: names the level planet"),
        ("levels: [workspace]", "levels: []", 17, "classes.ownership.levels: "),
        ("[human_instruction]", "[hearsay]", 18, "classes.ownership.sources.0: "),
        ("held: P30D", "held: P0D", 20, "classes.ownership.retention.held: is no time at all"),
        ("held: P30D", "keep: P30D", 20, "classes.ownership.retention.held: is missing"),
        ("fallback: ask", "fallback: guess", 21, "classes.ownership.fallback"),
        ("fallback: ask", "fallback: ask\n    sensitivity: personal", 9, "say for what purpose"),
        ("fallback: ask", "fallback: ask\n    readers: [nobody]", 22, "readers: names nobody"),
        (
            "write: [lead]",
            "write: [ld]",
            24,
            "attributes.owner.write: names ld, which neither roles nor systems",
        ),
        ("write: [lead]", "confirm: [ld]", 24, "attributes.owner.confirm: names ld"),
        (
            "write: [lead]",
            "authoritative: [lead]",
            24,
            "authoritative: names lead, which systems do not declare",
        ),
        ("write: [lead]", "cardinality: some", 24, "attributes.owner.cardinality: is unknown; it is one of"),
        ("write: [lead]", "type: enumeration", 23, "values names what an enumeration may say"),
        ("write: [lead]", "restriction: true", 24, "attributes.owner.restriction: unknown field"),
        ("write: [lead]", "write: lead", 24, "attributes.owner.write: "),
        (
            "write: [lead]",
            "write: [lead]\n      holder: {synonyms: [owner]}",
            25,
            "owner is declared already",
        ),
        ("write: [lead]", "write: [lead]\n        write: [lead]", 25, "write stands here a second time"),
        ("write: [lead]", "write: [lead", 25, "not YAML: "),
        ("billing: {}", "billing: {}\n\tcrm: {}", 8, "not YAML: "),
    ],
)
def test_a_wrong_policy_is_refused_with_its_line(
    tmp_path: Path, was: str, becomes: str, line: int, name: str
) -> None:
    assert SOUND_YAML.count(was) == 1
    path = tmp_path / "policy.yaml"
    path.write_text(SOUND_YAML.replace(was, becomes), encoding="utf-8")
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
