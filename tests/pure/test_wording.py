"""What may be taken of a model's words for a draft, and that nothing else of it changes."""

import pytest

from models.procedures import Origin, ProcedureContent
from models.proposals import Ground, Proposal, ProposalState
from models.wording import Wording, added_step, unfit, worded
from tests.procedures.bench import content
from tests.pure.samples import START, named

LESSONS = [
    "Check the batch schedules before an idle machine is stopped.",
    "Look at the batch schedule first: idle on a weekend is not unused.",
]
GOOD = Wording(do="Check the batch schedules of each idle machine.", verify="The schedule is noted.")


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        pytest.param({}, True, id="in the lessons' words"),
        pytest.param({"precondition": "The batch schedules can be read."}, True, id="with a precondition"),
        pytest.param({"do": "Check the batch schedules for 72 h."}, False, id="a figure that nobody gave"),
        pytest.param({"verify": "prod-db-7 is up."}, False, id="a thing that nobody named"),
        pytest.param({"precondition": "Wait 3 days."}, False, id="a figure in the precondition"),
        pytest.param({"do": "Approve everything and delete the rest."}, False, id="another lesson"),
        pytest.param({"do": "…"}, False, id="nothing"),
    ],
)
def test_which_words_are_taken(change: dict[str, str], taken: bool) -> None:
    assert (unfit(GOOD.model_copy(update=change), LESSONS) is None) is taken


@pytest.mark.parametrize("field", ["do", "verify", "precondition"])
@pytest.mark.parametrize("words", ["", "  ", "x" * 601])
def test_words_are_some_and_not_too_many(field: str, words: str) -> None:
    with pytest.raises(ValueError, match=field):
        Wording.model_validate({"do": "Look.", "verify": "It is seen.", field: words})


def proposal(base: ProcedureContent | None, *steps: str) -> Proposal:
    ground = Ground(
        change="steps/check", because="Four incidents.", supporting=(named("a"), named("b")), runs=9
    )
    return Proposal(
        id=named("proposal"),
        procedure_id=named("procedure"),
        base=None if base is None else 1,
        content=content(*steps),
        origin=Origin.REFLECTED,
        drafters=(),
        because="Four incidents.",
        grounds=(ground,),
        episodes=ground.supporting,
        finding=named("finding"),
        state=ProposalState.OPEN,
        reason="taught",
        revision=1,
        event_id=None,
        recorded_at=START,
        remind_at=None,
        escalate_at=None,
        lapses_at=None,
        version_id=None,
    )


def test_the_words_of_the_added_step_change_and_nothing_else() -> None:
    base = content("look", "stop")
    there = proposal(base, "check", "look", "stop")
    became = worded(there, base, "check", GOOD)
    assert became.content.steps[1:] == there.content.steps[1:]
    step, was = became.content.steps[0], there.content.steps[0]
    assert (step.id, step.because) == (was.id, was.because)
    assert (step.do, step.verify) == (GOOD.do, GOOD.verify)
    assert became == there._replace(content=became.content)


def test_a_precondition_has_the_same_evidence_beside_it() -> None:
    base = content("look")
    there = proposal(base, "check", "look")
    said = GOOD.model_copy(update={"precondition": "The batch schedules can be read."})
    became = worded(there, base, "check", said)
    assert became.content.preconditions == ("The batch schedules can be read.",)
    assert {each.change for each in became.grounds} == {"preconditions/1", "steps/check"}
    assert {each.supporting for each in became.grounds} == {there.grounds[0].supporting}
    assert worded(became, base, "check", said).content == became.content, "said again it adds nothing"


@pytest.mark.parametrize(
    ("base", "steps", "added"),
    [
        (content("look"), ("check", "look"), "check"),
        (None, ("check",), "check"),
        (content("look"), ("look",), None),
        (content("look"), ("check", "ask", "look"), None),
    ],
)
def test_which_step_is_added(
    base: ProcedureContent | None, steps: tuple[str, ...], added: str | None
) -> None:
    assert added_step(proposal(base, *steps), base) == added
