"""Working memory for one model call, put together from what a recall finds. It is told and traced, and never kept.

What is looked for, what is eligible and who disagrees are decided as for a recall; what fits, and how it is written, is
decided in `models.working_memory`.
"""

from typing import NamedTuple

from models.budget import told
from models.context import Context, ContextRequest, SectionName
from models.context_parts import distinct, of_the_runtime, parts_of
from models.due import Due
from models.principals import Principal
from models.procedure_choice import Carried
from models.rendering import ABSTAIN, LACKING, TOO_LONG, instant
from models.sessions import Session, by_weight
from models.traces import Decision, DecisionName, Fate
from models.working_memory import Wanted, Written, ceilings, write
from recall.considered import Considered, Gathered
from recall.doubting import keep_mismatches
from recall.inquiry import Inquiries, Inquiry
from recall.likeness import Mask
from recall.recall import decided, gather
from recall.rechecking import rechecked
from recall.reranking import SecondLook
from recall.tokens import count_tokens
from recall.tracing import trace_of
from store import traces
from store.unit_of_work import UnitOfWork


class Composed(NamedTuple):
    """A context as it was written, and the decisions that led to it."""

    written: Written
    considered: Considered
    session_left_out: int


class Contexts:
    """Puts working memory together for any principal, and keeps a trace of each time."""

    def __init__(self, inquiries: Inquiries, second_look: SecondLook, mask: Mask) -> None:
        self._inquiries = inquiries
        self._second_look = second_look
        self._mask = mask

    async def context(self, principal: Principal, request: ContextRequest) -> Context:
        """The context of one model call.

        Raises as a recall does, and `InvalidInput` where the model's answer leaves no room for a context.
        """
        async with self._inquiries.begun(principal, request.recall()) as (work, inquiry):
            gathered = await gather(work, inquiry)
            if not self._second_look.is_wanted(inquiry, gathered):
                return await self._told(work, inquiry, request, gathered)
        gathered = await self._second_look.at(inquiry, gathered)
        async with self._inquiries.resumed(inquiry) as work:
            gathered, _ = await rechecked(work, inquiry, gathered)
            return await self._told(work, inquiry, request, gathered)

    async def _told(
        self, work: UnitOfWork, inquiry: Inquiry, request: ContextRequest, gathered: Gathered
    ) -> Context:
        composed = _compose(inquiry, request, gathered)
        trace_id = await traces.add(work, trace_of(self._mask, inquiry, composed.considered))
        await keep_mismatches(work, inquiry, composed.considered, trace_id)
        answer = composed.considered.answer
        return Context(
            text=composed.written.text,
            sections=composed.written.sections,
            advice=answer.advice,
            missing=answer.missing,
            conflicts=answer.conflicts,
            unmet=answer.unmet,
            triggers=answer.triggers,
            without=answer.without,
            tokens=answer.tokens,
            left_out=answer.left_out,
            session_left_out=composed.session_left_out,
            procedure_over_budget=answer.procedure_over_budget,
            as_of=inquiry.as_of,
            trace_id=trace_id,
        )


def _compose(inquiry: Inquiry, request: ContextRequest, gathered: Gathered) -> Composed:
    room = request.room()

    facts = {fact.id: fact for fact in (*gathered.found.facts, *gathered.found.partners)}
    conflicts = [told(conflict, facts, facts) for conflict in gathered.disagreements]
    left = distinct(gathered.together)
    parts = {
        **parts_of(left.kept, conflicts, gathered.unmet, gathered.waiting, gathered.due, gathered.playbook),
        **of_the_runtime(request, ceilings(room, count_tokens), count_tokens),
    }
    remarks = [] if request.as_of is None else [f"As of {instant(inquiry.as_of)}."]
    remarks += [LACKING[word] for word in gathered.without]
    if gathered.unmet or any(conflict.question for conflict in conflicts):
        remarks.append(ABSTAIN)
    weights = [event.id for event in by_weight(gathered.waiting)]
    written = write(Wanted(parts, weights, remarks), room, request.limit, count_tokens)
    playbook = gathered.playbook
    if playbook is not None and SectionName.PROCEDURES not in {each.name for each in written.sections}:
        remarks.append(f"{TOO_LONG} {playbook.procedure_id}")
        parts[SectionName.PROCEDURES] = []
        written = write(Wanted(parts, weights, remarks), room, request.limit, count_tokens)
        playbook = None

    shown = {
        each for section in written.sections if section.name is SectionName.SESSION for each in section.ids
    }
    session = Session(
        tuple(event for event in gathered.waiting if event.id in shown),
        left_out=len(gathered.waiting) - len(shown),
    )
    reminded_of = {
        each for section in written.sections if section.name is SectionName.INTENTIONS for each in section.ids
    }
    due = Due(tuple(each for each in gathered.due if each.id in reminded_of))
    considered = decided(inquiry, gathered, written.fitted, session, due, Carried(playbook))
    entries = [
        entry.model_copy(update={"fate": Fate.REPEATS}) if entry.id in left.repeated else entry
        for entry in considered.entries
    ]
    decisions = [_with_sections(decision, written) for decision in considered.decisions]
    return Composed(written, considered._replace(entries=entries, decisions=decisions), session.left_out)


def _with_sections(decision: Decision, written: Written) -> Decision:
    """The decision on the budget, with how each section was filled; any other as it is."""
    if decision.name is not DecisionName.BUDGET:
        return decision
    told_of = {section.name.value: len(section.ids) for section in written.sections}
    tokens = {f"{section.name.value}_tokens": section.tokens for section in written.sections}
    return decision.model_copy(update={"saw": {**decision.saw, **told_of, **tokens}})
