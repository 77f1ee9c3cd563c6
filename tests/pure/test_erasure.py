"""The rules of erasure: dispositions, what comes next for a plan, what is left of a fact, and the chain of receipts."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as some

from models.authority import Authority, Standing
from models.candidates import Terms
from models.erasure.cutting import CUT, Part, Stated, cut_data, cut_text, left_of
from models.erasure.erasures import Erasure, ErasureBasis, ErasureState, Step, next_step
from models.erasure.plan import ErasureDisposition, NodeKind, Tally, digest_of, disposition_of, plan_of
from models.erasure.receipts import GENESIS, Logged, Receipt, chained, faults_in
from models.erasure.words import most_telling, telling_words
from models.events import EventType, StoredEvent
from models.facts import Admission, Fact, Subject
from models.principals import PrincipalKind, Speaker

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("kind", "root", "survives", "comes"),
    [
        ("event", True, False, "redact"),
        ("event", False, True, "cut"),
        ("episode", False, True, "recompute"),
        ("episode", False, False, "delete"),
        ("fact", True, True, "delete"),
        ("fact", False, True, "recompute"),
        ("fact", False, False, "delete"),
        ("intention", False, False, "delete"),
        ("procedure", False, True, "quarantine"),
        ("proposal", True, True, "delete"),
        ("trace", True, False, "delete"),
    ],
)
def test_every_record_has_one_disposition(kind: str, root: bool, survives: bool, comes: str) -> None:
    assert disposition_of(NodeKind(kind), root=root, survives=survives) is ErasureDisposition(comes)


def planned(**changed: object) -> Erasure:
    """An erasure with a plan."""
    plan = plan_of([Tally(NodeKind.EVENT, True, False, 1)], 0, [], NOW)
    there = Erasure(
        id=uuid4(),
        target="event",
        basis=ErasureBasis.REQUEST,
        asked_by="petra",
        asked_by_kind="human",
        confirmers=0,
        goes_on=True,
        expected=None,
        state=ErasureState.PLANNING,
        plan=plan,
        digest=b"1",
        residue=None,
        lapses_at=NOW + DAY,
        accepted_at=None,
        done_at=None,
        recorded_at=NOW,
    )
    return there._replace(**changed)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("erasure", "confirmed", "days", "comes"),
    [
        pytest.param(planned(), 0, 0, ("erasing", "erase"), id="nobody has to look"),
        pytest.param(planned(goes_on=False), 0, 0, ("planned", "wait"), id="a dry run"),
        pytest.param(planned(goes_on=False), 1, 0, ("erasing", "erase"), id="a dry run that was looked at"),
        pytest.param(planned(expected=b"1"), 0, 0, ("erasing", "erase"), id="as it was expected"),
        pytest.param(planned(expected=b"2"), 0, 0, ("planned", "wait"), id="otherwise than expected"),
        pytest.param(planned(confirmers=2), 1, 0, ("planned", "wait"), id="one of two"),
        pytest.param(planned(confirmers=2), 2, 2, ("erasing", "erase"), id="late, and confirmed"),
        pytest.param(planned(confirmers=1), 0, 2, ("lapsed", "lapse"), id="nobody in time"),
    ],
)
def test_what_comes_next_for_a_plan(
    erasure: Erasure, confirmed: int, days: int, comes: tuple[str, str]
) -> None:
    assert next_step(erasure, confirmed, NOW + days * DAY) == (ErasureState(comes[0]), Step(comes[1]))


def test_a_hold_stops_whatever_was_confirmed() -> None:
    assert planned().plan is not None
    held = planned()._replace(plan=plan_of([], 0, [uuid4()], NOW))
    assert next_step(held, 5, NOW) == (ErasureState.HELD, Step.WAIT)


def test_a_plan_is_told_from_another_by_its_records_and_not_by_when_it_was_made() -> None:
    tallies = [Tally(NodeKind.EVENT, True, False, 1)]
    first, later = plan_of(tallies, 0, [], NOW), plan_of(tallies, 0, [], NOW + DAY)
    assert digest_of(first, b"a") == digest_of(later, b"a")
    assert digest_of(first, b"a") != digest_of(first, b"b")


def fact(**changed: object) -> Fact:
    """A fact that two people have stated."""
    return Fact.model_validate(
        {
            "id": uuid4(),
            "key_id": uuid4(),
            "scope": {},
            "subject": Subject(),
            "attribute": "owner",
            "terms": Terms(value="Ana"),
            "canonical": "ana",
            "admission": Admission.ADMITTED,
            "valid_from": NOW,
            "ended_at": None,
            "ending": None,
            "lapses_at": NOW + 32 * DAY,
            "stated_at": NOW,
            "restated_at": NOW + 2 * DAY,
            "recorded_at": NOW,
            "authority": Authority.VERIFIED_OUTCOME,
            "authority_role": "lead",
            "standing": Standing.CONFIRMED,
            "challenges": None,
            "statement": "It is Ana's.",
            **changed,
        }
    )


def stated(days: float, who: str = "dana", value: str = "Ana", quote: str | None = "Ana owns it.") -> Stated:
    """A permitted statement of a person."""
    terms = None if quote is None else Terms(value=value)
    return Stated(
        uuid4(),
        Authority.HUMAN_INSTRUCTION,
        "lead",
        who,
        NOW + days * DAY,
        permitted=True,
        terms=terms,
        quote=quote,
    )


def test_what_is_left_of_a_fact_is_what_is_left_says() -> None:
    left = left_of(fact(), [stated(1, value="ANA")])
    assert (left.terms.value, left.statement) == ("ANA", "Ana owns it.")
    assert (left.authority, left.standing) == (Authority.HUMAN_INSTRUCTION, Standing.OBSERVED)
    assert (left.valid_from, left.stated_at, left.restated_at) == (NOW + DAY, NOW + DAY, NOW + DAY)
    assert left.lapses_at == NOW + 31 * DAY


def test_words_that_nobody_left_has_said_stay_in_no_fact() -> None:
    assert left_of(fact(), [stated(0, quote=None)]).statement == ""


_DAYS = some.integers(0, 60)


@given(
    statements=some.lists(some.tuples(_DAYS, some.sampled_from(["dana", "kim"])), min_size=1, max_size=5),
    ended=some.none() | _DAYS,
    expires=some.none() | some.integers(1, 60),
    keeps=some.none() | some.integers(1, 60),
)
def test_what_is_left_is_never_more(
    statements: list[tuple[int, str]], ended: int | None, expires: int | None, keeps: int | None
) -> None:
    there = fact(
        ended_at=None if ended is None else NOW + ended * DAY,
        terms=Terms(value="Ana", expires_at=None if expires is None else NOW + expires * DAY),
        lapses_at=None if keeps is None else NOW + (2 + keeps) * DAY,
    )
    left = left_of(there, [stated(days, who) for days, who in statements])
    assert left.authority <= there.authority
    assert there.standing.suffices(left.standing)
    assert left.valid_from >= there.valid_from or left.valid_from == there.ended_at
    assert there.ended_at is None or left.valid_from <= there.ended_at
    assert left.terms.expires_at is None or left.valid_from < left.terms.expires_at
    assert left.lapses_at is None or left.lapses_at > left.valid_from


def test_the_words_of_one_fact_are_cut_and_the_others_stay() -> None:
    text = "Ana owns it.  BOB owns\n the other."
    assert cut_text(text, [Part("Bob owns the other.", "owner", "Bob")]) == f"Ana owns it.  {CUT}"
    data = {
        "candidates": [{"attribute": "owner", "value": "Ana"}, {"attribute": "owner", "value": "Bob"}],
        "a": 1,
    }
    kept = cut_data(data, [Part("", "owner", " bob ")])
    assert kept == {"candidates": [{"attribute": "owner", "value": "Ana"}], "a": 1}
    assert cut_data({"b": 2}, []) == {"b": 2}


def test_telling_words_are_those_that_may_be_somebodys_alone() -> None:
    event = StoredEvent(
        id=uuid4(),
        activity_id=uuid4(),
        seq=1,
        type=EventType.NOTE,
        speaker=Speaker(subject="dana", kind=PrincipalKind.HUMAN, roles=()),
        authority=Authority.HUMAN_INSTRUCTION,
        scope={},
        occurred_at=NOW,
        recorded_at=NOW,
        timezone=None,
        text="The ZEBRA-7731 is in 東京都庁舎 now.",
        entities=(),
        evidence_ref="vault/key-9",
        data={"Okapi12": [{"deep": "lemur55"}]},
    )
    found = telling_words([event])
    assert {"zebra-7731", "東京都庁舎", "vault/key-9", "okapi12", "lemur55"} <= found
    assert not {"the", "now"} & found
    assert most_telling(["abcdefgh", "ab1cd"]) == ["ab1cd", "abcdefgh"]


def receipt() -> Receipt:
    """A receipt of nothing much."""
    return Receipt(
        erasure_id=uuid4(),
        target="event",
        basis=ErasureBasis.REQUEST,
        asked_by="petra",
        confirmed_by=(),
        asked_at=NOW,
        accepted_at=NOW,
        done_at=NOW,
        plan_digest="",
        result=(),
        result_digest="",
        rows={"events": 1},
        runs=0,
        vacuumed_at=None,
        departed={},
        left_here={},
        without_holder=(UUID(int=1),),
    )


def log_of(number: int) -> list[Logged]:
    """A log as it was written."""
    log: list[Logged] = []
    before = GENESIS
    for place in range(1, number + 1):
        told = receipt()
        log.append(Logged(place, told, before, chained(place, told, before), None, None, NOW))
        before = log[-1].digest
    return log


def test_a_log_as_it_was_written_holds_together() -> None:
    assert faults_in([]) == []
    assert faults_in(log_of(4)) == []


@pytest.mark.parametrize("place", range(4))
def test_a_receipt_that_is_changed_removed_or_moved_is_found(place: int) -> None:
    log = log_of(4)
    other = log[place].receipt.model_copy(update={"rows": {"events": 2}})
    changed = [*log[:place], log[place]._replace(receipt=other), *log[place + 1 :]]
    assert [fault.number for fault in faults_in(changed)] == [place + 1]
    anew = log[place]._replace(receipt=other, digest=chained(place + 1, other, log[place].previous))
    assert bool(faults_in([*log[:place], anew, *log[place + 1 :]])) == (place < 3)
    if place < 3:
        assert faults_in([*log[:place], *log[place + 1 :]])
