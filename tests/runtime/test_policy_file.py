"""The policy file: the shipped one is usable, and a wrong one is refused with the line that is wrong."""

from pathlib import Path

import pytest

from models.errors import InvalidInput, PolicyInvalid
from runtime.policy_file import load_policy, sent_policy, written_policy
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


NESTED = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20))]
)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(NESTED, "line 1: has more than 20,000 parts", id="a text that grows without end"),
        pytest.param("a: &a [*a]", "line 1: has more than 20,000 parts", id="a list inside itself"),
        pytest.param("a: &a {b: *a}", "line 1: has more than 20,000 parts", id="a mapping inside itself"),
        pytest.param(
            "a: &a {k: v}\nb: &b {<<: [" + "*a, " * 20_000 + "*a]}", "parts, counted wherever", id="merged"
        ),
        pytest.param("[" * 5_000, "line 1: is nested too deep", id="nested"),
        pytest.param("version: 2026-13-45", "line 1: holds a date or a number that is none", id="no date"),
        pytest.param(f"version: {'9' * 50_000}", "line 1: holds a date or a number", id="no number to hold"),
        pytest.param("version: !!int ''", "line 1: holds a date or a number", id="no number at all"),
        pytest.param("version: !!python/name:os.system", "line 1: not YAML: could not determine", id="code"),
        pytest.param('a: 1\nb: "\\0"', "line 2: holds a control character", id="a NUL in disguise"),
        pytest.param('"\\uD800": 1', "line 1: holds a control character", id="half a character"),
        pytest.param("a: \x00", "line 1: not YAML: it holds characters", id="a NUL"),
        pytest.param("a: 1\n---\nb: 1", "line 2: not YAML: but found another document", id="two documents"),
        pytest.param(f"version: 2\ndimensions: [x]\n? {'y' * 2_000}\n: 1", "line 3: ", id="a long name"),
    ],
)
def test_what_somebody_sends_is_refused_in_time_and_in_few_words(content: str, complaint: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        sent_policy(content)
    assert refused.value.field == "content"
    assert complaint in refused.value.message
    assert len(refused.value.message) < 350


def test_what_is_written_reads_as_the_same_policy() -> None:
    shipped = load_policy(SHIPPED_POLICY)
    assert sent_policy(written_policy(shipped)) == shipped


def test_what_cannot_be_read_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"version: \xe9\n")
    for path in (tmp_path / "missing.yaml", tmp_path, tmp_path / "latin.yaml"):
        with pytest.raises(PolicyInvalid, match="cannot be read; point KEEPWELL_POLICY at a YAML file"):
            load_policy(path)
