"""What the boards make of public data, on cases small enough to check by hand, and of the data where it is at hand."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import pytest

from evals.read.data import Absent
from evals.read.gatemem.cases import DOMAINS, Checkpoint, Domain, Episode, Turn, read_domain
from evals.read.gatemem.rooms import CARE, OPEN, asked_in, policy_of, roles_of, room_of, subjects
from evals.read.halves import require_halves
from evals.read.precision.cases import Belief, Case, read_beliefs, read_cases
from evals.read.precision.run import Answered
from models.policy import Policy
from models.principals import Principal, PrincipalKind
from models.scope import Scope
from models.verbs import Verb

CASE = Case(
    id="c",
    person="p",
    domains=("code",),
    query="?",
    most=None,
    relevant=frozenset({"a"}),
    wanted=frozenset({"a", "pinned"}),
    unwanted=frozenset({("pinned", "never")}),
)
TIERS = {
    "a": "relevant",
    "b": "relevant",
    "pinned": "pinned",
    "other": "pinned",
    "never": "pinned",
    "me": "prelude",
}


@pytest.mark.parametrize(
    ("case", "shown", "precision", "recall"),
    [
        (CASE, ("a", "pinned"), 1, 1),
        (CASE, ("a", "b", "other", "me"), 0.5, 0.5),
        (CASE, ("pinned",), 0, 0.5),
        (CASE, ("a", "never"), 0.5, 0.5),
        (CASE._replace(relevant=frozenset(), wanted=frozenset()), ("other",), 1, 1),
        (CASE._replace(relevant=frozenset(), wanted=frozenset()), ("b",), 0, 1),
        (CASE._replace(relevant=None, wanted=frozenset({"pinned"})), ("b", "pinned"), 1, 1),
    ],
)
def test_precision_counts_what_came_as_relevant(
    case: Case, shown: tuple[str, ...], precision: float, recall: float
) -> None:
    answered = Answered(case, shown, TIERS, {})
    assert (answered.precision, answered.recall) == (precision, recall)


def test_the_beliefs_are_stated_after_what_they_replaced() -> None:
    beliefs = _or_skipped(read_beliefs)
    places = {name: place for place, name in enumerate(beliefs)}
    replaced: list[Belief] = [each for each in beliefs.values() if each.successor]
    assert len(beliefs) == 35
    assert replaced
    for belief in replaced:
        successor = beliefs[belief.successor or ""]
        assert places[belief.id] < places[successor.id]
        assert (belief.key, belief.kind, belief.pinned) == (successor.key, successor.kind, successor.pinned)


def test_all_cases_of_precision_mem_bench_are_read() -> None:
    retrieval, sessions = _or_skipped(read_cases)
    assert (len(retrieval), len(sessions)) == (77, 12)
    assert sum(case.relevant is not None for case in (*retrieval, *sessions)) == 75 + 12
    require_halves("precision", [case.id for case in (*retrieval, *sessions)])


OFFICE = Episode(
    id="e",
    domain="office",
    roles={"ava": "product_manager", "leo": "contractor", "kim": "manager", "erin": "executive_assistant"},
    names={},
    relationships=(
        {"type": "project_member", "project_id": "project_maple", "principal_id": "ava"},
        {"type": "contractor_for_project", "project_id": "project_maple", "principal_id": "leo"},
        {"type": "project_member", "project_id": "project_maplemark", "principal_id": "kim"},
        {"type": "executive_delegate", "principal_id": "erin", "for_principal_id": "ava"},
    ),
    turns=(),
)
CLINIC = Episode(
    id="c",
    domain="medical",
    roles={
        "elena": "patient", "mina": "patient", "shah": "clinician", "cole": "clinician", "linda": "family_member",
        "marta": "reception", "casey": "nurse",
    },
    names={"elena": "Elena Park", "mina": "Mina Park"},
    relationships=(
        {"type": "assigned_clinician", "clinician_id": "shah", "patient_id": "elena"},
        {"type": "assigned_clinician", "clinician_id": "cole", "patient_id": "mina"},
        {"type": "family_member", "family_id": "linda", "patient_id": "elena"},
    ),
    turns=(),
)  # fmt: skip
MAPLE = {**OPEN, "project": "project_maple"}
DESK, ELENA = {**OPEN, "project": "elena"}, {**OPEN, "project": "elena", "team": CARE}


@pytest.mark.parametrize(
    ("episode", "speaker", "text", "room"),
    [
        (OFFICE, "ava", "The date of Maple moves.", MAPLE),
        (OFFICE, "leo", "I need access to Maple, and not to Maplemark.", MAPLE),
        (OFFICE, "ava", "The budget is settled.", MAPLE),
        (OFFICE, "erin", "The room is booked.", OPEN),
        (OFFICE, "ava", "Maplemark has its own customer.", {**OPEN, "project": "project_maplemark"}),
        (CLINIC, "marta", "You are checked in.", DESK),
        (CLINIC, "casey", "The values are back.", ELENA),
        (CLINIC, "mina", "It hurts.", {**OPEN, "project": "mina", "team": CARE}),
        (CLINIC, "casey", "Mina Park is next.", {**OPEN, "project": "mina", "team": CARE}),
    ],
)
def test_a_turn_is_said_in_the_room_of_what_it_names(
    episode: Episode, speaker: str, text: str, room: dict[str, str]
) -> None:
    assert room_of(episode, Turn("t", speaker, episode.roles[speaker], text)) == room


@pytest.mark.parametrize(
    ("episode", "asker", "query", "room"),
    [
        (OFFICE, "ava", "The date of Maple?", MAPLE),
        (OFFICE, "leo", "The date of Maple?", OPEN),
        (OFFICE, "kim", "The date of Maple?", OPEN),
        (OFFICE, "erin", "What is new?", OPEN),
        (CLINIC, "elena", "My values?", ELENA),
        (CLINIC, "shah", "The values?", ELENA),
        (CLINIC, "cole", "The values of Elena Park?", OPEN),
        (CLINIC, "linda", "When is the visit?", DESK),
        (CLINIC, "mina", "The values of Elena Park?", OPEN),
    ],
)
def test_whoever_asks_asks_where_they_may_read(
    episode: Episode, asker: str, query: str, room: dict[str, str]
) -> None:
    assert asked_in(episode, asker, query) == room


@pytest.mark.parametrize("episode", [OFFICE, CLINIC])
def test_the_policy_lets_everybody_recall_where_the_mapping_says(episode: Episode) -> None:
    policy = Policy.model_validate(policy_of(episode))
    for name in episode.roles:
        roles = roles_of(episode, name)
        principal = Principal(tenant="t", subject=name, kind=PrincipalKind.HUMAN, roles=roles)
        for subject in subjects(episode):
            asked = Scope(
                asked_in(episode, name, episode.names.get(subject) or subject.removeprefix("project_"))
            )
            assert policy.allows(principal, Verb.RECALL, asked)
            beyond = Scope({**OPEN, "project": subject, "team": CARE})
            if not beyond.covers(asked):
                assert not policy.allows(principal, Verb.RECALL, beyond)


def test_context_is_searched_for_patterns_and_for_whole_words() -> None:
    checkpoint = Checkpoint(
        "c", "e", "t", "ava", "utility", "?", ("no (?:major )?blockers", "9%"), ("bridge-28", "9%")
    )
    assert checkpoint.covered("There are no\nmajor  blockers; at most 9%.") == 2
    assert checkpoint.covered("There is one blocker.") == 0
    assert checkpoint.leaked("It was Bridge-28, once.")
    assert not checkpoint.leaked("It is bridge-281, or 19%.")


@pytest.mark.parametrize("domain", DOMAINS)
def test_all_of_gatemem_is_read(domain: Domain) -> None:
    episodes, checkpoints = _or_skipped(lambda: read_domain(domain))
    assert (len(episodes), len(checkpoints)) == {"office": (17, 547), "medical": (21, 579)}[domain]
    assert all(each.as_of in episodes[each.episode].places for each in checkpoints)
    assert all(each.asker in episodes[each.episode].roles for each in checkpoints)
    kinds = Counter(each.kind for each in checkpoints if each.include or each.leaks)
    assert kinds["utility"] > 100
    assert kinds["privacy"] > 100
    assert kinds["safety"] > 100


T = TypeVar("T")


def _or_skipped(read: Callable[[], T]) -> T:
    """What is read, or the test skipped where the data is no part of this machine."""
    try:
        return read()
    except Absent as absent:
        pytest.skip(str(absent))
