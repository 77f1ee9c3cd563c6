"""The difference between what is known of events and what is proposed of them now."""

from models.candidates import CandidateKind, Proposal, Terms
from models.redo import WITHHELD, Change, Known, Line, Weighed, as_read_by, compare, states
from tests.pure.samples import named, terms


def known(name: str, what: Terms | None, verdict: str | None = "establish") -> Known:
    return Known(
        named(name), named("event"), CandidateKind.STATEMENT, "owner", "a-1", what, "rules/1", verdict, "why"
    )


def now(name: str, what: Terms | None, *, new: bool = False, refusal: str | None = None) -> Weighed:
    kind = CandidateKind.STATEMENT if what else CandidateKind.WITHDRAWAL
    proposal = Proposal(
        event_id=named("event"), kind=kind, attribute="owner", mention="a-1", terms=what, quote="q"
    )
    return Weighed(proposal, "model/1", named(name), new, refusal)


def changes(lines: list[Line]) -> list[tuple[Change, str | None]]:
    return [(line.change, line.value) for line in lines]


def test_every_way_in_which_they_can_differ() -> None:
    before = [
        known("same", terms("dana")),
        known("other", terms("dana")),
        known("waits", None, None),
        known("discarded", None, "discard"),
        known("gone", terms("noor")),
        known("never kept", None, "discard"),
    ]
    after = [
        now("new", terms("sam"), new=True),
        now("refused", terms("evil"), new=True, refusal="not_grounded"),
        now("same", terms("Dana")),
        now("other", terms("sam")),
        now("waits", None),
        now("discarded", terms("evil"), refusal="not_grounded"),
    ]
    lines = compare(before, after)
    assert changes(lines) == [
        (Change.NEW, "sam"),
        (Change.REFUSED, "evil"),
        (Change.SAME, "Dana"),
        (Change.OTHER_WORDS, "sam"),
        (Change.SAME, None),
        (Change.SAME, "evil"),
        (Change.GONE, "noor"),
    ]
    assert [line.reason for line in lines[:2]] == [None, "not_grounded"]
    assert lines[0].candidate_id is None
    assert (lines[3].candidate_id, lines[3].verdict, lines[3].extractor) == (
        named("other"),
        "establish",
        "model/1",
    )


def test_of_two_proposals_for_one_key_the_first_is_shown() -> None:
    lines = compare([], [now("new", terms("rule's"), new=True), now("new", terms("model's"))])
    assert changes(lines) == [(Change.NEW, "rule's")]


def test_nothing_known_and_nothing_proposed() -> None:
    assert compare([], []) == []


def test_what_a_reader_may_not_see_is_withheld() -> None:
    lines = compare([], [now("new", terms("dana", ends_when="she moves"), new=True)])
    assert as_read_by(lines, {"owner"}) == lines
    [hidden] = as_read_by(lines, {"uses"})
    assert (hidden.attribute, hidden.mention, hidden.value, hidden.ends_when) == (WITHHELD, None, None, None)
    assert (hidden.change, hidden.event_id) == (Change.NEW, named("event"))


def test_what_an_event_has_stated_is_told_by_its_terms() -> None:
    stated = [known("stated", terms("dana"))]
    assert states(stated, now("other id", terms("Dana")).proposal)
    assert not states(stated, now("other id", terms("sam")).proposal)
    assert not states(stated, now("other id", None).proposal)
    assert not states([], now("other id", terms("dana")).proposal)
