"""Tell procedures, proposals and runs in the shapes of the wire."""

from uuid import UUID

from capture.procedures import Proposed, RolledBack
from models.principals import Principal
from models.procedures import Version
from models.proposals import MEANINGS, Decision, Proposal, refusal_of
from recall.procedure_runs import Runs, Went
from recall.procedures import ProcedurePage, ProcedureRead, ProposalPage, ProposalRead
from runtime.deciding import Counted
from runtime.service import Service
from store.procedures import Listed
from store.proposals import Listed as ListedProposal
from surfaces.http import answers, telling

PENDING = "stored, and counted as soon as somebody sees to it; read the proposal to see what came of it"


def version(each: Version) -> answers.VersionTold:
    return answers.VersionTold.model_validate(each)


def procedure(listed: Listed) -> answers.ProcedureTold:
    return answers.ProcedureTold(
        **listed.procedure._asdict(),
        current=listed.current and version(listed.current),
        trial=listed.trial and version(listed.trial),
    )


def procedures(found: ProcedurePage) -> answers.ProcedurePage:
    return answers.ProcedurePage(procedures=[procedure(each) for each in found.procedures], next=found.next)


def read(found: ProcedureRead) -> answers.ProcedureRead:
    return answers.ProcedureRead(
        procedure=procedure(found.listed), versions=[version(each) for each in found.versions]
    )


def proposal(listed: ListedProposal) -> answers.ProposalTold:
    of, told = listed.procedure, listed.proposal._asdict()
    return answers.ProposalTold.model_validate(
        {**told, "name": of.name, "scope": of.scope, "class_name": of.class_name}
    )


def proposals(found: ProposalPage) -> answers.ProposalPage:
    return answers.ProposalPage(proposals=[proposal(each) for each in found.proposals], next=found.next)


def read_proposal(found: ProposalRead) -> answers.ProposalRead:
    changes = [{**each._asdict(), "grounds": _grounds(found.proposal, each.what)} for each in found.changes]
    return answers.ProposalRead.model_validate(
        {
            "proposal": proposal(found.listed),
            "base": found.base and version(found.base),
            "changes": changes,
            "episodes": [telling.episode(each) for each in found.episodes],
            "decisions": [_decision(each) for each in found.decisions],
            "approvals": found.approvals,
            "reviewers": found.reviewers,
        }
    )


def _grounds(there: Proposal, what: str) -> list[answers.GroundTold]:
    return [answers.GroundTold.model_validate(each) for each in there.grounds if each.change == what]


def _decision(each: Decision) -> answers.ReviewerDecisionTold:
    by = {"subject": each.by.subject, "kind": each.by.kind}
    return answers.ReviewerDecisionTold.model_validate({**each._asdict(), "by": by})


async def changed_by(service: Service, principal: Principal, word: Proposed) -> answers.ProposalChanged:
    """What a word has made of a proposal, as it stands now."""
    told = await _proposal_now(service, principal, word.proposal_id)
    return answers.ProposalChanged(
        proposal=told, event_id=word.receipt.event_id, duplicate=word.receipt.duplicate
    )


async def decided(service: Service, principal: Principal, counted: Counted) -> answers.DecisionCounted:
    """What a decision came to; raises what its reviewer is told where it does not count."""
    if counted.outcome is not None and (refused := refusal_of(counted.outcome)) is not None:
        raise refused
    return answers.DecisionCounted(
        decision_id=counted.decision_id,
        outcome="pending" if counted.outcome is None else counted.outcome,
        meaning=PENDING if counted.outcome is None else MEANINGS[counted.outcome],
        proposal=await _proposal_now(service, principal, counted.proposal_id),
        event_id=counted.receipt.event_id,
        duplicate=counted.receipt.duplicate,
    )


async def _proposal_now(service: Service, principal: Principal, identity: UUID) -> answers.ProposalTold:
    return proposal((await service.playbooks.proposal(principal, identity)).listed)


async def rolled_back(service: Service, principal: Principal, done: RolledBack) -> answers.RolledBackTold:
    """A procedure after it was rolled back, as it stands now."""
    found = await service.playbooks.one(principal, done.procedure_id)
    return answers.RolledBackTold(
        procedure=procedure(found.listed),
        event_id=done.receipt.event_id,
        duplicate=done.receipt.duplicate,
    )


def runs(found: Runs) -> answers.RunsTold:
    return answers.RunsTold(current=_went(found.current), trial=_went(found.trial), pairs=found.pairs)


def _went(went: Went | None) -> answers.TallyTold | None:
    return went and answers.TallyTold.model_validate({**went.tally._asdict(), "number": went.number})
