"""The page about the policy is made from the policy file and the rules, and leaves no reason out."""

import ast
import re
from pathlib import Path

from models.conditions import ConfirmationState
from models.policy import Policy
from models.reasons import ReasonCode
from models.reconciliation import Verdict
from models.verbs import Verb
from runtime.policy_reference import CONFIRMATIONS, VERDICTS, reference
from tests.contracts import memory_class

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/policy.md"


def test_the_page_is_up_to_date(policy: Policy) -> None:
    """Made anew by `make docs`."""
    assert PAGE.read_text("utf-8") == reference(policy)


def row_of(name: str) -> list[str]:
    """The cells of the one row that begins with `name`."""
    [row] = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| `{name}` |")]
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def test_it_holds_all_that_the_policy_declares(policy: Policy) -> None:
    for name, grant in (*policy.roles.items(), *policy.systems.items()):
        may, reaches = row_of(name)
        assert may.split(", ") == [verb.value for verb in Verb if verb in grant.may]
        assert set(re.findall(r"`(\w+)`", reaches)) == set(grant.scopes)
        assert ("the tenant" in reaches) == grant.tenant_wide
    page = PAGE.read_text("utf-8")
    for name, contract in policy.classes.items():
        assert f"### `{name}`, version {contract.version}\n" in page
        for line in (*contract.design.model_dump().values(), contract.owner):
            assert f" | {line} |\n" in page
    for name, attribute in policy.attributes.items():
        type_, cardinality, write, confirm, _ = row_of(name)
        assert type_ == attribute.type.value or set(re.findall(r"`(\w+)`", type_)) == set(attribute.values)
        assert cardinality == attribute.cardinality.value
        assert set(re.findall(r"`([\w-]+)`", write)) == attribute.write
        assert set(re.findall(r"`([\w-]+)`", confirm)) == attribute.confirm


def test_what_a_policy_declares_is_told_as_it_is() -> None:
    document = {
        "version": 2,
        "dimensions": ["user", "team"],
        "roles": {"mate": {"scopes": {"user": "self", "team": ["blue", "azure"]}}},
        "systems": {"crm": {"may": ["publish"]}},
        "classes": {
            "stock": memory_class(
                {"sold": {"authoritative": ["crm"]}},
                levels=["team"],
                fallback={"system_of_record": "warehouse"},
            )
        },
    }
    page = reference(Policy.model_validate(document))
    assert "| `mate` |  | `user` (own), `team` (`azure`, `blue`) |\n" in page
    assert "| `crm` | publish |  |\n" in page
    assert "| `sold` | text | one | `crm` (system of record) |  |  |\n" in page
    assert "| where nothing governs | ask `warehouse`; nothing is kept here |\n" in page


def codes_in(path: str) -> set[str]:
    """The words like `not_permitted` that a module's code holds, its documentation and its enumerations aside."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    kinds = [
        each for each in ast.walk(tree) if isinstance(each, ast.ClassDef) and "StrEnum" in ast.dump(each)
    ]
    aside = {id(node) for kind in kinds for node in ast.walk(kind)}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside
        if re.fullmatch(r"[a-z]+(_[a-z]+)*", node.value)
    }


def test_every_reason_is_told() -> None:
    assert {reason for reasons in VERDICTS.values() for reason in reasons} == set(ReasonCode)
    told = {reason for reasons in CONFIRMATIONS.values() for reason in reasons}
    assert told == codes_in("models/conditions.py")


def test_every_verdict_has_its_reasons() -> None:
    assert set(VERDICTS) == set(Verdict) - {Verdict.RETIRE}
    assert set(CONFIRMATIONS) == set(ConfirmationState) - {ConfirmationState.PENDING}


def test_a_reason_is_told_under_the_verdict_that_it_is_given_for() -> None:
    """As far as a verdict and its reason stand side by side in the rules."""
    pairs: set[tuple[str, str]] = set()
    for path in ("models/reconciliation.py", "capture/admission.py"):
        source = (ROOT / path).read_text("utf-8")
        pairs |= set(re.findall(r"Verdict\.([A-Z_]+),\s+ReasonCode\.([A-Z_]+)", source))
    told = {(verdict.name, reason.name) for verdict, reasons in VERDICTS.items() for reason in reasons}
    assert len(pairs) > 15
    assert pairs <= told
