"""What reflection makes of experience: proposals for a reviewer, each once, with lineage to every episode behind it.

Nothing that is proposed here is in force. What was decided on comes back with new evidence alone.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from capture.versions import KEEPWELL, Matter, Why, add_evidence, open_proposal, waiting_from
from models.drafting import Draft, DraftKind, draft, is_left_out, left_out
from models.experiences import Experience
from models.ids import derived_id
from models.policy import Policy
from models.procedure_rules import ProcedureClass
from models.procedures import Origin, Procedure, ProcedureContent, Version
from models.proposals import WAITING, Proposal, ProposalState
from models.reflection import Finding, findings
from models.scope import Scope
from store import procedures, proposals
from store.unit_of_work import UnitOfWork

_MOST_PROCEDURES = 500


class Reflected(NamedTuple):
    """What came of one reflection: how much was found, and how much of it was proposed."""

    found: int
    proposed: int


class _Place(NamedTuple):
    """Where a draft belongs: the procedure, None where there is none yet, its class, and what of it is in force."""

    policy: Policy
    procedure: Procedure | None
    class_name: str
    rules: ProcedureClass
    current: Version | None


async def reflect(
    work: UnitOfWork, policy: Policy, experiences: Sequence[Experience], now: datetime
) -> Reflected:
    """Propose what recurs in experience, by the rules of each class of procedures."""
    found = proposed = 0
    keyed = sorted(experiences, key=lambda each: (str(Scope(each.scope).key), each.task_class))
    for (_, task_class), group in groupby(
        keyed, key=lambda each: (str(Scope(each.scope).key), each.task_class)
    ):
        of_class = list(group)
        scope = Scope(of_class[0].scope)
        place = await _place(work, policy, scope, task_class)
        if place is None:
            continue
        recurring = [each for each in findings(of_class, place.rules.recurrence, now) if each.why_not is None]
        found += len(recurring)
        for each in recurring:
            proposed += await _propose(work, scope, place, each, now)
        if place.procedure is not None and place.current is not None:
            content, rules = place.current.content, place.rules.recurrence
            for made in left_out(place.procedure.id, content, of_class, rules):
                found += 1
                proposed += await _open(work, place.procedure, place, made, now)
    return Reflected(found, proposed)


async def _place(work: UnitOfWork, policy: Policy, scope: Scope, task_class: str) -> _Place | None:
    """The procedure for a class of task in a scope: the one that applies there, the narrowest first, or a new one."""
    applying = await procedures.applying(
        work, frozenset(policy.procedures), scope.sub_scope_keys(), _MOST_PROCEDURES
    )
    fitting = [
        each
        for each in applying
        if each.current is not None and each.current.content.trigger.task_class == task_class
    ]
    if fitting:
        there = max(fitting, key=lambda each: (len(each.procedure.scope), each.procedure.id))
        class_name = there.procedure.class_name
        return _Place(policy, there.procedure, class_name, policy.procedures[class_name], there.current)
    classes = sorted(name for name, rules in policy.procedures.items() if rules.fits(scope))
    if not classes:
        return None
    return _Place(policy, None, classes[0], policy.procedures[classes[0]], None)


async def _propose(work: UnitOfWork, scope: Scope, place: _Place, finding: Finding, now: datetime) -> bool:
    content: ProcedureContent | None = None if place.current is None else place.current.content
    made = draft(finding, content)
    if made is None:
        return False
    procedure = place.procedure or await procedures.named(
        work, scope, name_of(finding.task_class), place.class_name
    )
    return await _open(work, procedure, place, made, now)


async def _open(work: UnitOfWork, procedure: Procedure, place: _Place, made: Draft, now: datetime) -> bool:
    """Open a proposal, unless the same waits, which gets the evidence, or was decided on by as much evidence."""
    held = await procedures.hold(work, procedure.id)
    assert held is not None
    before = await _before(work, held, made)
    waiting = next((each for each in before if each.state in WAITING), None)
    if waiting is not None:
        if set(made.episodes) - set(waiting.episodes):
            more = waiting._replace(episodes=made.episodes, grounds=made.grounds)
            await add_evidence(work, waiting, more)
        return False
    seen = {episode for each in before for episode in each.episodes}
    if not set(made.episodes) - seen:
        return False
    finding = before[0].finding if before else made.finding
    base = (await procedures.in_force(work, [held.id]))[held.id].current
    new = Proposal(
        id=derived_id("proposal", held.id, str(finding), len(before)),
        procedure_id=held.id,
        base=None if base is None else base.number,
        content=made.content,
        origin=Origin.REFLECTED,
        drafters=(KEEPWELL,),
        because=made.because,
        grounds=made.grounds,
        episodes=made.episodes,
        finding=finding,
        state=ProposalState.OPEN,
        reason=made.kind.value,
        revision=1,
        event_id=None,
        recorded_at=now,
        remind_at=None,
        escalate_at=None,
        lapses_at=None,
        version_id=None,
    )
    why = Why("reflect", made.kind.value, KEEPWELL.subject, None, None, now)
    return await open_proposal(work, Matter(place.policy, held), waiting_from(new, place.rules, now), [], why)


async def _before(work: UnitOfWork, procedure: Procedure, made: Draft) -> list[Proposal]:
    """What was ever proposed for the same recurrence, the latest first.

    It goes by the key; a recurrence of which an episode has gone has another one, and is known by those that are left.
    """
    every = await proposals.reflected(work, procedure.id)
    mine = set(made.episodes)
    met = {
        each.finding
        for each in every
        if made.kind is DraftKind.TAUGHT and not is_left_out(each) and not mine.isdisjoint(each.episodes)
    }
    return [each for each in every if each.finding == made.finding or each.finding in met]


def name_of(task_class: str) -> str:
    """The name of a procedure for a class of task: in letters and digits that a file's name may have."""
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in task_class.lower()).strip(
        "_"
    )
    return plain[:100] if plain[:1].isalpha() else f"task_{derived_id('task', task_class).hex[:12]}"
