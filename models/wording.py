"""A draft in a model's words: what of them may be taken, and where they go. Evidence, order and ids stay the code's."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from models.narratives import strange
from models.procedure_changes import changes
from models.procedures import ProcedureContent
from models.proposals import Proposal
from models.text import terms

SHARED = 0.3
"""Of the words of a step so many at least are those of a lesson that it comes from."""
MOST_PRECONDITIONS = 50
_MOST_CHARACTERS = 600


class Wording(BaseModel):
    """Words for the step that a draft adds, and what must hold before, where the lessons say so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: str = Field(min_length=1, max_length=_MOST_CHARACTERS, pattern=r"\S")
    verify: str = Field(min_length=1, max_length=_MOST_CHARACTERS, pattern=r"\S")
    precondition: str | None = Field(default=None, min_length=1, max_length=_MOST_CHARACTERS, pattern=r"\S")


def unfit(wording: Wording, lessons: Sequence[str]) -> str | None:
    """Why words are not taken, for the model that wrote them; None for those that are.

    | the words | are |
    | --- | --- |
    | name a figure or an identifier that no lesson has | refused |
    | of the step share less than `SHARED` with the lessons | refused |
    | else | taken |
    """
    told = " ".join((wording.do, wording.verify, wording.precondition or ""))
    invented = strange(told, lessons)
    if invented:
        return f"the lessons have no {', '.join(invented)}; write it without"
    own, taught = set(terms(wording.do)), {term for lesson in lessons for term in terms(lesson)}
    if not own or len(own & taught) < SHARED * len(own):
        return "the step does not say what the lessons say; keep to their words and their language"
    return None


def added_step(proposal: Proposal, base: ProcedureContent | None) -> str | None:
    """The id of the one step that a proposal adds; None where it adds none, or several."""
    there = frozenset[str]() if base is None else {step.id for step in base.steps}
    new = [step.id for step in proposal.content.steps if step.id not in there]
    return new[0] if len(new) == 1 else None


def worded(proposal: Proposal, base: ProcedureContent | None, step_id: str, wording: Wording) -> Proposal:
    """The proposal in these words: the step's own, and one precondition more at most. Its evidence is what it was."""
    content = proposal.content
    steps = tuple(
        step.model_copy(update={"do": wording.do.strip(), "verify": wording.verify.strip()})
        if step.id == step_id
        else step
        for step in content.steps
    )
    before = content.preconditions
    new = (wording.precondition or "").strip()
    if new and new not in before and len(before) < MOST_PRECONDITIONS:
        before = (*before, new)
    content = content.model_copy(update={"steps": steps, "preconditions": before})
    ground = next((each for each in proposal.grounds if each.change == f"steps/{step_id}"), None)
    told = (
        []
        if ground is None
        else [ground.model_copy(update={"change": each.what}) for each in changes(base, content)]
    )
    return proposal._replace(content=content, grounds=tuple(told) or proposal.grounds)
