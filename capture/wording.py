"""Drafts of reflection in a model's words, where one is configured: another revision, which says who has drafted it.

A proposal is there before a model is asked, so that none of them waits for one, and stands as the template wrote it
where the model is of no help.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from capture.proposing import Models
from capture.versions import Matter, Why, move
from models.extractions import Purpose, State
from models.policy import Policy
from models.principals import PrincipalKind
from models.procedures import Origin, ProcedureContent, Who
from models.proposals import Proposal, ProposalState
from models.wording import Wording, added_step, worded
from store import experiences, extractions, outbox, procedures, proposals
from store.engine import Database
from store.extractions import About
from store.unit_of_work import UnitOfWork

AT_ONCE = 20
"""Drafts that one reflection has worded, the latest; the others stay in the words of the template."""


class _Draft(NamedTuple):
    """A proposal as the template wrote it, the content that it changes, its step, and the lessons behind that."""

    proposal: Proposal
    base: ProcedureContent | None
    step_id: str
    lessons: list[str]
    about: About


async def word_drafts(
    database: Database, tenant_id: UUID, policy: Policy, models: Models | None, now: datetime
) -> int:
    """Have what waits in the words of a template worded, each once; how many were. Raises as `Asking.reply` does."""
    if models is None or models.drafter is None:
        return 0
    async with database.transaction(tenant_id) as work:
        waiting = [await _draft(work, each) for each in await proposals.as_drafted(work, AT_ONCE)]
    done = 0
    for each in waiting:
        if each is None:
            continue
        question = models.drafter.question(each.proposal.content.trigger.intent, each.lessons)
        reply = await models.asking.reply(tenant_id, each.about, models.drafter.name, question, _as_json)
        if reply.proposed is None:
            continue
        wording = Wording.model_validate(reply.proposed)
        drafter = Who(subject=reply.extraction.extractor[:200], kind=PrincipalKind.AGENT)
        async with database.transaction(tenant_id) as work:
            taken = await _take(work, policy, each, wording, drafter, now)
            await extractions.close(work, [each.about.id], State.APPLIED if taken else State.SUPERSEDED)
        done += taken
    return done


def _as_json(wording: Wording) -> dict[str, str | None]:
    return wording.model_dump(mode="json")


async def _draft(work: UnitOfWork, proposal: Proposal) -> _Draft | None:
    base = None
    if proposal.base is not None:
        version = await procedures.numbered(work, proposal.procedure_id, proposal.base)
        base = None if version is None else version.content
    step_id = added_step(proposal, base)
    told = await experiences.told(work, proposal.episodes)
    lessons = list(dict.fromkeys(each.lesson for each in told.values() if each.lesson))
    latest = await experiences.latest_of(work, proposal.episodes)
    if step_id is None or not lessons or latest is None:
        return None
    about = About(latest.activity_id, Purpose.DRAFT, 1, latest.revision)
    return _Draft(proposal, base, step_id, sorted(lessons), about)


async def _take(
    work: UnitOfWork, policy: Policy, draft: _Draft, wording: Wording, drafter: Who, now: datetime
) -> bool:
    """Write the words as another revision, unless somebody has changed the proposal meanwhile, or decided on it."""
    held = await proposals.hold(work, draft.proposal.id)
    assert held is not None
    there, procedure = held
    if (there.origin, there.state, there.revision) != (
        Origin.REFLECTED,
        ProposalState.OPEN,
        draft.proposal.revision,
    ):
        return False
    becomes = worded(there, draft.base, draft.step_id, wording)._replace(
        drafters=(*there.drafters, drafter), revision=there.revision + 1
    )
    why = Why("word", "worded_by_model", drafter.subject, None, None, now)
    await move(work, Matter(policy, procedure), there, becomes, why)
    await outbox.put(work, outbox.Kind.PROMOTE, [there.id])
    return True
